//! Reads everything that a goal needs, and plans every zone of it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::base::Base;
use super::goal::{Goal, Source};
use super::missing_zones::{dropped, missing};
use super::{applied_before, known_notes, undo, waf_lock};
use crate::apply::Verify;
use crate::diagnostic::{Diagnostics, findings};
use crate::document::plan::Plan as PlanDocument;
use crate::document::saved_zone::SavedZone;
use crate::insight::expect::Rigor;
use crate::insight::traffic::FindsHits;
use crate::live::{
    self, AnyReader, FetchError, Progress, WafQuery, account_of, fetch, fetch_record_quota,
    fetch_waf_of_new,
};
use crate::model::expression::Lists;
use crate::model::{Live, LiveZone, ZoneName};
use crate::plan::{
    Consents, Lowering, Plan, Verdict, ZonePlan, check_protection_of_run, explain_records, lower,
};
use crate::wire::Request;

/// Receives the progress of reading. It is called during the reading, so it must be quick.
pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// Options for reading and writing.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Options for reading zones.
    #[doc(hidden)]
    pub read: live::ReadOptions,
    /// Maximum number of record changes in one request. Defaults to the limit of the zone's plan.
    pub batch_size: Option<usize>,
    /// The evidence that is required to call a zone in sync after an apply.
    pub verify: Verify,
    /// Receives the progress of reading.
    #[doc(hidden)]
    pub progress: Option<OnProgress>,
    /// The public OWASP rules to run on expected requests.
    #[doc(hidden)]
    pub rules: Option<Arc<dyn FindsHits>>,
    /// True if a request that is expected to pass fails when something was not evaluated.
    pub is_strict: bool,
    /// Lists with known items, for expected requests.
    #[doc(hidden)]
    pub lists: Arc<Lists>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, batch_size, verify, progress: _, rules: _, is_strict, lists } = self;
        f.debug_struct("Options")
            .field("read", read)
            .field("batch_size", batch_size)
            .field("verify", verify)
            .field("is_strict", is_strict)
            .field("lists", lists)
            .finish_non_exhaustive()
    }
}

/// A plan with its inputs.
#[derive(Debug)]
#[non_exhaustive]
pub struct Planned<'g> {
    /// The goal.
    pub goal: &'g Goal,
    /// The plan.
    #[doc(hidden)]
    pub plan: Plan,
    /// The live state, or the snapshot.
    #[doc(hidden)]
    pub live: Live,
    /// The options for reading and writing.
    #[doc(hidden)]
    pub options: Options,
}

/// Reads everything that a goal needs, and plans every zone of it. Nothing is written.
///
/// A zone that does not exist, a limit that is exceeded and every other error of the plan itself is
/// among the plan's diagnostics. [`Planned::judge`] decides if it can be applied.
///
/// # Errors
/// Fails if Cloudflare, or the snapshot, cannot be read.
pub async fn plan<'g>(
    goal: &'g Goal,
    reader: &dyn AnyReader,
    options: &Options,
) -> Result<Planned<'g>, FetchError> {
    plan_some(goal, reader, options, &|_| true).await
}

/// Plans some zones of a goal, as [`plan`].
pub(super) async fn plan_some<'g>(
    goal: &'g Goal,
    reader: &dyn AnyReader,
    options: &Options,
    is_meant: &(dyn Fn(&ZoneName) -> bool + Sync),
) -> Result<Planned<'g>, FetchError> {
    let silent = |_: Progress| {};
    let progress = options.progress.as_deref().unwrap_or(&silent);
    let queries: Vec<_> =
        goal.zone_queries().into_iter().filter(|zone| is_meant(&zone.name)).collect();
    let read = live::ReadOptions { known_zones: goal.desired.zones.len(), ..options.read.clone() };
    let fetched = fetch(reader, &queries, &read, progress).await?;
    let mut live = fetched.live;
    let mut plan = Plan {
        spec_digest: goal.digest.clone(),
        diagnostics: goal.diagnostics.clone(),
        ..Plan::default()
    };
    plan.base = goal.base().map(|base| base.source.clone());
    if let Some(diagnostic) = goal.base().and_then(Base::warning_of_submodule) {
        plan.diagnostics.push(diagnostic);
    }
    plan.diagnostics.append(dropped(goal));
    if let Source::Journal(undo) = &goal.source {
        plan.diagnostics.append(undo.doubts());
    }
    for zone in &fetched.missing {
        if goal.desired.zones.get(zone).is_some_and(|z| z.create && z.id.is_none()) {
            let mut new_zone = LiveZone::to_be_made(zone.clone());
            let query =
                goal.desired.zones.get(zone).and_then(|z| z.waf.as_deref()).map(WafQuery::of);
            new_zone.waf =
                fetch_waf_of_new(reader, &query.unwrap_or_default(), &options.read).await?;
            live.zones.insert(zone.clone(), new_zone);
            continue;
        }
        plan.diagnostics.push(missing(goal, zone, reader, &options.read).await);
    }
    for (name, desired) in &goal.desired.zones {
        let Some(zone) = live.zones.get_mut(name) else { continue };
        let (mut zone_plan, mut diagnostics) = goal.plan_zone(desired, zone);
        if zone_plan.quota_in_doubt && !zone.is_new {
            zone.record_quota = fetch_record_quota(reader, &zone.id).await;
            (zone_plan, diagnostics) = goal.plan_zone(desired, zone);
        }
        plan.diagnostics.append(diagnostics);
        plan.zones.push(zone_plan);
    }
    let rigor = Rigor {
        rules: options.rules.as_deref(),
        is_strict: options.is_strict,
        lists: Some(&options.lists),
        sources: Some(&goal.sources),
    };
    explain_records(
        &mut plan.zones,
        &goal.desired,
        goal.base().map(|base| &base.desired),
        &live,
        rigor,
    );
    if let Source::Spec(spec) | Source::Snapshot(spec, _) = &goal.source {
        plan.diagnostics.append(waf_lock::check(&spec.lock, &live));
    }
    plan.only = goal.only.patterns().map(str::to_owned).collect();
    plan.is_of_changed = goal.changed.is_some();
    let unmet_protection =
        check_protection_of_run(&plan.zones, &goal.desired, &|place| goal.is_told(place));
    plan.diagnostics.append(unmet_protection);
    known_notes::mark(&mut plan.diagnostics, goal, &live);
    plan.diagnostics.append(part(goal, &plan));
    plan.diagnostics.sort(&goal.sources);
    plan.requests_made = reader.requests();
    Ok(Planned { goal, plan, live, options: options.clone() })
}

impl Planned<'_> {
    /// Judges the plan under some consents, and adds the consents that it needs and has.
    pub fn judge(&mut self, consents: &Consents) -> Verdict {
        self.plan.grade(&consents.policy);
        self.plan.consents_given = self.plan.consents(consents);
        self.plan.verdict(consents)
    }

    /// Warns of operations that were applied recently according to the journals in a directory.
    ///
    /// This is for a plan that is about to be applied, because a drift report itself shows reverted
    /// changes. An undo is not warned of, because the journals do not show its purpose.
    #[doc(hidden)]
    pub fn warn_of_applied_before(&mut self, journals: &Path, now: SystemTime) {
        if !matches!(self.goal.source, Source::Journal(_)) {
            self.plan
                .diagnostics
                .append(applied_before::find(journals, &self.plan, &self.live, now));
            self.plan.diagnostics.sort(&self.goal.sources);
        }
    }

    /// Returns true if the only errors of the plan are live zones that have changed since the goal
    /// was made.
    #[must_use]
    #[doc(hidden)]
    pub fn is_stale(&self) -> bool {
        undo::has_conflicts_only(&self.plan.diagnostics)
    }

    /// Returns the zones at Cloudflare that the plan is for.
    pub(crate) fn saved_zones(&self) -> impl Iterator<Item = SavedZone> + '_ {
        self.plan.zones.iter().map(|plan| {
            let live = self.live.zones.get(&plan.name).filter(|_| !plan.is_new);
            SavedZone {
                name: plan.name.to_string(),
                id: live.map(|zone| zone.id.0.clone()),
                account: match live {
                    Some(zone) => account_of(zone, &self.options.read),
                    None => self.options.read.account.clone(),
                },
            }
        })
    }

    /// Returns the plan as the JSON document that `plan --format json` prints.
    #[must_use]
    pub fn document(&self, verdict: &Verdict) -> PlanDocument {
        PlanDocument::of(&self.plan, verdict, self.requests().len(), &self.goal.sources)
    }

    /// Returns all requests of applying, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let account = self.options.read.account.as_deref();
        let steps =
            self.plan.zones.iter().flat_map(|zone| lower(zone, self.lowering(zone), account));
        steps.map(|step| step.request).collect()
    }

    /// Returns the kind of requests for a zone's changes: as requested, within the limits of the
    /// zone's plan.
    pub(super) fn lowering(&self, zone: &ZonePlan) -> Lowering {
        let allowed = zone.tier.facts().batch_operations;
        Lowering::Batches(self.options.batch_size.unwrap_or(allowed).clamp(1, allowed.max(1)))
    }
}

/// Reports that only a part was selected, and selected addresses that do not exist.
fn part(goal: &Goal, plan: &Plan) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    if let Some(changed) = &goal.changed {
        diagnostics.push(changed.note(goal.desired.zones.len()));
    }
    let Some(part) = plan.part() else { return diagnostics };
    diagnostics.push(findings::ONLY_A_PART.nowhere(part.to_string()));
    let addresses: Vec<_> = plan.zones.iter().flat_map(ZonePlan::addresses).collect();
    for pattern in goal.only.unused(&addresses) {
        diagnostics.push(findings::NOTHING_CHOSEN.nowhere(format!("--only {pattern}")));
    }
    diagnostics
}
