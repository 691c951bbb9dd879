//! Sends a write until its result is known. Records, rules, settings and new zones share this loop.
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
//! [`Attempt`] describes a write, how its response is read and where its effect is visible, once
//! for each kind of object. The meaning of a response is in [`super::failed_writes`].

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

/// The state that reading shows after a write.
pub(super) enum Seen {
    /// Its effect is visible.
    Done,
    /// Nothing has changed.
    Pending,
    /// Neither, because of this change by someone else.
    Moved(String),
    /// The state cannot be read, for this reason.
    Unread(String),
}

/// A response that is not a success.
pub(super) enum Failure {
    /// A success that cannot be used, for this reason.
    Unusable(String),
    /// An error, with its meaning for this write.
    Error(ApiError, Meaning),
}

impl Failure {
    /// Returns the meaning.
    pub(super) fn meaning(&self) -> Meaning {
        match self {
            Self::Unusable(_) => Meaning::Lost,
            Self::Error(_, meaning) => *meaning,
        }
    }

    /// Describes the failure.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Unusable(reason) => reason.clone(),
            Self::Error(error, _) => said(error),
        }
    }
}

/// The verdict on a write, from a failure and the state that was read after it.
pub(super) enum Verdict<'a> {
    /// It was refused.
    Refused(&'a ApiError),
    /// Its effect is visible in spite of the failure.
    Shown,
    /// This attempt was refused, and the result of an earlier one is unknown.
    EarlierUnknown(&'a ApiError),
    /// No attempt got a response, and no effect is visible.
    NeverAnswered,
    /// No effect is visible, and this loop does not send it again.
    NotSentAgain,
    /// Someone else changed its object.
    Moved(String),
    /// The state cannot be read, for this reason.
    Unread(String),
}

/// A write that is sent until its result is known. The methods are different for each kind of
/// object.
pub(super) trait Attempt {
    /// The result for the caller.
    type End;

    /// Maximum number of times that it is sent.
    const MOST_SENDS: usize = SENDS;

    /// True if this loop sends it again. If not, its owner does.
    const IN_PLACE: bool = true;

    fn zone(&self) -> &ZoneName;

    /// Number of times that it was sent without a response, including this time.
    fn sends(&self) -> usize;

    async fn send(&mut self) -> Result<Envelope, ApiError>;

    /// Handles a success.
    ///
    /// # Errors
    /// Fails with the reason if the response cannot be used.
    async fn accepted(&mut self, answer: Envelope) -> Result<Self::End, String>;

    /// Handles an error that is about the way of sending and not about the operation: returns
    /// another way, or an end.
    fn other_way(&mut self, _error: &ApiError) -> Option<ControlFlow<Self::End>> {
        None
    }

    /// Returns the meaning of an error.
    ///
    /// An operation that is refused when it is sent again may have taken effect before.
    fn meaning(&mut self, error: &ApiError) -> Meaning {
        match meaning(error, self.sends() > 1) {
            Meaning::Refused if self.sends() > 1 => Meaning::Doubtful,
            meaning => meaning,
        }
    }

    /// Reads whether it took effect.
    async fn read_back(&mut self, failure: &Failure) -> Seen;

    /// Counts an attempt without effect, before the wait for the next one.
    fn lost(&mut self, failure: &Failure);

    /// Handles the verdict.
    async fn conclude(&mut self, verdict: Verdict<'_>, failure: &Failure) -> Self::End;
}

impl<W: Writer> Executor<'_, W> {
    /// Sends a write until its result is known. Reads the state if a response is not sufficient.
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
            let state = match failure.meaning() {
                Meaning::Refused => Seen::Pending,
                Meaning::Lost | Meaning::EarlierUnknown | Meaning::Doubtful => {
                    attempt.read_back(&failure).await
                }
            };
            let verdict = match (state, &failure) {
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

/// Converts the verdict on a single operation that was sent this number of times; `words` describes
/// a refusal.
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
