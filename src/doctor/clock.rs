//! Whether this machine's clock agrees with Cloudflare's: expiry dates depend on it.

use crate::document::doctor::Clock;

/// The largest difference that is tolerated, in seconds.
const TOLERATED_SKEW: i64 = 30;

/// Judges the seconds by which Cloudflare's clock is ahead.
#[must_use]
pub fn clock(offset: Option<i64>) -> Clock {
    match offset {
        None => Clock::Unknown,
        Some(seconds) if seconds.abs() <= TOLERATED_SKEW => Clock::Agrees(seconds),
        Some(seconds) => Clock::Differs(seconds),
    }
}
