//! Timestamps as text, and their age. Pure: the clock is read elsewhere.

use std::time::{Duration, SystemTime};

/// How much the clocks of two machines may differ if both count as correct.
pub const SKEW: Duration = Duration::from_secs(5 * 60);

/// The last second that RFC 3339 can express, 9999-12-31T23:59:59Z.
///
/// # Units
/// Seconds since 1970-01-01.
const LAST: u64 = 253_402_300_799;

/// A time in RFC 3339, in UTC, to the second.
///
/// # Ranges
/// A time before 1970 becomes the beginning of 1970, one after 9999 the end of 9999: a clock may have any value.
#[must_use]
pub fn rfc3339(moment: SystemTime) -> String {
    humantime::format_rfc3339_seconds(within(moment)).to_string()
}

/// As [`rfc3339`], to the microsecond.
#[must_use]
pub fn rfc3339_micros(moment: SystemTime) -> String {
    humantime::format_rfc3339_micros(within(moment)).to_string()
}

/// The age of a time; zero if it is in the future by at most [`SKEW`], and `None` if by more.
#[must_use]
pub fn age(moment: SystemTime, now: SystemTime) -> Option<Duration> {
    match now.duration_since(moment) {
        Ok(age) => Some(age),
        Err(error) => (error.duration() <= SKEW).then_some(Duration::ZERO),
    }
}

/// An elapsed time in its largest unit.
#[must_use]
pub fn ago(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s ago"),
        seconds @ 120..7200 => format!("{} min ago", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// The nearest time that can be written.
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

    #[test]
    fn ages_have_one_unit() {
        let words = |seconds| ago(Duration::from_secs(seconds));
        let all = [words(0), words(119), words(120), words(10_800), words(172_800)];
        assert_eq!(all, ["0 s ago", "119 s ago", "2 min ago", "3 h ago", "2 days ago"]);
    }
}
