//! Decides which TXT values are paired for an update, and which are records of their own.
//!
//! Texts such as `v=spf1` and `v=DMARC1` exist once at a name, and `key=value` texts with the same
//! key replace each other. Verification tokens do not: each of several services may need its own,
//! so another token is another record.

use super::Purpose;

/// Parts of keys whose values are tokens.
const OF_TOKENS: &[&str] =
    &["verif", "challenge", "token", "code", "heritage", "domain", "site", "sign", "auth", "key"];

/// Returns the purpose of a text, or of a list by its first string.
pub(super) fn purpose(text: &str) -> Purpose {
    let Some((key, value)) = key_and_value(text) else {
        return if looks_generated(text) { Purpose::Unique } else { Purpose::Shared };
    };
    let key = key.to_ascii_lowercase();
    if key.is_empty()
        || !key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    {
        return Purpose::Shared;
    }
    if key == "v" {
        return Purpose::Keyed(format!("v={}", value.to_ascii_lowercase()));
    }
    let is_of_token =
        OF_TOKENS.iter().any(|part| key.contains(part)) || key == "ms" || looks_generated(value);
    if is_of_token { Purpose::Unique } else { Purpose::Keyed(key) }
}

/// Returns the key at the beginning of a text, and the first word after it.
fn key_and_value(text: &str) -> Option<(&str, &str)> {
    text.split([' ', ';', '\t']).next().unwrap_or_default().split_once(['=', ':'])
}

/// Returns the key of a verification text for a service, in lower case; empty for a token without a
/// key.
#[must_use]
pub fn token_key(text: &str) -> String {
    key_and_value(text).map_or("", |(key, _)| key).to_ascii_lowercase()
}

/// Returns true if a text looks like a machine-generated token: one long word with digits.
fn looks_generated(text: &str) -> bool {
    text.len() >= 16
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'/' | b'='))
        && text.bytes().any(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdata::RecordData;

    #[test]
    fn purposes() {
        assert_eq!(purpose("v=spf1 -all"), Purpose::Keyed("v=spf1".into()));
        assert_eq!(purpose("v=DMARC1; p=none"), Purpose::Keyed("v=dmarc1".into()));
        assert_eq!(purpose("google-site-verification=abc"), Purpose::Unique);
        assert_eq!(purpose("MS=ms123"), Purpose::Unique);
        assert_eq!(purpose("owner=dns team"), Purpose::Keyed("owner".into()));
        assert_eq!(purpose("apple-domain=x"), Purpose::Unique);
        assert_eq!(purpose("abcdef0123456789abcdef"), Purpose::Unique);
        assert_eq!(purpose("owner=abcdef0123456789abcdef"), Purpose::Unique);
        assert_eq!(purpose("just words"), Purpose::Shared);
        let list = super::super::Txt::from_text(r#""txtvers=1" "rp=ipp/print""#).unwrap();
        assert_eq!(list.purpose(), Purpose::Keyed("txtvers".into()));
    }
}
