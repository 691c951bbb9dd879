//! What became of a request whose answer got lost, seen by reading the zone.

use std::time::Duration;

use super::event::ApplyEvent;
use super::executor::{Executor, Next, Outcome, is_done_before, said};
use super::expect::{Index, OperationState, state_of};
use super::run::Run;
use crate::api::{ApiError, Reader, Writer};
use crate::live::{FetchError, fetch_records};
use crate::model::LiveRecord;
use crate::plan::Step;

/// How often a request whose answer got lost, and which had no effect, is sent again.
const RESENDS: usize = 4;

/// Waits for a listing to show what took effect, in seconds: a listing may lag behind the writes before it.
const LISTING_WAITS: [u64; 3] = [1, 2, 4];

/// Why nobody can tell what became of a request: the service never answered it, and what it shows may be older.
pub(super) fn never_answered(times: usize, reason: &str) -> String {
    format!("sent {times} times, never answered, and no effect is to be seen; last: {reason}")
}

/// What follows for operations of which the zone shows nothing.
#[derive(Clone, Copy, PartialEq)]
enum Absent {
    /// They are sent again, so that what is said of them last is said by the next request.
    SentAgain,
    /// Nobody can tell what became of them.
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
            Err(error) => return self.unread(run, &step, number, reason, &error),
        };
        let absent = if run.resends < RESENDS { Absent::SentAgain } else { Absent::GivenUp };
        let pending = self.take(run, seen, number, reason, absent, true);
        if pending.is_empty() {
            run.resends = 0;
            self.restore(run, &step.operations).await;
            return Next::Continue;
        }
        run.set_lost(&pending, true);
        run.resends += 1;
        if absent == Absent::GivenUp {
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

    /// "Already exists", "does not exist": a request of ours whose answer got lost may have come late after all. The same for
    /// an answer that says both yes and no.
    ///
    /// If the zone shows that something took effect, the rest is sent again; if not, the refusal is what it says, or nobody can
    /// tell, if an earlier try got lost.
    pub(super) async fn settle_late(&self, run: &mut Run<'_>, step: Step, number: u64, error: &ApiError) -> Next {
        let mut seen = self.read_again(run).await.map(|records| look(run, &step, &records));
        let is_after_a_loss = run.was_lost(&step.operations);
        for seconds in LISTING_WAITS {
            // What a request of ours left behind is there, though the listing does not show it yet.
            if !is_after_a_loss || !seen.as_ref().is_ok_and(|seen| seen.done.is_empty()) {
                break;
            }
            if !self.wait(&run.zone.name, Duration::from_secs(seconds)).await {
                break;
            }
            seen = self.read_again(run).await.map(|records| look(run, &step, &records));
        }
        let seen = match seen {
            Ok(seen) => seen,
            Err(read) if is_after_a_loss || error.is_contradictory() => {
                return self.unread(run, &step, number, &said(error), &read);
            }
            Err(_) => Seen::default(),
        };
        if seen.done.is_empty() && is_after_a_loss && (is_done_before(error) || error.is_contradictory()) {
            // Either a request of ours came late and no listing shows it yet, or it never came and somebody else was first. An
            // answer that says both yes and no does not speak of the earlier try either.
            let reason = format!("{}; an earlier try was never answered, and no effect is to be seen", said(error));
            self.nobody_can_tell(run, &step, number, &reason);
            self.restore(run, &step.operations).await;
            return Next::Continue;
        }
        if seen.done.is_empty() {
            return self.refused(run, step, number, error).await;
        }
        let is_lost = is_after_a_loss || error.is_contradictory();
        let pending = self.take(run, seen, number, &said(error), Absent::SentAgain, is_lost);
        if !pending.is_empty() {
            run.queue.push_front(pending);
        }
        Next::Continue
    }

    /// The zone cannot be read, so nobody can tell what took effect; nothing more is sent.
    fn unread(&self, run: &mut Run<'_>, step: &Step, number: u64, reason: &str, error: &FetchError) -> Next {
        let reason = format!("{reason}; and the zone could not be read to see what took effect: {error}");
        self.nobody_can_tell(run, step, number, &reason);
        Next::Stop(reason)
    }

    /// Notes, in the run and in the journal, that nobody can tell what became of a request.
    fn nobody_can_tell(&self, run: &mut Run<'_>, step: &Step, number: u64, reason: &str) {
        run.finish(&step.operations, &Outcome::Unknown(reason.to_owned()));
        self.journal.outcome(number, "unknown", Some(reason), None);
    }

    /// Reads the zone's records.
    async fn read_again(&self, run: &Run<'_>) -> Result<Vec<LiveRecord>, FetchError> {
        fetch_records(self.reader, run.live, self.options, &|_| {}).await
    }

    /// Notes what was seen, in the run and in the journal; gives back what is not to be seen.
    ///
    /// If an answer got lost, ours may have taken effect before somebody else changed what it was about.
    fn take(
        &self,
        run: &mut Run<'_>,
        seen: Seen,
        number: u64,
        reason: &str,
        absent: Absent,
        is_lost: bool,
    ) -> Vec<usize> {
        let Seen { done, pending, moved } = seen;
        run.finish(&done, &Outcome::Done);
        for (n, what) in &moved {
            let outcome = if is_lost { Outcome::Unknown } else { Outcome::Refused };
            run.finish(&[*n], &outcome(format!("{reason}; {what}")));
        }
        let word = match (done.is_empty(), pending.is_empty() && moved.is_empty()) {
            (_, true) => "done",
            (false, false) => "partly",
            (true, false) if pending.is_empty() && is_lost => "unknown",
            (true, false) if absent == Absent::GivenUp && !pending.is_empty() => "unknown",
            (true, false) => "lost",
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
        match state_of(&run.zone.operations[*n], &index) {
            OperationState::Done => seen.done.push(*n),
            OperationState::Pending => seen.pending.push(*n),
            OperationState::Moved(what) => seen.moved.push((*n, what)),
        }
    }
    seen
}
