//! CNAME: the canonical name of an alias.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::{DataError, FieldReader, RecordData, Root, host};

/// The canonical name of an alias.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cname(Fqdn);

impl RecordData for Cname {
    const FACTS: TypeFacts = TypeFacts {
        name: "CNAME",
        number: 5,
        about: "the canonical name of an alias",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::Host,
            about: "a host name such as host.example.com",
        }],
        composed: &[],
        proxiable: true,
        repeats_priority: false,
        source: "RFC 1035 section 3.3.1",
        examples: &["host.example.com", "xn--bcher-kva.example", "_target.example.net"],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let data = reader.host("content", Root::Refused).map(Self);
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        host("content", text.trim(), Root::Refused).map(Self)
    }

    fn fields(&self) -> Fields {
        Fields::from([("content".to_owned(), Value::from(self.presentation()))])
    }

    fn presentation(&self) -> String {
        self.0.to_string()
    }

    fn target(&self) -> Option<&Fqdn> {
        Some(&self.0)
    }
}
