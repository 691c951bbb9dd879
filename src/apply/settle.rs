//! What became of a request whose answer got lost, seen by reading the zone.

use super::event::ApplyEvent;
use super::executor::{Executor, Next};
use super::expect::{Index, OperationState, state_of};
use super::journal_line::StepFate;
use super::outcome::Outcome;
use super::response::{Meaning, earlier_unknown, is_conflict, is_hopeless, never_answered, said};
use super::run::Run;
use super::waits::{FOR_LOST, RESENDS};
use crate::api::{ApiError, Reader, Writer};
use crate::live::{FetchError, fetch_records};
use crate::model::LiveRecord;
use crate::plan::Step;

/// What is thought of operations that the zone does not show as done.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    /// They had no effect. They are sent again, so that what is said of them last is said by the next request.
    Refused,
    /// The same, but they may have had one, so nobody can tell of those that somebody else changed.
    Lost,
    /// They may have had one, and are not sent again.
    GivenUp,
}

/// A request's operations by what the zone shows of them.
#[derive(Default)]
struct Seen {
    done: Vec<usize>,
    pending: Vec<usize>,
    moved: Vec<(usize, String)>,
}

impl<R: Reader, W: Writer> Executor<'_, R, W> {
    /// An answer got lost: what took effect is done, what did not is sent again, what somebody else changed is reported.
    pub(super) async fn settle(&self, run: &mut Run<'_>, step: Step, number: u64, reason: &str) -> Next {
        self.observer.event(&ApplyEvent::Settling { zone: run.zone.name.clone(), reason: reason.to_owned() });
        let seen = match self.read_again(run).await {
            Ok(records) => look(run, &step, &records),
            Err(error) => return self.unread(run, &step, number, reason, &error).await,
        };
        let rest = if run.resends < RESENDS { Rest::Lost } else { Rest::GivenUp };
        let pending = self.take(run, seen, number, reason, rest);
        if pending.is_empty() {
            run.resends = 0;
            self.restore(run, &step.operations).await;
            return Next::Continue;
        }
        run.set_lost(&pending, true);
        run.resends += 1;
        if rest == Rest::GivenUp {
            let reason = never_answered(run.resends, reason);
            run.finish(&pending, &Outcome::Unknown(reason.clone()));
            self.restore(run, &pending).await;
            return Next::Stop(reason);
        }
        // If the user wants to stop, it is not sent again: whoever takes it from the queue looks.
        self.wait_to_resend(&run.zone.name, run.resends).await;
        run.queue.push_front(pending);
        Next::Continue
    }

    /// A refusal beside which something may have taken effect: this request, or an earlier one that came late after all.
    ///
    /// If the zone shows that something did, or that somebody else changed something of it, the rest is sent again; if not, the
    /// refusal is what it says, or nobody can tell, if an earlier try got lost. A name that is taken is looked for in parts first.
    pub(super) async fn settle_late(
        &self,
        run: &mut Run<'_>,
        step: Step,
        number: u64,
        error: &ApiError,
        meaning: Meaning,
    ) -> Next {
        let mut seen = self.read_again(run).await.map(|records| look(run, &step, &records));
        let is_after_a_loss = meaning == Meaning::EarlierUnknown;
        // Which name is taken is found out first, so that the others do not wait for it.
        let is_narrowed = is_conflict(error) && !is_hopeless(error) && run.parts(&step.operations).is_some();
        run.resends = 0;
        for duration in FOR_LOST {
            // What a request of ours left behind is there, though the listing does not show it yet.
            if !is_after_a_loss || is_narrowed || !seen.as_ref().is_ok_and(|seen| seen.done.is_empty()) {
                break;
            }
            if !self.wait(&run.zone.name, duration).await {
                break;
            }
            seen = self.read_again(run).await.map(|records| look(run, &step, &records));
        }
        let seen = match seen {
            Ok(seen) => seen,
            Err(read) if is_after_a_loss || error.is_contradictory() => {
                return self.unread(run, &step, number, &said(error), &read).await;
            }
            Err(_) => Seen::default(),
        };
        let is_nothing_seen = seen.done.is_empty() && seen.moved.is_empty();
        if is_nothing_seen && is_after_a_loss && !is_narrowed {
            let reason = earlier_unknown(error);
            self.nobody_can_tell(run, &step, number, &reason);
            self.restore(run, &step.operations).await;
            return if is_hopeless(error) { Next::Stop(said(error)) } else { Next::Continue };
        }
        if is_nothing_seen {
            return self.refused(run, step, number, error).await;
        }
        let rest = if is_after_a_loss || error.is_contradictory() { Rest::Lost } else { Rest::Refused };
        let pending = self.take(run, seen, number, &said(error), rest);
        if rest == Rest::Lost {
            run.set_lost(&pending, true);
        }
        if is_hopeless(error) {
            return Next::Stop(said(error));
        }
        if pending.is_empty() {
            self.restore(run, &step.operations).await;
        } else {
            run.queue.push_front(pending);
        }
        Next::Continue
    }

    /// The zone cannot be read, so nobody can tell what took effect; nothing more is sent, but to fill a name that was emptied.
    async fn unread(&self, run: &mut Run<'_>, step: &Step, number: u64, reason: &str, error: &FetchError) -> Next {
        let reason = format!("{reason}; and the zone could not be read to see what took effect: {error}");
        self.nobody_can_tell(run, step, number, &reason);
        self.restore(run, &step.operations).await;
        Next::Stop(reason)
    }

    /// Notes, in the run and in the journal, that nobody can tell what became of a request.
    fn nobody_can_tell(&self, run: &mut Run<'_>, step: &Step, number: u64, reason: &str) {
        run.finish(&step.operations, &Outcome::Unknown(reason.to_owned()));
        self.journal.outcome(number, StepFate::Unknown, Some(reason), None);
    }

    /// Reads the zone's records.
    pub(super) async fn read_again(&self, run: &Run<'_>) -> Result<Vec<LiveRecord>, FetchError> {
        fetch_records(self.reader, run.live, self.options, &|_| {}).await
    }

    /// Notes what was seen, in the run and in the journal; gives back what is not to be seen.
    fn take(&self, run: &mut Run<'_>, seen: Seen, number: u64, reason: &str, rest: Rest) -> Vec<usize> {
        let Seen { done, pending, moved } = seen;
        run.finish(&done, &Outcome::Done);
        for (n, what) in &moved {
            let outcome = if rest == Rest::Refused { Outcome::Refused } else { Outcome::Unknown };
            run.finish(&[*n], &outcome(format!("{reason}; {what}")));
        }
        let word = match (done.is_empty(), pending.is_empty() && moved.is_empty()) {
            (_, true) => StepFate::Done,
            (false, false) => StepFate::Partly,
            (true, false) if rest == Rest::GivenUp || (rest == Rest::Lost && pending.is_empty()) => StepFate::Unknown,
            (true, false) => StepFate::Lost,
        };
        let address = |n: &usize| run.zone.operations[*n].address.as_str();
        let not_done: Vec<_> = pending.iter().chain(moved.iter().map(|(n, _)| n)).map(address).collect();
        let detail = if not_done.is_empty() {
            format!("{reason}; settled by reading")
        } else {
            format!("{reason}; settled by reading; not done: {}", not_done.join(", "))
        };
        self.journal.outcome(number, word, Some(&detail), None);
        if !done.is_empty() {
            self.observer.event(&ApplyEvent::Done { zone: run.zone.name.clone(), operations: done.len() });
        }
        pending
    }
}

/// What the zone shows of a request's operations.
fn look(run: &Run<'_>, step: &Step, records: &[LiveRecord]) -> Seen {
    let index = Index::new(records);
    let mut seen = Seen::default();
    for n in &step.operations {
        match run.record(*n).map(|record| state_of(record, &index)) {
            Some(OperationState::Done) => seen.done.push(*n),
            Some(OperationState::Moved(what)) => seen.moved.push((*n, what)),
            Some(OperationState::Pending) | None => seen.pending.push(*n),
        }
    }
    seen
}
