//! NS: a name server of a delegated name.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::shared::{SingleHost, record_of_format};

/// A name server of a delegated name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ns(SingleHost);

record_of_format!(
    Ns(SingleHost),
    TypeFacts {
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
    }
);
