//! Applies a plan and verifies the result. After a failure that follows the first write, the report
//! says that something was written.

use tokio::time::Instant;

use super::plan::Planned;
use crate::api::{Stop, Writer};
use crate::apply::{
    ApplyEvent, Executor, Journal, JournalError, Observer, OperationOutcome, ZoneDone, ZoneWork,
};
use crate::document::apply::Applied;
use crate::live::AnyReader;
use crate::plan::{Consents, RecordSchedule, Verdict, ZonePlan};

/// The connections and options of an apply.
#[derive(Clone)]
pub struct ApplyContext<'a, W> {
    reader: &'a dyn AnyReader,
    writer: &'a W,
    journal: Option<&'a Journal>,
    observer: &'a dyn Observer,
    stop: Stop,
}

impl<'a, W: Writer> ApplyContext<'a, W> {
    /// Returns a context without a journal. `reader` reads the effect of requests whose response
    /// was lost, and verifies the result.
    #[must_use]
    pub fn new(reader: &'a dyn AnyReader, writer: &'a W) -> Self {
        let (observer, stop) = (&|_: &ApplyEvent| {}, Stop::never());
        Self { reader, writer, journal: None, observer, stop }
    }

    /// Records every intent before it is sent, and every outcome after. Without a journal, the
    /// apply cannot be undone.
    #[must_use]
    pub fn with_journal(self, journal: &'a Journal) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// Sends events to `observer`.
    #[must_use]
    pub fn with_observer(self, observer: &'a dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// Lets a user stop the apply: running operations are finished, and nothing more is begun.
    #[must_use]
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

/// The reason why nothing was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The plan has errors, or a consent is missing.
    #[error("the plan cannot be applied: its verdict is {}", _0.as_str())]
    NotReady(Verdict),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The report of an apply.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report<'p> {
    /// The zones with operations, in the order of the plan.
    #[doc(hidden)]
    pub zones: Vec<ZoneDone<'p>>,
    /// The reason why the journal is not complete, if it is not. Nothing was sent after that.
    pub journal: Option<JournalError>,
}

/// The conclusion of an apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conclusion {
    /// All zones that were written to are in sync: they were read back, or the responses confirm
    /// it.
    Converged,
    /// Something was written, and something is not in sync or unknown.
    Partial,
    /// Nothing was written, because something had changed since the plan was made.
    Stale,
    /// Nothing was written.
    Failed,
}

/// Applies a plan and reads back the zones that were written to. Zones are applied at the same
/// time, and the operations of one zone one after the other.
///
/// # Errors
/// Fails if the plan is not ready under these consents, or the journal cannot be written. Nothing
/// was sent then. Later failures are in the report.
pub async fn apply<'p, W: Writer>(
    planned: &'p Planned<'_>,
    consents: &Consents,
    ApplyContext { reader, writer, journal, observer, stop }: ApplyContext<'_, W>,
) -> Result<Report<'p>, ApplyError> {
    let discarding = Journal::discarding();
    let journal = journal.unwrap_or(&discarding);
    let Planned { goal, plan, live, options } = planned;
    match plan.verdict(consents) {
        Verdict::Ready | Verdict::InSync => {}
        verdict @ (Verdict::NeedsConsent(_) | Verdict::Incomplete) => {
            return Err(ApplyError::NotReady(verdict));
        }
    }
    for consent in plan.consents(consents) {
        journal.consent(consent.danger, &consent.by);
    }
    if let Some(failure) = journal.take_failure() {
        return Err(failure.into());
    }
    let work = |zone: &'p ZonePlan| {
        let (live, desired) = (live.zones.get(&zone.name)?, goal.desired.zones.get(&zone.name)?);
        let query = goal.waf_query(desired);
        let schedule = RecordSchedule::new(zone, planned.lowering(zone));
        Some(ZoneWork { plan: zone, desired, live, query, schedule })
    };
    let work: Vec<_> = plan.zones.iter().filter(|zone| !zone.is_empty()).filter_map(work).collect();
    let (verify, read_at) = (options.verify, Instant::now());
    let executor = Executor {
        reader,
        writer,
        options: &options.read,
        journal,
        observer,
        stop: &stop,
        verify,
        read_at,
    };
    let zones = executor.execute_zones(&work, &|desired, now| goal.plan_zone(desired, now)).await;
    journal.end();
    Ok(Report { zones, journal: journal.take_failure() })
}

impl Report<'_> {
    /// Returns the conclusion.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let has_converged = |zone: &ZoneDone| {
            zone.is_in_sync()
                && zone.applied.noticed.is_empty()
                && !zone.applied.outcomes.iter().any(|o| matches!(o, OperationOutcome::Unknown(_)))
        };
        if self.journal.is_none() && self.zones.iter().all(has_converged) {
            Conclusion::Converged
        } else {
            self.conclusion_of_failure()
        }
    }

    /// Returns the report as the JSON document that `apply --format json` adds to the plan.
    #[must_use]
    pub fn document(&self) -> Applied {
        Applied::of(&self.zones, None)
    }

    /// Returns the conclusion after a failure that is not in the report, such as a failure to show
    /// it.
    #[must_use]
    pub fn conclusion_of_failure(&self) -> Conclusion {
        let has = |of: fn(&ZoneDone) -> bool| self.zones.iter().any(of);
        if has(|zone| zone.applied.wrote_anything()) {
            Conclusion::Partial
        } else if has(|zone| {
            zone.applied.outcomes.iter().any(|o| matches!(o, OperationOutcome::Stale(_)))
        }) {
            Conclusion::Stale
        } else {
            Conclusion::Failed
        }
    }
}
