//! The meaning of a response to a write that is not a success. It is the same for records, rules
//! and the settings of a zone.
//!
//! | answer | of this request | of an earlier try whose response was lost |
//! |---|---|---|
//! | none, half of one, a server error (but 501) | nothing | nothing |
//! | a refusal that cannot be read | refused; after a loss nothing: it may say that the earlier one took effect | nothing |
//! | no, under a status that says yes | refused, unless an effect is visible | nothing |
//! | "already exists", "does not exist" | the same | nothing: it may be what that one left behind |
//! | "the name is taken", 404 otherwise, "is there already" | refused | the same |
//! | refused for the credentials, the quota, the network or the rate, or sent elsewhere | refused | nothing |
//! | any other refusal | refused | refused: it would have met that one as well |

use super::journal::StepFate;
use super::outcome::OperationOutcome;
use crate::api::{ApiError, error_codes};
use crate::diagnostic::count;

/// The consequence of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseMeaning {
    /// The write may have taken effect. Cloudflare is read, and operations without visible effect
    /// are sent again.
    Lost,
    /// This attempt was refused, and the result of an earlier one is unknown. Cloudflare is read,
    /// and operations without visible effect are unknown.
    EarlierUnknown,
    /// The write was refused, but the response may be wrong. Cloudflare is read, and operations
    /// without visible effect were refused.
    Doubtful,
    /// The write was refused.
    Refused,
}

/// Returns the meaning of a response; `after_loss` if an earlier attempt of the same request may
/// have taken effect.
pub(super) fn meaning(error: &ApiError, after_loss: bool) -> ResponseMeaning {
    let is_doubtful = error.is_contradictory() || is_done_before(error);
    if error.is_uncertain() || (after_loss && error.is_garbled()) {
        ResponseMeaning::Lost
    } else if after_loss && (is_doubtful || is_of_one_try(error)) {
        ResponseMeaning::EarlierUnknown
    } else if is_doubtful {
        ResponseMeaning::Doubtful
    } else {
        ResponseMeaning::Refused
    }
}

/// Returns true if a refusal that is not doubtful says nothing about an earlier attempt of the same
/// request.
fn is_of_one_try(error: &ApiError) -> bool {
    is_conflict(error)
        || is_hopeless(error)
        || (error.status() == Some(404) && !error.is_no_such_route())
        || error.has_code(error_codes::RULE_IN_PLACE)
        || matches!(error, ApiError::Redirected { .. })
}

/// Returns true if the refusal can be caused by an earlier attempt that took effect late.
pub(super) fn is_done_before(error: &ApiError) -> bool {
    error_codes::RECORD_DONE_BEFORE.iter().any(|code| error.has_code(*code))
}

/// Returns true if a record is refused because of others with its name.
pub(super) fn is_conflict(error: &ApiError) -> bool {
    error_codes::RECORD_CONFLICT.iter().any(|code| error.has_code(*code))
}

/// Returns true if every further request will be refused in the same way.
///
/// An error without a status is one without any response. 403 is also used for single operations,
/// such as MX records of a zone with Email Routing, and then has a code of its own.
pub(super) fn is_hopeless(error: &ApiError) -> bool {
    match error.status() {
        // Cloudflare also reports too many requests under other statuses.
        _ if matches!(error, ApiError::Throttled { .. }) => true,
        None | Some(401 | 429) => true,
        Some(403) => error
            .messages()
            .iter()
            .all(|m| m.code.is_none_or(|code| error_codes::CREDENTIALS.contains(&code))),
        Some(_) => error.has_code(error_codes::RECORD_QUOTA),
    }
}

/// The journal's word for an outcome, the detail in the journal, and the outcome.
pub(super) type Judged = (StepFate, Option<String>, OperationOutcome);

/// Returns the result of an operation whose effect is unknown for this reason.
pub(super) fn unknown(reason: String) -> Judged {
    (StepFate::Unknown, Some(reason.clone()), OperationOutcome::Unknown(reason))
}

/// Returns the result of an operation that was refused for this reason. Without a status, the
/// request was not processed at all.
pub(super) fn judge_refusal(error: &ApiError, reason: String) -> Judged {
    match error.status() {
        None => (StepFate::NotSent, Some(reason.clone()), OperationOutcome::NotSent(reason)),
        Some(_) => (StepFate::Refused, Some(reason.clone()), OperationOutcome::Refused(reason)),
    }
}

/// Returns the message for an operation whose response was lost and that was not sent again for
/// this reason.
pub(super) fn not_resent(reason: &str) -> String {
    format!("the response was lost, no effect is visible, and it was not sent again: {reason}")
}

/// Returns the message for an operation without any response.
pub(super) fn no_response(times: usize, reason: &str) -> String {
    format!(
        "sent {}, without a response, and no effect is visible; last: {reason}",
        count(times, "time")
    )
}

/// Returns the message for [`ResponseMeaning::EarlierUnknown`].
pub(super) fn earlier_unknown(error: &ApiError) -> String {
    let reason = error_with_advice(error);
    match is_hopeless(error) {
        true => not_resent(&reason),
        false => format!("{reason}; an earlier attempt got no response, and no effect is visible"),
    }
}

/// Returns an error in Cloudflare's words, with a next step if one is known.
pub(super) fn error_with_advice(error: &ApiError) -> String {
    let mut text = error.reasons().unwrap_or_else(|| format!("failed to {error}"));
    if let Some(source) = std::error::Error::source(error) {
        text.push_str(&format!(": {source}"));
    }
    match error.advice() {
        Some(advice) => format!("{text} ({advice})"),
        None => text,
    }
}
