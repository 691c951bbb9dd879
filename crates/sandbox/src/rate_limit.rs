//! The rate limit: a number of requests in a window, then a block for the length of another window.
//!
//! # Sources
//! developers.cloudflare.com/fundamentals/api/reference/limits and the changelog of 2025-09-03 on
//! the headers, both read 2026-11-20. Code 971 and its text: observed 2025 and 2026. ASSUMED: the
//! window begins with its first request, requests without valid credentials count as well, and all
//! routes share one policy.

use std::time::Duration;

use axum::http::header;
use tokio::time::Instant;

use super::envelope::Refusal;
use super::reply::Reply;

/// The number of requests that are answered in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Number of requests.
    pub requests: u32,
    /// Length of the window, and of the block after exceeding it, in seconds.
    pub window_seconds: u32,
}

impl RateLimit {
    /// The documented limit of a user's calls.
    pub const USUAL: Self = Self { requests: 1200, window_seconds: 300 };
}

#[derive(Debug, Default)]
pub(super) struct Limiter {
    /// The beginning of the window, or of the block.
    since: Option<Instant>,
    /// Requests in the window so far.
    used: u32,
    /// True if all requests are refused until the window ends.
    is_blocked: bool,
}

/// The content of the rate limit headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RateBudget {
    /// Requests left in the window.
    remaining: u32,
    /// Seconds until the window ends.
    reset_seconds: u64,
    limit: RateLimit,
}

impl Limiter {
    /// Counts a request; `Err` if it must be refused.
    pub(super) fn take(
        &mut self,
        limit: RateLimit,
        now: Instant,
    ) -> Result<RateBudget, RateBudget> {
        let window = Duration::from_secs(limit.window_seconds.into());
        let elapsed = self.since.map(|since| now.duration_since(since));
        if elapsed.is_none_or(|elapsed| elapsed >= window) {
            *self = Self { since: Some(now), ..Self::default() };
        }
        if !self.is_blocked && self.used >= limit.requests {
            // Exceeding blocks all calls for the length of another window.
            *self = Self { since: Some(now), used: limit.requests, is_blocked: true };
        }
        self.used = (self.used + 1).min(limit.requests);
        let remaining = window
            .saturating_sub(self.since.map_or(Duration::ZERO, |since| now.duration_since(since)));
        // A part of a second counts as a whole second, so that a client does not retry too early.
        let reset_seconds = remaining.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX);
        let budget = RateBudget { remaining: limit.requests - self.used, reset_seconds, limit };
        if self.is_blocked { Err(budget) } else { Ok(budget) }
    }
}

impl RateBudget {
    /// Returns the headers of every response.
    pub(super) fn headers(self) -> [(&'static str, String); 2] {
        let RateLimit { requests, window_seconds } = self.limit;
        [
            ("ratelimit", format!("\"default\";r={};t={}", self.remaining, self.reset_seconds)),
            ("ratelimit-policy", format!("\"default\";q={requests};w={window_seconds}")),
        ]
    }

    /// Returns the reply to a refused request.
    pub(super) fn refusal(self) -> Reply {
        let refusal =
            Refusal::new(429, 971, "Please wait and consider throttling your request speed");
        Reply::json(429, &refusal.body()).with(header::RETRY_AFTER, self.reset_seconds.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceeding_blocks_for_a_window() {
        let limit = RateLimit { requests: 2, window_seconds: 10 };
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut limiter = Limiter::default();
        let first = limiter.take(limit, at(0)).unwrap();
        assert_eq!(first.headers()[0].1, "\"default\";r=1;t=10");
        assert_eq!(first.headers()[1].1, "\"default\";q=2;w=10");
        assert!(limiter.take(limit, at(1)).is_ok());
        assert_eq!(limiter.take(limit, at(4)).unwrap_err().reset_seconds, 10);
        assert_eq!(limiter.take(limit, at(11)).unwrap_err().reset_seconds, 3);
        assert!(limiter.take(limit, at(14)).is_ok());
        assert!(limiter.take(limit, at(15)).is_ok());
        assert!(limiter.take(limit, at(24)).is_ok());
    }
}
