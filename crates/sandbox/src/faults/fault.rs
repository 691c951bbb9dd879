//! A scripted failure: which request fails, and what happens to it.
//!
//! A new failure is a variant of [`What`] with its description and its line in [`effect`](super::effect); nothing else in the sandbox
//! names it.

use serde::Deserialize;
use serde_json::Value;

/// A scripted failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The first request that fails.
    pub when: When,
    /// What happens.
    pub what: What,
    /// How many requests in a row fail, counted as [`When`] counts; with [`When::Chance`], the largest number that
    /// fail.
    #[serde(default = "one")]
    pub times: u64,
}

/// Which request fails.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// The nth request overall, counted from 1.
    Request(u64),
    /// The nth request, counted from 1, with this method and a path that ends like this.
    Matching {
        /// Method, upper case; `None` for any.
        #[serde(default)]
        method: Option<String>,
        /// End of the path, without the query.
        #[serde(default)]
        path_suffix: String,
        /// Which one.
        #[serde(default = "one")]
        nth: u64,
    },
    /// Some of the requests with this method and a path that ends like this. Which ones depends only on the seed and on
    /// their numbers.
    Chance {
        /// Seed of the random choice.
        #[serde(default)]
        seed: u64,
        /// How many of 1000 requests fail on average: 0 to 1000.
        per_mille: u16,
        /// Method, upper case; `None` for any.
        #[serde(default)]
        method: Option<String>,
        /// End of the path, without the query.
        #[serde(default)]
        path_suffix: String,
    },
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum What {
    /// It is refused with this status, and has no effect.
    Status {
        /// HTTP status.
        code: u16,
        /// Whether the body is an HTML page, as from the edge, or an envelope.
        #[serde(default)]
        html: bool,
        /// `Retry-After` in seconds.
        #[serde(default)]
        retry_after: Option<u64>,
    },
    /// It takes effect, but the response is this status and an HTML page.
    StatusAfterEffect {
        /// HTTP status.
        code: u16,
    },
    /// The connection is cut and new ones are refused for a time, or until [`reopen`](crate::Running::reopen); no
    /// effect.
    ConnectionRefused {
        /// How long.
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
    /// Status 200 with a body that is not JSON; no effect.
    NotJson200,
    /// Status 200 with `"success": false`; no effect.
    SuccessFalse200,
    /// This exact response; no effect.
    Answer {
        /// HTTP status.
        code: u16,
        /// Body.
        body: Value,
    },
    /// A redirect; no effect.
    Redirect {
        /// HTTP status, such as 302.
        code: u16,
        /// `Location`.
        to: String,
    },
    /// A request with a token is refused as if the token had expired; other requests are handled as usual.
    TokenRefused {
        /// HTTP status, such as 403.
        status: u16,
        /// Cloudflare's error code, such as 9109.
        code: u32,
    },
    /// It takes effect, then nothing is sent for a time, and the connection is cut.
    Stall {
        /// How long.
        milliseconds: u64,
    },
    /// The response is delayed.
    Delay {
        /// How long.
        milliseconds: u64,
    },
    /// It is held until [`release`](crate::Running::release) is called, and then handled as usual.
    Held,
    /// The response is sent byte by byte, with this pause after each.
    Drip {
        /// How long; 0 sends each byte separately without a pause.
        milliseconds: u64,
    },
    /// `Content-Length` differs from the length of the body by this many bytes: if it is larger, the rest never comes;
    /// if smaller (below 0), the end is not sent. The request took effect.
    WrongLength {
        /// How many bytes.
        by: i64,
    },
    /// The response is compressed by gzip, or claims to be.
    Gzip(Gzip),
    /// Every member with this name, at any depth of the response, gets this value: wrong types, inconsistent counts.
    Replace {
        /// Name of the member.
        member: String,
        /// Its value.
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
        /// How many.
        levels: usize,
    },
    /// The JSON is followed by spaces, sent piece by piece, without `Content-Length`.
    Padded {
        /// How many.
        bytes: u64,
    },
    /// Someone else writes first: another request takes effect, unlogged, before this one is handled as usual.
    AnotherWriter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        #[serde(default)]
        body: Value,
    },
    /// Someone else writes afterwards: another request takes effect, unlogged, before the response to this one is sent
    /// as usual.
    AnotherWriterAfter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        #[serde(default)]
        body: Value,
    },
    /// A GET returns the previous response for the same path, whatever has changed since; as usual if there is none.
    StaleRead,
}

/// How a response is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case")]
pub enum Gzip {
    /// Correctly.
    Correct,
    /// Half of it is missing.
    Truncated,
    /// The checksum does not match.
    Corrupt,
    /// Not at all, although the header says so.
    Plain,
}

/// The default of counts.
fn one() -> u64 {
    1
}
