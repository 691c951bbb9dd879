//! Facts from the headers of responses so far, for connection reports.

use std::collections::BTreeMap;

use super::limit_headers::Limits;

/// Maximum number of limits that are kept, so that many names cannot fill the memory.
const MOST: usize = 64;

/// Facts from the headers of responses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenHeaders {
    /// Limits by name, as last reported.
    pub limits: BTreeMap<String, SeenLimit>,
    /// Seconds by which Cloudflare's clock is ahead of ours, from the last response with a date.
    pub clock_offset: Option<i64>,
}

/// A limit that Cloudflare reported.
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

impl SeenHeaders {
    /// Adds the facts from a response.
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

    /// Returns the limit with this name. `None` if there are too many.
    fn limit(&mut self, name: &str) -> Option<&mut SeenLimit> {
        if self.limits.len() >= MOST && !self.limits.contains_key(name) {
            return None;
        }
        Some(self.limits.entry(name.to_owned()).or_default())
    }
}
