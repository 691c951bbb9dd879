//! The only place where the sandbox reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now, in Cloudflare's format.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    timestamp(since.as_secs(), since.subsec_micros())
}

/// A time in Cloudflare's format: RFC 3339 in UTC with up to six fractional digits.
///
/// # Units
/// Seconds since 1970-01-01 and microseconds within the second.
///
/// # Sources
/// Trailing zeros of the fraction are dropped: observed 2025-08 (`…36.06667Z`).
fn timestamp(seconds: u64, microseconds: u32) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let fraction = format!("{microseconds:06}");
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{point}{fraction}Z")
}

/// Year, month and day of a day counted from 1970-01-01.
///
/// # Sources
/// howardhinnant.github.io/date_algorithms.html, `civil_from_days`, for days not before 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    // The calendar is shifted to begin on 0000-03-01, so that the leap day is the last day of a year.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// Seconds since 1970-01-01 of a time in that format, or with the offset `+00:00`; `None` for anything else.
pub(super) fn seconds(moment: &str) -> Option<i64> {
    let number = |from: usize, to: usize| moment.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // The same shift as in `civil`, which is `days_from_civil` of the same page.
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = if month <= 2 { month + 9 } else { month - 3 };
    let day_of_era = year % 400 * 365 + year % 400 / 4 - year % 400 / 100 + (153 * month_from_march + 2) / 5 + day - 1;
    let days = year / 400 * 146_097 + day_of_era - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(timestamp(0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(951_782_400, 66_670), "2000-02-29T00:00:00.06667Z");
        assert_eq!(timestamp(1_772_323_199, 999_999), "2026-02-28T23:59:59.999999Z");
    }

    #[test]
    fn moments_are_read_back() {
        for number in [0, 951_782_400, 951_868_800, 1_709_251_199, 1_772_323_199, 4_107_542_400] {
            assert_eq!(seconds(&timestamp(number, 5)), i64::try_from(number).ok());
        }
        assert_eq!(seconds("1970-01-02T00:00:01+00:00"), Some(86_401));
        assert_eq!(seconds("yesterday"), None);
    }
}
