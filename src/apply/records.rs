//! Executes the operations on a zone's records: batches, or one request for each operation.
//!
//! | answer | what follows |
//! |---|---|
//! | success | done |
//! | batch requests are not available | the rest goes out one operation a request |
//! | lost, cut, or a server error | the zone is read: what took effect is done, what did not is sent again |
//! | "already exists", "does not exist" | the same, if the zone shows that something took effect: a lost request came late |
//! | no, under a status that says yes | the same |
//! | a refusal that says nothing of an earlier try that was lost | the same; what the zone does not show is unknown, after halves if a name is taken |
//! | refused, several operations in the request | parts, so that only what cannot be separated from the culprit stays behind |
//! | "identical", and the text is live with other cuts | the same, and the create counts as done: this server tells no cuts apart |
//! | refused, nothing to be separated | refused, with Cloudflare's words |
//! | whatever leaves a name without records that it is to have afterwards | what was deleted there is created again |
//! | refused for the credentials, the quota, the network or the rate | the rest is not sent |
//! | success, and the answer shows that someone else changed the record | the zone is read again |
//! | none for a minute | the same, before anything more is changed or deleted |
//! | the zone read again shows changes of someone else | what would overwrite them is held back |
//! | the journal cannot be written | the rest is not sent, of any zone |
//! | the user wants to stop | the same; but a name that was emptied for a create is filled first |
//!
//! The meaning of a response is in [`super::failed_writes`].

use std::ops::ControlFlow;

use tokio::time::Instant;

use super::event::ApplyEvent;
use super::executor::{BROKEN, Executor, STOPPED};
use super::failed_writes::{
    ResponseMeaning, earlier_unknown, error_with_advice, is_conflict, is_done_before, is_hopeless,
    meaning, no_response,
};
use super::journal::StepFate;
use super::outcome::{OperationOutcome, RecordsApplied};
use super::preconditions::{LiveIndex, OperationState, state_of};
use super::record_queue::{Unfilled, ZoneExecution};
use super::waits::{AFTER_DELETE, FOR_LOST, RECORD_SENDS, STALE_AFTER};
use super::write_attempts::{Attempt, Failure, SeenState, WriteVerdict};
use super::write_responses::confirmations;
use crate::api::{ApiError, Writer};
use crate::diff::RecordChange;
use crate::live::{FetchError, fetch_records};
use crate::model::{LiveRecord, LiveZone, ZoneName};
use crate::plan::{Lowering, RecordSchedule, Step, ZonePlan, lower_records};
use crate::wire::Envelope;
use crate::wire::record::create_record;

/// The next step of a zone.
enum Next {
    /// Continues with the queue.
    Continue,
    /// Stops for this reason.
    Stop(String),
}

/// The treatment of operations without visible effect.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    /// The operations had no effect. They are sent again, so that the next response decides their
    /// outcome.
    Refused,
    /// The operations are sent again, but they may have had an effect. The outcome is unknown for
    /// those that someone else changed.
    Lost,
    /// The operations may have had an effect, and are not sent again.
    GivenUp,
}

/// The operations of a request by their visible effect.
#[derive(Default)]
struct Effects {
    done: Vec<usize>,
    /// Live texts with other cuts, which Cloudflare says are identical to these.
    other_cuts: Vec<(usize, String)>,
    pending: Vec<usize>,
    moved: Vec<(usize, String)>,
}

impl<W: Writer> Executor<'_, W> {
    /// Executes the operations on a zone's records.
    pub async fn execute(
        &self,
        zone: &ZonePlan,
        live: &LiveZone,
        schedule: &RecordSchedule<'_>,
    ) -> RecordsApplied {
        let operations = zone.records().count();
        self.observer.event(&ApplyEvent::ZoneStarted { zone: zone.name.clone(), operations });
        // A new zone is read now for the first time.
        let read_at = if zone.is_new { Instant::now() } else { self.read_at };
        let mut run = ZoneExecution::new(zone, live, schedule, read_at);
        let mut stopped = None;
        loop {
            let is_old = run.read_at.elapsed() >= STALE_AFTER;
            if is_old
                && run.may_overwrite()
                && !self.stop.is_asked()
                && let Err(reason) = self.refresh_before_send(&mut run).await
            {
                stopped = Some(reason);
                break;
            }
            let Some(operations) = run.queue.pop_front() else { break };
            if self.stop.is_asked() && !run.fills_a_name(&operations) {
                stopped = Some(STOPPED.to_owned());
                break;
            }
            if let Some(reason) = run.vain(&operations) {
                run.finish(&operations, &OperationOutcome::NotSent(reason.to_owned()));
                continue;
            }
            let step = lower_records(zone, operations.clone(), run.lowering);
            if let Next::Stop(reason) = self.send(&mut run, step).await {
                stopped = Some(reason);
                break;
            }
            self.fill_names(&mut run, &operations).await;
        }
        let reason = stopped.unwrap_or_else(|| "the zone's plan ended early".to_owned());
        run.settle_rest(&reason);
        let record_operations: Vec<usize> =
            (0..zone.operations.len()).filter(|n| run.record(*n).is_some()).collect();
        self.fill_names(&mut run, &record_operations).await;
        run.finished(&reason)
    }

    /// Reads the zone again, and removes operations that would overwrite a change that someone else
    /// made since.
    ///
    /// # Errors
    /// Fails if it cannot be read, with the reason for sending nothing more.
    async fn refresh_before_send(&self, run: &mut ZoneExecution<'_>) -> Result<(), String> {
        self.observer.event(&ApplyEvent::LookingAgain { zone: run.zone.name.clone() });
        let records = self.reread_records(run).await.map_err(|error| {
            format!(
                "the zone could not be read again to see whether someone else changed it: {error}"
            )
        })?;
        run.read_at = Instant::now();
        run.hold_back(&records);
        Ok(())
    }

    /// Sends one step and handles the response.
    async fn send(&self, run: &mut ZoneExecution<'_>, step: Step) -> Next {
        let zone = &run.zone.name;
        let Some(number) = self.journal.intent(run.zone, &step) else {
            return Next::Stop(BROKEN.to_owned());
        };
        self.observer
            .event(&ApplyEvent::Sending { zone: zone.clone(), operations: step.operations.len() });
        let effects = Effects::default();
        self.settle(&mut StepAttempt {
            executor: self,
            run,
            step,
            number,
            seen: effects,
            is_narrowed: false,
        })
        .await
    }

    /// Sends a step. A create that waits for a delete to become visible everywhere is repeated for
    /// a while.
    async fn write(&self, run: &ZoneExecution<'_>, step: &Step) -> Result<Envelope, ApiError> {
        let mut answer = self.writer.write(&step.request).await;
        if !run.fills_a_name(&step.operations) {
            return answer;
        }
        for duration in AFTER_DELETE {
            match &answer {
                Err(error) if is_conflict(error) => {
                    if !self.wait(&run.zone.name, duration).await {
                        break;
                    }
                    answer = self.writer.write(&step.request).await;
                }
                _ => break,
            }
        }
        answer
    }

    /// Handles a refusal: divides the request, or gives up a bond.
    async fn refused(
        &self,
        run: &mut ZoneExecution<'_>,
        operations: &[usize],
        number: u64,
        error: &ApiError,
    ) -> Next {
        let reason = error_with_advice(error);
        let status = error.status();
        let hopeless = is_hopeless(error);
        let parts = if hopeless { None } else { run.parts(operations) };
        let fate = if status.is_none() { StepFate::NotSent } else { StepFate::Refused };
        self.journal.outcome(number, fate, Some(&reason), None);
        self.observer.event(&ApplyEvent::Refused {
            zone: run.zone.name.clone(),
            operations: operations.len(),
            reason: reason.clone(),
            narrowing: parts.is_some(),
        });
        if let Some(parts) = parts {
            run.narrowings += 1;
            parts.into_iter().rev().for_each(|part| run.queue.push_front(part));
            return Next::Continue;
        }
        let outcome = if status.is_none() {
            OperationOutcome::NotSent(reason.clone())
        } else {
            OperationOutcome::Refused(reason.clone())
        };
        if !hopeless && let Some((next, left_behind)) = run.next_after_deletes(operations) {
            run.finish(&left_behind, &outcome);
            run.queue.push_front(next);
            return Next::Continue;
        }
        run.finish(operations, &outcome);
        if hopeless { Next::Stop(reason) } else { Next::Continue }
    }

    /// Fills names of these operations that were emptied for creates that failed.
    async fn fill_names(&self, run: &mut ZoneExecution<'_>, operations: &[usize]) {
        for Unfilled { deletes, creates } in run.unfilled(operations) {
            for n in deletes {
                self.restore(run, n, &creates).await;
            }
        }
    }

    /// Creates a deleted record again, because these creates of its name are not in effect.
    async fn restore(&self, run: &mut ZoneExecution<'_>, n: usize, creates: &[usize]) {
        let Some(RecordChange::Delete { before, .. }) = run.record(n).map(|record| &record.change)
        else {
            return;
        };
        let not_filled = |reason: &str| {
            format!(
                "it was deleted for its replacement, and could not be created again: {reason}; \
                this name may be empty"
            )
        };
        let kind = before.data.record_type().map_or("the deleted record", |t| t.as_str());
        let back = Step {
            request: create_record(&run.zone.id, &before.without_settings_off()),
            operations: vec![n],
        };
        let Some(number) = self.journal.intent(run.zone, &back) else {
            run.explain(creates, &format!("{kind}: {}", not_filled(BROKEN)));
            run.give_up_filling(n);
            return;
        };
        let mut lost = false;
        let mut answer = self.writer.write(&back.request).await;
        for duration in AFTER_DELETE {
            let Err(error) = &answer else { break };
            lost |= error.is_uncertain();
            // The checks for conflicts may still see the deleted record.
            let may_pass = |e: &ApiError| e.is_uncertain() || is_done_before(e) || is_conflict(e);
            if !may_pass(error) || (lost && is_done_before(error)) {
                break;
            }
            if !self.pause(duration).await {
                break;
            }
            answer = self.writer.write(&back.request).await;
        }
        let (word, detail, result, outcome) = match answer {
            Ok(answer) => {
                (StepFate::Restored, None, Some(answer.result), OperationOutcome::Restored)
            }
            // "Identical" refers to the record of the lost response: it took effect.
            Err(error) if lost && is_done_before(&error) => (
                StepFate::Restored,
                Some(error_with_advice(&error)),
                None,
                OperationOutcome::Restored,
            ),
            Err(error) if lost || error.is_uncertain() || is_done_before(&error) => {
                let reason = error_with_advice(&error);
                let words = not_filled(&reason);
                (StepFate::Unknown, Some(words.clone()), None, OperationOutcome::Unknown(words))
            }
            // The outcome of the delete is unchanged: done.
            Err(error) => {
                let words = not_filled(&error_with_advice(&error));
                run.explain(creates, &format!("{kind}: {words}"));
                run.give_up_filling(n);
                (StepFate::Refused, Some(words), None, OperationOutcome::Done)
            }
        };
        run.finish(&[n], &outcome);
        self.journal.outcome(number, word, detail.as_deref(), result.as_ref());
    }

    /// Reads the zone's records.
    async fn reread_records(&self, run: &ZoneExecution<'_>) -> Result<Vec<LiveRecord>, FetchError> {
        fetch_records(self.reader, run.live, self.options, &|_| {}).await
    }
}

/// A step that is sent. Operations without effect go back to the queue, and from there into another
/// step.
struct StepAttempt<'a, 'e, 'z, W> {
    executor: &'a Executor<'e, W>,
    run: &'a mut ZoneExecution<'z>,
    step: Step,
    /// The number of its intent in the journal.
    number: u64,
    /// The visible effects of its operations. Those that are to be sent again are queued after the
    /// others are recorded.
    seen: Effects,
    /// True if it is divided when no effect is visible, to find the name that is taken.
    is_narrowed: bool,
}

impl<W: Writer> Attempt for StepAttempt<'_, '_, '_, W> {
    type End = Next;

    const MOST_SENDS: usize = RECORD_SENDS;

    const IN_PLACE: bool = false;

    fn zone(&self) -> &ZoneName {
        &self.run.zone.name
    }

    fn sends(&self) -> usize {
        self.run.resends + 1
    }

    async fn send(&mut self) -> Result<Envelope, ApiError> {
        self.executor.write(self.run, &self.step).await
    }

    async fn accepted(&mut self, answer: Envelope) -> Result<Next, String> {
        let Self { executor, run, step, number, .. } = self;
        run.resends = 0;
        run.finish(&step.operations, &OperationOutcome::Done);
        executor.journal.outcome(*number, StepFate::Done, None, Some(&answer.result));
        let operations = step.operations.len();
        executor.observer.event(&ApplyEvent::Done { zone: run.zone.name.clone(), operations });
        if run.confirm(confirmations(run.zone, step, &answer.result)) && run.may_overwrite() {
            return Ok(executor
                .refresh_before_send(run)
                .await
                .map_or_else(Next::Stop, |()| Next::Continue));
        }
        Ok(Next::Continue)
    }

    fn other_way(&mut self, error: &ApiError) -> Option<ControlFlow<Next>> {
        let Self { executor, run, step, number, .. } = self;
        if !matches!(run.lowering, Lowering::Batches(_)) || !error.is_no_such_route() {
            return None;
        }
        executor.journal.outcome(*number, StepFate::NoBatches, Some(&error.to_string()), None);
        executor.observer.event(&ApplyEvent::NoBatches { zone: run.zone.name.clone() });
        // An earlier attempt whose response was lost had no effect either. A page without a code
        // proves nothing.
        if !error.is_garbled() {
            run.set_lost(&step.operations, false);
        }
        run.resends = 0;
        run.go_single(&step.operations);
        Some(ControlFlow::Break(Next::Continue))
    }

    fn meaning(&mut self, error: &ApiError) -> ResponseMeaning {
        self.run.is_unusual = true;
        meaning(error, self.run.was_lost(&self.step.operations))
    }

    async fn read_back(&mut self, failure: &Failure) -> SeenState {
        match failure {
            Failure::Error(
                error,
                meaning @ (ResponseMeaning::EarlierUnknown | ResponseMeaning::Doubtful),
            ) => self.read_late(error, *meaning == ResponseMeaning::EarlierUnknown).await,
            Failure::Unusable(_)
            | Failure::Error(_, ResponseMeaning::Lost | ResponseMeaning::Refused) => {
                let (zone, reason) = (self.run.zone.name.clone(), failure.reason());
                self.executor.observer.event(&ApplyEvent::Settling { zone, reason });
                match self.look().await {
                    Ok(seen) => self.seen = seen,
                    Err(error) => return unknown_effect(&error),
                }
                if self.seen.pending.is_empty() { SeenState::Done } else { SeenState::Pending }
            }
        }
    }

    fn lost(&mut self, failure: &Failure) {
        self.seen.pending = self.take(&failure.reason(), Rest::Lost);
        self.run.set_lost(&self.seen.pending, true);
        self.run.resends += 1;
    }

    async fn conclude(&mut self, verdict: WriteVerdict<'_>, failure: &Failure) -> Next {
        let reason = failure.reason();
        match verdict {
            WriteVerdict::Refused(error) => {
                if failure.meaning() == ResponseMeaning::Refused {
                    // The same refusal would have met an earlier attempt.
                    self.run.set_lost(&self.step.operations, false);
                    self.run.resends = 0;
                }
                self.executor.refused(self.run, &self.step.operations, self.number, error).await
            }
            WriteVerdict::EarlierUnknown(error) if self.is_narrowed => {
                self.executor.refused(self.run, &self.step.operations, self.number, error).await
            }
            WriteVerdict::EarlierUnknown(error) => {
                self.note_unknown(&earlier_unknown(error));
                if is_hopeless(error) { Next::Stop(reason) } else { Next::Continue }
            }
            WriteVerdict::Shown => match failure {
                Failure::Error(
                    error,
                    ResponseMeaning::EarlierUnknown | ResponseMeaning::Doubtful,
                ) => self.shown_late(error),
                Failure::Unusable(_) | Failure::Error(..) => {
                    self.take(&reason, Rest::Lost);
                    self.run.resends = 0;
                    Next::Continue
                }
            },
            WriteVerdict::NeverAnswered => {
                let pending = self.take(&reason, Rest::GivenUp);
                self.run.set_lost(&pending, true);
                self.run.resends += 1;
                let reason = no_response(self.run.resends, &reason);
                self.run.finish(&pending, &OperationOutcome::Unknown(reason.clone()));
                Next::Stop(reason)
            }
            // The queue does not send it again if the user wants to stop.
            WriteVerdict::NotSentAgain => {
                self.run.queue.push_front(std::mem::take(&mut self.seen.pending));
                Next::Continue
            }
            // Nothing more is sent, except to fill a name that was emptied.
            WriteVerdict::Moved(what) | WriteVerdict::Unread(what) => {
                let reason = format!("{reason}; and {what}");
                self.note_unknown(&reason);
                Next::Stop(reason)
            }
        }
    }
}

/// Returns the reason why it is unknown what took effect.
fn unknown_effect(error: &FetchError) -> SeenState {
    SeenState::Unread(format!("the zone could not be read to see what took effect: {error}"))
}

impl<W: Writer> StepAttempt<'_, '_, '_, W> {
    /// Reads the zone after a refusal when something may have taken effect: this request, or an
    /// earlier one that arrived late.
    ///
    /// If the zone shows an effect, or a change by someone else, the rest is sent again. If not,
    /// the refusal is final, or the result is unknown if an earlier attempt was lost. If a name is
    /// taken, the request is divided first to find it.
    async fn read_late(&mut self, error: &ApiError, is_after_a_loss: bool) -> SeenState {
        let mut effects = self.look_after(error).await;
        // The taken name is found first, so that the other names do not wait for it.
        let may_narrow = !is_hopeless(error) && self.run.parts(&self.step.operations).is_some();
        let has_other_cuts = |effects: &Effects| !effects.other_cuts.is_empty();
        self.is_narrowed =
            may_narrow && (is_conflict(error) || effects.as_ref().is_ok_and(has_other_cuts));
        self.run.resends = 0;
        for duration in FOR_LOST {
            // Our earlier request left a record that the listing does not show yet.
            if !is_after_a_loss
                || self.is_narrowed
                || !effects.as_ref().is_ok_and(|effects| effects.done.is_empty())
            {
                break;
            }
            if !self.executor.wait(&self.run.zone.name, duration).await {
                break;
            }
            effects = self.look_after(error).await;
        }
        self.seen = match effects {
            // With several operations, the refusal may be about another one.
            Ok(mut effects) if self.is_narrowed => {
                effects
                    .pending
                    .extend(std::mem::take(&mut effects.other_cuts).into_iter().map(|(n, _)| n));
                effects
            }
            Ok(effects) => effects,
            Err(read) if is_after_a_loss || error.is_contradictory() => {
                return unknown_effect(&read);
            }
            Err(_) => Effects::default(),
        };
        let Effects { done, other_cuts, moved, pending: _ } = &self.seen;
        let is_nothing_seen = done.is_empty() && other_cuts.is_empty() && moved.is_empty();
        if is_nothing_seen { SeenState::Pending } else { SeenState::Done }
    }

    /// Sends the rest again after such a refusal.
    fn shown_late(&mut self, error: &ApiError) -> Next {
        let is_after_a_loss = self.run.was_lost(&self.step.operations);
        let treatment =
            if is_after_a_loss || error.is_contradictory() { Rest::Lost } else { Rest::Refused };
        let pending = self.take(&error_with_advice(error), treatment);
        if treatment == Rest::Lost {
            self.run.set_lost(&pending, true);
        }
        if is_hopeless(error) {
            return Next::Stop(error_with_advice(error));
        }
        if !pending.is_empty() {
            self.run.queue.push_front(pending);
        }
        Next::Continue
    }

    /// Records that the result of the request is unknown, in the run and in the journal.
    fn note_unknown(&mut self, reason: &str) {
        self.run.finish(&self.step.operations, &OperationOutcome::Unknown(reason.to_owned()));
        self.executor.journal.outcome(self.number, StepFate::Unknown, Some(reason), None);
    }

    /// Reads the zone and returns the visible effects of the operations.
    async fn look(&self) -> Result<Effects, FetchError> {
        Ok(self.effects(&self.executor.reread_records(self.run).await?))
    }

    /// Reads the zone after this refusal and returns the visible effects. If the refusal says
    /// "identical", it means a create whose text is live with other cuts.
    async fn look_after(&self, error: &ApiError) -> Result<Effects, FetchError> {
        let records = self.executor.reread_records(self.run).await?;
        let mut effects = self.effects(&records);
        if is_done_before(error) {
            for n in std::mem::take(&mut effects.pending) {
                match self.run.other_cuts(n, &records) {
                    Some(live) => {
                        effects.other_cuts.push((n, format!("is live, with other cuts: {live}")))
                    }
                    None => effects.pending.push(n),
                }
            }
        }
        Ok(effects)
    }

    /// Returns the effects of the operations that these records show.
    fn effects(&self, records: &[LiveRecord]) -> Effects {
        let index = LiveIndex::new(records);
        let mut effects = Effects::default();
        for n in &self.step.operations {
            match self.run.record(*n).map(|record| state_of(record, &index)) {
                Some(OperationState::Done) => effects.done.push(*n),
                Some(OperationState::Moved(what)) => effects.moved.push((*n, what)),
                Some(OperationState::Pending) | None => effects.pending.push(*n),
            }
        }
        effects
    }

    /// Records the visible effects, in the run and in the journal. Returns the operations without
    /// visible effect.
    fn take(&mut self, reason: &str, rest: Rest) -> Vec<usize> {
        let Self { executor, run, number, .. } = self;
        let Effects { done, other_cuts, pending, moved } = std::mem::take(&mut self.seen);
        run.finish(&done, &OperationOutcome::Done);
        for (n, what) in &other_cuts {
            run.finish(&[*n], &OperationOutcome::OtherCuts(what.clone()));
        }
        for (n, what) in &moved {
            let outcome = if rest == Rest::Refused {
                OperationOutcome::Refused
            } else {
                OperationOutcome::Unknown
            };
            run.finish(&[*n], &outcome(format!("{reason}; {what}")));
        }
        let is_all_seen = pending.is_empty() && moved.is_empty();
        let word = match (done.is_empty(), is_all_seen && other_cuts.is_empty()) {
            (_, true) => StepFate::Done,
            (false, false) => StepFate::Partly,
            (true, false) if is_all_seen => StepFate::Refused,
            (true, false)
                if rest == Rest::GivenUp || (rest == Rest::Lost && pending.is_empty()) =>
            {
                StepFate::Unknown
            }
            (true, false) => StepFate::Lost,
        };
        let address = |n: &usize| run.zone.operations[*n].address.as_str();
        let not_done: Vec<_> =
            pending.iter().chain(moved.iter().map(|(n, _)| n)).map(address).collect();
        let mut detail = format!("{reason}; the zone was read again");
        for (n, what) in &other_cuts {
            detail.push_str(&format!("; {} {what}", address(n)));
        }
        if !not_done.is_empty() {
            detail.push_str(&format!("; not done: {}", not_done.join(", ")));
        }
        executor.journal.outcome(*number, word, Some(&detail), None);
        if !done.is_empty() {
            executor
                .observer
                .event(&ApplyEvent::Done { zone: run.zone.name.clone(), operations: done.len() });
        }
        pending
    }
}
