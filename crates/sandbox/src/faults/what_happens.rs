//! The effects of faults: in place of handling a request, on its response, on its connection.
//!
//! A new failure is a variant of [`What`] with its description and its lines in the methods.
//! Nothing else in the sandbox names it, unless it involves other requests (`server.rs`,
//! `script.rs`).

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use serde::Deserialize;
use serde_json::Value;

use super::malformed_responses::{self, Gzip};
use crate::auth::Scheme;
use crate::envelope::Refusal;
use crate::reply::{Delivery, Reply};

/// The effect of a fault on a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum What {
    /// The request is refused with this status, and has no effect.
    Status {
        /// HTTP status.
        code: u16,
        /// True for an HTML page, as from the edge; false for an envelope.
        #[serde(default)]
        html: bool,
        /// `Retry-After` in seconds.
        #[serde(default)]
        retry_after: Option<u64>,
    },
    /// The request takes effect, but the response is this status and an HTML page.
    StatusAfterEffect {
        /// HTTP status.
        code: u16,
    },
    /// The connection is cut and new ones are refused for a time, or until
    /// [`reopen`](crate::Running::reopen); no effect.
    ConnectionRefused {
        /// Duration.
        milliseconds: u64,
    },
    /// The connection is cut; no effect.
    ResetBeforeEffect,
    /// The connection is cut after the effect; no response.
    ResetAfterEffect,
    /// The connection is closed in an orderly way before a byte of the response; no effect.
    CloseBeforeEffect,
    /// The connection is closed in an orderly way before a byte of the response, after the effect.
    CloseAfterEffect,
    /// The connection is cut in the middle of the response's body, after the effect.
    ResetMidBody,
    /// The response is complete as HTTP but holds half of the JSON; the request took effect.
    TruncateBody,
    /// The response ends with the wrong bracket; the request took effect.
    InvalidJson,
    /// The response has no body; the request took effect.
    EmptyBody,
    /// The response has status 200 and a body that is not JSON; no effect.
    NotJson200,
    /// The response has status 200 and `"success": false`; no effect.
    SuccessFalse200,
    /// The response is exactly this one; no effect.
    Answer {
        /// HTTP status.
        code: u16,
        /// JSON document, complete with its envelope.
        body: Value,
    },
    /// The response is a redirect; no effect.
    Redirect {
        /// HTTP status, such as 302.
        code: u16,
        /// `Location`.
        to: String,
    },
    /// A request with a token is refused as if the token had expired; other requests are handled as
    /// usual.
    TokenRefused {
        /// HTTP status, such as 403.
        status: u16,
        /// Cloudflare's error code, such as 9109.
        code: u32,
    },
    /// The request takes effect, then nothing is sent for a time, and the connection is cut.
    Stall {
        /// Duration.
        milliseconds: u64,
    },
    /// The response is delayed.
    Delay {
        /// Duration.
        milliseconds: u64,
    },
    /// The request is held until [`release`](crate::Running::release) is called, and then handled
    /// as usual.
    Held,
    /// The response is sent byte by byte, with this pause after each.
    Drip {
        /// Duration; 0 sends each byte separately without a pause.
        milliseconds: u64,
    },
    /// `Content-Length` differs from the length of the body by this many bytes. If it is larger,
    /// the rest never arrives; if it is smaller (below 0), the end is not sent. The request took
    /// effect.
    WrongLength {
        /// Number of bytes.
        by: i64,
    },
    /// The response is compressed by gzip, or claims to be.
    Gzip(Gzip),
    /// Every member with this name, at any depth of the response, gets this value: wrong types,
    /// inconsistent counts.
    Replace {
        /// Name of the member.
        member: String,
        /// Any JSON value.
        value: Value,
    },
    /// Every member with this name is missing from the response, at any depth.
    Without {
        /// Name of the member.
        member: String,
    },
    /// Every object of the response has additional unknown members of all types.
    Extra,
    /// Every member with this name gets a text of this length.
    LongText {
        /// Name of the member.
        member: String,
        /// Length in bytes.
        bytes: usize,
    },
    /// The response has an additional member with nested lists.
    Deep {
        /// Number of levels.
        levels: usize,
    },
    /// The JSON is followed by spaces, sent piece by piece, without `Content-Length`.
    Padded {
        /// Number of spaces.
        bytes: u64,
    },
    /// Simulates another client that writes first: another request takes effect, unlogged, before
    /// this one is handled as usual.
    AnotherWriter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        #[serde(default)]
        body: Value,
    },
    /// Simulates another client that writes afterwards: another request takes effect, unlogged,
    /// before the response to this one is sent as usual.
    AnotherWriterAfter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        #[serde(default)]
        body: Value,
    },
    /// A GET returns the previous response for the same path, without later changes. A GET without
    /// a previous response is handled as usual.
    StaleRead,
}

/// The end of a request.
pub(crate) enum Ending {
    /// The request ends with a response.
    Answer(Reply),
    /// The request ends without a response.
    Cut(Cut),
}

/// The end of a connection without a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The connection is reset.
    Reset,
    /// The connection is closed.
    Close,
    /// The connection is reset, and new ones are refused for this long.
    Refuse(Duration),
}

impl What {
    /// Returns the end of a request that is not handled; `None` if it is handled.
    pub(crate) fn instead(&self, headers: &HeaderMap) -> Option<Ending> {
        // ASSUMED: the code and text of an error that the script requests.
        let scripted = |status, code| {
            Reply::json(status, &Refusal::new(status, code, "Scripted failure").body())
        };
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
                // The texts for these codes: observed 2026.
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

    /// Returns the delay before a request is handled.
    pub(crate) fn delay(&self) -> Duration {
        match self {
            Self::Delay { milliseconds } => Duration::from_millis(*milliseconds),
            _ => Duration::ZERO,
        }
    }

    /// Returns the end of a handled request, and the delay before it.
    pub(crate) fn ending(&self, mut reply: Reply) -> (Duration, Ending) {
        let at_once = |ending| (Duration::ZERO, ending);
        let body = &mut reply.body;
        match self {
            Self::ResetAfterEffect => return at_once(Ending::Cut(Cut::Reset)),
            Self::CloseAfterEffect => return at_once(Ending::Cut(Cut::Close)),
            Self::Stall { milliseconds } => {
                return (Duration::from_millis(*milliseconds), Ending::Cut(Cut::Reset));
            }
            Self::StatusAfterEffect { code } => reply = Reply::html(*code),
            Self::ResetMidBody => reply.delivery = Delivery::HalfThenReset,
            Self::Drip { milliseconds } => {
                reply.delivery = Delivery::Drip(Duration::from_millis(*milliseconds))
            }
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
            Self::Without { member } => malformed_responses::remove_member(body, member),
            Self::Extra => malformed_responses::extra(body),
            Self::LongText { member, bytes } => {
                malformed_responses::replace(body, member, &Value::from("x".repeat(*bytes)))
            }
            Self::Deep { levels } => malformed_responses::deep(body, *levels),
            // These faults took effect before the request was handled, or concern the state.
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
    use super::*;

    #[test]
    fn a_token_that_is_refused_leaves_the_key_alone() {
        let fault = What::TokenRefused { status: 403, code: 9109 };
        let mut headers = HeaderMap::new();
        assert!(fault.instead(&headers).is_none());
        headers.insert("authorization", HeaderValue::from_static("Bearer x"));
        let Some(Ending::Answer(reply)) = fault.instead(&headers) else {
            panic!("it is let through")
        };
        assert_eq!(reply.status, 403);
    }

    #[test]
    fn a_length_below_zero_is_zero() {
        let (_, ending) = What::WrongLength { by: -100 }.ending(Reply::json(200, &Value::Null));
        let Ending::Answer(reply) = ending else { panic!("it is cut") };
        assert_eq!(reply.delivery, Delivery::Claimed(0));
        let (_, Ending::Answer(reply)) =
            What::Gzip(Gzip::Plain).ending(Reply::json(200, &Value::Null))
        else {
            panic!("it is cut")
        };
        assert_eq!(reply.body, b"null");
    }
}
