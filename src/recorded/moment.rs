//! Moments as logs write them, in milliseconds since 1970 in UTC.
//!
//! # Sources
//! RFC 3339 section 5.6; httpd.apache.org/docs/2.4/mod/mod_log_config.html (`%t`), read 2026-11-23.

use serde_json::Value as Json;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// The names of months in access logs.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// From text as in RFC 3339: `2026-11-23T01:02:03.456+01:00`.
pub(super) fn of_rfc3339(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-');
    let days = days(digits(date.next()?, 4)?, digits(date.next()?, 2)?, digits(date.next()?, 2)?)?;
    let (clock, rest) = time.split_at_checked(8)?;
    let mut rest = rest;
    let mut millis = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let (fraction, zone) = fraction.split_at(length);
        millis = format!("{:0<3.3}", fraction).parse().ok()?;
        rest = zone;
    }
    let zone = if rest.eq_ignore_ascii_case("z") { 0 } else { offset(&rest.replace(':', ""))? };
    Some(days * DAY + of_clock(clock)? + millis - zone)
}

/// From the text of an access log: `23/Nov/2026:01:02:03 +0100`.
pub(super) fn of_access_log(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once(':')?;
    let (clock, zone) = rest.split_once(' ')?;
    let mut date = date.splitn(3, '/');
    let day = digits(date.next()?, 2)?;
    let month = date.next()?;
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)? + 1).ok()?;
    let days = days(digits(date.next()?, 4)?, month, day)?;
    Some(days * DAY + of_clock(clock)? - offset(zone)?)
}

/// A moment as text or as a number.
pub(super) fn of_json(time: &Json) -> Option<i64> {
    match time {
        Json::String(text) => of_rfc3339(text),
        Json::Number(number) => of_number(number.as_f64()?),
        _ => None,
    }
}

/// From a number since 1970: seconds, milliseconds or nanoseconds, by its size.
pub(super) fn of_number(number: f64) -> Option<i64> {
    let millis = match number.abs() {
        n if n < 1e11 => number * 1e3,
        n if n < 1e14 => number,
        _ => number / 1e6,
    };
    // The year 9999.
    #[expect(clippy::cast_possible_truncation, reason = "it is in range")]
    (millis.abs() < 2.6e14).then_some(millis as i64)
}

/// So many digits as a number.
fn digits(text: &str, length: usize) -> Option<i64> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Milliseconds of `01:02:03`; a leap second counts as the next one.
fn of_clock(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute, second) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    (hour < 24 && minute < 60 && second <= 60).then_some(((hour * 60 + minute) * 60 + second) * 1000)
}

/// Milliseconds of `+0100`.
fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_at_checked(2)?;
    Some(sign * (digits(hours, 2)? * 60 + digits(minutes, 2)?) * 60_000)
}

/// Days since 1970 of a date in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March, so that the day that not every year has is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read() {
        const EXPECTED: Option<i64> = Some(1_795_395_723_000);
        assert_eq!(of_rfc3339("2026-11-23T01:02:03Z"), EXPECTED);
        assert_eq!(of_rfc3339("2026-11-23T02:02:03.000+01:00"), EXPECTED);
        assert_eq!(of_rfc3339("2026-11-22T20:02:03-0500"), EXPECTED);
        assert_eq!(of_rfc3339("2026-11-23T01:02:03.4567Z"), Some(1_795_395_723_456));
        assert_eq!(of_rfc3339("1970-01-01T00:00:00.5Z"), Some(500));
        assert_eq!(of_rfc3339("2000-02-29T00:00:00Z"), Some(951_782_400_000));
        assert_eq!(of_access_log("23/Nov/2026:02:02:03 +0100"), EXPECTED);
        for number in [1_795_395_723.0, 1_795_395_723_000.0, 1_795_395_723_000_000_000.0] {
            assert_eq!(of_number(number), EXPECTED);
        }
        for bad in
            ["", "2026", "2026-13-01T00:00:00Z", "2026-11-23T25:00:00Z", "2026-11-23T01:02:03", "2026-11-23T01:0é:03Z"]
        {
            assert_eq!(of_rfc3339(bad), None, "{bad}");
        }
        for bad in ["", "23/Nov/2026", "23/nov/2026:01:02:03 +0000", "23/Nov/2026:01:02:03"] {
            assert_eq!(of_access_log(bad), None, "{bad}");
        }
        assert_eq!(of_number(f64::NAN), None);
    }
}
