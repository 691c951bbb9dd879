//! The characteristics of a rate limit: the valid ones, and the valid combinations.

use std::collections::BTreeMap;

use super::super::facts::rate_limits::{RATE_IP, RATE_VISITOR};
use crate::Value;

/// Returns the expression by which a rate limit counts, if it has one of its own. An empty one
/// means the expression of the rule.
#[must_use]
pub fn counting_expression(rate: &BTreeMap<String, Value>) -> Option<&str> {
    match rate.get("counting_expression") {
        Some(Value::Text(text)) if !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

/// The reason why a characteristic is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountingError {
    /// The name is not a field of the rules language.
    NoField,
    /// The name of the header has upper-case letters.
    UpperCaseHeader,
    /// The list has the characteristic twice.
    Repeated,
    /// It is an address beside a visitor, or the reverse, which exclude each other. Contains the
    /// index of the other one.
    Excluded(usize),
}

/// Returns the error in the next characteristic of a rate limit, by Cloudflare's name.
///
/// Source: <https://developers.cloudflare.com/waf/rate-limiting-rules/parameters/> (read
/// 2026-11-20).
#[must_use]
pub fn counting_error<S: AsRef<str>>(before: &[S], name: &str) -> Option<CountingError> {
    let at = |wanted: &str| before.iter().position(|known| known.as_ref() == wanted);
    let is_field = name.contains(['.', '('])
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.trim_end() == name;
    if !is_field {
        return Some(CountingError::NoField);
    }
    if name.starts_with("http.request.headers[") && name.chars().any(char::is_uppercase) {
        return Some(CountingError::UpperCaseHeader);
    }
    let excluded = match name {
        RATE_IP => at(RATE_VISITOR),
        RATE_VISITOR => at(RATE_IP),
        _ => None,
    };
    at(name).map(|_| CountingError::Repeated).or(excluded.map(CountingError::Excluded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_counted_by() {
        let good: [(&[&str], &str); 4] = [
            (&[], RATE_IP),
            (&[RATE_IP], "http.host"),
            (&[], "http.request.headers[\"x-api-key\"]"),
            (&[], "lower(http.host)"),
        ];
        for (before, name) in good {
            assert_eq!(counting_error(before, name), None, "{before:?} {name}");
        }
        let bad: [(&[&str], &str, CountingError); 8] = [
            (&[], "iprorc", CountingError::NoField),
            (&[], "", CountingError::NoField),
            (&[], " ip.src", CountingError::NoField),
            (&[], "ip.src ", CountingError::NoField),
            (&[], "http.request.headers[\"X-Api-Key\"]", CountingError::UpperCaseHeader),
            (&["http.host", RATE_IP], RATE_IP, CountingError::Repeated),
            (&["http.host", RATE_IP], RATE_VISITOR, CountingError::Excluded(1)),
            (&[RATE_VISITOR], RATE_IP, CountingError::Excluded(0)),
        ];
        for (before, name, mistake) in bad {
            assert_eq!(counting_error(before, name), Some(mistake), "{before:?} {name}");
        }
    }
}
