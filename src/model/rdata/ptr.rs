//! PTR: the name for an address, or for another name.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::shared::{SingleHost, record_of_format};

/// The name for an address, or for another name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ptr(SingleHost);

record_of_format!(
    Ptr(SingleHost),
    TypeFacts {
        name: "PTR",
        number: 12,
        about: "the name that an address or another name stands for",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::Host,
            about: "a host name such as host.example.com",
        }],
        composed: &[],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 1035 section 3.3.12",
        examples: &["host.example.com", "xn--bcher-kva.example"],
    }
);
