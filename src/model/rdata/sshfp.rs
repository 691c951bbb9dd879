//! SSHFP: the fingerprint of a host's SSH key.

use super::super::facts::{Composed, FieldFacts, FieldKind, LetterCase, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::digits::{check_length, lower_hex};
use super::{DataError, FieldReader, RecordData, presentation};

/// The fingerprint of a host's SSH key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sshfp {
    algorithm: u8,
    kind: u8,
    fingerprint: Vec<u8>,
}

/// Lengths of the fingerprints in bytes: SHA-1, SHA-256 (RFC 4255 section 3.1.2, RFC 6594 section 4).
const LENGTHS: &[(u8, usize)] = &[(1, 20), (2, 32)];

impl Sshfp {
    /// The value, after a check of its length.
    fn new(algorithm: u8, kind: u8, fingerprint: Vec<u8>) -> Result<Self, DataError> {
        check_length("fingerprint", &fingerprint, "type", kind, LENGTHS)?;
        Ok(Self { algorithm, kind, fingerprint })
    }
}

impl RecordData for Sshfp {
    const FACTS: TypeFacts = TypeFacts {
        name: "SSHFP",
        number: 44,
        about: "the fingerprint of a host's SSH key",
        fields: &[
            FieldFacts {
                name: "algorithm",
                slot: Slot::Data,
                kind: FieldKind::Integer { max: 255 },
                about: "1 RSA, 2 DSA, 3 ECDSA, 4 Ed25519, 6 Ed448",
            },
            FieldFacts {
                name: "type",
                slot: Slot::Data,
                kind: FieldKind::Integer { max: 255 },
                about: "1 for SHA-1, 2 for SHA-256",
            },
            FieldFacts {
                name: "fingerprint",
                slot: Slot::Data,
                kind: FieldKind::Hex { answered: LetterCase::AsSent },
                about: "the fingerprint in hexadecimal digits",
            },
        ],
        composed: &[Composed::Plain("algorithm"), Composed::Plain("type"), Composed::Plain("fingerprint")],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 4255 section 3",
        examples: &[
            "4 2 c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3",
            "2 1 123456789abcdef67890123456789abcdef67890",
        ],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u8("algorithm"), reader.u8("type"));
        let fingerprint = reader.hex("fingerprint");
        let data = match (numbers, fingerprint) {
            ((Some(algorithm), Some(kind)), Some(fingerprint)) => reader.keep(Self::new(algorithm, kind, fingerprint)),
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let ([algorithm, kind], digits) = presentation::then_digits(text, ["ALGORITHM", "TYPE"], "FINGERPRINT")?;
        let (algorithm, kind) = (algorithm.u8("algorithm")?, kind.u8("type")?);
        Self::new(algorithm, kind, digits.hex("fingerprint")?).map_err(|e| e.at(digits.offset()))
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("algorithm".to_owned(), Value::from(u32::from(self.algorithm))),
            ("type".to_owned(), Value::from(u32::from(self.kind))),
            ("fingerprint".to_owned(), Value::from(lower_hex(&self.fingerprint))),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {}", self.algorithm, self.kind, lower_hex(&self.fingerprint))
    }

    /// The nearest key has the same algorithm and the same type of fingerprint.
    fn pairing_key(&self) -> String {
        format!("{} {}", self.algorithm, self.kind)
    }
}
