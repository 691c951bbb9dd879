//! AAAA: an IPv6 address.

use std::net::Ipv6Addr;

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::{DataError, FieldReader, RecordData};

/// An IPv6 address; equal however it was spelled (RFC 4291 section 2.2), printed as in RFC 5952.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Aaaa(Ipv6Addr);

impl Aaaa {
    /// The address.
    #[must_use]
    pub fn address(self) -> Ipv6Addr {
        self.0
    }
}

impl RecordData for Aaaa {
    const FACTS: TypeFacts = TypeFacts {
        name: "AAAA",
        number: 28,
        about: "an IPv6 address",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::Ipv6,
            about: "an IPv6 address such as 2001:db8::10",
        }],
        composed: &[],
        proxiable: true,
        repeats_priority: false,
        source: "RFC 3596 section 2.2",
        examples: &["2001:db8::10", "::1", "2001:db8:0:1:1:1:1:1"],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        FieldReader::new(&Self::FACTS, fields).content(Self::from_text)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        text.trim().parse().map(Self).map_err(|_| {
            let error = DataError::field("content", format!("`{text}` is not an IPv6 address"));
            match text.trim().parse::<std::net::Ipv4Addr>() {
                Ok(_) => error.help("this is an IPv4 address: use type A"),
                Err(_) => error.help("write groups of hexadecimal digits such as 2001:db8::10"),
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
