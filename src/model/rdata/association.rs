//! Certificates and keys bound to a name: the format of TLSA and SMIMEA.

use super::super::facts::{Composed, FieldFacts, FieldKind, LetterCase, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::digits::{check_length, lower_hex};
use super::shared::Format;
use super::{DataError, FieldReader, presentation};

/// An 8-bit field of the data object.
const fn octet(name: &'static str, about: &'static str) -> FieldFacts {
    FieldFacts { name, slot: Slot::Data, kind: FieldKind::Integer { max: 255 }, about }
}

/// The fields of the format. Certificates are returned in upper case: reported for TLSA in 2026.
pub(super) const FIELDS: &[FieldFacts] = &[
    octet("usage", "0 CA, 1 service certificate, 2 trust anchor, 3 domain-issued"),
    octet("selector", "0 for the whole certificate, 1 for its public key"),
    octet("matching_type", "0 for the data itself, 1 for its SHA-256, 2 for its SHA-512"),
    FieldFacts {
        name: "certificate",
        slot: Slot::Data,
        kind: FieldKind::Hex { answered: LetterCase::Upper },
        about: "the data or its digest in hexadecimal digits",
    },
];

/// How Cloudflare composes the content.
pub(super) const COMPOSED: &[Composed] = &[
    Composed::Plain("usage"),
    Composed::Plain("selector"),
    Composed::Plain("matching_type"),
    Composed::Plain("certificate"),
];

/// Lengths of the digests in bytes (RFC 6698 section 2.1.3).
const LENGTHS: &[(u8, usize)] = &[(1, 32), (2, 64)];

/// A certificate or key, or its digest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Certificate {
    usage: u8,
    selector: u8,
    matching_type: u8,
    octets: Vec<u8>,
}

impl Certificate {
    /// The value, after a check of its length.
    fn new(usage: u8, selector: u8, matching_type: u8, octets: Vec<u8>) -> Result<Self, DataError> {
        check_length("certificate", &octets, "matching_type", matching_type, LENGTHS)?;
        Ok(Self { usage, selector, matching_type, octets })
    }
}

impl Format for Certificate {
    fn from_fields(facts: &'static TypeFacts, fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(facts, fields);
        let numbers = (reader.u8("usage"), reader.u8("selector"), reader.u8("matching_type"));
        let octets = reader.hex("certificate");
        let data = match (numbers, octets) {
            ((Some(usage), Some(selector), Some(matching_type)), Some(octets)) => {
                reader.keep(Self::new(usage, selector, matching_type, octets))
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let ([usage, selector, matching_type], digits) =
            presentation::then_digits(text, ["USAGE", "SELECTOR", "MATCHING-TYPE"], "CERTIFICATE")?;
        let numbers = (usage.u8("usage")?, selector.u8("selector")?, matching_type.u8("matching_type")?);
        Self::new(numbers.0, numbers.1, numbers.2, digits.hex("certificate")?).map_err(|e| e.at(digits.offset()))
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("usage".to_owned(), Value::from(u32::from(self.usage))),
            ("selector".to_owned(), Value::from(u32::from(self.selector))),
            ("matching_type".to_owned(), Value::from(u32::from(self.matching_type))),
            ("certificate".to_owned(), Value::from(lower_hex(&self.octets))),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {} {}", self.usage, self.selector, self.matching_type, lower_hex(&self.octets))
    }

    /// The nearest certificate is one with the same kind of association.
    fn pairing_key(&self) -> String {
        format!("{} {} {}", self.usage, self.selector, self.matching_type)
    }
}
