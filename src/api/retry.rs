//! Decides whether and when a failed request is repeated.
//!
//! | failure | read | write |
//! |---|---|---|
//! | no connection (refused, name, TLS handshake) | again | again: nothing was sent |
//! | a certificate that is not accepted, a proxy that requires credentials | no | no: a retry would fail again |
//! | 429, or code 971 under any status | again, after the requested time | the same: it had no effect |
//! | timeout, reset, incomplete response | again | no: it may have had an effect |
//! | 500, 502, 503, 504, 520…526, 530, 408 | again | no: the same |
//! | a body that is not JSON, or a refusal, under 2xx | again | no: the same |
//! | any other refusal, a redirect, a response that is too large | no | no |
//!
//! Requested waits are followed up to [`LONGEST_WAIT`]. Otherwise the delay doubles and is partly
//! random, so that clients that failed together do not retry together.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::error::{ApiError, ProxyFault};

/// Longest requested wait that is followed; with a longer one the request fails. Three times
/// Cloudflare's own penalty of 5 minutes.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(900);

/// Wait after a 429 without a requested time: Cloudflare blocks for 5 minutes.
pub(super) const WAIT_AFTER_BARE_429: Duration = Duration::from_secs(300);

/// Default number of attempts, including the first one. The last delay between them is the longest
/// one that [`BackOff`] allows.
pub(super) const ATTEMPTS: u32 = 6;

/// Reaction to a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Report the error.
    GiveUp,
    /// Retry after our own delay.
    BackOff,
    /// Retry after this time, which Cloudflare requested.
    Wait(Duration),
    /// Retry after this time, and send no other request until then.
    Pause(Duration),
}

/// Chooses the reaction to an error. `asked` is the wait that the response requested, if any.
pub(super) fn next_step(error: &ApiError, asked: Option<Duration>) -> Next {
    let read = error.request().is_some_and(|request| request.method.is_read());
    let is_repeatable = match error {
        ApiError::Throttled { wait, .. } => {
            let wait = wait.unwrap_or_default();
            return if wait > LONGEST_WAIT { Next::GiveUp } else { Next::Pause(wait) };
        }
        ApiError::Unreached { source, .. } => {
            !matches!(source.tls(), Some(rustls::Error::InvalidCertificate(_)))
                && source.proxy() != Some(ProxyFault::Credentials)
        }
        ApiError::Lost { .. } => read,
        ApiError::Refused { status, .. } | ApiError::Garbled { status, .. } => {
            read && (is_transient(*status) || (200..300).contains(status))
        }
        ApiError::Settings { .. }
        | ApiError::Misused { .. }
        | ApiError::Stopped { .. }
        | ApiError::Unrecorded { .. }
        | ApiError::Redirected { .. }
        | ApiError::TooLarge { .. } => false,
    };
    match asked {
        _ if !is_repeatable => Next::GiveUp,
        None => Next::BackOff,
        Some(asked) if asked <= LONGEST_WAIT => Next::Wait(asked),
        Some(_) => Next::GiveUp,
    }
}

/// Returns true for statuses of temporary problems.
///
/// # Sources
/// developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors, read
/// 2026-11-20.
fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 500 | 502 | 503 | 504 | 520..=526 | 530)
}

/// Delays between attempts.
pub(super) struct BackOff {
    /// First delay; each further one is twice as long.
    base: Duration,
    /// State of the random numbers.
    random: Mutex<u64>,
}

impl BackOff {
    /// Default first delay.
    pub(super) const BASE: Duration = Duration::from_millis(500);

    /// Longest delay.
    const LONGEST: Duration = Duration::from_secs(8);

    /// Creates delays that begin at `base`.
    pub(super) fn new(base: Duration, seed: u64) -> Self {
        Self { base, random: Mutex::new(seed) }
    }

    /// Returns the delay after this many failures: between half of the doubled delay and all of it.
    pub(super) fn delay(&self, failures: u32) -> Duration {
        let doubled = self
            .base
            .saturating_mul(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX));
        let longest_delay = doubled.min(Self::LONGEST);
        longest_delay.mul_f64(0.5 + self.random() / 2.0)
    }

    /// Returns a random number from 0 to 1 (splitmix64: short, and deterministic for a seed).
    fn random(&self) -> f64 {
        let mut state = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::{RequestName, Signature};
    use super::*;
    use crate::wire::Method;

    fn garbled(method: Method, status: u16) -> ApiError {
        let request = RequestName { method, path: "/zones".to_owned() };
        ApiError::Garbled { request, status, what: "a page".to_owned() }
    }

    /// Returns a refusal with a requested wait.
    fn throttled(seconds: u64) -> ApiError {
        let request = RequestName { method: Method::Post, path: "/zones".to_owned() };
        ApiError::Throttled {
            request,
            status: 429,
            messages: vec![],
            wait: Some(Duration::from_secs(seconds)),
        }
    }

    #[test]
    fn reads_are_repeated_and_writes_are_not() {
        for status in [200, 408, 500, 502, 503, 504, 520, 523, 526] {
            assert_eq!(next_step(&garbled(Method::Get, status), None), Next::BackOff, "{status}");
            assert_eq!(next_step(&garbled(Method::Post, status), None), Next::GiveUp, "{status}");
        }
        for status in [400, 403, 404, 501] {
            assert_eq!(next_step(&garbled(Method::Get, status), None), Next::GiveUp, "{status}");
        }
        let refused = |method, status| {
            let request = RequestName { method, path: "/zones".to_owned() };
            ApiError::Refused { request, status, messages: vec![], signature: Signature::Key }
        };
        assert_eq!(next_step(&refused(Method::Get, 400), Some(Duration::ZERO)), Next::GiveUp);
        assert_eq!(
            next_step(&refused(Method::Get, 200), None),
            Next::BackOff,
            "a no under 200 is no answer"
        );
        assert_eq!(next_step(&refused(Method::Post, 200), None), Next::GiveUp);
    }

    #[test]
    fn asked_times_are_obeyed_within_reason() {
        let asked = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(
            next_step(&garbled(Method::Get, 521), asked(120)),
            Next::Wait(Duration::from_secs(120))
        );
        assert_eq!(next_step(&garbled(Method::Get, 521), asked(901)), Next::GiveUp);
        assert_eq!(next_step(&throttled(300), None), Next::Pause(Duration::from_secs(300)));
        assert_eq!(next_step(&throttled(901), None), Next::GiveUp);
    }

    #[test]
    fn delays_double_up_to_a_limit_and_come_from_the_seed() {
        let (one, two) = (BackOff::new(BackOff::BASE, 7), BackOff::new(BackOff::BASE, 7));
        for failures in 1..40 {
            let delay = one.delay(failures);
            assert_eq!(delay, two.delay(failures));
            let whole = 0.5 * 2_f64.powi(failures.min(5) as i32 - 1);
            assert!(
                delay.as_secs_f64() >= whole / 2.0 && delay.as_secs_f64() <= whole,
                "{failures}: {delay:?}"
            );
        }
        assert_ne!(
            BackOff::new(BackOff::BASE, 1).delay(1),
            BackOff::new(BackOff::BASE, 2).delay(1)
        );
        assert_eq!(BackOff::new(Duration::ZERO, 1).delay(9), Duration::ZERO);
    }
}
