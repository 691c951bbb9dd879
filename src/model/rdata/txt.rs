//! TXT: bytes. Quoting and the cuts at 255 bytes are presentation only.
//!
//! | written | means |
//! |---|---|
//! | `v=spf1 -all` | these bytes |
//! | `"v=spf1 -all"` | the same bytes |
//! | `"v=spf1 " "-all"` | the same bytes: character strings are joined |
//! | `say "hi"` | these bytes, quotes included: a text that does not begin with a quote is taken as it stands |
//! | `"abc`, `abc"` | a mistake in a spec; from the service, these bytes |

use super::super::facts::{FieldFacts, FieldKind, Slot, TXT_WIRE_BYTES, TypeFacts};
use super::super::fields::{Fields, Value};
use super::{DataError, FieldReader, Purpose, RecordData, presentation};

/// Bytes in one character string (RFC 1035 section 3.3).
const STRING_BYTES: usize = 255;

/// The joined bytes of a TXT record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Txt(Vec<u8>);

impl Txt {
    /// The joined bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// What the service reported; it stores text verbatim, so anything is possible and nothing is refused.
    pub(super) fn reported(content: &str) -> Self {
        match content.starts_with('"').then(|| presentation::words(content)) {
            Some(Ok(words)) => Self(words.into_iter().flat_map(|w| w.octets).collect()),
            _ => Self(content.as_bytes().to_vec()),
        }
    }

    /// The bytes, after the checks that hold for every spelling.
    fn new(bytes: Vec<u8>) -> Result<Self, DataError> {
        if bytes.is_empty() {
            return Err(DataError::field("content", "a TXT record cannot be empty")
                .help("write some text, or remove the record"));
        }
        let wire = bytes.len() + bytes.len().div_ceil(STRING_BYTES);
        if wire > TXT_WIRE_BYTES {
            return Err(DataError::field(
                "content",
                format!("the text takes {wire} bytes on the wire; at most {TXT_WIRE_BYTES} are allowed"),
            )
            .help("shorten it, or split it into several records"));
        }
        Ok(Self(bytes))
    }
}

impl RecordData for Txt {
    const FACTS: TypeFacts = TypeFacts {
        name: "TXT",
        number: 16,
        about: "text",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::CharacterStrings,
            about: "the text; quotes around it and cuts at 255 bytes make no difference",
        }],
        composed: &[],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 1035 section 3.3.14",
        examples: &[r#""v=spf1 include:_spf.example.net -all""#, r#""a \"quoted\" word; and \\""#, r#""caf\195\169""#],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let text = reader.text("content");
        let data = text.and_then(|text| Self::from_text(&text).map_err(|e| reader.errors.push(e)).ok());
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        if text.trim_start().starts_with('"') {
            let words = presentation::words(text).map_err(|mut e| {
                e.field = Some("content");
                e.message = format!("the quotes of the text do not match: {}", e.message);
                e
            })?;
            if let Some(bare) = words.iter().find(|w| !w.quoted) {
                return Err(DataError::field(
                    "content",
                    "the quotes of the text do not match: a part stands outside them",
                )
                .help("quote every part, or none")
                .at(bare.offset));
            }
            return Self::new(words.into_iter().flat_map(|w| w.octets).collect());
        }
        if text.bytes().filter(|b| *b == b'"').count() % 2 == 1 {
            let whole = presentation::quoted(text.as_bytes());
            return Err(DataError::field("content", "the quotes of the text do not match: one has no partner")
                .help(format!("write `{whole}` if the quote belongs to the text"))
                .at(text.rfind('"').unwrap_or(0)));
        }
        Self::new(text.as_bytes().to_vec())
    }

    fn fields(&self) -> Fields {
        Fields::from([("content".to_owned(), Value::from(self.presentation()))])
    }

    fn presentation(&self) -> String {
        let strings: Vec<_> = self.0.chunks(STRING_BYTES).map(presentation::quoted).collect();
        strings.join(" ")
    }

    /// What exists once at a name (SPF, DMARC) takes the place of what is there in any case.
    fn pairing_key(&self) -> String {
        match self.purpose() {
            Purpose::Keyed(key) if key.starts_with("v=") => key,
            Purpose::Keyed(_) | Purpose::Shared | Purpose::Unique => String::new(),
        }
    }

    /// `v=spf1`, `v=DMARC1` and the like exist once at a name, and `key=value` texts with one key replace one another.
    /// Verification tokens do not: several services can each want their own, so another token is another record.
    fn purpose(&self) -> Purpose {
        let text = String::from_utf8_lossy(&self.0);
        let first = text.split([' ', ';', '\t']).next().unwrap_or_default();
        let Some((key, value)) = first.split_once(['=', ':']) else {
            return if is_token(&text) { Purpose::Unique } else { Purpose::Shared };
        };
        let key = key.to_ascii_lowercase();
        if key.is_empty() || !key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
            return Purpose::Shared;
        }
        if key == "v" {
            return Purpose::Keyed(format!("v={}", value.to_ascii_lowercase()));
        }
        let words = ["verif", "challenge", "token", "code", "heritage", "domain", "site", "sign", "auth", "key"];
        let token = words.iter().any(|word| key.contains(word)) || key == "ms" || is_token(value);
        if token { Purpose::Unique } else { Purpose::Keyed(key) }
    }
}

/// Whether a text looks like something made by a machine to be recognised: one long word with digits in it.
fn is_token(text: &str) -> bool {
    text.len() >= 16
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'/' | b'='))
        && text.bytes().any(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_text_are_equal() {
        let long = "k".repeat(300);
        let cut = format!("\"{}\" \"{}\"", &long[..255], &long[255..]);
        let odd = format!("\"{}\"  \"{}\"", &long[..7], &long[7..]);
        assert_eq!(Txt::from_text(&long), Txt::from_text(&cut));
        assert_eq!(Txt::from_text(&long), Txt::from_text(&odd));
        assert_eq!(Txt::from_text(&long).unwrap().presentation(), cut);
        assert_eq!(Txt::from_text("v=spf1 -all"), Txt::from_text(r#""v=spf1" " -all""#));
        assert_eq!(Txt::from_text(r#"say "hi""#), Txt::from_text(r#""say \"hi\"""#));
        assert_eq!(Txt::from_text("café"), Txt::from_text(r#""caf\195\169""#));
        assert_ne!(Txt::from_text("V=spf1 -all"), Txt::from_text("v=spf1 -all"));
    }

    #[test]
    fn inconsistent_quotes_are_a_mistake_in_a_spec_only() {
        for (bad, offset) in [(r#""abc"#, 0), (r#"abc""#, 3), (r#""a" b"#, 4), (r#""a"b"#, 3)] {
            let error = Txt::from_text(bad).unwrap_err();
            assert!(error.message.contains("quotes"), "{bad}: {error:?}");
            assert_eq!(error.offset, Some(offset), "{bad}");
            assert!(!Txt::reported(bad).as_bytes().is_empty());
        }
        assert!(Txt::from_text("").is_err());
        assert!(Txt::from_text(r#""""#).is_err());
        assert!(Txt::from_text(&"x".repeat(4080)).is_ok());
        assert!(Txt::from_text(&"x".repeat(4081)).is_err());
    }

    #[test]
    fn purposes() {
        let purpose = |text: &str| Txt::from_text(text).unwrap().purpose();
        assert_eq!(purpose("v=spf1 -all"), Purpose::Keyed("v=spf1".into()));
        assert_eq!(purpose("v=DMARC1; p=none"), Purpose::Keyed("v=dmarc1".into()));
        assert_eq!(purpose("google-site-verification=abc"), Purpose::Unique);
        assert_eq!(purpose("MS=ms123"), Purpose::Unique);
        assert_eq!(purpose("owner=dns team"), Purpose::Keyed("owner".into()));
        assert_eq!(purpose("apple-domain=x"), Purpose::Unique);
        assert_eq!(purpose("abcdef0123456789abcdef"), Purpose::Unique);
        assert_eq!(purpose("owner=abcdef0123456789abcdef"), Purpose::Unique);
        assert_eq!(purpose("just words"), Purpose::Shared);
    }
}
