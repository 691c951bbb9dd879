//! Applies the plans of all zones: several at a time, and one zone's operations one after the other.
//!
//! In: the plans with what they were made from. Out: for each of them, in their order, what became of it and what was found
//! when it was read back. Zones have nothing to do with each other, so that what fails in one stops no other; only a journal
//! that cannot be written, or the wish to stop, is for all of them.

use futures_util::stream::{self, StreamExt};

use super::around::Prepared;
use super::executor::{Executor, Outcome, ZoneApplied};
use super::turns::Turns;
use super::verify::Verified;
use crate::api::{Reader, Writer};
use crate::diagnostic::Diagnostics;
use crate::live::{FetchError, WafQuery};
use crate::model::{DesiredZone, LiveZone};
use crate::plan::{Lowering, ZonePlan};

/// A zone to be applied.
#[derive(Debug)]
pub struct ZoneWork<'a> {
    /// What is to be done.
    pub plan: &'a ZonePlan,
    /// What is wanted.
    pub desired: &'a DesiredZone,
    /// The zone as the plan saw it.
    pub live: &'a LiveZone,
    /// What of its protection is read back.
    pub query: WafQuery,
    /// How changes of records are sent.
    pub lowering: Lowering,
}

/// What became of a zone.
#[derive(Debug)]
pub struct ZoneDone<'a> {
    /// What was to be done.
    pub plan: &'a ZonePlan,
    /// What became of each operation.
    pub applied: ZoneApplied,
    /// What was found when it was read back; `None` if it was not.
    pub verified: Option<Verified>,
    /// Why it could not be read back, if that was tried.
    pub unread: Option<FetchError>,
}

impl<R: Reader, W: Writer> Executor<'_, R, W> {
    /// Carries out the plans of zones, at most [`concurrency`](crate::live::Options::concurrency) at a time, and reads back
    /// what was written to. `plan_again` compares a zone that was read back with what is wanted of it.
    ///
    /// # Order
    /// Results are in the order of the zones, and the observer is told of them in that order.
    pub async fn execute_zones<'w>(
        &self,
        zones: &'w [ZoneWork<'w>],
        plan_again: &(dyn Fn(&DesiredZone, &LiveZone) -> (ZonePlan, Diagnostics) + Sync),
    ) -> Vec<ZoneDone<'w>> {
        let turns = &Turns::new(self.observer);
        let one = |(number, work): (usize, &'w ZoneWork<'w>)| async move {
            let turn = turns.of(number);
            let own = Executor { observer: &turn, ..*self };
            (number, own.execute_zone(work, plan_again).await)
        };
        let mut done: Vec<_> = stream::iter(zones.iter().enumerate())
            .map(one)
            .buffer_unordered(self.options.concurrency.max(1))
            .collect()
            .await;
        done.sort_unstable_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, done)| done).collect()
    }

    /// Carries out the plan of a zone, and reads it back if anything was written.
    pub async fn execute_zone<'w>(
        &self,
        work: &'w ZoneWork<'w>,
        plan_again: &(dyn Fn(&DesiredZone, &LiveZone) -> (ZonePlan, Diagnostics) + Sync),
    ) -> ZoneDone<'w> {
        let ZoneWork { plan, desired, live, query, lowering } = work;
        let (applied, live) = self.carry_out(plan, desired, live, *lowering).await;
        let mut done = ZoneDone { plan, applied, verified: None, unread: None };
        // What was stopped in the middle is not in sync, and the next plan says what is left.
        let is_cut = self.stop.is_asked() && !done.applied.is_complete();
        if done.applied.wrote_anything() && !is_cut {
            let again = |now: &LiveZone| plan_again(desired, now);
            match self.verify((desired, query), &live, (plan, &done.applied), again).await {
                Ok(found) => {
                    self.journal.verified(&plan.name, found.remaining.len());
                    done.verified = Some(found);
                }
                Err(error) => done.unread = Some(error),
            }
        }
        done
    }

    /// Carries out the plan of one zone: its rules, the zone itself, its records; a new zone is made first. Gives back the
    /// zone with its real id.
    async fn carry_out(
        &self,
        plan: &ZonePlan,
        desired: &DesiredZone,
        live: &LiveZone,
        lowering: Lowering,
    ) -> (ZoneApplied, LiveZone) {
        if let Some(reason) = self.halted() {
            return (not_sent(plan, None, &Outcome::NotSent(reason.to_owned())), live.clone());
        }
        // Rules come first, as they are what is looked at once more before anything is sent.
        let mut rule_outcomes = None;
        if !plan.is_new {
            let outcomes = self.execute_rules(plan, live).await;
            if outcomes.iter().any(|o| matches!(o, Outcome::Stale(_))) {
                let reason = Outcome::NotSent("the zone's rules are no longer as the plan saw them".to_owned());
                return (not_sent(plan, Some(outcomes), &reason), live.clone());
            }
            rule_outcomes = Some(outcomes);
        }
        let Prepared { zone, outcomes: zone_outcomes } = self.prepare(plan, desired, live).await;
        let Some(live) = zone else {
            let reason = Outcome::NotSent("the zone could not be made".to_owned());
            return (ZoneApplied { zone_outcomes, ..not_sent(plan, rule_outcomes, &reason) }, live.clone());
        };
        let plan = plan.with_id(live.id.clone());
        let rule_outcomes = match rule_outcomes {
            Some(outcomes) => outcomes,
            None => self.execute_rules(&plan, &live).await,
        };
        let applied = self.execute(&plan, &live, lowering).await;
        (ZoneApplied { zone_outcomes, rule_outcomes, ..applied }, live)
    }
}

/// Nothing was sent but, perhaps, the rules.
fn not_sent(plan: &ZonePlan, rules: Option<Vec<Outcome>>, reason: &Outcome) -> ZoneApplied {
    let all = |n: usize| vec![reason.clone(); n];
    ZoneApplied {
        zone_outcomes: all(plan.zone_operations.len()),
        rule_outcomes: rules.unwrap_or_else(|| all(plan.rule_operations.len())),
        outcomes: all(plan.operations.len()),
    }
}
