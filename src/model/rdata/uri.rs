//! URI: the address of a service.

use super::super::facts::{Composed, FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::{DataError, FieldReader, RecordData, presentation};

/// The address of a service. Cloudflare keeps the priority next to `data`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uri {
    priority: u16,
    weight: u16,
    target: String,
}

impl Uri {
    /// The value, after a check of its target.
    fn new(priority: u16, weight: u16, target: &str) -> Result<Self, DataError> {
        // RFC 7553 section 4.4: at least one octet; an address consists of printable ASCII (RFC 3986 section 2).
        if target.is_empty() {
            return Err(
                DataError::field("target", "the target is empty").help("write an address such as https://example.com/")
            );
        }
        if let Some((at, c)) = target.char_indices().find(|(_, c)| *c == '"' || !matches!(c, ' '..='~')) {
            return Err(DataError::field("target", format!("{c:?} is not allowed in a URI"))
                .help("write it percent-encoded, such as %22 or %C3%A9")
                .at(at));
        }
        Ok(Self { priority, weight, target: target.to_owned() })
    }
}

impl RecordData for Uri {
    const FACTS: TypeFacts = TypeFacts {
        name: "URI",
        number: 256,
        about: "the address of a service",
        fields: &[
            FieldFacts {
                name: "priority",
                slot: Slot::Top,
                kind: FieldKind::Integer { max: 65_535 },
                about: "0 to 65535; the lowest is tried first",
            },
            FieldFacts {
                name: "weight",
                slot: Slot::Data,
                kind: FieldKind::Integer { max: 65_535 },
                about: "0 to 65535; the share among equal priorities",
            },
            FieldFacts {
                name: "target",
                slot: Slot::Data,
                kind: FieldKind::Text,
                about: "the address, such as https://example.com/",
            },
        ],
        composed: &[Composed::Plain("weight"), Composed::Quoted("target")],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 7553 section 4",
        examples: &[r#"10 1 "https://example.com/""#, r#"0 0 "ftp://ftp.example.com/public""#],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u16("priority"), reader.u16("weight"));
        let target = reader.text("target");
        let data = match (numbers, target) {
            ((Some(priority), Some(weight)), Some(target)) => {
                reader.keep(Self::new(priority, weight, &presentation::unquoted(&target)))
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let words = presentation::tokens(text)?;
        if words.len() == 2 {
            return Err(DataError::field("priority", "URI records need `priority`").help("add `priority: 10`"));
        }
        let [priority, weight, target] = presentation::exactly(text, ["PRIORITY", "WEIGHT", "\"TARGET\""])?;
        Self::new(priority.u16("priority")?, weight.u16("weight")?, &target.text()).map_err(|e| e.at(target.offset))
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("priority".to_owned(), Value::from(u32::from(self.priority))),
            ("weight".to_owned(), Value::from(u32::from(self.weight))),
            ("target".to_owned(), Value::from(self.target.as_str())),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {}", self.priority, self.weight, presentation::quoted(self.target.as_bytes()))
    }

    fn pairing_key(&self) -> String {
        self.target.clone()
    }
}
