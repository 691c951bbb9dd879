//! Sends a write until its result is known: the one loop for records, rules, settings and new
//! zones.
//!
//! | answer | what the read shows | result |
//! |---|---|---|
//! | success | not read | done |
//! | refused | not read | refused |
//! | refused, or says so | no effect | refused |
//! | refused, after an earlier try whose response was lost | no effect | unknown |
//! | lost response | no effect | sent again after a wait; unknown after the last try |
//! | any of the last three | the effect | done |
//! | any of the last three | neither the state before nor the one after | unknown |
//! | any of the last three | nothing, it fails | unknown |
//!
//! What a write is, how its answer is read and where its effect shows is in [`Attempt`], once for
//! each subject. What an answer means is in [`super::failed_writes`].

use std::ops::ControlFlow;

use super::executor::{Executor, STOPPED};
use super::failed_writes::{
    Judged, Meaning, earlier_unknown, meaning, no_response, not_resent, refused, said, unknown,
};
use super::journal::StepFate;
use super::outcome::Outcome;
use super::waits::SENDS;
use crate::api::{ApiError, Writer};
use crate::model::ZoneName;
use crate::wire::Envelope;

/// What reading shows of a write.
pub(super) enum Seen {
    /// Its effect is visible.
    Done,
    /// Everything is as before.
    Pending,
    /// Neither; what is there instead.
    Moved(String),
    /// It cannot be read; why.
    Unread(String),
}

/// An answer that is not a success.
pub(super) enum Failure {
    /// A success that cannot be used; why.
    Unusable(String),
    /// An error, with what it means for this write.
    Error(ApiError, Meaning),
}

impl Failure {
    /// What it means.
    pub(super) fn meaning(&self) -> Meaning {
        match self {
            Self::Unusable(_) => Meaning::Lost,
            Self::Error(_, meaning) => *meaning,
        }
    }

    /// In words.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Unusable(reason) => reason.clone(),
            Self::Error(error, _) => said(error),
        }
    }
}

/// What follows from a failure and from what was seen after it.
pub(super) enum Verdict<'a> {
    /// It was refused.
    Refused(&'a ApiError),
    /// The failure notwithstanding, its effect is visible.
    Shown,
    /// This try was refused, and the result of an earlier one is unknown.
    EarlierUnknown(&'a ApiError),
    /// No try got an answer, and no effect is visible.
    NeverAnswered,
    /// No effect is visible, and this loop does not send it again.
    NotSentAgain,
    /// Someone else changed what it is about.
    Moved(String),
    /// It cannot be read whether it took effect.
    Unread(String),
}

/// A write that is sent until its result is known: what differs between the subjects of operations.
pub(super) trait Attempt {
    /// What the caller is told.
    type End;

    /// How often it is sent, the first time included.
    const MOST_SENDS: usize = SENDS;

    /// Whether this loop sends it again. If not, its owner does.
    const IN_PLACE: bool = true;

    /// The zone.
    fn zone(&self) -> &ZoneName;

    /// How often it has been sent without an answer, this time included.
    fn sends(&self) -> usize;

    /// Sends it.
    async fn send(&mut self) -> Result<Envelope, ApiError>;

    /// Takes a success.
    ///
    /// # Errors
    /// The answer cannot be used; why.
    async fn accepted(&mut self, answer: Envelope) -> Result<Self::End, String>;

    /// What follows from an error that says nothing of the operation, but of the way in which it
    /// was sent: another way, or an end.
    fn other_way(&mut self, _error: &ApiError) -> Option<ControlFlow<Self::End>> {
        None
    }

    /// What an error means.
    ///
    /// What is refused when it is sent again may have taken effect before.
    fn meaning(&mut self, error: &ApiError) -> Meaning {
        match meaning(error, self.sends() > 1) {
            Meaning::Refused if self.sends() > 1 => Meaning::Doubtful,
            meaning => meaning,
        }
    }

    /// Reads whether it took effect.
    async fn read_back(&mut self, failure: &Failure) -> Seen;

    /// Counts a try without an effect, before the wait for the next one.
    fn lost(&mut self, failure: &Failure);

    /// Takes the verdict.
    async fn conclude(&mut self, verdict: Verdict<'_>, failure: &Failure) -> Self::End;
}

impl<W: Writer> Executor<'_, W> {
    /// Sends a write, and reads what its answer does not tell, until its result is known.
    pub(super) async fn settle<A: Attempt>(&self, attempt: &mut A) -> A::End {
        loop {
            let failure = match attempt.send().await {
                Ok(answer) => match attempt.accepted(answer).await {
                    Ok(end) => return end,
                    Err(reason) => Failure::Unusable(reason),
                },
                Err(error) => {
                    match attempt.other_way(&error) {
                        Some(ControlFlow::Continue(())) => continue,
                        Some(ControlFlow::Break(end)) => return end,
                        None => {}
                    }
                    let meaning = attempt.meaning(&error);
                    Failure::Error(error, meaning)
                }
            };
            let seen = match failure.meaning() {
                Meaning::Refused => Seen::Pending,
                Meaning::Lost | Meaning::EarlierUnknown | Meaning::Doubtful => {
                    attempt.read_back(&failure).await
                }
            };
            let verdict = match (seen, &failure) {
                (Seen::Done, _) => Verdict::Shown,
                (Seen::Moved(what), _) => Verdict::Moved(what),
                (Seen::Unread(why), _) => Verdict::Unread(why),
                (Seen::Pending, Failure::Error(error, Meaning::EarlierUnknown)) => {
                    Verdict::EarlierUnknown(error)
                }
                (Seen::Pending, Failure::Error(error, Meaning::Refused | Meaning::Doubtful)) => {
                    Verdict::Refused(error)
                }
                (Seen::Pending, Failure::Unusable(_) | Failure::Error(_, Meaning::Lost)) => {
                    let nth = attempt.sends();
                    if nth >= A::MOST_SENDS {
                        Verdict::NeverAnswered
                    } else {
                        attempt.lost(&failure);
                        let is_time = self.wait_to_resend(attempt.zone(), nth).await;
                        if is_time && A::IN_PLACE {
                            continue;
                        }
                        Verdict::NotSentAgain
                    }
                }
            };
            return attempt.conclude(verdict, &failure).await;
        }
    }
}

/// What a verdict means for a single operation that was sent this often; a refusal in these words.
pub(super) fn judged(
    verdict: Verdict<'_>,
    failure: &Failure,
    sends: usize,
    words: impl Fn(&ApiError) -> String,
) -> Judged {
    let reason = failure.reason();
    match verdict {
        Verdict::Refused(error) => refused(error, words(error)),
        Verdict::Shown => {
            (StepFate::Done, Some(format!("{reason}; the zone was read again")), Outcome::Done)
        }
        Verdict::EarlierUnknown(error) => unknown(earlier_unknown(error)),
        Verdict::NeverAnswered => unknown(no_response(sends, &reason)),
        Verdict::NotSentAgain => unknown(format!("{reason}; {}", not_resent(STOPPED))),
        Verdict::Moved(what) | Verdict::Unread(what) => unknown(format!("{reason}; and {what}")),
    }
}
