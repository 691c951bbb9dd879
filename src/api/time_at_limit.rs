//! Time that Cloudflare's request quota makes a client wait, shown in a plan before it is applied.

use super::rate_limiter::{BURST, QUOTA, REFILL, WINDOW_SECONDS, quota_in_words};

/// Shorter times are not reported, in seconds.
const UNNOTICED: u64 = 5;

/// Returns the time that a client waits while it sends `more` requests, after `made` requests.
/// `None` if the time is not worth reporting. The time for responses is not included.
///
/// # Units
/// Seconds.
#[must_use]
pub fn seconds_at_limit(made: u64, more: usize) -> Option<u64> {
    let sent_requests = usize::try_from(made).unwrap_or(usize::MAX);
    let (sent, all) = (sent_after(sent_requests), sent_after(sent_requests.saturating_add(more)));
    let seconds = all.saturating_sub(sent);
    (more > 0 && seconds > UNNOTICED).then_some(seconds)
}

/// Returns the time of the last of this many requests, in seconds after the first.
///
/// In each window, the burst is sent at once and the others as the bucket is refilled; then the
/// window must end.
fn sent_after(requests: usize) -> u64 {
    let Some(before) = requests.checked_sub(1) else { return 0 };
    let (windows, within) = (before / QUOTA, before % QUOTA + 1);
    let refilled = within.saturating_sub(BURST).div_ceil(REFILL);
    (windows as u64).saturating_mul(WINDOW_SECONDS).saturating_add(refilled as u64)
}

/// Describes the time of [`seconds_at_limit`] in words that follow a number of requests. Empty if
/// it is not worth reporting.
#[must_use]
pub fn after_comma(made: u64, more: usize) -> String {
    seconds_at_limit(made, more)
        .map(|seconds| format!(", {}", duration_and_cause(seconds)))
        .unwrap_or_default()
}

/// Describes a time and its cause.
fn duration_and_cause(seconds: u64) -> String {
    let time = match seconds {
        0..90 => format!("{seconds} s"),
        90..5400 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    };
    format!("about {time} at Cloudflare's limit of {}", quota_in_words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_into_the_budget_takes_no_time() {
        assert_eq!(seconds_at_limit(2, 1), None);
        assert_eq!(seconds_at_limit(0, 1000), None);
        assert_eq!(seconds_at_limit(0, 1020), None);
        assert_eq!(seconds_at_limit(5000, 0), None);
    }

    #[test]
    fn what_exceeds_it_waits_for_windows() {
        assert_eq!(seconds_at_limit(0, 1200), Some(50));
        assert_eq!(seconds_at_limit(0, 1201), Some(300));
        // Requests that were already sent count in the window.
        assert_eq!(seconds_at_limit(600, 601), Some(300));
        assert_eq!(seconds_at_limit(0, 3400), Some(600));
        assert_eq!(seconds_at_limit(0, 3600), Some(650));
        assert_eq!(
            duration_and_cause(50),
            "about 50 s at Cloudflare's limit of 1,200 requests in 5 minutes"
        );
        assert!(duration_and_cause(720).starts_with("about 12 min at "));
        assert!(duration_and_cause(7260).starts_with("about 2 h 1 min at "));
    }
}
