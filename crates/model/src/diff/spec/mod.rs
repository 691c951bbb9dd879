//! Spec against spec: what the authors changed, without looking at Cloudflare. Pure.
//!
//! Both sides are resolved specs, so other spellings, another order, other fragments, profiles or
//! variables that come to the same are no difference.
//!
//! | step | file |
//! |---|---|
//! | a zone as an outline of named things | `zone`, `records`, `waf` |
//! | two outlines held against each other | `outline` |
//!
//! An absent value is not a value: where one spec does not mention a thing, the other *begins* or
//! *ceases* to manage it.

mod change;
mod outline;
mod records;
mod waf;
mod zone;

use std::collections::BTreeMap;

use crate::diagnostic::Place;
use crate::model::{Desired, DesiredZone, Gather, ZoneName};

pub use change::{SpecChange, SpecChangeKind};

/// How a zone differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneSpecKind {
    /// Only the later spec names it.
    Added,
    /// Only the earlier spec names it.
    Removed,
    /// Both name it.
    Changed,
}

/// The differences between two specs for a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneSpecChanges {
    /// The zone.
    pub zone: ZoneName,
    /// Whether both name it.
    pub kind: ZoneSpecKind,
    /// Its place in the later spec, or in the earlier one if it is only there.
    pub place: Place,
    /// What is said differently; of a zone that only one spec names, everything.
    pub changes: Vec<SpecChange>,
}

/// The differences between two specs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpecChanges {
    /// The zones that differ, by name.
    pub zones: Vec<ZoneSpecChanges>,
    /// How many zones are the same in both.
    pub unchanged: usize,
}

impl SpecChanges {
    /// Whether both say the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }
}

/// Compares two specs.
///
/// # Order
/// Zones by name; in a zone its own settings, its records, its protection, each by path, with moves
/// at the end of their list.
#[must_use]
pub fn diff_specs(before: &Desired, after: &Desired) -> SpecChanges {
    let names: BTreeMap<&ZoneName, ()> =
        before.zones.keys().chain(after.zones.keys()).map(|name| (name, ())).gather();
    let mut all = SpecChanges::default();
    for name in names.into_keys() {
        match diff_zone_specs(before.zones.get(name), after.zones.get(name)) {
            Some(changes) => all.zones.push(changes),
            None => all.unchanged += 1,
        }
    }
    all
}

/// Compares what two specs say of a zone; `None` if that is the same.
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
    outline::compare(&zone::outline(before, after), &mut changes);
    let is_same = kind == ZoneSpecKind::Changed && changes.is_empty();
    (!is_same).then(|| ZoneSpecChanges {
        zone: zone.name.clone(),
        kind,
        place: zone.place,
        changes,
    })
}
