//! Checks once for drift: the differences from the spec, their age, and who made them.

use std::time::SystemTime;

use super::goal::Goal;
use super::plan::{Options, Planned, plan};
use crate::diagnostic::findings;
use crate::document::drift::Drift as DriftDocument;
use crate::drift::{CheckedExpectation, Report, classify};
use crate::insight::dns::{ZoneIndex, Zones};
use crate::insight::expect::{Evidence, Rigor, check_expectation};
use crate::insight::traffic::Protection;
use crate::live::{AnyReader, FetchError};
use crate::model::{DesiredZone, Expectation, Gather, Live};
use crate::plan::Plan;

/// The result of a check for drift.
#[derive(Debug)]
#[non_exhaustive]
pub struct Drift {
    /// The plan that would remove the drift.
    #[doc(hidden)]
    pub plan: Plan,
    /// The live state.
    #[doc(hidden)]
    pub live: Live,
    /// The report.
    #[doc(hidden)]
    pub report: Report,
}

impl Drift {
    /// Returns the JSON document that `drift --format json` prints. Its verdict is about drift of
    /// any kind.
    #[must_use]
    pub fn document(&self, goal: &Goal) -> DriftDocument {
        DriftDocument::of(&self.report, &self.plan, &[], &goal.sources)
    }
}

/// Checks once. The ages of changes are relative to `now`.
///
/// # Errors
/// Fails if Cloudflare cannot be read.
pub async fn drift(
    goal: &Goal,
    reader: &dyn AnyReader,
    options: &Options,
    now: SystemTime,
) -> Result<Drift, FetchError> {
    let Planned { mut plan, live, .. } = plan(goal, reader, options).await?;
    // The report contains these as findings, or as unknown protection.
    plan.diagnostics.remove(&[findings::WEAKENED.code, findings::PROTECTION_NOT_KNOWN.code]);
    let mut report = classify(&plan, now);
    expectations(&mut report, goal, &live);
    Ok(Drift { plan, live, report })
}

/// Evaluates the expectations of the spec on the live state.
fn expectations(report: &mut Report, goal: &Goal, live: &Live) {
    if goal.desired.zones.values().all(|zone| zone.expect.is_empty()) {
        return;
    }
    let zones = Zones::new(live.zones.values().map(ZoneIndex::of_live).collect());
    let about_requests = goal.desired.zones.values().filter(|zone| zone.expects_of_requests());
    let rules = |desired: &DesiredZone| {
        let live = live.zones.get(&desired.name)?;
        Some((
            desired.name.clone(),
            Protection::new(&live.waf, |phase, name| desired.place_of_rule(phase, name)),
        ))
    };
    let protections = about_requests.filter_map(rules).gather();
    let world = Evidence {
        zones: &zones,
        protections: &protections,
        knows_all: true,
        rigor: Rigor { sources: Some(&goal.sources), ..Rigor::default() },
    };
    for zone in &mut report.zones {
        let expected =
            goal.desired.zones.get(&zone.name).into_iter().flat_map(|desired| &desired.expect);
        let check = |expected: &Expectation| CheckedExpectation {
            name: expected.name.clone(),
            place: expected.place,
            outcome: check_expectation(world, &expected.what),
        };
        zone.expectations = expected.map(check).collect();
    }
}
