//! Service parameters of SVCB and HTTPS records (RFC 9460 section 2.1).
//!
//! | sent | returned |
//! |---|---|
//! | `alpn="dot" port=853` | `alpn="dot" port="853"`: every value in quotes (inferred from responses seen) |
//! | `no-default-alpn` | the same |
//! | a duplicate key, unbalanced quotes | refused |
//!
//! ASSUMED: the order is kept as sent; the values of single keys are not checked.

use std::collections::BTreeMap;

use super::txt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Params {
    /// The form of the API.
    pub(super) shown: String,
    /// A text that is equal for the same set in any order.
    pub(super) identity: String,
}

/// Parses parameters; `None` if they are invalid.
pub(super) fn parse_params(text: &str) -> Option<Params> {
    let mut set: BTreeMap<String, String> = BTreeMap::new();
    let mut shown = Vec::new();
    for (key, octets) in pairs(text)? {
        let value = octets.map(|octets| txt::quote(&octets));
        shown.push(value.as_ref().map_or_else(|| key.clone(), |v| format!("{key}={v}")));
        if set.insert(key, value.unwrap_or_default()).is_some() {
            return None;
        }
    }
    let identity =
        set.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    Some(Params { shown: shown.join(" "), identity })
}

/// Returns the keys with the octets of their values, in the order of the text; `None` if they are
/// invalid.
pub(super) fn pairs(text: &str) -> Option<Vec<(String, Option<Vec<u8>>)>> {
    let mut pairs = Vec::new();
    let mut unread = text.trim();
    while !unread.is_empty() {
        let end = unread.find([' ', '\t', '\r', '\n', '=']).unwrap_or(unread.len());
        let (key, tail) = unread.split_at(end);
        let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if key.is_empty() || !key.bytes().all(legal) {
            return None;
        }
        let (value, tail) = match tail.strip_prefix('=') {
            Some(tail) => {
                let (octets, tail) = take_value(tail)?;
                (Some(octets), tail)
            }
            None => (None, tail),
        };
        // The next parameter follows a space.
        if !tail.is_empty() && !tail.starts_with([' ', '\t', '\r', '\n']) {
            return None;
        }
        pairs.push((key.to_owned(), value));
        unread = tail.trim_start();
    }
    Some(pairs)
}

/// Returns the octets of a value, and the text after it.
fn take_value(text: &str) -> Option<(Vec<u8>, &str)> {
    let bytes = text.as_bytes();
    let is_quoted = bytes.first() == Some(&b'"');
    let mut octets = Vec::new();
    let mut n = usize::from(is_quoted);
    loop {
        match bytes.get(n) {
            None if is_quoted => return None,
            None => return Some((octets, "")),
            Some(b'"') if is_quoted => return Some((octets, text.get(n + 1..)?)),
            Some(b'"') => return None,
            Some(b) if !is_quoted && b.is_ascii_whitespace() => {
                return Some((octets, text.get(n..)?));
            }
            Some(b'\\') => match bytes.get(n + 1)? {
                digit if digit.is_ascii_digit() => {
                    let digits = std::str::from_utf8(bytes.get(n + 1..n + 4)?).ok()?;
                    octets.push(digits.parse().ok()?);
                    n += 4;
                }
                other => {
                    octets.push(*other);
                    n += 2;
                }
            },
            Some(other) => {
                octets.push(*other);
                n += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_order() {
        let first = parse_params("alpn=\"dot\" port=853").unwrap();
        assert_eq!(first.shown, "alpn=\"dot\" port=\"853\"");
        let second = parse_params(" port=\"853\"  alpn=dot").unwrap();
        assert_eq!(second.shown, "port=\"853\" alpn=\"dot\"");
        assert_eq!(first.identity, second.identity);
        assert_eq!(parse_params("no-default-alpn").unwrap().shown, "no-default-alpn");
        assert_eq!(parse_params("").unwrap().shown, "");
        assert_eq!(parse_params(r#"key9="a\034b""#).unwrap().shown, r#"key9="a\"b""#);
    }

    #[test]
    fn what_is_refused() {
        for bad in [
            "alpn=h2 alpn=h3",
            "alpn=\"h2",
            "alpn=\"h2\"port=1",
            "=x",
            "ALPN=h2",
            "a b=\"c\"d",
            "a=\\2",
        ] {
            assert_eq!(parse_params(bad), None, "{bad}");
        }
    }
}
