//! Detects a spec or a zone that has lost so much that it is probably broken: the dangers
//! `spec-shrank` and `live-shrank`.

use std::collections::HashSet;

use super::drift_since_base::{Drift, find};
use super::zone_plan::ZonePlan;
use crate::model::{Danger, DesiredZone, Fqdn, LiveZone, Rdata};

/// Minimum number of records that a spec or a zone must have had before its loss is remarkable.
const FEWEST: usize = 10;

/// Adds the dangers if a spec or a listing has lost half of a zone.
pub(super) fn shrank(
    plan: &mut ZonePlan,
    desired: &DesiredZone,
    base: &DesiredZone,
    live: &LiveZone,
    drift: &Drift,
) {
    if base.records.len() >= FEWEST && desired.records.len() * 2 < base.records.len() {
        plan.dangers.push(Danger::SpecShrank);
    }
    let live_records: HashSet<(&Fqdn, &Rdata)> =
        live.records.iter().map(|r| (&r.name, &r.data)).collect();
    // A record that the spec no longer wants is not lost, because an apply of the spec may have
    // removed it.
    let is_wanted = |(name, data): (&Fqdn, &Rdata)| find(&desired.records, name, data).is_some();
    let missing = drift
        .created
        .iter()
        .filter(|wanted| !live_records.contains(*wanted) && is_wanted(**wanted));
    if !live.is_new && base.records.len() >= FEWEST && missing.count() * 2 > base.records.len() {
        plan.dangers.push(Danger::LiveShrank);
    }
}
