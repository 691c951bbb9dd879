//! What a response to a write means that is not a success: the same for records, rules and the
//! settings of a zone.
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
use super::outcome::Outcome;
use crate::api::{ApiError, error_codes};
use crate::diagnostic::count;

/// What follows from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It may have taken effect: Cloudflare is read, and what it does not show is sent again.
    Lost,
    /// This try was refused, and the result of an earlier one is unknown: the zone is read, and
    /// what it does not show is unknown.
    EarlierUnknown,
    /// It was refused, or says so: Cloudflare is read, and what it does not show was refused.
    Doubtful,
    /// It was refused.
    Refused,
}

/// What an answer means, `after_loss` if an earlier try of the same request may have taken effect.
pub(super) fn meaning(error: &ApiError, after_loss: bool) -> Meaning {
    let is_doubtful = error.is_contradictory() || is_done_before(error);
    if error.is_uncertain() || (after_loss && error.is_garbled()) {
        Meaning::Lost
    } else if after_loss && (is_doubtful || is_of_one_try(error)) {
        Meaning::EarlierUnknown
    } else if is_doubtful {
        Meaning::Doubtful
    } else {
        Meaning::Refused
    }
}

/// Whether a refusal that is not doubtful says nothing of an earlier try of the same request.
fn is_of_one_try(error: &ApiError) -> bool {
    is_conflict(error)
        || is_hopeless(error)
        || (error.status() == Some(404) && !error.is_no_such_route())
        || error.has_code(error_codes::RULE_IN_PLACE)
        || matches!(error, ApiError::Redirected { .. })
}

/// Whether a refusal may be what a request that came late leaves behind.
pub(super) fn is_done_before(error: &ApiError) -> bool {
    error_codes::RECORD_DONE_BEFORE.iter().any(|code| error.has_code(*code))
}

/// Whether a record is refused because of others with its name.
pub(super) fn is_conflict(error: &ApiError) -> bool {
    error_codes::RECORD_CONFLICT.iter().any(|code| error.has_code(*code))
}

/// Whether a refusal will meet every further request as well.
///
/// Without a status nothing was heard at all. 403 is also used for single operations, such as MX
/// records of a zone with Email Routing, and then has a code of its own.
pub(super) fn is_hopeless(error: &ApiError) -> bool {
    match error.status() {
        // Cloudflare's own words for too many requests come under other statuses as well.
        _ if matches!(error, ApiError::Throttled { .. }) => true,
        None | Some(401 | 429) => true,
        Some(403) => error
            .messages()
            .iter()
            .all(|m| m.code.is_none_or(|code| error_codes::CREDENTIALS.contains(&code))),
        Some(_) => error.has_code(error_codes::RECORD_QUOTA),
    }
}

/// An outcome with the journal's word for it and what the journal says beside it.
pub(super) type Judged = (StepFate, Option<String>, Outcome);

/// It is unknown what became of an operation, for this reason.
pub(super) fn unknown(reason: String) -> Judged {
    (StepFate::Unknown, Some(reason.clone()), Outcome::Unknown(reason))
}

/// It was refused, in these words, or not even heard.
pub(super) fn refused(error: &ApiError, reason: String) -> Judged {
    match error.status() {
        None => (StepFate::NotSent, Some(reason.clone()), Outcome::NotSent(reason)),
        Some(_) => (StepFate::Refused, Some(reason.clone()), Outcome::Refused(reason)),
    }
}

/// Why it is unknown what became of an operation whose response was lost, and that is not sent
/// again for this reason.
pub(super) fn not_resent(reason: &str) -> String {
    format!("the response was lost, no effect is visible, and it was not sent again: {reason}")
}

/// The same for what no answer ever came to.
pub(super) fn no_response(times: usize, reason: &str) -> String {
    format!(
        "sent {}, without a response, and no effect is visible; last: {reason}",
        count(times, "time")
    )
}

/// The same for [`Meaning::EarlierUnknown`].
pub(super) fn earlier_unknown(error: &ApiError) -> String {
    let reason = said(error);
    match is_hopeless(error) {
        true => not_resent(&reason),
        false => format!("{reason}; an earlier attempt got no response, and no effect is visible"),
    }
}

/// An error in Cloudflare's words, with what to do if we know.
pub(super) fn said(error: &ApiError) -> String {
    let mut text = error.reasons().unwrap_or_else(|| format!("failed to {error}"));
    if let Some(source) = std::error::Error::source(error) {
        text.push_str(&format!(": {source}"));
    }
    match error.advice() {
        Some(advice) => format!("{text} ({advice})"),
        None => text,
    }
}
