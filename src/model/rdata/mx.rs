//! MX: a mail exchange with its priority.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::{DataError, FieldReader, RecordData, Root, host, presentation};

/// A mail exchange; the exchange `.` with priority 0 means that the name accepts no mail (RFC 7505).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mx {
    priority: u16,
    exchange: Fqdn,
}

impl RecordData for Mx {
    const FACTS: TypeFacts = TypeFacts {
        name: "MX",
        number: 15,
        about: "a mail exchange with its priority",
        fields: &[
            FieldFacts {
                name: "priority",
                slot: Slot::Top,
                kind: FieldKind::Integer { max: 65_535 },
                about: "0 to 65535; the lowest is tried first",
            },
            FieldFacts {
                name: "content",
                slot: Slot::Content,
                kind: FieldKind::HostOrRoot,
                about: "the mail server's host name, or `.` for no mail",
            },
        ],
        composed: &[],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 1035 section 3.3.9, RFC 7505",
        examples: &["10 mx1.example.net", "0 .", "65535 mail.example.com"],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let priority = reader.u16("priority");
        let exchange = reader.host("content", Root::Allowed);
        let data = priority.zip(exchange).map(|(priority, exchange)| Self { priority, exchange });
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        if presentation::tokens(text)?.len() == 1 {
            return Err(DataError::field("priority", "MX records need `priority`").help("add `priority: 10`"));
        }
        let [priority, exchange] = presentation::exactly(text, ["PRIORITY", "HOST"])?;
        let number = presentation::integer(&priority.text()).and_then(|n| u16::try_from(n).ok()).ok_or_else(|| {
            DataError::field("priority", format!("`{}` is not a priority", priority.text()))
                .help("write a number from 0 to 65535 before the host")
                .at(priority.offset)
        })?;
        let exchange = host("content", &exchange.text(), Root::Allowed).map_err(|e| e.at(exchange.offset))?;
        Ok(Self { priority: number, exchange })
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("priority".to_owned(), Value::from(u32::from(self.priority))),
            ("content".to_owned(), Value::from(self.exchange.as_str())),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {}", self.priority, self.exchange)
    }

    fn pairing_key(&self) -> String {
        self.exchange.to_string()
    }

    fn target(&self) -> Option<&Fqdn> {
        Some(&self.exchange)
    }
}
