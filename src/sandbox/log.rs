//! What was asked, for tests that look at the exact requests.

use std::collections::VecDeque;

use serde_json::Value;

use super::auth::Scheme;
use super::faults::What;

/// A request as the sandbox has logged it. Credentials are not kept, only their scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRequest {
    /// Method, upper case.
    pub method: String,
    /// Path with query, without the base path: `/zones?name=example.com`.
    pub path: String,
    /// Scheme of the credentials, if there were any.
    pub scheme: Option<Scheme>,
    /// The body as JSON; `None` if there was none, or none that is JSON.
    pub body: Option<Value>,
    /// Status of the answer; `None` if the connection was cut instead.
    pub status: Option<u16>,
    /// The scripted failure that struck it, if one did.
    pub fault: Option<What>,
    /// Status with which it was handled, whatever became of the answer; `None` if it was not, and so had no effect.
    pub handled: Option<u16>,
}

/// The last requests, so that a sandbox that runs for long does not fill the memory.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Requests that have been forgotten.
    forgotten: u64,
    /// The others.
    entries: VecDeque<LoggedRequest>,
}

/// Requests that are remembered.
const LOGGED_REQUESTS: usize = 10_000;

impl Log {
    /// The last requests, in the order of arrival.
    pub(super) fn requests(&self) -> Vec<LoggedRequest> {
        self.entries.iter().cloned().collect()
    }

    /// How many requests there were in all.
    pub(super) fn count(&self) -> u64 {
        self.forgotten + self.entries.len() as u64
    }

    /// Adds a request; says which it is, counted from 1.
    pub(super) fn push(&mut self, entry: LoggedRequest) -> u64 {
        if self.entries.len() == LOGGED_REQUESTS {
            self.entries.pop_front();
            self.forgotten += 1;
        }
        self.entries.push_back(entry);
        self.count()
    }

    /// Notes how a request was answered.
    pub(super) fn answered(&mut self, turn: u64, status: u16) {
        if let Some(entry) = self.entry(turn) {
            entry.status = Some(status);
        }
    }

    /// Notes how a request was handled.
    pub(super) fn handled(&mut self, turn: u64, status: u16) {
        if let Some(entry) = self.entry(turn) {
            entry.handled = Some(status);
        }
    }

    /// A request, unless it has been forgotten.
    fn entry(&mut self, turn: u64) -> Option<&mut LoggedRequest> {
        let index = turn.checked_sub(self.forgotten + 1).and_then(|n| usize::try_from(n).ok());
        index.and_then(|n| self.entries.get_mut(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_forgets_the_oldest() {
        let entry = LoggedRequest {
            method: "GET".into(),
            path: "/".into(),
            scheme: None,
            body: None,
            status: None,
            fault: None,
            handled: None,
        };
        let mut log = Log::default();
        for turn in 1..=LOGGED_REQUESTS as u64 + 2 {
            assert_eq!(log.push(entry.clone()), turn);
        }
        log.answered(1, 200);
        log.answered(3, 404);
        log.handled(4, 500);
        assert_eq!(log.entries.len(), LOGGED_REQUESTS);
        assert_eq!(log.entries[0].status, Some(404));
        assert_eq!(log.entries[1].status, None);
        assert_eq!(log.entries[1].handled, Some(500));
    }
}
