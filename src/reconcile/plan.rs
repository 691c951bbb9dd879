//! Reads what a goal needs, and plans every zone of it.

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

/// Hears what has been read. It is called in the middle of things, so it must be quick.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// How to read and write.
#[derive(Clone, Default)]
pub struct Options {
    /// How zones are read.
    pub read: live::Options,
    /// The most changes of records in one request; without it, as many as the zone's plan allows.
    pub batch_size: Option<usize>,
    /// What it takes to call a zone in sync after an apply.
    pub verify: Verify,
    /// Hears what has been read, if someone wants to.
    pub progress: Option<OnProgress>,
    /// The public OWASP rules to run on expected requests.
    pub rules: Option<Arc<dyn FindsHits>>,
    /// Whether a request that is expected to pass fails if something was not evaluated.
    pub is_strict: bool,
    /// Lists whose items are known, for expected requests.
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

/// A plan, and what it was made from.
#[derive(Debug)]
pub struct Planned<'g> {
    /// What is to be reached.
    pub goal: &'g Goal,
    /// The plan.
    pub plan: Plan,
    /// What Cloudflare has, or the snapshot.
    pub live: Live,
    /// How it was read, and how changes are sent.
    pub options: Options,
}

/// Reads what a goal needs, and plans every zone of it. Nothing is written.
///
/// A zone that does not exist, a limit that is exceeded and everything else that is wrong with the
/// plan itself is among the plan's diagnostics; [`Planned::judge`] says whether it can be applied.
///
/// # Errors
/// Cloudflare, or the snapshot, cannot be read.
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
    let fetched = fetch(reader, &queries, &options.read, progress).await?;
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
            let mut new = LiveZone::to_be_made(zone.clone());
            let query =
                goal.desired.zones.get(zone).and_then(|z| z.waf.as_deref()).map(WafQuery::of);
            new.waf = fetch_waf_of_new(reader, &query.unwrap_or_default(), &options.read).await?;
            live.zones.insert(zone.clone(), new);
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
    let found = check_protection_of_run(&plan.zones, &goal.desired, &|place| goal.is_told(place));
    plan.diagnostics.append(found);
    known_notes::mark(&mut plan.diagnostics, goal, &live);
    plan.diagnostics.append(part(goal, &plan));
    plan.diagnostics.sort(&goal.sources);
    plan.requests_made = reader.requests();
    Ok(Planned { goal, plan, live, options: options.clone() })
}

impl Planned<'_> {
    /// Judges the plan under some consents: those that it needs and has are noted in it.
    pub fn judge(&mut self, consents: &Consents) -> Verdict {
        self.plan.grade(&consents.policy);
        self.plan.consents_given = self.plan.consents(consents);
        self.plan.verdict(consents)
    }

    /// Warns of operations that a journal in a directory says were applied a short while ago.
    ///
    /// This is for who is about to apply: a drift report says by itself what someone takes back.
    /// The journals do not tell of an undo's own purpose, so an undo is not warned of.
    pub fn warn_of_applied_before(&mut self, journals: &Path, now: SystemTime) {
        if !matches!(self.goal.source, Source::Journal(_)) {
            self.plan
                .diagnostics
                .append(applied_before::find(journals, &self.plan, &self.live, now));
            self.plan.diagnostics.sort(&self.goal.sources);
        }
    }

    /// Whether all that is wrong with the plan is that live zones are no longer as the goal knows
    /// them.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        undo::has_conflicts_only(&self.plan.diagnostics)
    }

    /// The zones at Cloudflare that the plan is for.
    pub(super) fn saved_zones(&self) -> impl Iterator<Item = SavedZone> + '_ {
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

    /// All requests that applying takes, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let account = self.options.read.account.as_deref();
        let steps =
            self.plan.zones.iter().flat_map(|zone| lower(zone, self.lowering(zone), account));
        steps.map(|step| step.request).collect()
    }

    /// How a zone's changes are cut: as wanted, within what the zone's plan allows.
    pub(super) fn lowering(&self, zone: &ZonePlan) -> Lowering {
        let allowed = zone.tier.facts().batch_operations;
        Lowering::Batches(self.options.batch_size.unwrap_or(allowed).clamp(1, allowed.max(1)))
    }
}

/// That only a part was chosen, and what was meant and is not there.
fn part(goal: &Goal, plan: &Plan) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let Some(part) = plan.part() else { return diagnostics };
    diagnostics.push(findings::ONLY_A_PART.nowhere(part.to_string()));
    let addresses: Vec<_> = plan.zones.iter().flat_map(ZonePlan::addresses).collect();
    for pattern in goal.only.unused(&addresses) {
        diagnostics.push(findings::NOTHING_CHOSEN.nowhere(format!("--only {pattern}")));
    }
    diagnostics
}
