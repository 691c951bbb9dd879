//! DNSKEY: a public key of a signed zone.

use super::super::facts::{Composed, FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::digits::base64;
use super::{DataError, FieldReader, Purpose, RecordData, mnemonics, presentation};

/// A public key of a signed zone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dnskey {
    flags: u16,
    protocol: u8,
    algorithm: u8,
    public_key: Vec<u8>,
}

/// A number of the data object.
const fn number(name: &'static str, max: u32, about: &'static str) -> FieldFacts {
    FieldFacts { name, slot: Slot::Data, kind: FieldKind::Integer { max }, about }
}

impl RecordData for Dnskey {
    const FACTS: TypeFacts = TypeFacts {
        name: "DNSKEY",
        number: 48,
        about: "a public key of a signed zone",
        fields: &[
            number("flags", 65_535, "256 for a zone key, 257 for a key that the parent vouches for"),
            number("protocol", 255, "always 3"),
            number("algorithm", 255, "0 to 255; the algorithm of the key, such as 13"),
            FieldFacts {
                name: "public_key",
                slot: Slot::Data,
                kind: FieldKind::Base64,
                about: "the public key in base64",
            },
        ],
        composed: &[
            Composed::Plain("flags"),
            Composed::Plain("protocol"),
            Composed::Plain("algorithm"),
            Composed::Plain("public_key"),
        ],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 4034 section 2",
        examples: &["257 3 13 bWFkZS11cA==", "256 3 8 AwEAAcFcGsaxxdgiuuGmCkVI"],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u16("flags"), reader.u8("protocol"), reader.u8("algorithm"));
        let public_key = reader.base64("public_key");
        let data = match (numbers, public_key) {
            ((Some(flags), Some(protocol), Some(algorithm)), Some(public_key)) => {
                Some(Self { flags, protocol, algorithm, public_key })
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let ([flags, protocol, algorithm], digits) =
            presentation::then_digits(text, ["FLAGS", "PROTOCOL", "ALGORITHM"], "PUBLIC-KEY")?;
        Ok(Self {
            flags: flags.u16("flags")?,
            protocol: protocol.u8("protocol")?,
            algorithm: mnemonics::algorithm(&algorithm)?,
            public_key: digits.base64("public_key")?,
        })
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("flags".to_owned(), Value::from(u32::from(self.flags))),
            ("protocol".to_owned(), Value::from(u32::from(self.protocol))),
            ("algorithm".to_owned(), Value::from(u32::from(self.algorithm))),
            ("public_key".to_owned(), Value::from(base64(&self.public_key))),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {} {}", self.flags, self.protocol, self.algorithm, base64(&self.public_key))
    }

    /// Keys of several signers coexist, so a new key never replaces an existing one.
    fn purpose(&self) -> Purpose {
        Purpose::Keyed(base64(&self.public_key))
    }
}
