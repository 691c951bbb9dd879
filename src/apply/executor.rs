//! Sends the steps of a plan, one after the other.
//!
//! | answer | what follows |
//! |---|---|
//! | success | done |
//! | the service has no batches | the rest goes out one operation a request |
//! | lost, cut, or a server error | the zone is read: what took effect is done, what did not is sent again |
//! | "already exists", "does not exist" | the same, if the zone shows that something took effect: a lost request came late |
//! | no, under a status that says yes | the same |
//! | a refusal that says nothing of an earlier try that got lost | the same; what the zone does not show is unknown, after halves if a name is taken |
//! | refused, several operations in the request | parts, so that only what cannot be separated from the culprit stays behind |
//! | refused, nothing to be separated | refused, with the service's words; a name emptied for it is filled again |
//! | refused for the credentials, the quota, the network or the rate | the rest is not sent |
//! | success, and the answer shows that somebody else changed the record | the zone is read again |
//! | none for a minute | the same, before anything more is changed or deleted |
//! | the zone read again shows changes of somebody else | what would overwrite them is held back |
//! | the journal cannot be written | the rest is not sent, of any zone |
//! | the user wants to stop | the same; but a name that was emptied for a create is filled first |
//!
//! What an answer means: see [`super::answer`].

use std::time::Duration;

use tokio::time::Instant;

use super::answers::tell;
use super::event::{ApplyEvent, Observer};
use super::journal::Journal;
use super::journal_line::StepFate;
use super::outcome::{Outcome, RecordsApplied};
use super::response::{Meaning, is_conflict, is_done_before, is_hopeless, meaning, said};
use super::run::Run;
use super::verify::Verify;
use super::waits::{AFTER_DELETE, LOOK_AGAIN, before_resend};
use crate::api::{ApiError, Reader, Stop, Writer};
use crate::live::Options;
use crate::model::{LiveZone, ZoneName};
use crate::plan::{Lowering, RecordAction, Step, ZonePlan, lower_records};
use crate::wire::Envelope;
use crate::wire::record::create_record;

/// Executes the plans of zones. One is enough for zones that are applied at the same time.
pub struct Executor<'a, R, W> {
    /// For settling lost answers.
    pub reader: &'a R,
    /// For everything else.
    pub writer: &'a W,
    /// How to read.
    pub options: &'a Options,
    /// Where intents and outcomes are noted.
    pub journal: &'a Journal,
    /// Who wants to know.
    pub observer: &'a dyn Observer,
    /// Whether the user wants to stop.
    pub stop: &'a Stop,
    /// What it takes to call a zone in sync.
    pub verify: Verify,
    /// When the zones were read that it is given, at the latest.
    pub read_at: Instant,
}

/// Why nothing more is sent.
pub(super) const BROKEN: &str = "the journal cannot be written";

/// Why nothing more is sent.
pub(super) const STOPPED: &str = "stopped before it was sent";

/// Whether the zone goes on.
pub(super) enum Next {
    /// With the queue.
    Continue,
    /// Not at all, for this reason.
    Stop(String),
}

impl<R: Reader, W: Writer> Executor<'_, R, W> {
    /// Carries out the operations on a zone's records.
    pub async fn execute(&self, zone: &ZonePlan, live: &LiveZone, lowering: Lowering) -> RecordsApplied {
        let operations = zone.records().count();
        self.observer.event(&ApplyEvent::ZoneStarted { zone: zone.name.clone(), operations });
        // What was created just now is read for the first time.
        let read_at = if zone.is_new { Instant::now() } else { self.read_at };
        let mut run = Run::new(zone, live, lowering, read_at);
        let mut stopped = None;
        loop {
            let is_old = run.read_at.elapsed() >= LOOK_AGAIN;
            if is_old
                && run.may_overwrite()
                && !self.stop.is_asked()
                && let Err(reason) = self.look_again(&mut run).await
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
                run.finish(&operations, &Outcome::NotSent(reason.to_owned()));
                continue;
            }
            let step = lower_records(zone, operations, run.lowering);
            if let Next::Stop(reason) = self.send(&mut run, step).await {
                stopped = Some(reason);
                break;
            }
        }
        let rest = stopped.unwrap_or_else(|| "the zone's plan ended early".to_owned());
        run.finished(&rest)
    }

    /// Reads the zone again, and holds back what would overwrite a change that somebody else made since.
    ///
    /// # Errors
    /// It cannot be read; why nothing more is sent.
    async fn look_again(&self, run: &mut Run<'_>) -> Result<(), String> {
        self.observer.event(&ApplyEvent::LookingAgain { zone: run.zone.name.clone() });
        let records = self.read_again(run).await.map_err(|error| {
            format!("the zone could not be read again to see whether somebody else changed it: {error}")
        })?;
        run.read_at = Instant::now();
        run.hold_back(&records);
        Ok(())
    }

    /// Why nothing more may be begun, if so.
    pub(super) fn halted(&self) -> Option<&'static str> {
        if self.journal.is_broken() {
            return Some(BROKEN);
        }
        self.stop.is_asked().then_some(STOPPED)
    }

    /// Waits, unless the user wants to stop; whether the time has passed.
    pub(super) async fn pause(&self, duration: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.stop.asked(1) => false,
            () = tokio::time::sleep(duration) => true,
        }
    }

    /// Waits, and says so, unless the user wants to stop; whether the time has passed.
    pub(super) async fn wait(&self, zone: &ZoneName, duration: Duration) -> bool {
        self.observer.event(&ApplyEvent::Waiting { zone: zone.clone(), duration });
        self.pause(duration).await
    }

    /// Waits before a request whose answer got lost is sent again, for the nth time; whether the time has passed.
    pub(super) async fn wait_to_resend(&self, zone: &ZoneName, nth: usize) -> bool {
        self.wait(zone, before_resend(nth)).await
    }

    /// Sends one step and deals with the answer.
    async fn send(&self, run: &mut Run<'_>, step: Step) -> Next {
        let zone = &run.zone.name;
        let Some(number) = self.journal.intent(run.zone, &step) else { return Next::Stop(BROKEN.to_owned()) };
        self.observer.event(&ApplyEvent::Sending { zone: zone.clone(), operations: step.operations.len() });
        match self.write(run, &step).await {
            Ok(answer) => {
                run.resends = 0;
                run.finish(&step.operations, &Outcome::Done);
                self.journal.outcome(number, StepFate::Done, None, Some(&answer.result));
                self.observer.event(&ApplyEvent::Done { zone: zone.clone(), operations: step.operations.len() });
                if run.hear(tell(run.zone, &step, &answer.result)) && run.may_overwrite() {
                    return self.look_again(run).await.map_or_else(Next::Stop, |()| Next::Continue);
                }
                Next::Continue
            }
            Err(error) if matches!(run.lowering, Lowering::Batches(_)) && error.is_no_such_route() => {
                self.journal.outcome(number, StepFate::NoBatches, Some(&error.to_string()), None);
                self.observer.event(&ApplyEvent::NoBatches { zone: zone.clone() });
                // So an earlier one, whose answer got lost, had no effect either; a page without a code may be anything.
                if !error.is_garbled() {
                    run.set_lost(&step.operations, false);
                }
                run.resends = 0;
                run.go_single(step.operations);
                Next::Continue
            }
            Err(error) => {
                run.is_unusual = true;
                match meaning(&error, run.was_lost(&step.operations)) {
                    Meaning::Lost => self.settle(run, step, number, &said(&error)).await,
                    meaning @ (Meaning::EarlierUnknown | Meaning::Doubtful) => {
                        self.settle_late(run, step, number, &error, meaning).await
                    }
                    Meaning::Refused => {
                        // It would have met an earlier try as well.
                        run.set_lost(&step.operations, false);
                        run.resends = 0;
                        self.refused(run, step, number, &error).await
                    }
                }
            }
        }
    }

    /// Sends a step; a create that only waits for a delete to be noticed everywhere is repeated for a while.
    async fn write(&self, run: &Run<'_>, step: &Step) -> Result<Envelope, ApiError> {
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

    /// The service refused: parts, or what cannot be separated is left behind.
    pub(super) async fn refused(&self, run: &mut Run<'_>, step: Step, number: u64, error: &ApiError) -> Next {
        let reason = said(error);
        let status = error.status();
        let hopeless = is_hopeless(error);
        let parts = if hopeless { None } else { run.parts(&step.operations) };
        let fate = if status.is_none() { StepFate::NotSent } else { StepFate::Refused };
        self.journal.outcome(number, fate, Some(&reason), None);
        self.observer.event(&ApplyEvent::Refused {
            zone: run.zone.name.clone(),
            operations: step.operations.len(),
            reason: reason.clone(),
            narrowing: parts.is_some(),
        });
        if let Some(parts) = parts {
            run.narrowings += 1;
            parts.into_iter().rev().for_each(|part| run.queue.push_front(part));
            return Next::Continue;
        }
        let outcome =
            if status.is_none() { Outcome::NotSent(reason.clone()) } else { Outcome::Refused(reason.clone()) };
        if !hopeless && let Some((next, left_behind)) = run.next_with_room(&step.operations) {
            run.finish(&left_behind, &outcome);
            run.queue.push_front(next);
            return Next::Continue;
        }
        run.finish(&step.operations, &outcome);
        self.restore(run, &step.operations).await;
        if hopeless { Next::Stop(reason) } else { Next::Continue }
    }

    /// Fills a name again that was emptied, one request at a time, for a create that did not happen.
    pub(super) async fn restore(&self, run: &mut Run<'_>, failed: &[usize]) {
        if run.lowering != Lowering::Single {
            return;
        }
        for n in run.deleted_for(failed) {
            let Some(RecordAction::Delete { before, .. }) = run.record(n).map(|record| &record.action) else {
                continue;
            };
            let back =
                Step { request: create_record(&run.zone.id, &before.without_settings_off()), operations: vec![n] };
            let Some(number) = self.journal.intent(run.zone, &back) else { return };
            let mut lost = false;
            let mut answer = self.writer.write(&back.request).await;
            for duration in AFTER_DELETE {
                let Err(error) = &answer else { break };
                lost |= error.is_uncertain();
                // The checks for conflicts may still see what was deleted.
                let may_pass = |e: &ApiError| e.is_uncertain() || is_done_before(e) || is_conflict(e);
                if !may_pass(error) || (lost && is_done_before(error)) {
                    break;
                }
                if !self.pause(duration).await {
                    break;
                }
                answer = self.writer.write(&back.request).await;
            }
            let not_filled = |reason: &str| {
                format!("it was deleted to make room, and could not be created again: {reason}; this name may be empty")
            };
            let (word, detail, result, outcome) = match answer {
                Ok(answer) => (StepFate::Restored, None, Some(answer.result), Outcome::Restored),
                // "Identical" to the one whose answer got lost: it came through after all.
                Err(error) if lost && is_done_before(&error) => {
                    (StepFate::Restored, Some(said(&error)), None, Outcome::Restored)
                }
                Err(error) if lost || error.is_uncertain() || is_done_before(&error) => {
                    let reason = said(&error);
                    let words = not_filled(&reason);
                    (StepFate::Unknown, Some(reason), None, Outcome::Unknown(words))
                }
                // The delete is what it was: done.
                Err(error) => {
                    let reason = said(&error);
                    let stood = before.data.record_type().map_or("what stood here", |t| t.as_str());
                    run.explain(failed, &format!("{stood}: {}", not_filled(&reason)));
                    run.give_up_filling(n);
                    (StepFate::Refused, Some(reason), None, Outcome::Done)
                }
            };
            run.finish(&[n], &outcome);
            self.journal.outcome(number, word, detail.as_deref(), result.as_ref());
        }
    }
}
