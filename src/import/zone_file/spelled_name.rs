//! Names as zone files write them: relative to an origin, with escapes, in any case.

use std::borrow::Cow;

use crate::model::Fqdn;

/// A name with its spelling. Owners that differ in case divide the entries of a file for BIND.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpelledName {
    pub(super) name: Fqdn,
    /// Without the final dot.
    spelling: String,
}

impl From<Fqdn> for SpelledName {
    fn from(name: Fqdn) -> Self {
        Self { spelling: name.as_str().to_owned(), name }
    }
}

impl SpelledName {
    /// Parses a name relative to an origin.
    pub(super) fn parse(text: &str, origin: Option<&Self>) -> Result<Self, String> {
        let text = &*unescaped(text);
        let full = |text: &str| {
            let name = Fqdn::parse(text).map_err(|error| format!("`{text}`: {error}"))?;
            Ok(Self { name, spelling: text.strip_suffix('.').unwrap_or(text).to_owned() })
        };
        match (text, origin) {
            (_, _) if text.ends_with('.') => full(text),
            ("@", Some(origin)) => Ok(origin.clone()),
            (_, Some(origin)) if origin.name.is_root() => full(text),
            (_, Some(origin)) => full(&format!("{text}.{}", origin.spelling)),
            (_, None) => Err(format!("`{text}` is relative, and no valid `$ORIGIN` is known")),
        }
    }
}

/// Decodes escaped letters, digits, `-` and `_` of a name (RFC 1035 section 5.1). Other escapes stay,
/// because no name of a zone at Cloudflare has such characters.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut name = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        rest = &rest[at..];
        let number = rest.get(1..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        let (escaped, length) = match number {
            Some(digits) => (digits.parse::<u8>().map_or('\0', char::from), 4),
            None => {
                let escaped = rest[1..].chars().next().unwrap_or('\0');
                (escaped, (1 + escaped.len_utf8()).min(rest.len()))
            }
        };
        match escaped.is_ascii_alphanumeric() || matches!(escaped, '-' | '_') {
            true => name.push(escaped),
            false => name.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    name.push_str(rest);
    Cow::Owned(name)
}
