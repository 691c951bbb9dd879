//! What the headers of responses said so far, for a report about the connection.

use std::collections::BTreeMap;

use super::limit_headers::Limits;

/// The most limits that are kept, so that an endless row of names fills no memory.
const MOST: usize = 64;

/// What the headers of answers said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The limits by their names, as they were last reported.
    pub limits: BTreeMap<String, SeenLimit>,
    /// Seconds by which Cloudflare's clock is ahead of ours, by the last answer with a date.
    pub clock_offset: Option<i64>,
}

/// A limit that was reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeenLimit {
    /// Requests that remain.
    pub remaining: Option<u64>,
    /// Seconds until the limit is reset.
    pub reset: Option<u64>,
    /// Requests in a window.
    pub quota: Option<u64>,
    /// Length of the window, in seconds.
    pub window: Option<u64>,
}

impl Seen {
    /// Adds what an answer said.
    pub(super) fn note(&mut self, limits: &Limits) {
        for item in &limits.remaining {
            if let Some(limit) = self.limit(&item.name) {
                (limit.remaining, limit.reset) = (Some(item.requests), Some(item.reset.as_secs()));
            }
        }
        for policy in &limits.policies {
            if let Some(limit) = self.limit(&policy.name) {
                (limit.quota, limit.window) = (Some(policy.quota), Some(policy.window.as_secs()));
            }
        }
        self.clock_offset = limits.clock_offset.or(self.clock_offset);
    }

    /// The limit with this name; `None` if there are too many.
    fn limit(&mut self, name: &str) -> Option<&mut SeenLimit> {
        if self.limits.len() >= MOST && !self.limits.contains_key(name) {
            return None;
        }
        Some(self.limits.entry(name.to_owned()).or_default())
    }
}
