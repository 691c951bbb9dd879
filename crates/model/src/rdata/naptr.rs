//! NAPTR records: a rule that rewrites a name or a number into another.

use super::super::facts::{FieldFacts, FieldKind, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::presentation::{PresentationToken, STRING_OCTETS};
use super::{DataError, FieldReader, RecordData, Root, parse_host, presentation};

/// A rule that rewrites a name or a number; the flags ignore case (RFC 3403 section 4.1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Naptr {
    order: u16,
    preference: u16,
    /// Upper case.
    flags: String,
    service: String,
    regex: String,
    replacement: Fqdn,
}

/// Checks the characters of the flags and converts them to upper case.
fn flags(text: &str) -> Result<String, DataError> {
    match text.chars().find(|c| !c.is_ascii_alphanumeric()) {
        Some(c) => Err(DataError::field("flags", format!("{c:?} is not a flag"))
            .help("write letters or digits such as S, A, U or P, or nothing")),
        None => string("flags", text).map(|text| text.to_ascii_uppercase()),
    }
}

/// Checks the length and the characters of a character string.
fn string(name: &'static str, text: &str) -> Result<String, DataError> {
    if text.len() > STRING_OCTETS {
        let message =
            format!("`{name}` has {} bytes; at most {STRING_OCTETS} are allowed", text.len());
        return Err(DataError::field(name, message).help("shorten it"));
    }
    if presentation::unquoted(text) != text {
        return Err(DataError::field(name, format!("`{name}` has quotes inside its quotes"))
            .help("remove the inner quotes"));
    }
    match text.chars().find(|c| c.is_control() || *c == char::REPLACEMENT_CHARACTER) {
        Some(c) => Err(DataError::field(name, format!("{c:?} is not allowed in `{name}`"))
            .help("write printable characters")),
        None => Ok(text.to_owned()),
    }
}

impl RecordData for Naptr {
    const FACTS: TypeFacts = TypeFacts {
        name: "NAPTR",
        number: 35,
        about: "a rule that rewrites a name or a number into another",
        fields: &[
            FieldFacts::number("order", 65_535, "0 to 65535; the lowest is tried first"),
            FieldFacts::number(
                "preference",
                65_535,
                "0 to 65535; the lowest of one order is preferred",
            ),
            FieldFacts::data(
                "flags",
                FieldKind::CharacterString,
                "S, A, U, P or nothing: what the result is",
            ),
            FieldFacts::data(
                "service",
                FieldKind::CharacterString,
                "the kind of service, such as SIP+D2U",
            ),
            FieldFacts::data(
                "regex",
                FieldKind::CharacterString,
                "the expression that rewrites, or nothing",
            ),
            FieldFacts::data(
                "replacement",
                FieldKind::HostKeepDot,
                "the next name to ask for, or `.` where there is an expression",
            ),
        ],
        source: "RFC 3403 section 4",
        examples: &[
            r#"100 50 "S" "SIP+D2U" "" _sip._udp.example.com."#,
            r#"100 10 "U" "E2U+sip" "!^(.*)$!sip:\\1@example.com!" ."#,
            r#"10 0 "" "" "" next.example.net."#,
        ],
        ..TypeFacts::BASE
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u16("order"), reader.u16("preference"));
        let mut text =
            |name: &'static str, check: fn(&'static str, &str) -> Result<String, DataError>| {
                let text = reader.text(name)?;
                reader.keep(check(name, &presentation::unquoted(&text)))
            };
        let strings =
            (text("flags", |_, text| flags(text)), text("service", string), text("regex", string));
        let replacement = reader.host("replacement", Root::Allowed);
        let data = match (numbers, strings, replacement) {
            (
                (Some(order), Some(preference)),
                (Some(flags), Some(service), Some(regex)),
                Some(replacement),
            ) => Some(Self { order, preference, flags, service, regex, replacement }),
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let form = ["ORDER", "PREFERENCE", "\"FLAGS\"", "\"SERVICE\"", "\"REGEX\"", "REPLACEMENT"];
        let [order, preference, flag, service, regex, replacement] =
            presentation::exactly(text, form)?;
        let string = |name: &'static str, word: &PresentationToken| {
            string(name, &word.text()).map_err(|e| e.at(word.offset))
        };
        Ok(Self {
            order: order.u16("order")?,
            preference: preference.u16("preference")?,
            flags: flags(&flag.text()).map_err(|e| e.at(flag.offset))?,
            service: string("service", &service)?,
            regex: string("regex", &regex)?,
            replacement: parse_host("replacement", &replacement.text(), Root::Allowed)
                .map_err(|e| e.at(replacement.offset))?,
        })
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("order".to_owned(), Value::from(u32::from(self.order))),
            ("preference".to_owned(), Value::from(u32::from(self.preference))),
            ("flags".to_owned(), Value::from(self.flags.as_str())),
            ("service".to_owned(), Value::from(self.service.as_str())),
            ("regex".to_owned(), Value::from(self.regex.as_str())),
            ("replacement".to_owned(), Value::from(self.replacement.absolute())),
        ])
    }

    fn presentation(&self) -> String {
        let quoted = |text: &str| presentation::quoted(text.as_bytes());
        format!(
            "{} {} {} {} {} {}",
            self.order,
            self.preference,
            quoted(&self.flags),
            quoted(&self.service),
            quoted(&self.regex),
            self.replacement.absolute()
        )
    }

    /// The nearest rule is a rule for the same service.
    fn pairing_key(&self) -> String {
        self.service.to_ascii_lowercase()
    }

    fn target(&self) -> Option<&Fqdn> {
        Some(&self.replacement)
    }
}
