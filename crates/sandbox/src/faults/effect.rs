//! What each fault does: in place of handling a request, to its response, to its connection.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use serde_json::Value;

use super::fault::What;
use super::malformed_responses;
use crate::auth::Scheme;
use crate::envelope::Refusal;
use crate::reply::{Delivery, Reply};

/// How a request ends.
pub(crate) enum Ending {
    /// With a response.
    Answer(Reply),
    /// Without a response.
    Cut(Cut),
}

/// How a connection ends without a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It is reset.
    Reset,
    /// It is closed.
    Close,
    /// It is reset, and new ones are refused for this long.
    Refuse(Duration),
}

impl What {
    /// What happens in place of handling the request; `None` if it is handled.
    pub(crate) fn instead(&self, headers: &HeaderMap) -> Option<Ending> {
        // ASSUMED: the code and text of an error that the script asks for.
        let scripted = |status, code| Reply::json(status, &Refusal::new(status, code, "Scripted failure").body());
        let answer = match self {
            Self::ConnectionRefused { milliseconds } => {
                return Some(Ending::Cut(Cut::Refuse(Duration::from_millis(*milliseconds))));
            }
            Self::ResetBeforeEffect => return Some(Ending::Cut(Cut::Reset)),
            Self::CloseBeforeEffect => return Some(Ending::Cut(Cut::Close)),
            Self::Status { code, html, retry_after } => {
                let reply = match html {
                    true => Reply::html(*code),
                    false => scripted(*code, if *code == 429 { 971 } else { 10013 }),
                };
                match retry_after {
                    Some(seconds) => reply.with(header::RETRY_AFTER, (*seconds).into()),
                    None => reply,
                }
            }
            Self::NotJson200 => Reply::html(200),
            Self::SuccessFalse200 => scripted(200, 10013),
            Self::Answer { code, body } => Reply::json(*code, body),
            Self::Redirect { code, to } => match HeaderValue::from_str(to) {
                Ok(to) => Reply::html(*code).with(header::LOCATION, to),
                Err(_) => Reply::html(*code),
            },
            Self::TokenRefused { status, code } => {
                if Scheme::of(headers) != Some(Scheme::Bearer) {
                    return None;
                }
                // The texts that go with these numbers: observed 2026.
                let text = match code {
                    1000 => "Invalid API Token",
                    10000 => "Authentication error",
                    _ => "Invalid access token",
                };
                Reply::json(*status, &Refusal::new(*status, *code, text).body())
            }
            Self::StatusAfterEffect { .. }
            | Self::ResetAfterEffect
            | Self::CloseAfterEffect
            | Self::ResetMidBody
            | Self::TruncateBody
            | Self::InvalidJson
            | Self::EmptyBody
            | Self::Stall { .. }
            | Self::Delay { .. }
            | Self::Held
            | Self::Drip { .. }
            | Self::WrongLength { .. }
            | Self::Gzip(_)
            | Self::Replace { .. }
            | Self::Without { .. }
            | Self::Extra
            | Self::LongText { .. }
            | Self::Deep { .. }
            | Self::Padded { .. }
            | Self::AnotherWriter { .. }
            | Self::AnotherWriterAfter { .. }
            | Self::StaleRead => return None,
        };
        Some(Ending::Answer(answer))
    }

    /// How long a request waits before it is handled.
    pub(crate) fn delay(&self) -> Duration {
        match self {
            Self::Delay { milliseconds } => Duration::from_millis(*milliseconds),
            _ => Duration::ZERO,
        }
    }

    /// How a handled request ends, and after which delay.
    pub(crate) fn ending(&self, mut reply: Reply) -> (Duration, Ending) {
        let at_once = |ending| (Duration::ZERO, ending);
        let body = &mut reply.body;
        match self {
            Self::ResetAfterEffect => return at_once(Ending::Cut(Cut::Reset)),
            Self::CloseAfterEffect => return at_once(Ending::Cut(Cut::Close)),
            Self::Stall { milliseconds } => return (Duration::from_millis(*milliseconds), Ending::Cut(Cut::Reset)),
            Self::StatusAfterEffect { code } => reply = Reply::html(*code),
            Self::ResetMidBody => reply.delivery = Delivery::HalfThenReset,
            Self::Drip { milliseconds } => reply.delivery = Delivery::Drip(Duration::from_millis(*milliseconds)),
            Self::WrongLength { by } => {
                reply.delivery = Delivery::Claimed((body.len() as u64).saturating_add_signed(*by));
            }
            Self::Padded { bytes } => reply.delivery = Delivery::Padded(*bytes),
            Self::TruncateBody => malformed_responses::halve(body),
            Self::InvalidJson => malformed_responses::wrong_bracket(body),
            Self::EmptyBody => body.clear(),
            Self::Gzip(how) => {
                malformed_responses::gzip(body, *how);
                reply = reply.with(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            Self::Replace { member, value } => malformed_responses::replace(body, member, value),
            Self::Without { member } => malformed_responses::without(body, member),
            Self::Extra => malformed_responses::extra(body),
            Self::LongText { member, bytes } => {
                malformed_responses::replace(body, member, &Value::from("x".repeat(*bytes)))
            }
            Self::Deep { levels } => malformed_responses::deep(body, *levels),
            // These took effect before the request was handled, or concern the state.
            Self::ConnectionRefused { .. }
            | Self::ResetBeforeEffect
            | Self::CloseBeforeEffect
            | Self::Status { .. }
            | Self::NotJson200
            | Self::SuccessFalse200
            | Self::Answer { .. }
            | Self::Redirect { .. }
            | Self::TokenRefused { .. }
            | Self::Delay { .. }
            | Self::Held
            | Self::AnotherWriter { .. }
            | Self::AnotherWriterAfter { .. }
            | Self::StaleRead => {}
        }
        at_once(Ending::Answer(reply))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fault::Gzip;
    use super::*;

    #[test]
    fn a_token_that_is_refused_leaves_the_key_alone() {
        let fault = What::TokenRefused { status: 403, code: 9109 };
        let mut headers = HeaderMap::new();
        assert!(fault.instead(&headers).is_none());
        headers.insert("authorization", HeaderValue::from_static("Bearer x"));
        let Some(Ending::Answer(reply)) = fault.instead(&headers) else { panic!("it is let through") };
        assert_eq!(reply.status, 403);
    }

    #[test]
    fn a_length_below_zero_is_zero() {
        let (_, ending) = What::WrongLength { by: -100 }.ending(Reply::json(200, &Value::Null));
        let Ending::Answer(reply) = ending else { panic!("it is cut") };
        assert_eq!(reply.delivery, Delivery::Claimed(0));
        let (_, Ending::Answer(reply)) = What::Gzip(Gzip::Plain).ending(Reply::json(200, &Value::Null)) else {
            panic!("it is cut")
        };
        assert_eq!(reply.body, b"null");
    }
}
