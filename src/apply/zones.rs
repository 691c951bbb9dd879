//! Applies the plans of all zones: several zones at the same time, and the operations of a zone one
//! after the other.
//!
//! Takes the plans with the states that they were made from. Returns for each of them, in order,
//! the outcomes and the result of reading back. Zones are independent, so a failure in one stops no
//! other. Only a failure of the journal, or a request to stop, stops all of them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream::{self, StreamExt};

use super::create_zone::Prepared;
use super::executor::Executor;
use super::ordered_events::OrderedEvents;
use super::outcome::{OperationOutcome, RecordsApplied, ZoneApplied};
use super::verify::{Verified, WayToVerify};
use crate::api::Writer;
use crate::diagnostic::Diagnostics;
use crate::live::{FetchError, WafQuery};
use crate::model::{DesiredSettings, DesiredZone, Gather, LiveZone, sort_by_key};
use crate::plan::{Operation, RecordSchedule, Subject, ZonePlan};

/// A zone to be applied.
#[derive(Debug)]
pub struct ZoneWork<'a> {
    /// The plan to execute.
    pub plan: &'a ZonePlan,
    /// The desired state.
    pub desired: &'a DesiredZone,
    /// The zone as the plan saw it.
    pub live: &'a LiveZone,
    /// The part of its protection that is read back.
    pub query: WafQuery,
    /// The order of the requests for record changes.
    pub schedule: RecordSchedule<'a>,
}

impl ZoneWork<'_> {
    /// Returns the number of requests of its plan: the writes, and those that wait for a new zone
    /// or read a phase again.
    fn requests(&self) -> usize {
        let records = self.plan.records().count();
        let writes =
            self.plan.operations.len() - records + records.div_ceil(self.schedule.lowering.size());
        let looks = if self.plan.is_new { 1 + self.setting_reads() } else { 0 };
        writes
            + looks
            + self.plan.rules().map(|(_, _, rule)| rule.phase).gather::<BTreeSet<_>>().len()
    }

    /// Returns the approximate number of requests for reading its settings.
    fn setting_reads(&self) -> usize {
        usize::from(self.desired.settings != DesiredSettings::default())
    }

    /// Returns the approximate number of requests for reading it back.
    fn reads(&self, page_size: u64) -> usize {
        let records = self.live.records.len() + self.plan.records().count();
        let pages = records as u64 / page_size.max(1) + 1;
        usize::try_from(pages)
            .unwrap_or(usize::MAX)
            .saturating_add(self.setting_reads() + self.query.phases.len())
    }
}

/// The result of a zone.
#[derive(Debug)]
pub struct ZoneDone<'a> {
    pub plan: &'a ZonePlan,
    /// The outcome of each operation.
    pub applied: ZoneApplied,
    /// The result of reading it back; `None` if it was not read.
    pub verified: Option<Verified>,
    /// The reason why it could not be read back, if that was tried.
    pub unread: Option<FetchError>,
    /// True if the responses confirm that it is in sync, so it was not read back.
    pub is_confirmed: bool,
    /// Work that no request can do.
    pub notes: Vec<String>,
}

impl ZoneDone<'_> {
    /// Returns true if it is in sync, as far as it was verified.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.is_confirmed || self.verified.as_ref().is_some_and(Verified::is_in_sync)
    }
}

impl<W: Writer> Executor<'_, W> {
    /// Executes the plans of zones, at most [`concurrency`](crate::live::ReadOptions::concurrency)
    /// at the same time, and reads back the zones that were written to. `plan_again` compares a
    /// zone that was read back with its desired state.
    ///
    /// # Order
    /// Results are in the order of the zones, and the observer gets events in that order.
    pub async fn execute_zones<'z, 'w: 'z>(
        &self,
        zones: &'z [ZoneWork<'w>],
        plan_again: &(dyn Fn(&DesiredZone, &LiveZone) -> (ZonePlan, Diagnostics) + Sync),
    ) -> Vec<ZoneDone<'w>> {
        let events = &OrderedEvents::new(self.observer);
        let ahead = &AtomicUsize::new(zones.iter().map(ZoneWork::requests).sum());
        let execute_one = |(number, work): (usize, &'z ZoneWork<'w>)| async move {
            let zone_events = events.of(number);
            let zone_executor = Executor { observer: &zone_events, ..*self };
            (number, zone_executor.execute_zone(work, plan_again, ahead).await)
        };
        let mut done: Vec<_> = stream::iter(zones.iter().enumerate())
            .map(execute_one)
            .buffer_unordered(self.options.concurrency.max(1))
            .collect()
            .await;
        sort_by_key(&mut done, |(number, _)| *number);
        done.into_iter().map(|(_, done)| done).collect()
    }

    /// Executes the plan of a zone, and reads it back if anything was written. `ahead` is the
    /// number of requests that are still to come, including those of this zone.
    async fn execute_zone<'w>(
        &self,
        work: &ZoneWork<'w>,
        plan_again: &(dyn Fn(&DesiredZone, &LiveZone) -> (ZonePlan, Diagnostics) + Sync),
        ahead: &AtomicUsize,
    ) -> ZoneDone<'w> {
        let ZoneWork { plan, desired, live, query, schedule } = work;
        let (applied, live) = self.carry_out(plan, desired, live, schedule).await;
        let mut done = ZoneDone {
            plan,
            applied,
            verified: None,
            unread: None,
            is_confirmed: false,
            notes: Vec::new(),
        };
        let ahead =
            ahead.fetch_sub(work.requests(), Ordering::Relaxed).saturating_sub(work.requests());
        match self.way_to_verify(&done.applied, ahead + work.reads(self.options.page_size)) {
            WayToVerify::None => {}
            WayToVerify::Answers => {
                self.journal.confirmed(&plan.name);
                done.is_confirmed = true;
                done.notes = plan_again(desired, &live).0.notes;
            }
            WayToVerify::Read => {
                let plan_zone_again = |now: &LiveZone| plan_again(desired, now);
                match self
                    .verify((desired, query), &live, (plan, &done.applied), plan_zone_again)
                    .await
                {
                    Ok(found) => {
                        self.journal.verified(&plan.name, found.remaining.operations.len());
                        done.notes.clone_from(&found.remaining.notes);
                        done.verified = Some(found);
                    }
                    Err(error) => done.unread = Some(error),
                }
            }
        }
        done
    }

    /// Executes the plan of one zone: its rules, the zone itself, its records. A new zone is
    /// created first. Returns the zone with its real id.
    async fn carry_out(
        &self,
        plan: &ZonePlan,
        desired: &DesiredZone,
        live: &LiveZone,
        schedule: &RecordSchedule<'_>,
    ) -> (ZoneApplied, LiveZone) {
        if let Some(reason) = self.halted() {
            return (OutcomesByKind::default().into_applied(plan, reason), live.clone());
        }
        let mut parts = OutcomesByKind::default();
        // Rules come first, because their state is checked again before anything is sent.
        if !plan.is_new {
            parts.rules = self.execute_rules(plan, live).await;
            if parts.rules.iter().any(|o| matches!(o, OperationOutcome::Stale(_))) {
                let reason = "the zone's rules have changed since the plan was made";
                return (parts.into_applied(plan, reason), live.clone());
            }
        }
        let Prepared { zone, outcomes } = self.prepare(plan, desired, live).await;
        parts.zone = outcomes;
        let Some(live) = zone else {
            return (parts.into_applied(plan, "the zone could not be created"), live.clone());
        };
        let plan = plan.for_zone(&live);
        if plan.is_new {
            parts.rules = self.execute_rules(&plan, &live).await;
        }
        parts.records = self.execute(&plan, &live, schedule).await;
        (parts.into_applied(&plan, "the zone's plan ended early"), live)
    }
}

/// The outcomes by the kind of object, each in the order of the plan.
#[derive(Default)]
struct OutcomesByKind {
    /// Outcomes of the zone and its settings.
    zone: Vec<OperationOutcome>,
    rules: Vec<OperationOutcome>,
    records: RecordsApplied,
}

impl OutcomesByKind {
    /// Returns the outcomes in the order of the plan. Operations without an outcome were not sent,
    /// for this reason.
    fn into_applied(self, plan: &ZonePlan, reason: &str) -> ZoneApplied {
        let RecordsApplied { outcomes: records, noticed, is_confirmed } = self.records;
        let (mut zone, mut rules, mut records) =
            (self.zone.into_iter(), self.rules.into_iter(), records.into_iter());
        let outcomes = plan.operations.iter().map(|operation| {
            let outcome = match operation.subject {
                Subject::Zone | Subject::Setting(_) => zone.next(),
                Subject::Rule(_) => rules.next(),
                Subject::Record(_) => records.next(),
            };
            outcome.unwrap_or_else(|| OperationOutcome::NotSent(reason.to_owned()))
        });
        let outcomes: Vec<OperationOutcome> = outcomes.collect();
        // The responses for rules and settings are not compared with the requests.
        let is_compared =
            |operation: &Operation| matches!(operation.subject, Subject::Zone | Subject::Record(_));
        let is_confirmed = is_confirmed
            && plan.operations.iter().all(is_compared)
            && outcomes.iter().all(|outcome| *outcome == OperationOutcome::Done);
        ZoneApplied { outcomes, noticed, is_confirmed }
    }
}
