//! TXT records: character strings (RFC 1035 section 3.3.14).
//!
//! Quoting never matters. The split into strings matters only if the strings are the value: RFC
//! 6763 section 6.1 (DNS-SD) reads each string as one attribute. In three cases the strings are one
//! text, and the split is presentation only:
//!
//! 1. There is one string.
//! 2. Every string except the last has 255 octets: the text is too long for one string and was
//!    split as late as possible.
//! 3. The format concatenates its strings: known by the beginning of the text ([`CONCATENATED`]) or
//!    by the owner's name ([`OWNERS`], [`Txt::at`]).
//!
//! | written | meaning |
//! |---|---|
//! | `v=spf1 -all` | one text |
//! | `"v=spf1 -all"` | the same text |
//! | `"v=spf1 " "-all"` | the same text: SPF concatenates |
//! | `"txtvers=1" "rp=ipp/print"` | a list of two strings; not `txtvers=1rp=ipp/print` |
//! | `say "hi"` | one text, quotes included: a text that does not begin with a quote is taken verbatim |
//! | `"abc`, `abc"` | an error in a spec; in an answer, these bytes |
//!
//! Values are sent and shown as their author split them.
//!
//! Cloudflare documents no rule for two records of a name that differ only in splits that matter.
//! It may keep both, or call them identical and refuse the second one ([`Txt::differs_in_cuts`]).

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::super::facts::{FieldFacts, FieldKind, TXT_WIRE_BYTES, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::presentation::STRING_OCTETS;
use super::{DataError, FieldReader, Purpose, RecordData, presentation, txt_pairing};

/// The beginnings of texts whose strings are concatenated; case is ignored.
///
/// # Sources
/// SPF: RFC 7208 section 3.3. Sender ID: RFC 4406 section 3.1 (as SPF). DKIM: RFC 6376 section
/// 3.6.2.2. DMARC: RFC 7489 section 6.1 (as DKIM). MTA-STS: RFC 8461 section 3.1. SMTP TLS
/// reporting: RFC 8460 section 3. BIMI: draft-brand-indicators-for-message-identification section
/// 4.2 (as DKIM).
const CONCATENATED: &[&str] =
    &["v=spf1", "spf2.0/", "v=dkim1", "v=dmarc1", "v=stsv1", "v=tlsrptv1", "v=bimi1"];

/// Labels in the owner names of formats whose strings are concatenated.
///
/// A DKIM key may leave out its version. An ACME challenge (RFC 8555 section 8.4) is one token.
const OWNERS: &[&str] = &["_domainkey", "_dmarc", "_mta-sts", "_tls", "_bimi", "_acme-challenge"];

/// The value of a TXT record. Equality, order and hash ignore splits that do not matter.
#[derive(Debug, Clone)]
pub struct Txt {
    /// The octets of all strings.
    octets: Box<[u8]>,
    /// The cuts; `None` for one string, or if each string is as long as possible.
    cuts: Option<Box<Cuts>>,
}

/// The cuts of a text that is not split as late as possible.
#[derive(Debug, Clone)]
struct Cuts {
    /// Offsets at which a string ends, without the last.
    ends: Vec<u32>,
    /// True if the list of strings is the value.
    matter: bool,
}

impl Txt {
    /// Returns the octets of all strings together.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.octets
    }

    /// Returns true if two values have the same octets and differ only in significant cuts.
    pub(super) fn differs_in_cuts(&self, other: &Self) -> bool {
        self.octets == other.octets && self != other
    }

    /// Reads the value that Cloudflare reported. Never fails, because Cloudflare stores text
    /// verbatim.
    pub(super) fn reported(content: &str) -> Self {
        match content.starts_with('"').then(|| presentation::tokens(content)) {
            Some(Ok(words)) => Self::of_strings(words.iter().map(|word| &word.octets[..])),
            _ => Self::of_strings([content.as_bytes()]),
        }
    }

    /// Creates a value from strings. A string that is too long is split as late as possible, like
    /// Cloudflare does.
    fn of_strings<'a>(strings: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let (mut octets, mut ends) = (Vec::new(), Vec::new());
        for string in strings {
            let mut unsplit = string;
            loop {
                let (first, after) = unsplit.split_at(unsplit.len().min(STRING_OCTETS));
                octets.extend_from_slice(first);
                ends.push(u32::try_from(octets.len()).unwrap_or(u32::MAX));
                unsplit = after;
                if unsplit.is_empty() {
                    break;
                }
            }
        }
        ends.pop();
        let is_late =
            |(n, end): (usize, &u32)| usize::try_from(*end) == Ok((n + 1) * STRING_OCTETS);
        let is_full = ends.iter().enumerate().all(is_late);
        let ends_empty = ends.last().is_some_and(|end| usize::try_from(*end) == Ok(octets.len()));
        let matter = !is_full && !is_concatenated(&octets);
        let cuts = (!is_full || ends_empty).then(|| Box::new(Cuts { ends, matter }));
        Self { octets: octets.into(), cuts }
    }

    /// Interprets the value for an owner name: some formats that concatenate their strings are
    /// known by the name.
    pub(super) fn at(mut self, name: &Fqdn) -> Self {
        if let Some(cuts) = self.cuts.as_mut().filter(|cuts| cuts.matter) {
            cuts.matter = !name.as_str().split('.').any(|label| OWNERS.contains(&label));
        }
        self
    }

    /// Returns the value without insignificant cuts.
    pub(super) fn canonical(&self) -> Self {
        Self { octets: self.octets.clone(), cuts: self.cuts.clone().filter(|cuts| cuts.matter) }
    }

    /// Returns the octets, and the cuts if they are significant: equality compares this key.
    fn key(&self) -> (&[u8], Option<&[u32]>) {
        (&self.octets, self.cuts.as_ref().filter(|cuts| cuts.matter).map(|cuts| &cuts.ends[..]))
    }

    fn strings(&self) -> Vec<&[u8]> {
        let Some(cuts) = &self.cuts else {
            return if self.octets.is_empty() {
                vec![&[]]
            } else {
                self.octets.chunks(STRING_OCTETS).collect()
            };
        };
        let ends = cuts.ends.iter().map(|end| *end as usize);
        let starts = std::iter::once(0).chain(ends.clone());
        let ends = ends.chain([self.octets.len()]);
        starts.zip(ends).map(|(start, end)| &self.octets[start..end]).collect()
    }

    /// Applies the checks for every spelling.
    fn checked(self) -> Result<Self, DataError> {
        if self.octets.is_empty() {
            return Err(DataError::field("content", "a TXT record cannot be empty")
                .help("write some text, or remove the record"));
        }
        let wire = self.octets.len() + self.strings().len();
        if wire > TXT_WIRE_BYTES {
            return Err(DataError::field(
                "content",
                format!(
                    "the text takes {wire} bytes on the wire; at most {TXT_WIRE_BYTES} are allowed"
                ),
            )
            .help("shorten it, or split it into several records"));
        }
        Ok(self)
    }
}

/// Returns true if the text has a format that concatenates its strings.
fn is_concatenated(octets: &[u8]) -> bool {
    let begins = |start: &str| {
        octets.get(..start.len()).is_some_and(|o| o.eq_ignore_ascii_case(start.as_bytes()))
    };
    CONCATENATED.iter().copied().any(begins)
}

impl PartialEq for Txt {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Txt {}

impl Ord for Txt {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Txt {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Txt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl RecordData for Txt {
    const FACTS: TypeFacts = TypeFacts {
        name: "TXT",
        number: 16,
        about: "text",
        fields: &[FieldFacts::content(
            FieldKind::CharacterStrings,
            "the text, or several strings in quotes; long strings are cut at 255 bytes",
        )],
        source: "RFC 1035 section 3.3.14",
        examples: &[
            r#""v=spf1 include:_spf.example.net -all""#,
            r#""a \"quoted\" word; and \\""#,
            r#""caf\195\169""#,
            r#""txtvers=1" "rp=ipp/print""#,
        ],
        ..TypeFacts::BASE
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        FieldReader::new(&Self::FACTS, fields).content(Self::from_text)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        if text.trim_start().starts_with('"') {
            let words = presentation::tokens(text).map_err(|mut e| {
                e.field = Some("content");
                e.message = format!("the quotes of the text do not match: {}", e.message);
                e
            })?;
            if let Some(bare) = words.iter().find(|w| !w.quoted) {
                return Err(DataError::field(
                    "content",
                    "the quotes of the text do not match: a part is outside them",
                )
                .help("quote every part, or none")
                .at(bare.offset));
            }
            return Self::of_strings(words.iter().map(|word| &word.octets[..])).checked();
        }
        if text.bytes().filter(|b| *b == b'"').count() % 2 == 1 {
            let quoted_text = presentation::quoted(text.as_bytes());
            return Err(DataError::field(
                "content",
                "the quotes of the text do not match: one has no partner",
            )
            .help(format!("write `{quoted_text}` if the quote belongs to the text"))
            .at(text.rfind('"').unwrap_or(0)));
        }
        Self::of_strings([text.as_bytes()]).checked()
    }

    fn fields(&self) -> Fields {
        Fields::from([("content".to_owned(), Value::from(self.presentation()))])
    }

    fn presentation(&self) -> String {
        let strings: Vec<_> = self.strings().into_iter().map(presentation::quoted).collect();
        strings.join(" ")
    }

    /// Returns a value that exists once at a name (SPF, DMARC) always replaces the existing one.
    fn pairing_key(&self) -> String {
        match self.purpose() {
            Purpose::Keyed(key) if key.starts_with("v=") => key,
            Purpose::Keyed(_) | Purpose::Shared | Purpose::Unique => String::new(),
        }
    }

    fn purpose(&self) -> Purpose {
        let (octets, ends) = self.key();
        let first =
            ends.and_then(|ends| ends.first()).map_or(octets, |end| &octets[..*end as usize]);
        txt_pairing::purpose(&String::from_utf8_lossy(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_text_are_equal() {
        let long = "k".repeat(300);
        let cut = format!("\"{}\" \"{}\"", &long[..255], &long[255..]);
        let odd = format!("\"v=DKIM1; {}\"  \"{}\"", &long[..7], &long[7..]);
        assert_eq!(Txt::from_text(&long), Txt::from_text(&cut));
        assert_eq!(Txt::from_text(&format!("v=DKIM1; {long}")), Txt::from_text(&odd));
        assert_eq!(Txt::from_text(&long).unwrap().presentation(), cut);
        assert_eq!(Txt::from_text("v=spf1 -all"), Txt::from_text(r#""v=spf1" " -all""#));
        assert_eq!(Txt::from_text(r#"say "hi""#), Txt::from_text(r#""say \"hi\"""#));
        assert_eq!(Txt::from_text("café"), Txt::from_text(r#""caf\195\169""#));
        assert_ne!(Txt::from_text("V=spf1 -all"), Txt::from_text("v=spf1 -all"));
    }

    #[test]
    fn strings_are_one_text_only_where_the_format_says_so() {
        let read = |text: &str| Txt::from_text(text).unwrap();
        let name = |text: &str| Fqdn::parse(text).unwrap();
        assert_ne!(read(r#""txtvers=1" "rp=ipp/print""#), read("txtvers=1rp=ipp/print"));
        assert_ne!(read(r#""a" "bc""#), read(r#""ab" "c""#));
        assert_ne!(read(r#""a" """#), read("a"));
        assert_eq!(read(r#""v=SP" "F1 -all""#), read("v=SPF1 -all"));
        let (cut, whole) = (read(r#""k=rsa; " "p=abc""#), read("k=rsa; p=abc"));
        for owner in [
            "a._domainkey.example.com",
            "_dmarc.example.com",
            "_smtp._tls.example.com",
            "_acme-challenge.a.example",
        ] {
            assert_eq!(cut.clone().at(&name(owner)), whole.clone().at(&name(owner)), "{owner}");
        }
        assert_ne!(cut.clone().at(&name("domainkey.example.com")), whole);
        // Insignificant cuts are still sent as written.
        assert_eq!(
            cut.at(&name("a._domainkey.example.com")).presentation(),
            r#""k=rsa; " "p=abc""#
        );
        let full = format!("\"{0}\" \"{0}\" \"\"", "k".repeat(255));
        assert_eq!(read(&full), read(&"k".repeat(510)));
        assert_eq!(read(&full).presentation(), full);
        // A string that is too long is split like Cloudflare splits it.
        let (long, short) = ("k".repeat(256), "k".repeat(255));
        assert_eq!(read(&format!("\"{long}\" \"x\"")), read(&format!("\"{short}\" \"k\" \"x\"")));
        assert!(Txt::from_text(&r#""a" "#.repeat(2048)).is_ok());
        assert!(Txt::from_text(&r#""a" "#.repeat(2049)).is_err());
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
}
