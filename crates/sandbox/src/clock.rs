//! The only place where the sandbox reads the clock.

use std::time::SystemTime;

use jiff::Timestamp;

/// Returns the current time, in Cloudflare's format.
pub(super) fn now() -> String {
    Timestamp::try_from(SystemTime::now())
        .map_or_else(|_| format_time(0), |now| format_time(now.as_microsecond()))
}

/// Formats a time as Cloudflare does: RFC 3339 in UTC with up to six fractional digits.
///
/// # Units
/// Microseconds since 1970-01-01.
///
/// # Sources
/// Trailing zeros of the fraction are dropped: observed 2025-08 (`…36.06667Z`).
fn format_time(microseconds: i64) -> String {
    Timestamp::from_microsecond(microseconds).unwrap_or_default().to_string()
}

/// Returns the seconds since 1970-01-01 of a time in RFC 3339, with any offset; `None` for any
/// other text.
pub(super) fn seconds_since_1970(moment: &str) -> Option<i64> {
    moment.parse().ok().map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(format_time(0), "1970-01-01T00:00:00Z");
        assert_eq!(format_time(951_782_400_066_670), "2000-02-29T00:00:00.06667Z");
        assert_eq!(format_time(1_772_323_199_999_999), "2026-02-28T23:59:59.999999Z");
    }

    #[test]
    fn moments_are_read_back() {
        for number in [0, 951_782_400, 951_868_800, 1_709_251_199, 1_772_323_199, 4_107_542_400] {
            assert_eq!(seconds_since_1970(&format_time(number * 1_000_000 + 5)), Some(number));
        }
        assert_eq!(seconds_since_1970("1970-01-02T00:00:01+00:00"), Some(86_401));
        assert_eq!(seconds_since_1970("yesterday"), None);
    }
}
