//! SRV: the host and port of a service.

use super::super::facts::{Composed, FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::{DataError, FieldReader, RecordData, Root, host, presentation};

/// The host and port of a service; the target `.` means that it is not available (RFC 2782).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Srv {
    priority: u16,
    weight: u16,
    port: u16,
    target: Fqdn,
}

/// A 16-bit field of the data object.
const fn number(name: &'static str, about: &'static str) -> FieldFacts {
    FieldFacts { name, slot: Slot::Data, kind: FieldKind::Integer { max: 65_535 }, about }
}

impl RecordData for Srv {
    const FACTS: TypeFacts = TypeFacts {
        name: "SRV",
        number: 33,
        about: "the host and port of a service",
        fields: &[
            number("priority", "0 to 65535; the lowest is tried first"),
            number("weight", "0 to 65535; the share among equal priorities"),
            number("port", "0 to 65535; TCP or UDP port"),
            FieldFacts {
                name: "target",
                slot: Slot::Data,
                kind: FieldKind::HostOrRoot,
                about: "the host name, or `.` where nothing is offered",
            },
        ],
        composed: &[Composed::Plain("weight"), Composed::Plain("port"), Composed::Plain("target")],
        proxiable: false,
        repeats_priority: true,
        source: "RFC 2782",
        examples: &["10 5 5060 sip.example.com", "0 0 0 ."],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u16("priority"), reader.u16("weight"), reader.u16("port"));
        let target = reader.host("target", Root::Allowed);
        let data = match (numbers, target) {
            ((Some(priority), Some(weight), Some(port)), Some(target)) => Some(Self { priority, weight, port, target }),
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let [priority, weight, port, target] = presentation::exactly(text, ["PRIORITY", "WEIGHT", "PORT", "TARGET"])?;
        let number = |name: &'static str, word: &presentation::Token| {
            presentation::integer(&word.text()).and_then(|n| u16::try_from(n).ok()).ok_or_else(|| {
                DataError::field(name, format!("`{}` is not a {name}", word.text()))
                    .help("write a number from 0 to 65535")
                    .at(word.offset)
            })
        };
        Ok(Self {
            priority: number("priority", &priority)?,
            weight: number("weight", &weight)?,
            port: number("port", &port)?,
            target: host("target", &target.text(), Root::Allowed).map_err(|e| e.at(target.offset))?,
        })
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("priority".to_owned(), Value::from(u32::from(self.priority))),
            ("weight".to_owned(), Value::from(u32::from(self.weight))),
            ("port".to_owned(), Value::from(u32::from(self.port))),
            ("target".to_owned(), Value::from(self.target.as_str())),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {} {}", self.priority, self.weight, self.port, self.target)
    }

    fn pairing_key(&self) -> String {
        format!("{}:{}", self.target, self.port)
    }

    fn target(&self) -> Option<&Fqdn> {
        Some(&self.target)
    }
}
