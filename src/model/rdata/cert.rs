//! CERT: a certificate in the DNS.

use super::super::facts::{Composed, FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::digits::base64;
use super::{DataError, FieldReader, RecordData, mnemonics, presentation};

/// A certificate in the DNS.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cert {
    kind: u16,
    key_tag: u16,
    algorithm: u8,
    certificate: Vec<u8>,
}

/// A number of the data object.
const fn number(name: &'static str, max: u32, about: &'static str) -> FieldFacts {
    FieldFacts { name, slot: Slot::Data, kind: FieldKind::Integer { max }, about }
}

impl RecordData for Cert {
    const FACTS: TypeFacts = TypeFacts {
        name: "CERT",
        number: 37,
        about: "a certificate",
        fields: &[
            number(
                "type",
                65_535,
                "1 for X.509 (PKIX), 3 for OpenPGP (PGP), 4 for the address of an X.509 one (IPKIX)",
            ),
            number("key_tag", 65_535, "0 to 65535; the tag of the key, or 0"),
            number("algorithm", 255, "0 to 255; the algorithm of the key, or 0"),
            FieldFacts {
                name: "certificate",
                slot: Slot::Data,
                kind: FieldKind::Base64,
                about: "the certificate in base64",
            },
        ],
        composed: &[
            Composed::Plain("type"),
            Composed::Plain("key_tag"),
            Composed::Plain("algorithm"),
            Composed::Plain("certificate"),
        ],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 4398 section 2",
        examples: &["1 12179 3 TUlJQg==", "3 0 0 mQENBF8="],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u16("type"), reader.u16("key_tag"), reader.u8("algorithm"));
        let certificate = reader.base64("certificate");
        let data = match (numbers, certificate) {
            ((Some(kind), Some(key_tag), Some(algorithm)), Some(certificate)) => {
                Some(Self { kind, key_tag, algorithm, certificate })
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let ([kind, key_tag, algorithm], digits) =
            presentation::then_digits(text, ["TYPE", "KEY-TAG", "ALGORITHM"], "CERTIFICATE")?;
        Ok(Self {
            kind: mnemonics::certificate_type(&kind)?,
            key_tag: key_tag.u16("key_tag")?,
            algorithm: mnemonics::algorithm(&algorithm)?,
            certificate: digits.base64("certificate")?,
        })
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("type".to_owned(), Value::from(u32::from(self.kind))),
            ("key_tag".to_owned(), Value::from(u32::from(self.key_tag))),
            ("algorithm".to_owned(), Value::from(u32::from(self.algorithm))),
            ("certificate".to_owned(), Value::from(base64(&self.certificate))),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {} {}", self.kind, self.key_tag, self.algorithm, base64(&self.certificate))
    }

    /// The nearest certificate is one of the same key.
    fn pairing_key(&self) -> String {
        format!("{} {}", self.key_tag, self.algorithm)
    }
}
