//! Scripted failures: which request fails, and how.
//!
//! A new failure is a variant of [`What`] with its words and its line in [`effect`]; nothing else of the sandbox names it.

mod alter;
mod effect;
mod file;

use serde::Deserialize;
use serde_json::Value;

pub(super) use effect::{Cut, Ending};
pub use file::ScriptError;

/// A scripted failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which request it strikes first.
    pub when: When,
    /// What happens.
    pub what: What,
    /// How many requests in a row it strikes, counted as [`When`] counts; with [`When::Chance`], how many it strikes at most.
    #[serde(default = "one")]
    pub times: u64,
}

/// Which request a fault strikes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// The nth request of all, counted from 1.
    Request(u64),
    /// The nth request, counted from 1, with this method and an address that ends so.
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
    /// Some of the requests with this method and an address that ends so. Which ones depends on the seed and on their
    /// numbers alone.
    Chance {
        /// Where the dice come from.
        #[serde(default)]
        seed: u64,
        /// How many of a thousand requests it strikes on average: 0 to 1000.
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
    /// It has its effect, but is answered with this status and an HTML page.
    StatusAfterEffect {
        /// HTTP status.
        code: u16,
    },
    /// The connection is cut and further ones are refused for a time, or until [`reopen`](super::Running::reopen); no effect.
    ConnectionRefused {
        /// How long.
        milliseconds: u64,
    },
    /// The connection is cut; no effect.
    ResetBeforeEffect,
    /// The connection is cut after the effect; no answer.
    ResetAfterEffect,
    /// The connection is closed in an orderly way before a byte of the answer; no effect.
    CloseBeforeEffect,
    /// The connection is closed in an orderly way before a byte of the answer, after the effect.
    CloseAfterEffect,
    /// The connection is cut in the middle of the answer's body, after the effect.
    ResetMidBody,
    /// The answer, complete as HTTP, holds half of the JSON; the effect took place.
    TruncateBody,
    /// The answer ends with the wrong bracket; the effect took place.
    InvalidJson,
    /// The answer has no body; the effect took place.
    EmptyBody,
    /// Status 200 with a body that is no JSON; no effect.
    NotJson200,
    /// Status 200 with `"success": false`; no effect.
    SuccessFalse200,
    /// It is answered with exactly this; no effect.
    Answer {
        /// HTTP status.
        code: u16,
        /// Body.
        body: Value,
    },
    /// It is sent elsewhere; no effect.
    Redirect {
        /// HTTP status, such as 302.
        code: u16,
        /// `Location`.
        to: String,
    },
    /// A request that is signed by a token is refused as one whose token has expired; others are handled as usual.
    TokenRefused {
        /// HTTP status, such as 403.
        status: u16,
        /// The service's number for it, such as 9109.
        code: u32,
    },
    /// It has its effect, then nothing comes for a time, and the connection is cut.
    Stall {
        /// How long.
        milliseconds: u64,
    },
    /// The answer comes late.
    Delay {
        /// How long.
        milliseconds: u64,
    },
    /// It is held until it is released ([`release`](super::Running::release)), and then handled as usual.
    Held,
    /// The answer comes byte by byte, with this pause after each.
    Drip {
        /// How long; 0 for a pause that is no longer than it takes to send each byte by itself.
        milliseconds: u64,
    },
    /// `Content-Length` differs from the body by so many bytes: with more the rest never comes, with fewer (below 0) the end
    /// is not sent. The effect took place.
    WrongLength {
        /// How many bytes.
        by: i64,
    },
    /// The answer is compressed by gzip, or pretends to be.
    Gzip(Gzip),
    /// Every member of this name, at any depth of the answer, has this value instead: wrong types, counts that disagree.
    Replace {
        /// Name of the member.
        member: String,
        /// Its value.
        value: Value,
    },
    /// Every member of this name is missing from the answer, at any depth.
    Without {
        /// Name of the member.
        member: String,
    },
    /// Every object of the answer has more members than anybody knows of, of all types.
    Extra,
    /// Every member of this name has a text of this length instead.
    LongText {
        /// Name of the member.
        member: String,
        /// Length in bytes.
        bytes: usize,
    },
    /// The answer has one more member, lists within lists.
    Deep {
        /// How many.
        levels: usize,
    },
    /// The answer's JSON is followed by blanks, sent piece by piece, without `Content-Length`.
    Padded {
        /// How many.
        bytes: u64,
    },
    /// Somebody else writes first: another request takes effect, unlogged, before this one is handled as usual.
    AnotherWriter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        #[serde(default)]
        body: Value,
    },
    /// Somebody else writes right afterwards: another request takes effect, unlogged, before this one is answered as usual.
    AnotherWriterAfter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        #[serde(default)]
        body: Value,
    },
    /// A GET is answered as it was the last time, whatever has changed since; as usual if it is new.
    StaleRead,
}

/// How an answer is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case")]
pub enum Gzip {
    /// As it should be.
    Correct,
    /// Half of it is missing.
    Truncated,
    /// The checksum does not match.
    Corrupt,
    /// Not at all, though the header says so.
    Plain,
}

/// What is meant where no number is given.
fn one() -> u64 {
    1
}

/// The faults of a sandbox and how often each has counted.
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
    /// Requests that it has counted.
    requests: u64,
    /// Requests that it would have struck.
    strikes: u64,
}

impl Script {
    /// From the start.
    pub(super) fn new(faults: Vec<Fault>) -> Self {
        let mut script = Self::default();
        faults.into_iter().for_each(|fault| script.push(fault));
        script
    }

    /// Adds a fault, which counts from now on.
    pub(super) fn push(&mut self, fault: Fault) {
        self.faults.push(Counted { fault, requests: 0, strikes: 0 });
    }

    /// No more faults.
    pub(super) fn clear(&mut self) {
        self.faults.clear();
    }

    /// Whether answers must be kept, lest they be wanted again.
    pub(super) fn has_stale_reads(&self) -> bool {
        self.faults.iter().any(|counted| counted.fault.what == What::StaleRead)
    }

    /// What strikes the next request; of several faults the first.
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
    /// Counts a request, and tells whether it is struck.
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

/// A number that looks random and depends on the seed and the request's number alone (splitmix64).
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

    /// The numbers of the GETs among 1,000 that are struck.
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
