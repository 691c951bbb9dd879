//! A: an IPv4 address.

use std::net::Ipv4Addr;

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::{DataError, FieldReader, RecordData};

/// An IPv4 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct A(Ipv4Addr);

impl A {
    /// The address.
    #[must_use]
    pub fn address(self) -> Ipv4Addr {
        self.0
    }
}

impl RecordData for A {
    const FACTS: TypeFacts = TypeFacts {
        name: "A",
        number: 1,
        about: "an IPv4 address",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::Ipv4,
            about: "an IPv4 address such as 192.0.2.10",
        }],
        composed: &[],
        proxiable: true,
        repeats_priority: false,
        source: "RFC 1035 section 3.4.1",
        examples: &["192.0.2.10", "198.51.100.255"],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        FieldReader::new(&Self::FACTS, fields).content(Self::from_text)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        text.trim().parse().map(Self).map_err(|_| {
            let error = DataError::field("content", format!("`{text}` is not an IPv4 address"));
            match text.trim().parse::<std::net::Ipv6Addr>() {
                Ok(_) => error.help("this is an IPv6 address: use type AAAA"),
                Err(_)
                    if super::host("content", text, super::Root::Refused).is_ok()
                        && text.contains(|c: char| c.is_ascii_alphabetic()) =>
                {
                    error.help("this is a host name: use type CNAME")
                }
                Err(_) => error.help("write four numbers from 0 to 255, without leading zeros, such as 192.0.2.10"),
            }
        })
    }

    fn fields(&self) -> Fields {
        Fields::from([("content".to_owned(), Value::from(self.presentation()))])
    }

    fn presentation(&self) -> String {
        self.0.to_string()
    }
}
