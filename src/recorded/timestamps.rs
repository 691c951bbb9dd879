//! Timestamps of logs, converted to milliseconds since 1970 in UTC.
//!
//! # Sources
//! RFC 3339 section 5.6; httpd.apache.org/docs/2.4/mod/mod_log_config.html (`%t`), read 2026-11-23.

use jiff::Timestamp;
use jiff::fmt::strtime;
use serde_json::Value as Json;

use crate::model::time::timestamp;

/// Parses text as in RFC 3339: `2026-11-23T01:02:03.456+01:00`.
pub(super) fn of_rfc3339(text: &str) -> Option<i64> {
    timestamp(text).map(Timestamp::as_millisecond)
}

/// Parses the timestamp of an access log: `23/Nov/2026:01:02:03 +0100`.
pub(super) fn of_access_log(text: &str) -> Option<i64> {
    // The library accepts years of any length.
    let year = text.split('/').nth(2)?.split(':').next()?;
    if year.len() != "YYYY".len() || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let time = strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?;
    time.to_timestamp().ok().map(Timestamp::as_millisecond)
}

/// Converts a timestamp that is text or a number.
pub(super) fn of_json(time: &Json) -> Option<i64> {
    match time {
        Json::String(text) => of_rfc3339(text),
        Json::Number(number) => of_number(number.as_f64()?),
        _ => None,
    }
}

/// Converts seconds, milliseconds or nanoseconds since 1970; the size of the number decides the
/// unit.
pub(super) fn of_number(number: f64) -> Option<i64> {
    let millis = match number.abs() {
        n if n < 1e11 => number * 1e3,
        n if n < 1e14 => number,
        _ => number / 1e6,
    };
    // The limit is in the year 9999.
    #[expect(clippy::cast_possible_truncation, reason = "it is in range")]
    (millis.abs() < 2.6e14).then_some(millis as i64)
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
        for bad in [
            "",
            "2026",
            "2026-13-01T00:00:00Z",
            "2026-11-23T25:00:00Z",
            "2026-11-23T01:02:03",
            "2026-11-23T01:0é:03Z",
        ] {
            assert_eq!(of_rfc3339(bad), None, "{bad}");
        }
        for bad in [
            "",
            "23/Nov/2026",
            "23/11/2026:01:02:03 +0000",
            "31/Nov/2026:01:02:03 +0000",
            "23/Nov/2026:01:02:03",
        ] {
            assert_eq!(of_access_log(bad), None, "{bad}");
        }
        for year in ["26", "226", "02026", "+2026", "-2026", " 2026", "٢٠٢٦", ""] {
            assert_eq!(of_access_log(&format!("23/Nov/{year}:02:02:03 +0100")), None, "{year}");
        }
        assert_eq!(of_rfc3339("2026-11-23T01:02:03.45678901234567890Z"), Some(1_795_395_723_456));
        assert_eq!(of_number(f64::NAN), None);
    }
}
