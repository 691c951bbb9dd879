//! Sends the steps of a plan, one after the other.
//!
//! | answer | what follows |
//! |---|---|
//! | success | done |
//! | the service has no batches | the rest goes out one operation a request |
//! | lost, cut, or a server error | the zone is read: what took effect is done, what did not is sent again |
//! | refused, several names in the request | halves by name, so that only the culprit's name stays behind |
//! | refused, one name | refused, with the service's words; a name emptied for it is filled again |
//! | refused for the credentials, the quota or the network | the rest is not sent |

use std::collections::VecDeque;
use std::time::Duration;

use super::event::{ApplyEvent, Observer};
use super::expect::{Index, OperationState, state_of};
use super::journal::{Journal, JournalError};
use crate::api::{ApiError, Reader, Writer};
use crate::diff::DeleteReason;
use crate::live::{Options, fetch_records};
use crate::model::{Fqdn, LiveZone};
use crate::plan::{Action, Lowering, Operation, Step, ZonePlan, lower, lower_step};
use crate::wire::Envelope;
use crate::wire::zone::create_record;

/// How often a write whose answer got lost, and which had no effect, is sent again.
const RESENDS: usize = 4;

/// Waits before a create is tried again that the service refuses because of a record just deleted, in seconds.
///
/// The conflict has been seen to stay for up to half a minute after the delete.
const LAG_WAITS: [u64; 5] = [1, 2, 4, 8, 15];

/// "An A, AAAA, or CNAME record with that host already exists", "a CNAME record …", "NS records …".
const CONFLICT_CODES: [i64; 3] = [81053, 81054, 81056];

/// "The record already exists", "an identical record already exists".
const IDENTICAL_CODES: [i64; 2] = [81057, 81058];

/// "Record quota exceeded".
const QUOTA_CODE: i64 = 81045;

/// What became of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It took effect.
    Done,
    /// The service refused it.
    Refused(String),
    /// It was not sent.
    NotSent(String),
    /// It was undone, because what it made room for was refused.
    Restored,
    /// Nobody knows whether it took effect.
    Unknown(String),
}

/// What became of a zone's operations, one for each, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneApplied {
    /// Of the operations on the zone itself.
    pub zone_outcomes: Vec<Outcome>,
    /// Of the operations on its records.
    pub outcomes: Vec<Outcome>,
}

impl ZoneApplied {
    /// All outcomes.
    pub fn all(&self) -> impl Iterator<Item = &Outcome> {
        self.zone_outcomes.iter().chain(&self.outcomes)
    }

    /// How many took effect.
    #[must_use]
    pub fn done(&self) -> usize {
        self.all().filter(|o| **o == Outcome::Done).count()
    }

    /// Whether all took effect.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done() == self.all().count()
    }

    /// Whether anything at the service may be other than before.
    #[must_use]
    pub fn wrote_anything(&self) -> bool {
        self.all().any(|o| matches!(o, Outcome::Done | Outcome::Unknown(_) | Outcome::Restored))
    }
}

/// Executes the plans of zones.
pub struct Executor<'a, R, W> {
    /// For settling lost answers.
    pub reader: &'a R,
    /// For everything else.
    pub writer: &'a W,
    /// How to read.
    pub options: &'a Options,
    /// Where intents and outcomes are noted.
    pub journal: &'a mut Journal,
    /// Who wants to know.
    pub observer: &'a mut dyn Observer,
}

/// The state of one zone's execution.
struct Run<'z> {
    zone: &'z ZonePlan,
    live: &'z LiveZone,
    outcomes: Vec<Option<Outcome>>,
    queue: VecDeque<Vec<usize>>,
    lowering: Lowering,
    resends: usize,
}

/// Whether the zone goes on.
enum Next {
    /// With the queue.
    Continue,
    /// Not at all, for this reason.
    Stop(String),
}

impl<R: Reader, W: Writer> Executor<'_, R, W> {
    /// Carries out a zone's operations.
    ///
    /// # Errors
    /// The journal cannot be written; nothing is sent that is not in it. Everything else is an [`Outcome`].
    pub async fn execute(
        &mut self,
        zone: &ZonePlan,
        live: &LiveZone,
        lowering: Lowering,
    ) -> Result<ZoneApplied, JournalError> {
        self.observer.event(&ApplyEvent::ZoneStarted { zone: &zone.name, operations: zone.operations.len() });
        let queue = lower(zone, lowering).into_iter().map(|step| step.operations).collect();
        let outcomes = vec![None; zone.operations.len()];
        let mut run = Run { zone, live, outcomes, queue, lowering, resends: 0 };
        let mut stopped = None;
        while let Some(operations) = run.queue.pop_front() {
            let step = lower_step(zone, operations, run.lowering);
            if let Next::Stop(reason) = self.send(&mut run, step).await? {
                stopped = Some(reason);
                break;
            }
        }
        let rest = stopped.unwrap_or_else(|| "the zone's plan ended early".to_owned());
        let outcomes = run.outcomes.into_iter().map(|o| o.unwrap_or_else(|| Outcome::NotSent(rest.clone()))).collect();
        Ok(ZoneApplied { zone_outcomes: Vec::new(), outcomes })
    }

    /// Sends one step and deals with the answer.
    async fn send(&mut self, run: &mut Run<'_>, step: Step) -> Result<Next, JournalError> {
        let zone = &run.zone.name;
        self.observer.event(&ApplyEvent::Sending { zone, operations: step.operations.len() });
        let number = self.journal.intent(run.zone, &step)?;
        match self.write(run, &step).await {
            Ok(answer) => {
                self.journal.outcome(number, "done", None, Some(&answer.result))?;
                self.finish(run, &step.operations, &Outcome::Done);
                self.observer.event(&ApplyEvent::Done { zone, operations: step.operations.len() });
                Ok(Next::Continue)
            }
            Err(error) if matches!(run.lowering, Lowering::Batches(_)) && error.is_no_such_route() => {
                self.journal.outcome(number, "no batches", Some(&error.to_string()), None)?;
                self.observer.event(&ApplyEvent::NoBatches { zone });
                run.lowering = Lowering::Single;
                let all: Vec<usize> = step.operations.into_iter().chain(run.queue.drain(..).flatten()).collect();
                run.queue.extend(all.into_iter().map(|n| vec![n]));
                Ok(Next::Continue)
            }
            Err(error) if error.is_uncertain() => self.settle(run, step, number, &said(&error)).await,
            Err(error) if IDENTICAL_CODES.iter().any(|c| error.has_code(*c)) && step.operations.len() == 1 => {
                self.settle_identical(run, step, number, &said(&error)).await
            }
            Err(error) => self.refused(run, step, number, &error).await,
        }
    }

    /// Sends a step; a create that only waits for a delete to be noticed everywhere is repeated for a while.
    async fn write(&mut self, run: &Run<'_>, step: &Step) -> Result<Envelope, ApiError> {
        let mut answer = self.writer.write(&step.request).await;
        if run.lowering != Lowering::Single || !step.operations.iter().any(|n| run.made_room_for(*n)) {
            return answer;
        }
        for seconds in LAG_WAITS {
            match &answer {
                Err(error) if CONFLICT_CODES.iter().any(|c| error.has_code(*c)) => {
                    let duration = Duration::from_secs(seconds);
                    self.observer.event(&ApplyEvent::Waiting { zone: &run.zone.name, duration });
                    tokio::time::sleep(duration).await;
                    answer = self.writer.write(&step.request).await;
                }
                _ => break,
            }
        }
        answer
    }

    /// Notes an outcome for operations.
    fn finish(&mut self, run: &mut Run<'_>, operations: &[usize], outcome: &Outcome) {
        for n in operations {
            run.outcomes[*n] = Some(outcome.clone());
        }
    }

    /// An answer got lost: reads the zone and sees what took effect.
    async fn settle(&mut self, run: &mut Run<'_>, step: Step, number: u64, reason: &str) -> Result<Next, JournalError> {
        self.observer.event(&ApplyEvent::Settling { zone: &run.zone.name, reason });
        let records = match fetch_records(self.reader, run.live, self.options, &|_| {}).await {
            Ok(records) => records,
            Err(error) => {
                let reason = format!("{reason}; and the zone could not be read to see what took effect: {error}");
                self.journal.outcome(number, "unknown", Some(&reason), None)?;
                self.finish(run, &step.operations, &Outcome::Unknown(reason.clone()));
                return Ok(Next::Stop(reason));
            }
        };
        let index = Index::new(&records);
        let mut pending = Vec::new();
        let mut done = 0;
        for n in &step.operations {
            match state_of(&run.zone.operations[*n], &index) {
                OperationState::Done => {
                    run.outcomes[*n] = Some(Outcome::Done);
                    done += 1;
                }
                OperationState::Pending => pending.push(*n),
                OperationState::Moved(what) => run.outcomes[*n] = Some(Outcome::Refused(what)),
            }
        }
        self.observer.event(&ApplyEvent::Done { zone: &run.zone.name, operations: done });
        if pending.is_empty() {
            self.journal.outcome(number, "done", Some("settled by reading"), None)?;
            run.resends = 0;
            return Ok(Next::Continue);
        }
        self.journal.outcome(number, "lost", Some(reason), None)?;
        run.resends += 1;
        if run.resends > RESENDS {
            let reason = format!("sent {} times without effect; last: {reason}", run.resends);
            self.finish(run, &pending, &Outcome::NotSent(reason.clone()));
            return Ok(Next::Stop(reason));
        }
        let duration = Duration::from_millis(250 << run.resends.min(6));
        self.observer.event(&ApplyEvent::Waiting { zone: &run.zone.name, duration });
        tokio::time::sleep(duration).await;
        run.queue.push_front(pending);
        Ok(Next::Continue)
    }

    /// "Already exists": done if what exists is what was wanted, as after an attempt of ours whose answer got lost.
    async fn settle_identical(
        &mut self,
        run: &mut Run<'_>,
        step: Step,
        number: u64,
        reason: &str,
    ) -> Result<Next, JournalError> {
        let records = fetch_records(self.reader, run.live, self.options, &|_| {}).await.unwrap_or_default();
        let index = Index::new(&records);
        let all_done =
            step.operations.iter().all(|n| state_of(&run.zone.operations[*n], &index) == OperationState::Done);
        let (word, outcome) =
            if all_done { ("done", Outcome::Done) } else { ("refused", Outcome::Refused(reason.to_owned())) };
        self.journal.outcome(number, word, Some(reason), None)?;
        self.finish(run, &step.operations, &outcome);
        Ok(Next::Continue)
    }

    /// The service refused: halves by name, or the name is left behind.
    async fn refused(
        &mut self,
        run: &mut Run<'_>,
        step: Step,
        number: u64,
        error: &ApiError,
    ) -> Result<Next, JournalError> {
        let reason = said(error);
        let status = error.status();
        // Without a status nothing was heard at all; these statuses concern the credentials, not the operation.
        let hopeless = matches!(status, None | Some(401 | 403 | 429)) || error.has_code(QUOTA_CODE);
        let halves = if hopeless { None } else { run.halves(&step.operations) };
        let word = if status.is_none() { "not sent" } else { "refused" };
        self.journal.outcome(number, word, Some(&reason), None)?;
        let narrowing = halves.is_some();
        self.observer.event(&ApplyEvent::Refused {
            zone: &run.zone.name,
            operations: step.operations.len(),
            reason: &reason,
            narrowing,
        });
        if let Some((first, second)) = halves {
            run.queue.push_front(second);
            run.queue.push_front(first);
            return Ok(Next::Continue);
        }
        let outcome =
            if status.is_none() { Outcome::NotSent(reason.clone()) } else { Outcome::Refused(reason.clone()) };
        self.finish(run, &step.operations, &outcome);
        if run.lowering == Lowering::Single {
            self.restore(run, &step).await?;
        }
        Ok(if hopeless { Next::Stop(reason) } else { Next::Continue })
    }

    /// Fills a name again that was emptied for a create which the service then refused.
    async fn restore(&mut self, run: &mut Run<'_>, step: &Step) -> Result<(), JournalError> {
        for n in run.deleted_for(step) {
            let Action::DeleteRecord { before, .. } = &run.zone.operations[n].action else { continue };
            let request = create_record(&run.zone.id, before);
            let back = Step { request, operations: vec![n] };
            let number = self.journal.intent(run.zone, &back)?;
            match self.writer.write(&back.request).await {
                Ok(answer) => {
                    self.journal.outcome(number, "restored", None, Some(&answer.result))?;
                    run.outcomes[n] = Some(Outcome::Restored);
                }
                Err(error) => self.journal.outcome(number, "unknown", Some(&said(&error)), None)?,
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// The name that an operation concerns.
    fn name(&self, n: usize) -> &Fqdn {
        &self.zone.operations[n].form().name
    }

    /// Two halves of a request's operations that cut no name in two; `None` if they are all of one name.
    fn halves(&self, operations: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
        let cuts = (1..operations.len()).filter(|n| self.name(operations[*n]) != self.name(operations[n - 1]));
        let middle = operations.len() / 2;
        let cut = cuts.min_by_key(|n| n.abs_diff(middle))?;
        let (first, second) = operations.split_at(cut);
        Some((first.to_vec(), second.to_vec()))
    }

    /// Whether a delete at the same name was carried out to make room for this create.
    fn made_room_for(&self, n: usize) -> bool {
        matches!(self.zone.operations[n].action, Action::CreateRecord { .. })
            && self.deletes_in_the_way(self.name(n)).next().is_some()
    }

    /// Deletes that were carried out for the creates of a step.
    fn deleted_for(&self, step: &Step) -> Vec<usize> {
        let creates =
            step.operations.iter().filter(|n| matches!(self.zone.operations[**n].action, Action::CreateRecord { .. }));
        creates.flat_map(|n| self.deletes_in_the_way(self.name(*n))).collect()
    }

    /// Deletes at a name that were carried out to make room there.
    fn deletes_in_the_way<'s>(&'s self, name: &'s Fqdn) -> impl Iterator<Item = usize> + 's {
        let is_swap = |o: &Operation| matches!(o.action, Action::DeleteRecord { reason: DeleteReason::InTheWay, .. });
        // Operations are in the order of their names, so those of one name stand together.
        let operations = &self.zone.operations;
        let first = operations.partition_point(|o| o.form().name < *name);
        (first..operations.len())
            .take_while(move |n| operations[*n].form().name == *name)
            .filter(move |n| is_swap(&operations[*n]) && self.outcomes[*n] == Some(Outcome::Done))
    }
}

/// An error in the service's words, with what to do if we know.
pub(super) fn said(error: &ApiError) -> String {
    let messages: Vec<String> = error.messages().iter().map(ToString::to_string).collect();
    let mut text = if messages.is_empty() { format!("failed to {error}") } else { messages.join("; ") };
    if let Some(source) = std::error::Error::source(error) {
        text.push_str(&format!(": {source}"));
    }
    match error.hint() {
        Some(hint) => format!("{text} ({hint})"),
        None => text,
    }
}
