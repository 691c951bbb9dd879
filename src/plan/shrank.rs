//! When a spec or a zone has lost so much that it is more likely broken than meant: the dangers
//! `spec-shrank` and `live-shrank`.

use std::collections::HashSet;

use super::drift_since_base::{Drift, find};
use super::zone_plan::ZonePlan;
use crate::model::{Danger, DesiredZone, Fqdn, LiveZone, Rdata};

/// Fewest records that a spec or a zone must have had before its shrinking is remarkable.
const FEWEST: usize = 10;

/// A spec or a listing that lost half of a zone is more likely broken than meant.
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
    let there: HashSet<(&Fqdn, &Rdata)> = live.records.iter().map(|r| (&r.name, &r.data)).collect();
    // What the spec no longer wants is not lost: its own apply may have removed it, as a whole or
    // as far as it came.
    let is_wanted = |(name, data): (&Fqdn, &Rdata)| find(&desired.records, name, data).is_some();
    let missing =
        drift.created.iter().filter(|wanted| !there.contains(*wanted) && is_wanted(**wanted));
    if !live.is_new && base.records.len() >= FEWEST && missing.count() * 2 > base.records.len() {
        plan.dangers.push(Danger::LiveShrank);
    }
}
