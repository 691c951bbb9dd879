//! NS: a name server of a delegated name.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::{DataError, FieldReader, RecordData, Root, host};

/// A name server of a delegated name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ns(Fqdn);

impl RecordData for Ns {
    const FACTS: TypeFacts = TypeFacts {
        name: "NS",
        number: 2,
        about: "a name server of a delegated name",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::Host,
            about: "a host name such as ns1.example.net",
        }],
        composed: &[],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 1035 section 3.3.11",
        examples: &["ns1.example.net", "ns2.example.net"],
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
