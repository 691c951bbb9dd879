//! The log of requests, for tests that check the exact requests.

use std::collections::VecDeque;

use serde_json::Value;

use super::auth::Scheme;
use super::faults::What;

/// A request in the sandbox's log. Credentials are not kept, only their scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRequest {
    /// Method, upper case.
    pub method: String,
    /// Path with query, without the base path: `/zones?name=example.com`.
    pub path: String,
    /// Scheme of the credentials, if the request had any.
    pub scheme: Option<Scheme>,
    /// The body as JSON; `None` if there was no body or it is not JSON.
    pub body: Option<Value>,
    /// Status of the response; `None` if the connection was cut instead.
    pub status: Option<u16>,
    /// The scripted failure that applied to the request, if any.
    pub fault: Option<What>,
    /// Status of the handling, even if the client received another status; `None` if the request
    /// was not handled and had no effect.
    pub handled: Option<u16>,
}

/// The latest requests. The number is limited so that a long-running sandbox does not fill the
/// memory.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Maximum number of requests to keep.
    most: usize,
    /// Number of requests that were dropped.
    forgotten: u64,
    /// The requests, each with the size of its body in bytes.
    entries: VecDeque<(LoggedRequest, usize)>,
    /// Total size of all bodies in `entries`, in bytes.
    bytes: usize,
}

/// Maximum total size of the logged bodies. As JSON values they take several times as much memory.
const LOGGED_BYTES: usize = 64 << 20;

impl Log {
    /// Creates a log that keeps this many requests.
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns true if any requests are kept.
    pub(super) fn remembers(&self) -> bool {
        self.most > 0
    }

    /// Returns the latest requests, in the order of arrival.
    pub(super) fn requests(&self) -> Vec<LoggedRequest> {
        self.entries.iter().map(|(entry, _)| entry.clone()).collect()
    }

    /// Returns the total number of requests.
    pub(super) fn count(&self) -> u64 {
        self.forgotten + self.entries.len() as u64
    }

    /// Adds a request whose body has this size in bytes; returns its number, counted from 1.
    pub(super) fn push(&mut self, entry: LoggedRequest, bytes: usize) -> u64 {
        self.entries.push_back((entry, bytes));
        self.bytes += bytes;
        while self.entries.len() > self.most || self.bytes > LOGGED_BYTES {
            let Some((_, bytes)) = self.entries.pop_front() else { break };
            self.bytes -= bytes;
            self.forgotten += 1;
        }
        self.count()
    }

    /// Records the response to a request.
    pub(super) fn note_status(&mut self, turn: u64, status: u16) {
        if let Some(entry) = self.entry(turn) {
            entry.status = Some(status);
        }
    }

    /// Records the status of the handling of a request.
    pub(super) fn handled(&mut self, turn: u64, status: u16) {
        if let Some(entry) = self.entry(turn) {
            entry.handled = Some(status);
        }
    }

    /// Returns a request, unless it was dropped.
    fn entry(&mut self, turn: u64) -> Option<&mut LoggedRequest> {
        let index = turn.checked_sub(self.forgotten + 1).and_then(|n| usize::try_from(n).ok());
        index.and_then(|n| self.entries.get_mut(n)).map(|(entry, _)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> LoggedRequest {
        LoggedRequest {
            method: "GET".into(),
            path: "/".into(),
            scheme: None,
            body: None,
            status: None,
            fault: None,
            handled: None,
        }
    }

    #[test]
    fn the_log_forgets_the_oldest() {
        let mut log = Log::new(100);
        for turn in 1..=102 {
            assert_eq!(log.push(entry(), 0), turn);
        }
        log.note_status(1, 200);
        log.note_status(3, 404);
        log.handled(4, 500);
        assert_eq!(log.entries.len(), 100);
        assert_eq!(log.requests()[0].status, Some(404));
        assert_eq!(log.requests()[1].status, None);
        assert_eq!(log.requests()[1].handled, Some(500));
    }

    #[test]
    fn large_bodies_make_it_forget_earlier() {
        let mut log = Log::new(100);
        for _ in 0..9 {
            log.push(entry(), LOGGED_BYTES / 4);
        }
        assert_eq!((log.requests().len(), log.count()), (4, 9));
        log.push(entry(), LOGGED_BYTES + 1);
        assert_eq!((log.requests().len(), log.count(), log.bytes), (0, 10, 0));
        let mut nothing = Log::default();
        assert_eq!((nothing.push(entry(), 1), nothing.push(entry(), 1)), (1, 2));
        nothing.note_status(2, 200);
        assert_eq!(nothing.requests(), []);
    }
}
