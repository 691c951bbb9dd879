//! Values that profiles give to a zone: how profiles agree, and how a zone is completed from them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use super::named_values::merge_members;
use super::waf::profiles_clash;
use crate::diagnostic::{Diagnostics, Place};
use crate::model::{
    Danger, DesiredRecord, DesiredZone, Expectation, Expected, Facets, Fqdn, Gather, Rdata,
    Tombstone, Value, sort_by,
};

/// Values by name, each with its place.
type Named<T> = BTreeMap<String, (T, Place)>;

/// The values that one or more profiles give to a zone.
#[derive(Debug, Default)]
pub(super) struct SharedValues {
    settings: Named<Value>,
    dns_settings: Named<Value>,
    /// DNSSEC under its key.
    dnssec: Named<bool>,
    expect: Named<Expected>,
    /// Records by what the records of a zone replace together.
    records: Named<RecordSet>,
    tombstones: Vec<Tombstone>,
}

/// Records that the records of a zone replace together.
#[derive(Debug)]
struct RecordSet(Vec<DesiredRecord>);

/// The content of a record without its spelling.
type RecordContent<'r> = (&'r Rdata, &'r Facets, bool, Option<&'r BTreeMap<Danger, String>>);

impl PartialEq for RecordSet {
    fn eq(&self, other: &Self) -> bool {
        fn contents(set: &RecordSet) -> Vec<RecordContent<'_>> {
            let mut records: Vec<&DesiredRecord> = set.0.iter().collect();
            sort_by(&mut records, |a, b| a.data.cmp(&b.data));
            records
                .into_iter()
                .map(|r| (&r.data, &r.facets, r.protect, r.allow.as_deref()))
                .collect()
        }
        contents(self) == contents(other)
    }
}

/// Returns the name of the records that the records of a zone replace together: those of a name and
/// type. Texts for different purposes, such as an SPF policy and a verification, do not replace each
/// other.
#[must_use]
pub fn record_set_name(name: &Fqdn, data: &Rdata) -> String {
    let purpose = match data {
        Rdata::Txt(_) => data.slot().map_or_else(|| data.presentation(), |(_, purpose)| purpose),
        _ => String::new(),
    };
    format!("{name} {} {purpose}", data.type_name())
}

impl From<DesiredZone> for SharedValues {
    fn from(profile: DesiredZone) -> Self {
        let mut records: Named<RecordSet> = BTreeMap::new();
        for record in profile.records {
            let place = record.spelling.place;
            let set = records.entry(record_set_name(&record.name, &record.data));
            set.or_insert_with(|| (RecordSet(Vec::new()), place)).0.0.push(record);
        }
        let expect = profile.expect.into_iter().map(|e| (e.name, (e.what, e.place)));
        let dnssec = profile.settings.dnssec.map(|dnssec| ("dnssec".to_owned(), dnssec));
        Self {
            settings: profile.settings.settings,
            dns_settings: profile.settings.dns_settings,
            dnssec: dnssec.into_iter().gather(),
            expect: expect.gather(),
            records,
            tombstones: profile.tombstones,
        }
    }
}

impl SharedValues {
    /// Adds the values of another profile that a zone uses at the place `used`. Values that the zone
    /// decides are left out. All other values must agree.
    pub(super) fn join(
        &mut self,
        other: Self,
        zone: &DesiredZone,
        used: Place,
        diagnostics: &mut Diagnostics,
    ) {
        let Self { settings, dns_settings, dnssec, expect, records, mut tombstones } = other;
        let mut joining = Joining { used, diagnostics };
        let is_decided = |own: &BTreeMap<String, (Value, Place)>, name: &str, value: &Value| {
            // A mapping of the zone decides only its members.
            own.get(name).is_some_and(|(own, _)| !(is_map(own) && is_map(value)))
        };
        let own_settings = &zone.settings;
        joining.named("settings", &mut self.settings, settings, |name, value| {
            is_decided(&own_settings.settings, name, value)
        });
        joining.named("dns_settings", &mut self.dns_settings, dns_settings, |name, value| {
            is_decided(&own_settings.dns_settings, name, value)
        });
        joining.named("", &mut self.dnssec, dnssec, |_, _| own_settings.dnssec.is_some());
        let expected: HashSet<&str> = zone.expect.iter().map(|e| e.name.as_str()).collect();
        joining.named("expect", &mut self.expect, expect, |name, _| expected.contains(name));
        let own_sets: HashSet<String> =
            zone.records.iter().map(|record| record_set_name(&record.name, &record.data)).collect();
        let mut left_records = records;
        for (set, _) in left_records.values_mut() {
            set.0.retain(|record| !zone.tombstones.iter().any(|stone| is_of(stone, record)));
        }
        left_records.retain(|_, (set, _)| !set.0.is_empty());
        joining
            .named("records", &mut self.records, left_records, |name, _| own_sets.contains(name));
        tombstones.retain(|stone| {
            !zone.records.iter().any(|record| is_of(stone, record))
                && !zone
                    .tombstones
                    .iter()
                    .chain(&self.tombstones)
                    .any(|other| is_same(other, stone))
        });
        self.tombstones.append(&mut tombstones);
    }
}

fn is_map(value: &Value) -> bool {
    matches!(value, Value::Map(_))
}

/// Returns true if a tombstone is about a record.
fn is_of(stone: &Tombstone, record: &DesiredRecord) -> bool {
    stone.name == record.name
        && Some(stone.record_type) == record.data.record_type()
        && stone.data.as_ref().is_none_or(|data| *data == record.data)
}

/// Returns true if two tombstones are about the same records.
fn is_same(one: &Tombstone, other: &Tombstone) -> bool {
    (&one.name, one.record_type, &one.data) == (&other.name, other.record_type, &other.data)
}

/// Adds the values of a profile to those of others.
struct Joining<'a> {
    /// The place at which the zone uses the profile.
    used: Place,
    diagnostics: &'a mut Diagnostics,
}

impl Joining<'_> {
    /// Adds named values. Reports values that differ and that the zone does not decide.
    fn named<T: PartialEq>(
        &mut self,
        section: &str,
        first: &mut Named<T>,
        second: Named<T>,
        is_decided: impl Fn(&str, &T) -> bool,
    ) {
        for (name, (value, place)) in second {
            if is_decided(&name, &value) {
                continue;
            }
            match first.entry(name) {
                Entry::Vacant(entry) => drop(entry.insert((value, place))),
                Entry::Occupied(entry) if entry.get().0 == value => {}
                Entry::Occupied(entry) => {
                    let (key, name) = match section {
                        "" => (entry.key().as_str(), None),
                        section => (section, Some(format!("`{}`", entry.key().trim_end()))),
                    };
                    let first = entry.get().1;
                    self.diagnostics.push(profiles_clash(
                        key,
                        name.as_deref(),
                        first,
                        place,
                        self.used,
                    ));
                }
            }
        }
    }
}

/// Adds to a zone what it lacks. Its own values win, key by key.
pub(super) fn complete_zone(zone: &mut DesiredZone, shared: SharedValues) {
    let SharedValues { settings, dns_settings, dnssec, expect, records, tombstones } = shared;
    for (own, shared) in
        [(&mut zone.settings.settings, settings), (&mut zone.settings.dns_settings, dns_settings)]
    {
        for (name, (value, place)) in shared {
            match own.entry(name) {
                Entry::Vacant(entry) => drop(entry.insert((value, place))),
                Entry::Occupied(mut entry) => {
                    if let (Value::Map(own), Value::Map(shared)) = (&mut entry.get_mut().0, value) {
                        merge_members("", own, shared, &mut |_, _, _| {});
                    }
                }
            }
        }
    }
    if let Some((_, dnssec)) = dnssec.into_iter().next() {
        zone.settings.dnssec.get_or_insert(dnssec);
    }
    let expect = expect.into_iter().map(|(name, (what, place))| Expectation { name, place, what });
    zone.expect.extend(expect);
    zone.records.extend(records.into_values().flat_map(|(set, _)| set.0));
    zone.tombstones.extend(tombstones);
}
