//! CAA records: the certification authorities that may issue certificates for a name.

use super::super::facts::{FieldFacts, FieldKind, TypeFacts};
use super::super::fields::{Fields, Value};
use super::{DataError, FieldReader, Purpose, RecordData, presentation};

/// Certification authority authorisation; the tag ignores case, the value is compared exactly.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caa {
    flags: u8,
    tag: String,
    value: String,
}

impl Caa {
    /// Checks the parts and converts them to canonical form.
    fn new(flags: u8, tag: &str, value: &str) -> Result<Self, DataError> {
        if tag.is_empty() || tag.len() > 15 || !tag.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(DataError::field("tag", format!("`{tag}` is not a CAA tag"))
                .help("write issue, issuewild, iodef, issuemail, issuevmc or contactemail"));
        }
        if let Some(c) = value.chars().find(|c| !matches!(c, ' '..='~')) {
            return Err(DataError::field("value", format!("{c:?} is not allowed in a CAA value"))
                .help("write printable ASCII"));
        }
        Ok(Self { flags, tag: tag.to_ascii_lowercase(), value: value.to_owned() })
    }
}

impl RecordData for Caa {
    const FACTS: TypeFacts = TypeFacts {
        name: "CAA",
        number: 257,
        about: "which certification authorities may issue for a name",
        fields: &[
            FieldFacts::number("flags", 255, "0, or 128 for critical"),
            FieldFacts::data(
                "tag",
                FieldKind::Tag,
                "issue, issuewild, iodef, issuemail, issuevmc or contactemail",
            ),
            FieldFacts::data(
                "value",
                FieldKind::Text,
                "the authority's domain, `;` for no authority, or an address to report to",
            ),
        ],
        source: "RFC 8659 section 4",
        examples: &[
            r#"0 issue "ca.example.net""#,
            r#"128 issuewild ";""#,
            r#"0 iodef "mailto:security@example.com""#,
        ],
        ..TypeFacts::BASE
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let flags = reader.u8("flags");
        let (tag, value) = (reader.text("tag"), reader.text("value"));
        let data = match (flags, tag, value) {
            (Some(flags), Some(tag), Some(value)) => {
                Self::new(flags, &tag, &value).map_err(|e| reader.errors.push(e)).ok()
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let [flags, tag, value] = presentation::exactly(text, ["FLAGS", "TAG", "\"VALUE\""])?;
        let number = presentation::integer(&flags.text())
            .and_then(|n| u8::try_from(n).ok())
            .ok_or_else(|| {
                DataError::field("flags", format!("`{}` is not a number of flags", flags.text()))
                    .help("write 0, or 128 for critical")
                    .at(flags.offset)
            })?;
        Self::new(number, &tag.text(), &value.text()).map_err(|e| {
            let offset = if e.field == Some("tag") { tag.offset } else { value.offset };
            e.at(offset)
        })
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("flags".to_owned(), Value::from(u32::from(self.flags))),
            ("tag".to_owned(), Value::from(self.tag.as_str())),
            ("value".to_owned(), Value::from(self.value.as_str())),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {}", self.flags, self.tag, presentation::quoted(self.value.as_bytes()))
    }

    fn pairing_key(&self) -> String {
        self.value.clone()
    }

    fn purpose(&self) -> Purpose {
        Purpose::Keyed(self.tag.clone())
    }
}
