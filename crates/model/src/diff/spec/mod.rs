//! Compares two specs: finds the changes that their authors made, without reading Cloudflare. Pure.
//!
//! Both sides are resolved specs. So a different spelling, order, fragment, profile or variable
//! that leads to the same value is no difference.
//!
//! | step | file |
//! |---|---|
//! | a zone as an outline of named items | `zone`, `records`, `waf` |
//! | comparison of two outlines | `outline` |
//!
//! An absent value is not a value: if only one spec mentions an item, the other spec *begins* or
//! *ceases* to manage it.

mod change;
mod outline;
mod records;
mod waf;
mod zone;

use std::collections::BTreeMap;

use crate::diagnostic::Place;
use crate::{Desired, DesiredZone, Gather, ZoneName};

pub use change::{SpecChange, SpecChangeKind};

/// The kind of difference between two specs for a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneSpecKind {
    /// Only the later spec names the zone.
    Added,
    /// Only the earlier spec names the zone.
    Removed,
    /// Both specs name the zone.
    Changed,
}

/// The differences between two specs for a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneSpecChanges {
    /// Domain that one of the specs names.
    pub zone: ZoneName,
    /// Tells which of the specs name the zone.
    pub kind: ZoneSpecKind,
    /// Its place in the later spec, or in the earlier one if only that names the zone.
    pub place: Place,
    /// The differences. For a zone that only one spec names, these are all of its items.
    pub changes: Vec<SpecChange>,
}

/// The differences between two specs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpecChanges {
    /// The zones that differ, sorted by name.
    pub zones: Vec<ZoneSpecChanges>,
    /// Number of zones that are the same in both specs.
    pub unchanged: usize,
}

impl SpecChanges {
    /// Returns true if the specs have the same meaning.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }
}

/// Compares two specs.
///
/// # Order
/// Zones are sorted by name. Each zone has its own settings first, then its records, then its
/// protection, each sorted by path, with moves at the end of their list.
#[must_use]
pub fn diff_specs(before: &Desired, after: &Desired) -> SpecChanges {
    let names: BTreeMap<&ZoneName, ()> =
        before.zones.keys().chain(after.zones.keys()).map(|name| (name, ())).gather();
    let mut spec_changes = SpecChanges::default();
    for name in names.into_keys() {
        match diff_zone_specs(before.zones.get(name), after.zones.get(name)) {
            Some(changes) => spec_changes.zones.push(changes),
            None => spec_changes.unchanged += 1,
        }
    }
    spec_changes
}

/// Compares the sections of two specs for one zone; `None` if they have the same meaning.
fn diff_zone_specs(
    before: Option<&DesiredZone>,
    after: Option<&DesiredZone>,
) -> Option<ZoneSpecChanges> {
    let zone = after.or(before)?;
    let kind = match (before, after) {
        (Some(_), Some(_)) => ZoneSpecKind::Changed,
        (Some(_), None) => ZoneSpecKind::Removed,
        (None, _) => ZoneSpecKind::Added,
    };
    let mut changes = Vec::new();
    outline::compare_outlines(&zone::outline_zone(before, after), &mut changes);
    let is_same = kind == ZoneSpecKind::Changed && changes.is_empty();
    (!is_same).then(|| ZoneSpecChanges {
        zone: zone.name.clone(),
        kind,
        place: zone.place,
        changes,
    })
}
