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
    Judged, ResponseMeaning, earlier_unknown, error_with_advice, judge_refusal, meaning,
    no_response, not_resent, unknown,
};
use super::journal::StepFate;
use super::outcome::OperationOutcome;
use super::waits::SENDS;
use crate::api::{ApiError, Writer};
use crate::model::ZoneName;
use crate::wire::Envelope;

/// The state that reading shows after a write.
pub(super) enum SeenState {
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
    Error(ApiError, ResponseMeaning),
}

impl Failure {
    /// Returns the meaning.
    pub(super) fn meaning(&self) -> ResponseMeaning {
        match self {
            Self::Unusable(_) => ResponseMeaning::Lost,
            Self::Error(_, meaning) => *meaning,
        }
    }

    /// Describes the failure.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Unusable(reason) => reason.clone(),
            Self::Error(error, _) => error_with_advice(error),
        }
    }
}

/// The verdict on a write, from a failure and the state that was read after it.
pub(super) enum WriteVerdict<'a> {
    /// The request was refused.
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

    /// Reads the response of a successful request.
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
    fn meaning(&mut self, error: &ApiError) -> ResponseMeaning {
        match meaning(error, self.sends() > 1) {
            ResponseMeaning::Refused if self.sends() > 1 => ResponseMeaning::Doubtful,
            meaning => meaning,
        }
    }

    /// Reads whether it took effect.
    async fn read_back(&mut self, failure: &Failure) -> SeenState;

    /// Counts an attempt without effect, before the wait for the next one.
    fn lost(&mut self, failure: &Failure);

    /// Handles the verdict.
    async fn conclude(&mut self, verdict: WriteVerdict<'_>, failure: &Failure) -> Self::End;
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
                ResponseMeaning::Refused => SeenState::Pending,
                ResponseMeaning::Lost
                | ResponseMeaning::EarlierUnknown
                | ResponseMeaning::Doubtful => attempt.read_back(&failure).await,
            };
            let verdict = match (state, &failure) {
                (SeenState::Done, _) => WriteVerdict::Shown,
                (SeenState::Moved(what), _) => WriteVerdict::Moved(what),
                (SeenState::Unread(why), _) => WriteVerdict::Unread(why),
                (SeenState::Pending, Failure::Error(error, ResponseMeaning::EarlierUnknown)) => {
                    WriteVerdict::EarlierUnknown(error)
                }
                (
                    SeenState::Pending,
                    Failure::Error(error, ResponseMeaning::Refused | ResponseMeaning::Doubtful),
                ) => WriteVerdict::Refused(error),
                (
                    SeenState::Pending,
                    Failure::Unusable(_) | Failure::Error(_, ResponseMeaning::Lost),
                ) => {
                    let nth = attempt.sends();
                    if nth >= A::MOST_SENDS {
                        WriteVerdict::NeverAnswered
                    } else {
                        attempt.lost(&failure);
                        let is_time = self.wait_to_resend(attempt.zone(), nth).await;
                        if is_time && A::IN_PLACE {
                            continue;
                        }
                        WriteVerdict::NotSentAgain
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
    verdict: WriteVerdict<'_>,
    failure: &Failure,
    sends: usize,
    words: impl Fn(&ApiError) -> String,
) -> Judged {
    let reason = failure.reason();
    match verdict {
        WriteVerdict::Refused(error) => judge_refusal(error, words(error)),
        WriteVerdict::Shown => (
            StepFate::Done,
            Some(format!("{reason}; the zone was read again")),
            OperationOutcome::Done,
        ),
        WriteVerdict::EarlierUnknown(error) => unknown(earlier_unknown(error)),
        WriteVerdict::NeverAnswered => unknown(no_response(sends, &reason)),
        WriteVerdict::NotSentAgain => unknown(format!("{reason}; {}", not_resent(STOPPED))),
        WriteVerdict::Moved(what) | WriteVerdict::Unread(what) => {
            unknown(format!("{reason}; and {what}"))
        }
    }
}
