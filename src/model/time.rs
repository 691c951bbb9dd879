//! Moments as text, and how long ago they are. Pure: the clock is read elsewhere.

use std::time::{Duration, SystemTime};

/// How far the clocks of two machines that are both right may be apart.
pub const SKEW: Duration = Duration::from_secs(5 * 60);

/// The last second that RFC 3339 can say, 9999-12-31T23:59:59Z.
///
/// # Units
/// Seconds since 1970-01-01.
const LAST: u64 = 253_402_300_799;

/// A moment in RFC 3339, in UTC, to the second.
///
/// # Ranges
/// A moment before 1970 is written as the beginning of 1970, one after 9999 as the end of 9999: a clock may say anything.
#[must_use]
pub fn rfc3339(moment: SystemTime) -> String {
    humantime::format_rfc3339_seconds(within(moment)).to_string()
}

/// The same, to the microsecond.
#[must_use]
pub fn rfc3339_micros(moment: SystemTime) -> String {
    humantime::format_rfc3339_micros(within(moment)).to_string()
}

/// How long ago a moment is; zero if it is to come by no more than [`SKEW`], and `None` if by more.
#[must_use]
pub fn age(moment: SystemTime, now: SystemTime) -> Option<Duration> {
    match now.duration_since(moment) {
        Ok(age) => Some(age),
        Err(error) => (error.duration() <= SKEW).then_some(Duration::ZERO),
    }
}

/// The nearest moment that can be written.
fn within(moment: SystemTime) -> SystemTime {
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(LAST);
    moment.clamp(SystemTime::UNIX_EPOCH, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_can_be_written() {
        let day = Duration::from_secs(86_400);
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(LAST);
        for (moment, text) in [
            (SystemTime::UNIX_EPOCH - day, "1970-01-01T00:00:00Z"),
            (SystemTime::UNIX_EPOCH + day, "1970-01-02T00:00:00Z"),
            (far, "9999-12-31T23:59:59Z"),
            (far + day * 10_000, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(moment), text);
            assert_eq!(rfc3339_micros(moment), text.replace('Z', ".000000Z"));
        }
    }

    #[test]
    fn clocks_may_differ_a_little() {
        let now = SystemTime::UNIX_EPOCH + SKEW * 2;
        assert_eq!(age(SystemTime::UNIX_EPOCH, now), Some(SKEW * 2));
        assert_eq!(age(now + SKEW, now), Some(Duration::ZERO));
        assert_eq!(age(now + SKEW + Duration::from_secs(1), now), None);
    }
}
