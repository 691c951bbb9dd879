//! Scripted failures: which request fails, and how.

use serde_json::Value;

/// A scripted failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which request it strikes first.
    pub when: When,
    /// What happens.
    pub what: What,
    /// How many requests in a row it strikes; those counted are the ones that [`When`] counts.
    pub times: u64,
}

/// Which request a fault strikes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// The nth request of all, counted from 1.
    Request(u64),
    /// The nth request, counted from 1, with this method and an address that ends so.
    Matching {
        /// Method, upper case; `None` for any.
        method: Option<String>,
        /// End of the path, without the query.
        path_suffix: String,
        /// Which one.
        nth: u64,
    },
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is refused with this status, and has no effect.
    Status {
        /// HTTP status.
        code: u16,
        /// Whether the body is an HTML page, as from the edge, or an envelope.
        html: bool,
        /// `Retry-After` in seconds.
        retry_after: Option<u64>,
    },
    /// It has its effect, but is answered with this status and an HTML page.
    StatusAfterEffect {
        /// HTTP status.
        code: u16,
    },
    /// The connection is cut; no effect.
    ResetBeforeEffect,
    /// The connection is cut after the effect; no answer.
    ResetAfterEffect,
    /// The connection is cut in the middle of the answer's body, after the effect.
    ResetMidBody,
    /// The answer, complete as HTTP, holds half of the JSON; the effect took place.
    TruncateBody,
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
    /// Somebody else writes first: another request takes effect, unlogged, before this one is handled as usual.
    AnotherWriter {
        /// Method, upper case.
        method: String,
        /// Path without the base path, as in the log.
        path: String,
        /// Body.
        body: Value,
    },
    /// A GET is answered as it was the last time, whatever has changed since; as usual if it is new.
    StaleRead,
}

/// The faults of a sandbox and how often each has counted.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Each fault with the requests that it has counted.
    faults: Vec<(Fault, u64)>,
}

impl Script {
    /// From the start.
    pub(super) fn new(faults: Vec<Fault>) -> Self {
        Self { faults: faults.into_iter().map(|fault| (fault, 0)).collect() }
    }

    /// Adds a fault, which counts from now on.
    pub(super) fn push(&mut self, fault: Fault) {
        self.faults.push((fault, 0));
    }

    /// Whether answers must be kept, lest they be wanted again.
    pub(super) fn has_stale_reads(&self) -> bool {
        self.faults.iter().any(|(fault, _)| fault.what == What::StaleRead)
    }

    /// What strikes the next request; of several faults the first.
    pub(super) fn next(&mut self, method: &str, path: &str) -> Option<What> {
        let mut struck = None;
        for (fault, counted) in &mut self.faults {
            let nth = match &fault.when {
                When::Request(nth) => *nth,
                When::Matching { method: wanted, path_suffix, nth } => {
                    if wanted.as_ref().is_some_and(|w| w != method) || !path.ends_with(path_suffix.as_str()) {
                        continue;
                    }
                    *nth
                }
            };
            *counted += 1;
            if struck.is_none() && *counted >= nth && *counted - nth < fault.times {
                struck = Some(fault.what.clone());
            }
        }
        struck
    }
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
}
