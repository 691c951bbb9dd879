//! Estimates the requests of other clients from Cloudflare's reports and from our own requests.
//!
//! Another client with two requests per second uses half of Cloudflare's limit. If this client took
//! everything at the beginning of a window, the other client would exceed the limit, and then
//! Cloudflare blocks *all* clients for 5 minutes. So the others' expected requests until the reset
//! are reserved for them, but no more than half of the quota of a window.
//!
//! The rate is underestimated when in doubt: our requests under way are treated as already counted
//! by Cloudflare. A short time gives no reliable rate, so the rate of the previous window is used
//! at the beginning of a window.

use std::time::Duration;

use tokio::time::Instant;

/// Time between two requests that check whether others still use their reserve. The checks are
/// taken from that reserve.
pub(super) const PROBE: Duration = Duration::from_secs(10);

/// Reserve for more requests by others than expected, as a share.
const UNKNOWN: f64 = 0.08;

/// Time after which only the measured rate is used.
const KNOWN: Duration = Duration::from_secs(30);

/// Time before which no rate is measured.
const MOMENT: Duration = Duration::from_millis(500);

/// Requests of other clients in one window.
#[derive(Debug)]
pub(super) struct SharedQuota {
    /// Time of Cloudflare's first report.
    since: Instant,
    /// Remaining requests at the first report.
    first: u64,
    /// Our requests that Cloudflare may have counted since.
    sent: u64,
    /// Minimum number of requests by others since.
    taken: u64,
    /// Rate of the others, in requests per second.
    pace: f64,
    /// Rate of the others in the previous window, if there was one.
    before: Option<f64>,
}

impl SharedQuota {
    /// Begins an estimate with the first report of a window. `in_flight` is the number of running
    /// requests, and `last` is the previous window.
    pub(super) fn begin(first: u64, in_flight: u64, now: Instant, last: Option<&Self>) -> Self {
        let is_known = |last: &&Self| last.before.is_some() || now - last.since >= KNOWN;
        let previous_pace = last.filter(is_known).map(|last| last.pace_at(now));
        Self { since: now, first, sent: in_flight, taken: 0, pace: 0.0, before: previous_pace }
    }

    /// Counts one of our requests.
    pub(super) fn count_ours(&mut self) {
        self.sent += 1;
    }

    /// Applies another report.
    pub(super) fn note(&mut self, reported: u64, now: Instant) {
        self.taken = self.taken.max(self.first.saturating_sub(reported).saturating_sub(self.sent));
        let elapsed = now - self.since;
        if elapsed >= MOMENT && self.taken > 0 {
            // Add one, because the next request may arrive at any moment.
            self.pace = (self.taken + 1) as f64 / elapsed.as_secs_f64();
        }
    }

    /// Returns the estimated rate of the others at this time.
    fn pace_at(&self, now: Instant) -> f64 {
        let certainty = ((now - self.since).as_secs_f64() / KNOWN.as_secs_f64()).min(1.0);
        self.before.map_or(self.pace, |before| before + (self.pace - before) * certainty)
    }

    /// Returns the number of requests that the others are expected to send in this time.
    pub(super) fn expected(&self, time: Duration, now: Instant) -> f64 {
        self.pace_at(now) * time.as_secs_f64()
    }

    /// Returns the number of requests to reserve for others until the reset: the expected ones and
    /// a margin for uncertainty. Both shrink as the reset comes closer, so that nothing remains
    /// unused.
    pub(super) fn claim(&self, quota: u64, reset: Instant, now: Instant) -> u64 {
        let time = reset.saturating_duration_since(now);
        let fair = (quota / 2).saturating_sub(self.taken);
        let expected = (self.expected(time, now).ceil() as u64).min(fair);
        if expected == 0 {
            return 0;
        }
        // An excess blocks all clients for 5 minutes; a reserve that is too large costs only a part
        // of a window.
        let unknown = UNKNOWN * expected as f64 + time.as_secs_f64() / PROBE.as_secs_f64();
        expected + unknown.ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time some seconds after another one.
    fn after(begin: Instant, seconds: u64) -> Instant {
        begin + Duration::from_secs(seconds)
    }

    #[test]
    fn who_takes_half_is_left_half() {
        let begin = Instant::now();
        let (mut others, reset) = (SharedQuota::begin(1200, 0, begin, None), after(begin, 300));
        assert_eq!(others.claim(1200, reset, begin), 0, "nothing is known yet");
        (0..100).for_each(|_| others.count_ours());
        others.note(1200 - 100 - 20, after(begin, 10));
        let expected = others.expected(Duration::from_secs(290), after(begin, 10));
        assert!((580.0..610.0).contains(&expected), "{expected}: two a second");
        let claim = others.claim(1200, reset, after(begin, 10));
        assert!(
            (610..=670).contains(&claim),
            "{claim}: that, and some more, but of the expected no more than half"
        );
        assert!(
            others.claim(1200, after(begin, 10) + MOMENT, after(begin, 10)) <= 3,
            "soon nothing is left over"
        );
    }

    #[test]
    fn nobody_is_left_more_than_half() {
        let begin = Instant::now();
        let (mut others, reset) = (SharedQuota::begin(1200, 0, begin, None), after(begin, 300));
        others.note(700, after(begin, 5));
        let claim = others.claim(1200, reset, after(begin, 5));
        assert!((100..150).contains(&claim), "{claim}");
        others.note(500, after(begin, 6));
        assert_eq!(others.claim(1200, reset, after(begin, 6)), 0);
    }

    #[test]
    fn the_pace_is_known_from_the_window_before() {
        let begin = Instant::now();
        let mut first = SharedQuota::begin(1200, 0, begin, None);
        first.note(600, after(begin, 300));
        let again = after(begin, 300);
        let mut second = SharedQuota::begin(1200, 0, again, Some(&first));
        assert!(second.claim(1200, after(again, 300), again) >= 600);
        // The others stopped. The next report shows it.
        second.note(1200, after(again, 15));
        let claim = second.claim(1200, after(again, 300), after(again, 15));
        assert!((285..350).contains(&claim), "{claim}");
        second.note(1200, after(again, 30));
        assert_eq!(second.claim(1200, after(again, 300), after(again, 30)), 0);
        // A window that ends before anything is known changes nothing.
        let third = SharedQuota::begin(
            1200,
            0,
            again,
            Some(&SharedQuota::begin(1200, 0, again, Some(&first))),
        );
        assert!(third.claim(1200, after(again, 300), again) >= 600);
    }

    #[test]
    fn our_own_requests_are_not_others() {
        let begin = Instant::now();
        let mut others = SharedQuota::begin(1000, 8, begin, None);
        (0..500).for_each(|_| others.count_ours());
        others.note(492, after(begin, 5));
        assert_eq!(others.claim(1200, after(begin, 300), after(begin, 5)), 0);
    }
}
