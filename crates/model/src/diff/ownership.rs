//! Decides who owns a live value, as far as the base shows.
//!
//! Decisions are made for one name, type and [`Purpose`]; values in the same
//! [slot](crate::Rdata::slot) are matched first:
//!
//! | the base | unknown live values | owner of the live value |
//! |---|---|---|
//! | wanted this value | | the spec |
//! | wanted other values, some of which no longer exist | no more than the values that no longer exist | drift: someone changed a value of the spec |
//! | wanted other values, some of which no longer exist | more | foreign: it is unknown which of them are changed values of the spec |
//! | wanted other values, all of which are live | any | foreign |
//! | wanted no values | any | foreign |
//! | does not exist | any | unknown |
//!
//! If two types exclude each other, a live record in the place of a record that the base wanted is
//! drift as well, because both cannot have existed together. In a zone with `unmanaged: prune` the
//! spec is the complete state, so the spec owns every value.
//!
//! `plan::overwrites` decides what a plan may do with the values of each owner.

use std::collections::BTreeMap;

use crate::{
    DesiredRecord, DesiredZone, Fqdn, Gather, LiveRecord, Purpose, Rdata, RecordId, RecordType,
    Tombstone, Unmanaged,
};

/// The owner of a live value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOwner {
    /// The spec owns the value: the base wanted it, or the zone is pruned.
    Spec,
    /// The value replaced another value that the base wanted.
    Drift,
    /// Someone else owns the value: the base never wanted it.
    Foreign,
    /// The owner is unknown because there is no base.
    Unknown,
}

/// The owner of a live value, and the record that the base wanted in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The owner of the value.
    pub owner: ValueOwner,
    /// The record of the base, if there is one.
    pub base: Option<&'a DesiredRecord>,
}

impl Claim<'_> {
    /// The claim to a value of the spec that the base does not contain.
    pub const OWN: Self = Self { owner: ValueOwner::Spec, base: None };
}

/// The records that the base wanted at one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct BaseName<'a> {
    /// The records, in the order of type and value; `None` without a base.
    records: Option<&'a [DesiredRecord]>,
    /// The records that the base did not want, in the same order.
    tombstones: &'a [Tombstone],
    unmanaged: Unmanaged,
}

/// Returns the part of a list, sorted by name, that has this name.
fn at_name<'t, T>(sorted: &'t [T], own: impl Fn(&T) -> &Fqdn, name: &Fqdn) -> &'t [T] {
    let start = sorted.partition_point(|thing| own(thing) < name);
    let later = &sorted[start..];
    &later[..later.partition_point(|thing| own(thing) == name)]
}

impl<'a> BaseName<'a> {
    /// Looks a name up by binary search: the records of a spec are sorted by name, type and value.
    pub(super) fn new(base: Option<&'a DesiredZone>, name: &Fqdn, unmanaged: Unmanaged) -> Self {
        let records = base.map(|base| at_name(&base.records, |record| &record.name, name));
        let tombstones = base
            .map_or(&[][..], |base| at_name(&base.tombstones, |tombstone| &tombstone.name, name));
        Self { records, tombstones, unmanaged }
    }

    /// Returns true if the last day of the same record was in the base, and is over.
    pub(super) fn has_expired(&self, tombstone: &Tombstone) -> bool {
        self.tombstones.iter().any(|base| {
            base.expired.is_some()
                && (base.record_type, &base.data) == (tombstone.record_type, &tombstone.data)
        })
    }

    /// Returns true if the base wanted a record here that cannot share the name with `record_type`.
    fn had_in_place_of(&self, record_type: RecordType, is_apex: bool) -> bool {
        let excludes = |r: &DesiredRecord| {
            r.data.record_type().is_some_and(|t| t.excludes_at(record_type, is_apex))
        };
        self.records.is_some_and(|records| records.iter().any(excludes))
    }

    /// Returns the claim to a live record that excludes a desired record of another type.
    pub(super) fn in_the_way(
        &self,
        claim: Claim<'a>,
        record: &LiveRecord,
        is_apex: bool,
    ) -> Claim<'a> {
        let replaces =
            || record.data.record_type().is_some_and(|own| self.had_in_place_of(own, is_apex));
        match claim.owner {
            ValueOwner::Foreign if replaces() => Claim { owner: ValueOwner::Drift, base: None },
            ValueOwner::Spec | ValueOwner::Drift | ValueOwner::Foreign | ValueOwner::Unknown => {
                claim
            }
        }
    }

    pub(super) fn claims(&self, live: &[&'a LiveRecord]) -> Claims<'a> {
        let claim_of_rest = match (self.records, self.unmanaged) {
            (_, Unmanaged::Prune) => Claim::OWN,
            (Some(_), Unmanaged::Keep) => Claim { owner: ValueOwner::Foreign, base: None },
            (None, Unmanaged::Keep) => Claim { owner: ValueOwner::Unknown, base: None },
        };
        let mut claims = Claims { by_id: BTreeMap::new(), rest: claim_of_rest };
        let (Some(records), Some(kind)) = (self.records, live.first().map(|r| r.data.type_name()))
        else {
            return claims;
        };
        let records_of_type = records.iter().filter(|r| r.data.type_name() == kind);
        let mut missing: BTreeMap<&Rdata, &DesiredRecord> =
            records_of_type.map(|r| (&r.data, r)).gather();
        let (known, mut others): (Vec<&LiveRecord>, Vec<&LiveRecord>) =
            live.iter().copied().partition(|r| missing.contains_key(&r.data));
        for record in &known {
            if let Some(base) = missing.get(&record.data) {
                claims
                    .by_id
                    .insert(&record.id, Claim { owner: ValueOwner::Spec, base: Some(base) });
            }
        }
        for record in &known {
            missing.remove(&record.data);
        }
        claims.replaced(&mut missing, &mut others, &|data| data.slot());
        claims.replaced(&mut missing, &mut others, &|data| match data.purpose() {
            Purpose::Unique => None,
            purpose => Some((purpose, String::new())),
        });
        claims
    }
}

#[derive(Debug)]
pub(super) struct Claims<'a> {
    by_id: BTreeMap<&'a RecordId, Claim<'a>>,
    /// The claim to all records that have no entry of their own.
    rest: Claim<'a>,
}

impl<'a> Claims<'a> {
    pub(super) fn of(&self, record: &LiveRecord) -> Claim<'a> {
        self.by_id.get(&record.id).copied().unwrap_or(self.rest)
    }

    /// Returns the owner of the values that the base does not contain.
    pub(super) fn owner_of_rest(&self) -> ValueOwner {
        self.rest.owner
    }

    /// Returns the values that replaced missing values of the base: per key, only if they are no
    /// more than the missing values.
    fn replaced(
        &mut self,
        gone: &mut BTreeMap<&'a Rdata, &'a DesiredRecord>,
        others: &mut Vec<&'a LiveRecord>,
        key: &dyn Fn(&Rdata) -> Option<(Purpose, String)>,
    ) {
        let live = by_key(others.iter().map(|record| (key(&record.data), *record)));
        let mut bases = by_key(gone.values().map(|record| (key(&record.data), *record)));
        for (key, records) in live {
            let bases = bases.remove(&key).unwrap_or_default();
            if records.len() > bases.len() {
                continue;
            }
            for (record, base) in records.iter().zip(bases) {
                self.by_id.insert(&record.id, Claim { owner: ValueOwner::Drift, base: Some(base) });
                gone.remove(&base.data);
            }
        }
        others.retain(|other| !self.by_id.contains_key(&other.id));
    }
}

/// Groups items by their keys, in the order of the items. Items without a key are left out.
fn by_key<K: Ord, T>(items: impl Iterator<Item = (Option<K>, T)>) -> BTreeMap<K, Vec<T>> {
    let mut groups: BTreeMap<K, Vec<T>> = BTreeMap::new();
    for (key, item) in items {
        if let Some(key) = key {
            groups.entry(key).or_default().push(item);
        }
    }
    groups
}
