//! The headers in which Cloudflare reports its limits: `Ratelimit`, `Ratelimit-Policy` and
//! `Retry-After`.
//!
//! The first two are lists: `"default";r=50;t=30` means that 50 requests remain until the reset in
//! 30 seconds, and `"default";q=1200;w=300` that the quota is 1,200 in 300 seconds. Cloudflare
//! chooses the names, some for all calls and some for one operation. A missing or malformed header
//! means that the limit is unknown.
//!
//! # Sources
//! developers.cloudflare.com/fundamentals/api/reference/limits, read 2026-11-20; RFC 9110 section
//! 10.2.3 (`Retry-After`).

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Longest accepted duration, so that an absurd number cannot overflow a clock.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// One item of `Ratelimit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remaining {
    /// Name of the limit.
    pub(super) name: String,
    /// Requests that remain (`r`).
    pub(super) requests: u64,
    /// Time until the reset (`t`).
    pub(super) reset: Duration,
}

/// One item of `Ratelimit-Policy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LimitPolicy {
    /// Name of the limit.
    pub(super) name: String,
    /// Requests in a window (`q`).
    pub(super) quota: u64,
    /// The window (`w`).
    pub(super) window: Duration,
}

/// The limits in a response's headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// Items of `Ratelimit`.
    pub(super) remaining: Vec<Remaining>,
    /// Items of `Ratelimit-Policy`.
    pub(super) policies: Vec<LimitPolicy>,
    pub(super) retry_after: Option<Duration>,
    /// Seconds by which the `Date` of the response is ahead of our clock.
    pub(super) clock_offset: Option<i64>,
}

impl Limits {
    /// Reads the headers of a response. `now` is used for a `Retry-After` date only if the response
    /// has no `Date`, because Cloudflare's clock is more reliable.
    pub(super) fn read(headers: &HeaderMap, now: SystemTime) -> Self {
        let items = |name: &str| -> Vec<HeaderItem> {
            let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            values
                .flat_map(|value| split_outside_quotes(value, ','))
                .filter_map(parse_item)
                .collect()
        };
        let remaining = items("ratelimit").into_iter().filter_map(|item| {
            let (requests, reset) = (item.number('r')?, item.seconds('t')?);
            Some(Remaining { name: item.name, requests, reset })
        });
        let policies = items("ratelimit-policy").into_iter().filter_map(|item| {
            let (quota, window) = (item.number('q')?, item.seconds('w')?);
            // A quota of zero or a window of zero is not a policy.
            (quota > 0 && !window.is_zero()).then_some(LimitPolicy {
                name: item.name,
                quota,
                window,
            })
        });
        let (remaining, policies) = (remaining.collect(), policies.collect());
        Self {
            remaining,
            policies,
            retry_after: retry_after(headers, now),
            clock_offset: clock_offset(headers, now),
        }
    }

    /// Returns the time until a limit is reset, for a refusal without `Retry-After`.
    pub(super) fn reset(&self) -> Option<Duration> {
        let exhausted =
            self.remaining.iter().filter(|item| item.requests == 0).map(|item| item.reset).max();
        exhausted.or_else(|| self.remaining.iter().map(|item| item.reset).max())
    }
}

/// Reads `Retry-After`, as seconds or as a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too large means the longest wait.
        return Some(text.parse().map_or(LONGEST, Duration::from_secs).min(LONGEST));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let sent =
        headers.get(DATE).and_then(|value| httpdate::parse_http_date(value.to_str().ok()?).ok());
    Some(date.duration_since(sent.unwrap_or(now)).unwrap_or_default().min(LONGEST))
}

/// Returns the seconds by which the `Date` of a response is ahead of our clock.
fn clock_offset(headers: &HeaderMap, now: SystemTime) -> Option<i64> {
    let sent = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
    let seconds = |duration: Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    Some(match sent.duration_since(now) {
        Ok(ahead) => seconds(ahead),
        Err(error) => -seconds(error.duration()),
    })
}

/// A name with parameters.
struct HeaderItem {
    /// Name without quotes.
    name: String,
    /// Parameters as pairs of name and value.
    parameters: Vec<(String, String)>,
}

impl HeaderItem {
    /// Reads a parameter that is a whole number.
    fn number(&self, name: char) -> Option<u64> {
        let (_, value) = self.parameters.iter().find(|(key, _)| key.chars().eq([name]))?;
        value.parse().ok()
    }

    /// Reads a parameter that is a number of seconds.
    fn seconds(&self, name: char) -> Option<Duration> {
        self.number(name).map(|seconds| Duration::from_secs(seconds).min(LONGEST))
    }
}

/// Reads `"name";a=1;b=2`.
fn parse_item(text: &str) -> Option<HeaderItem> {
    let mut parts = split_outside_quotes(text, ';').into_iter().map(str::trim);
    let name = parts.next()?.trim_matches('"').to_owned();
    let parameters = parts.filter_map(|part| part.split_once('='));
    let parameters = parameters
        .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    (!name.is_empty()).then_some(HeaderItem { name, parameters })
}

/// Splits at a separator outside quotes.
fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, character) in text.char_indices() {
        if character == '"' {
            quoted = !quoted;
        } else if character == separator && !quoted {
            parts.push(&text[begin..at]);
            begin = at + 1;
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    /// Limits from headers, at second 1,000,000,000 of the epoch (2001-09-09 01:46:40 UTC).
    fn limits(headers: &[(&'static str, &'static str)]) -> Limits {
        let pairs = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name, value);
        }
        Limits::read(&map, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
    }

    #[test]
    fn lists_of_limits_are_read() {
        let limits = limits(&[
            ("ratelimit", r#""default";r=50;t=30, "a,b;c" ; t=1 ; x ; r=0"#),
            ("ratelimit", "bare;r=7;t=8"),
            ("ratelimit-policy", r#""default";q=1200;w=300,"burst";q=100;w=60"#),
        ]);
        let read: Vec<_> = limits
            .remaining
            .iter()
            .map(|i| (i.name.as_str(), i.requests, i.reset.as_secs()))
            .collect();
        assert_eq!(read, [("default", 50, 30), ("a,b;c", 0, 1), ("bare", 7, 8)]);
        let read: Vec<_> = limits
            .policies
            .iter()
            .map(|i| (i.name.as_str(), i.quota, i.window.as_secs()))
            .collect();
        assert_eq!(read, [("default", 1200, 300), ("burst", 100, 60)]);
        assert_eq!(limits.reset(), Some(Duration::from_secs(1)));
    }

    #[test]
    fn what_is_malformed_or_missing_says_nothing() {
        assert_eq!(limits(&[]), Limits::default());
        let odd = [
            ";;;",
            r#""default""#,
            r#""default";r=;t=3"#,
            r#""d";r=-1;t=3"#,
            r#""d";r=1"#,
            r#""d;r=1;t=2"#,
            "",
            ",",
        ];
        for value in odd {
            assert_eq!(
                limits(&[("ratelimit", value), ("retry-after", "soon")]),
                Limits::default(),
                "{value}"
            );
        }
        assert_eq!(limits(&[("ratelimit-policy", r#""d";q=0;w=0"#)]), Limits::default());
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let after = |headers: &[(&'static str, &'static str)]| {
            limits(headers).retry_after.map(|d| d.as_secs())
        };
        assert_eq!(after(&[("retry-after", "0")]), Some(0));
        assert_eq!(after(&[("retry-after", " 120 ")]), Some(120));
        assert_eq!(after(&[("retry-after", "99999999999999999999999")]), Some(LONGEST.as_secs()));
        assert_eq!(after(&[("retry-after", "Sun, 09 Sep 2001 01:47:00 GMT")]), Some(20));
        assert_eq!(after(&[("retry-after", "Sun, 09 Sep 2001 01:00:00 GMT")]), Some(0));
        let with_date = [
            ("retry-after", "Sun, 09 Sep 2001 01:47:00 GMT"),
            ("date", "Sun, 09 Sep 2001 01:46:55 GMT"),
        ];
        assert_eq!(after(&with_date), Some(5));
        assert_eq!(after(&[("retry-after", "-5")]), None);
    }

    #[test]
    fn the_date_shows_how_far_the_clocks_are_apart() {
        let offset = |date: &'static str| limits(&[("date", date)]).clock_offset;
        assert_eq!(offset("Sun, 09 Sep 2001 01:47:40 GMT"), Some(60));
        assert_eq!(offset("Sun, 09 Sep 2001 01:45:40 GMT"), Some(-60));
        assert_eq!((offset("yesterday"), limits(&[]).clock_offset), (None, None));
    }
}
