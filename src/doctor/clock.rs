//! Compares this machine's clock with Cloudflare's, because expiry dates depend on it.

use crate::document::doctor::Clock;

/// Largest difference that is tolerated, in seconds.
const TOLERATED_SKEW: i64 = 30;

/// Judges a clock from the number of seconds by which Cloudflare's clock is ahead.
#[must_use]
pub fn clock(offset: Option<i64>) -> Clock {
    match offset {
        None => Clock::Unknown,
        Some(seconds) if seconds.abs() <= TOLERATED_SKEW => Clock::Agrees(seconds),
        Some(seconds) => Clock::Differs(seconds),
    }
}
