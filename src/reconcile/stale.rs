//! Whether a plan still holds after somebody has thought about it.

use std::collections::BTreeSet;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::goal::Source;
use super::plan::{Planned, plan};
use crate::api::Reader;
use crate::apply::{Moved, moved, rules_moved, zone_moved};
use crate::live::{FetchError, WafQuery, fetch_around, fetch_records, fetch_waf, find_zone_by_name};
use crate::model::ruleset::Phase;
use crate::model::{DesiredZone, LiveZone};
use crate::plan::ZonePlan;

/// What is no longer as a plan saw it.
///
/// # Errors
/// Cloudflare cannot be read.
pub async fn changed_since<R: Reader>(planned: &Planned<'_>, reader: &R) -> Result<Vec<Moved>, FetchError> {
    if matches!(planned.goal.source, Source::Journal(_)) {
        let now = plan(planned.goal, reader, &planned.options).await?;
        let is_other = |zone: &&ZonePlan| !now.plan.zones.contains(zone);
        let what = "another plan would be needed now".to_owned();
        let moved = planned.plan.zones.iter().filter(is_other);
        return Ok(moved.map(|zone| Moved { address: zone.name.to_string(), what: what.clone() }).collect());
    }
    let zones = planned.plan.zones.iter().filter(|z| !z.is_empty()).filter_map(|zone| {
        Some((zone, planned.live.zones.get(&zone.name)?, planned.goal.desired.zones.get(&zone.name)?))
    });
    let looks: Vec<_> = zones.map(|(zone, live, desired)| look_at(zone, live, desired, planned, reader)).collect();
    let found: Vec<_> = stream::iter(looks).buffered(planned.options.read.concurrency.max(1)).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

/// Reads again what the plan of a zone will touch.
async fn look_at<R: Reader>(
    zone: &ZonePlan,
    live: &LiveZone,
    desired: &DesiredZone,
    planned: &Planned<'_>,
    reader: &R,
) -> Result<Vec<Moved>, FetchError> {
    let options = &planned.options.read;
    if zone.is_new {
        let there = find_zone_by_name(reader, &zone.name, options).await?;
        let exists = there.map(|_| Moved { address: zone.name.to_string(), what: "the zone exists now".to_owned() });
        return Ok(exists.into_iter().collect());
    }
    let mut all = Vec::new();
    if zone.records().next().is_some() {
        let records = fetch_records(reader, live, options, &|_| {}).await?;
        all.extend(moved(zone, &records));
    }
    let phases: BTreeSet<Phase> = zone.rules().map(|(_, _, rule)| rule.phase).collect();
    if !phases.is_empty() {
        let query = WafQuery { phases, ..WafQuery::default() };
        let now = fetch_waf(reader, live, &query, options).await?;
        all.extend(rules_moved(zone, live, &now));
    }
    if zone.operations.iter().any(|operation| operation.setting().is_some()) {
        let around = fetch_around(reader, live, &desired.around, options).await?;
        let now = LiveZone { around, records: Vec::new(), ..live.clone() };
        all.extend(zone_moved(zone, desired, &now));
    }
    Ok(all)
}
