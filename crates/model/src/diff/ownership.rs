//! Who owns a live value, as far as the base shows.
//!
//! Decided within one name, type and [`Purpose`], and within one [slot](crate::model::Rdata::slot)
//! first:
//!
//! | the base | live | the live value is |
//! |---|---|---|
//! | wanted this value | | the spec's |
//! | wanted others, some of which are gone | no more unknown values than values that are gone | drift: someone changed a value of the spec |
//! | wanted others, some of which are gone | more | foreign: it is unknown which of them are changed ones |
//! | wanted others, all of which are live | any | foreign |
//! | wanted none | any | foreign |
//! | is not named | any | unknown |
//!
//! Where the types exclude each other, a record that is in the place of one that the base wanted is
//! drift as well: both cannot have been there. In a zone with `unmanaged: prune` the spec is the
//! complete state, so every value is the spec's.
//!
//! What a plan may do with each of them is in `plan::overwrites`.

use std::collections::BTreeMap;

use crate::model::{
    DesiredRecord, DesiredZone, Fqdn, Gather, LiveRecord, Purpose, Rdata, RecordId, RecordType,
    Unmanaged,
};

/// Whose a live value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The spec's: the base wanted it, or the zone is pruned.
    Spec,
    /// The base wanted another value, which is gone, and this one is in its place.
    Drift,
    /// Someone else's: the base never wanted it.
    Foreign,
    /// There is no base.
    Unknown,
}

/// Whose a live value is, and what the base wanted in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// Whose it is.
    pub owner: Owner,
    /// The record of the base, where there is one.
    pub base: Option<&'a DesiredRecord>,
}

impl Claim<'_> {
    /// A value of the spec of which the base says nothing.
    pub const OWN: Self = Self { owner: Owner::Spec, base: None };
}

/// What the base wanted at one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct BaseName<'a> {
    /// Its records there, in the order of type and value; `None` without a base.
    records: Option<&'a [DesiredRecord]>,
    unmanaged: Unmanaged,
}

impl<'a> BaseName<'a> {
    /// Looks a name up. The records of a spec are in the order of name, type and value.
    pub(super) fn new(base: Option<&'a DesiredZone>, name: &Fqdn, unmanaged: Unmanaged) -> Self {
        let records = base.map(|base| {
            let start = base.records.partition_point(|r| r.name < *name);
            let rest = &base.records[start..];
            &rest[..rest.partition_point(|r| r.name == *name)]
        });
        Self { records, unmanaged }
    }

    /// Whether the base wanted a record here that cannot share the name with one of this type.
    fn had_in_place_of(&self, record_type: RecordType, is_apex: bool) -> bool {
        let excludes = |r: &DesiredRecord| {
            r.data.record_type().is_some_and(|t| t.excludes_at(record_type, is_apex))
        };
        self.records.is_some_and(|records| records.iter().any(excludes))
    }

    /// The claim to a record that is in the way of a wanted one of another type.
    pub(super) fn in_the_way(
        &self,
        claim: Claim<'a>,
        record: &LiveRecord,
        is_apex: bool,
    ) -> Claim<'a> {
        let replaces =
            || record.data.record_type().is_some_and(|own| self.had_in_place_of(own, is_apex));
        match claim.owner {
            Owner::Foreign if replaces() => Claim { owner: Owner::Drift, base: None },
            Owner::Spec | Owner::Drift | Owner::Foreign | Owner::Unknown => claim,
        }
    }

    /// The claims to the live records of one type.
    pub(super) fn claims(&self, live: &[&'a LiveRecord]) -> Claims<'a> {
        let rest = match (self.records, self.unmanaged) {
            (_, Unmanaged::Prune) => Claim::OWN,
            (Some(_), Unmanaged::Keep) => Claim { owner: Owner::Foreign, base: None },
            (None, Unmanaged::Keep) => Claim { owner: Owner::Unknown, base: None },
        };
        let mut claims = Claims { by_id: BTreeMap::new(), rest };
        let (Some(records), Some(kind)) = (self.records, live.first().map(|r| r.data.type_name()))
        else {
            return claims;
        };
        let own = records.iter().filter(|r| r.data.type_name() == kind);
        let mut gone: BTreeMap<&Rdata, &DesiredRecord> = own.map(|r| (&r.data, r)).gather();
        let (known, mut others): (Vec<&LiveRecord>, Vec<&LiveRecord>) =
            live.iter().copied().partition(|r| gone.contains_key(&r.data));
        for record in &known {
            if let Some(base) = gone.get(&record.data) {
                claims.by_id.insert(&record.id, Claim { owner: Owner::Spec, base: Some(base) });
            }
        }
        for record in &known {
            gone.remove(&record.data);
        }
        claims.replaced(&mut gone, &mut others, &|data| data.slot());
        claims.replaced(&mut gone, &mut others, &|data| match data.purpose() {
            Purpose::Unique => None,
            purpose => Some((purpose, String::new())),
        });
        claims
    }
}

/// The claims to the live records of one name and type.
#[derive(Debug)]
pub(super) struct Claims<'a> {
    by_id: BTreeMap<&'a RecordId, Claim<'a>>,
    /// The claim to all others.
    rest: Claim<'a>,
}

impl<'a> Claims<'a> {
    /// The claim to a record.
    pub(super) fn of(&self, record: &LiveRecord) -> Claim<'a> {
        self.by_id.get(&record.id).copied().unwrap_or(self.rest)
    }

    /// Whose the values are of which the base says nothing.
    pub(super) fn owner_of_rest(&self) -> Owner {
        self.rest.owner
    }

    /// Finds values that are in the place of those that are gone: within a key, if they are no more
    /// than those.
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
                self.by_id.insert(&record.id, Claim { owner: Owner::Drift, base: Some(base) });
                gone.remove(&base.data);
            }
        }
        others.retain(|other| !self.by_id.contains_key(&other.id));
    }
}

/// Items by their keys, in their order; those without a key are left out.
fn by_key<K: Ord, T>(items: impl Iterator<Item = (Option<K>, T)>) -> BTreeMap<K, Vec<T>> {
    let mut all: BTreeMap<K, Vec<T>> = BTreeMap::new();
    for (key, item) in items {
        if let Some(key) = key {
            all.entry(key).or_default().push(item);
        }
    }
    all
}
