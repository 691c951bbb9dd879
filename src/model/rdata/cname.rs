//! CNAME: the canonical name of an alias.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::shared::{SingleHost, record_of_format};

/// The canonical name of an alias.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cname(SingleHost);

record_of_format!(
    Cname(SingleHost),
    TypeFacts {
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
    }
);
