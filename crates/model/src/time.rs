//! Times as text, and their age. Pure: the clock is read elsewhere.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

/// Maximum difference between the clocks of two machines that both count as correct.
pub const SKEW: Duration = Duration::from_secs(5 * 60);

/// The text is not a time in RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a time such as 2026-11-23T01:02:03Z")]
pub struct NotATime;

/// Formats a time in RFC 3339, in UTC, to the second.
///
/// # Ranges
/// A clock may have any value. A time before 1970 becomes the beginning of 1970. A time after
/// 9999-12-30T22:00:00Z becomes that moment, the last that can be read in every time zone.
#[must_use]
pub fn rfc3339(moment: SystemTime) -> String {
    format!("{:.0}", nearest_timestamp(moment))
}

/// Formats the day of a time in UTC, `YYYY-MM-DD`.
#[must_use]
pub fn day(moment: SystemTime) -> String {
    nearest_timestamp(moment).strftime("%F").to_string()
}

/// Formats a time like [`rfc3339`], to the microsecond.
#[must_use]
pub fn rfc3339_micros(moment: SystemTime) -> String {
    format!("{:.6}", nearest_timestamp(moment))
}

/// Parses a text in RFC 3339, in UTC or with another offset.
///
/// # Errors
/// The text is not a time in RFC 3339.
pub fn parse_rfc3339(text: &str) -> Result<SystemTime, NotATime> {
    timestamp(text).map(SystemTime::from).ok_or(NotATime)
}

/// Parses like [`parse_rfc3339`]; `None` if the text is not a time in RFC 3339.
///
/// # Ranges
/// RFC 3339 section 5.6 sets no limit to the digits of a fraction. Digits after the ninth, below a
/// nanosecond, are dropped.
#[must_use]
pub fn timestamp(text: &str) -> Option<Timestamp> {
    const MOST_DIGITS: usize = 9;
    if let Some((whole, rest)) = text.split_once('.') {
        let (digits, offset) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        if digits.len() > MOST_DIGITS {
            return format!("{whole}.{}{offset}", &digits[..MOST_DIGITS]).parse().ok();
        }
    }
    text.parse().ok()
}

/// Returns the age of a time: zero if it is in the future by at most [`SKEW`], and `None` if by
/// more.
#[must_use]
pub fn age(moment: SystemTime, now: SystemTime) -> Option<Duration> {
    match now.duration_since(moment) {
        Ok(age) => Some(age),
        Err(error) => (error.duration() <= SKEW).then_some(Duration::ZERO),
    }
}

/// Formats an elapsed time in its largest unit.
#[must_use]
pub fn ago(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s ago"),
        seconds @ 120..7200 => format!("{} min ago", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// Returns the nearest time that can be formatted.
fn nearest_timestamp(moment: SystemTime) -> Timestamp {
    let nearest =
        if moment < SystemTime::UNIX_EPOCH { Timestamp::UNIX_EPOCH } else { Timestamp::MAX };
    Timestamp::try_from(moment).unwrap_or(nearest).max(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_can_be_written() {
        let day = Duration::from_secs(86_400);
        let far = SystemTime::UNIX_EPOCH + day * 366 * 10_000;
        for (moment, text) in [
            (SystemTime::UNIX_EPOCH - day, "1970-01-01T00:00:00.000000Z"),
            (SystemTime::UNIX_EPOCH - day * 366 * 10_000, "1970-01-01T00:00:00.000000Z"),
            (SystemTime::UNIX_EPOCH + day, "1970-01-02T00:00:00.000000Z"),
            (
                SystemTime::UNIX_EPOCH + Duration::from_micros(1_999_999),
                "1970-01-01T00:00:01.999999Z",
            ),
            (far, "9999-12-30T22:00:00.999999Z"),
        ] {
            assert_eq!(rfc3339_micros(moment), text);
            assert_eq!(rfc3339(moment), format!("{}Z", text.split_once('.').unwrap().0));
            assert!(parse_rfc3339(&rfc3339(moment)).is_ok(), "{text}");
        }
    }

    #[test]
    fn times_are_read_with_any_offset() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_395_723);
        for text in [
            "2026-11-23T01:02:03Z",
            "2026-11-23T01:02:03+00:00",
            "2026-11-23T02:02:03.000+01:00",
            "2026-11-22t20:02:03-05:00",
        ] {
            assert_eq!(parse_rfc3339(text), Ok(moment), "{text}");
        }
        // Cloudflare writes up to six digits, other services more.
        let exact = moment + Duration::from_nanos(123_456_789);
        for digits in ["123456789", "1234567890", "123456789999999999999999"] {
            for offset in ["Z", "+00:00"] {
                assert_eq!(
                    parse_rfc3339(&format!("2026-11-23T01:02:03.{digits}{offset}")),
                    Ok(exact),
                    "{digits}"
                );
            }
        }
        for bad in [
            "2026-11-23T01:02:03.",
            "2026-11-23T01:02:03.1234567890",
            "2026-11-23T01:02:03.1234567890é",
            ".1234567890",
        ] {
            assert_eq!(parse_rfc3339(bad), Err(NotATime), "{bad}");
        }
        for bad in [
            "",
            "2026",
            "2026-11-23",
            "2026-11-23T01:02:03",
            "2026-13-01T00:00:00Z",
            "yesterday",
            "\u{202e}",
        ] {
            assert_eq!(parse_rfc3339(bad), Err(NotATime), "{bad}");
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
