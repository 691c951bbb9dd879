//! Decides whether a zone is read back, reads it back, and compares again. "In sync" is reported
//! only after reading, or if the responses confirm it.

use std::collections::BTreeSet;

use super::event::ApplyEvent;
use super::executor::{Executor, Verify};
use super::outcome::{OperationOutcome, ZoneApplied};
use super::waits::FOR_DONE;
use crate::api::Writer;
use crate::diagnostic::Diagnostics;
use crate::live::{
    AnyReader, FetchError, ReadOptions, WafQuery, fetch_records, fetch_settings, fetch_waf,
};
use crate::model::{Address, DesiredZone, Fqdn, Gather, LiveZone, Rdata};
use crate::plan::ZonePlan;

/// The result of reading a zone back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The plan that would be needed now. It has no operations if the zone is in sync.
    pub remaining: ZonePlan,
    /// Findings of the comparison. With an error, the zone is not in sync.
    pub diagnostics: Diagnostics,
}

impl Verified {
    /// Returns true if there are no remaining operations and no errors.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.remaining.is_empty() && !self.diagnostics.has_errors()
    }
}

/// The way to verify that a zone is in sync after its plan was executed.
pub(super) enum WayToVerify {
    /// The zone is not verified.
    None,
    /// The responses confirm it.
    Answers,
    /// The zone is read back.
    Read,
}

impl<W: Writer> Executor<'_, W> {
    /// Chooses the way to verify a zone. `requests` is the number of requests for reading it and
    /// for everything that is still to come.
    pub(super) fn way_to_verify(&self, applied: &ZoneApplied, requests: usize) -> WayToVerify {
        // A zone that was stopped is not in sync, and the next plan shows the rest.
        let is_cut = self.stop.is_asked() && !applied.is_complete();
        let are_answers_enough = match self.verify {
            Verify::Auto => self.reader.free_requests() < requests,
            Verify::Answers => true,
            Verify::Read => false,
        };
        if applied.is_confirmed && !is_cut && are_answers_enough {
            WayToVerify::Answers
        } else if (applied.wrote_anything() || applied.has_other_cuts()) && !is_cut {
            WayToVerify::Read
        } else {
            WayToVerify::None
        }
    }

    /// Reads the requested parts of a zone again and plans again.
    ///
    /// If only changes of this run are missing, it is read again after a while, because a listing
    /// may lag behind.
    ///
    /// # Errors
    /// Fails if the zone cannot be read.
    pub(super) async fn verify(
        &self,
        (desired, query): (&DesiredZone, &WafQuery),
        live: &LiveZone,
        (planned, applied): (&ZonePlan, &ZoneApplied),
        plan: impl Fn(&LiveZone) -> (ZonePlan, Diagnostics),
    ) -> Result<Verified, FetchError> {
        let outcomes = planned.addresses().zip(&applied.outcomes);
        let done: BTreeSet<&Address> = outcomes
            .filter(|(_, o)| **o == OperationOutcome::Done)
            .map(|(address, _)| address)
            .gather();
        let may_lag = |found: &ZonePlan| {
            !found.is_empty() && found.addresses().all(|address| done.contains(address))
        };
        self.observer.event(&ApplyEvent::Verifying { zone: desired.name.clone() });
        let plan = |now: &LiveZone| {
            let (mut remaining, diagnostics) = plan(now);
            drop_other_cuts(&mut remaining, now, (planned, applied));
            (remaining, diagnostics)
        };
        let mut verified =
            read_back(self.reader, (desired, query), live, self.options, &plan).await?;
        for duration in FOR_DONE {
            if !may_lag(&verified.remaining) {
                break;
            }
            self.observer.event(&ApplyEvent::Waiting { zone: desired.name.clone(), duration });
            if !self.pause(duration).await {
                break;
            }
            verified = read_back(self.reader, (desired, query), live, self.options, &plan).await?;
        }
        Ok(verified)
    }
}

/// Drops creates that Cloudflare refused in this run as identical to a live text with other cuts,
/// if such a text is live.
fn drop_other_cuts(
    remaining: &mut ZonePlan,
    now: &LiveZone,
    (planned, applied): (&ZonePlan, &ZoneApplied),
) {
    let outcomes = planned.operations.iter().zip(&applied.outcomes);
    let identical =
        outcomes.filter(|(_, outcome)| matches!(outcome, OperationOutcome::OtherCuts(_)));
    let identical: BTreeSet<(&Fqdn, &Rdata)> = identical
        .filter_map(|(operation, _)| operation.record())
        .map(|r| (&r.form().name, &r.form().data))
        .gather();
    if identical.is_empty() {
        return;
    }
    remaining.operations.retain(|operation| {
        let Some(record) = operation.record().filter(|record| record.change.before().is_none())
        else {
            return true;
        };
        let (name, data) = (&record.form().name, &record.form().data);
        !identical.contains(&(name, data))
            || !now.records.iter().any(|live| live.name == *name && live.data.differs_in_cuts(data))
    });
}

/// Reads a zone back and plans again.
async fn read_back(
    reader: &dyn AnyReader,
    (desired, query): (&DesiredZone, &WafQuery),
    live: &LiveZone,
    options: &ReadOptions,
    plan: &impl Fn(&LiveZone) -> (ZonePlan, Diagnostics),
) -> Result<Verified, FetchError> {
    let records = fetch_records(reader, live, options, &|_| {}).await?;
    let settings = fetch_settings(reader, live, &desired.settings, options).await?;
    let waf = fetch_waf(reader, live, query, options).await?;
    let live_zone = LiveZone { records, settings, waf, is_new: false, ..live.clone() };
    let (remaining, diagnostics) = plan(&live_zone);
    Ok(Verified { remaining, diagnostics })
}
