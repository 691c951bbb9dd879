//! Scripted failures: which request fails, and how.
//!
//! A new failure is a variant of [`What`] with its description and its line in [`effect`]; nothing else in the sandbox
//! names it.

mod effect;
mod file;
mod malformed_responses;

use serde::Deserialize;
use serde_json::Value;

pub(super) use effect::{Cut, Ending};
pub use file::ScriptError;

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
    /// The connection is cut and new ones are refused for a time, or until [`reopen`](super::Running::reopen); no
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
    /// It is held until [`release`](super::Running::release) is called, and then handled as usual.
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

/// The faults of a sandbox and how often each was counted.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Each fault with its counts.
    faults: Vec<Counted>,
}

/// A fault and its counts.
#[derive(Debug)]
struct Counted {
    /// The fault.
    fault: Fault,
    /// Matching requests so far.
    requests: u64,
    /// Matching requests that the fault applied to.
    strikes: u64,
}

impl Script {
    /// Starts with all counts at 0.
    pub(super) fn new(faults: Vec<Fault>) -> Self {
        let mut script = Self::default();
        faults.into_iter().for_each(|fault| script.push(fault));
        script
    }

    /// Adds a fault, which counts from now on.
    pub(super) fn push(&mut self, fault: Fault) {
        self.faults.push(Counted { fault, requests: 0, strikes: 0 });
    }

    /// Removes all faults.
    pub(super) fn clear(&mut self) {
        self.faults.clear();
    }

    /// Whether responses must be kept because a fault may repeat them.
    pub(super) fn has_stale_reads(&self) -> bool {
        self.faults.iter().any(|counted| counted.fault.what == What::StaleRead)
    }

    /// The fault for the next request; the first one if several apply.
    pub(super) fn next(&mut self, method: &str, path: &str) -> Option<What> {
        let mut struck = None;
        for counted in &mut self.faults {
            if counted.strikes_next(method, path) && struck.is_none() {
                struck = Some(counted.fault.what.clone());
            }
        }
        struck
    }
}

impl Counted {
    /// Counts a request and returns whether the fault applies to it.
    fn strikes_next(&mut self, method: &str, path: &str) -> bool {
        let Fault { when, times, .. } = &self.fault;
        let is_meant = |wanted: &Option<String>, suffix: &String| {
            wanted.as_ref().is_none_or(|wanted| wanted == method) && path.ends_with(suffix.as_str())
        };
        let counts = match when {
            When::Request(_) => true,
            When::Matching { method, path_suffix, .. } | When::Chance { method, path_suffix, .. } => {
                is_meant(method, path_suffix)
            }
        };
        if !counts {
            return false;
        }
        self.requests += 1;
        let strikes = match when {
            When::Request(nth) | When::Matching { nth, .. } => self.requests >= *nth && self.requests - *nth < *times,
            When::Chance { seed, per_mille, .. } => {
                self.strikes < *times && dice(*seed, self.requests) % 1000 < u64::from(*per_mille)
            }
        };
        self.strikes += u64::from(strikes);
        strikes
    }
}

/// A pseudorandom number that depends only on the seed and the request's number (splitmix64).
fn dice(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_strike_the_requests_they_name() {
        let matching = When::Matching { method: Some("POST".into()), path_suffix: "/batch".into(), nth: 2 };
        let mut script = Script::new(vec![
            Fault { when: matching, what: What::ResetAfterEffect, times: 1 },
            Fault { when: When::Request(5), what: What::NotJson200, times: 2 },
        ]);
        let requests = [
            ("POST", "/z/batch", false),
            ("GET", "/z/batch", false),
            ("POST", "/z/batch", true),
            ("POST", "/z/batch", false),
            ("GET", "/z", true),
            ("GET", "/z", true),
            ("GET", "/z", false),
        ];
        for (n, (method, path, struck)) in requests.into_iter().enumerate() {
            assert_eq!(script.next(method, path).is_some(), struck, "request {}", n + 1);
        }
    }

    /// Which of 1,000 GET requests fail.
    fn struck(seed: u64, per_mille: u16, times: u64) -> Vec<usize> {
        let when = When::Chance { seed, per_mille, method: Some("GET".into()), path_suffix: String::new() };
        let mut script = Script::new(vec![Fault { when, what: What::ResetBeforeEffect, times }]);
        (0..1000)
            .filter(|_| {
                assert!(script.next("POST", "/z").is_none());
                script.next("GET", "/z").is_some()
            })
            .collect()
    }

    #[test]
    fn chance_comes_from_the_seed_and_the_numbers() {
        let some = struck(7, 100, u64::MAX);
        assert!((60..140).contains(&some.len()), "{}", some.len());
        assert_eq!(some, struck(7, 100, u64::MAX));
        assert_ne!(some, struck(8, 100, u64::MAX));
        assert_eq!(struck(7, 100, 3), some[..3]);
        assert_eq!((struck(7, 0, 9).len(), struck(7, 1000, u64::MAX).len()), (0, 1000));
    }
}
