//! DS: the digest of a delegated zone's key.

use super::super::facts::{Composed, FieldFacts, FieldKind, LetterCase, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::digits::{check_length, upper_hex};
use super::{DataError, FieldReader, RecordData, mnemonics, presentation};

/// The digest of a delegated zone's key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ds {
    key_tag: u16,
    algorithm: u8,
    digest_type: u8,
    digest: Vec<u8>,
}

/// Lengths of the digests in bytes: SHA-1, SHA-256, GOST R 34.11-94, SHA-384 (RFC 3658, 4509, 5933, 6605).
const LENGTHS: &[(u8, usize)] = &[(1, 20), (2, 32), (3, 32), (4, 48)];

/// A number of the data object.
const fn number(name: &'static str, max: u32, about: &'static str) -> FieldFacts {
    FieldFacts { name, slot: Slot::Data, kind: FieldKind::Integer { max }, about }
}

impl Ds {
    /// The value, after a check of its length.
    fn new(key_tag: u16, algorithm: u8, digest_type: u8, digest: Vec<u8>) -> Result<Self, DataError> {
        check_length("digest", &digest, "digest_type", digest_type, LENGTHS)?;
        Ok(Self { key_tag, algorithm, digest_type, digest })
    }
}

impl RecordData for Ds {
    const FACTS: TypeFacts = TypeFacts {
        name: "DS",
        number: 43,
        about: "the digest of a delegated zone's key",
        fields: &[
            number("key_tag", 65_535, "0 to 65535; the tag of the key"),
            number("algorithm", 255, "0 to 255; the algorithm of the key, such as 13"),
            number("digest_type", 255, "1 for SHA-1, 2 for SHA-256, 4 for SHA-384"),
            FieldFacts {
                name: "digest",
                slot: Slot::Data,
                kind: FieldKind::Hex { answered: LetterCase::AsSent },
                about: "the digest in hexadecimal digits",
            },
        ],
        composed: &[
            Composed::Plain("key_tag"),
            Composed::Plain("algorithm"),
            Composed::Plain("digest_type"),
            Composed::Plain("digest"),
        ],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 4034 section 5",
        examples: &[
            "2371 13 2 B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2",
            "60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118",
        ],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let numbers = (reader.u16("key_tag"), reader.u8("algorithm"), reader.u8("digest_type"));
        let digest = reader.hex("digest");
        let data = match (numbers, digest) {
            ((Some(key_tag), Some(algorithm), Some(digest_type)), Some(digest)) => {
                reader.keep(Self::new(key_tag, algorithm, digest_type, digest))
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let ([key_tag, algorithm, digest_type], digits) =
            presentation::then_digits(text, ["KEY-TAG", "ALGORITHM", "DIGEST-TYPE"], "DIGEST")?;
        let numbers = (key_tag.u16("key_tag")?, mnemonics::algorithm(&algorithm)?, digest_type.u8("digest_type")?);
        Self::new(numbers.0, numbers.1, numbers.2, digits.hex("digest")?).map_err(|e| e.at(digits.offset()))
    }

    fn fields(&self) -> Fields {
        Fields::from([
            ("key_tag".to_owned(), Value::from(u32::from(self.key_tag))),
            ("algorithm".to_owned(), Value::from(u32::from(self.algorithm))),
            ("digest_type".to_owned(), Value::from(u32::from(self.digest_type))),
            ("digest".to_owned(), Value::from(upper_hex(&self.digest))),
        ])
    }

    fn presentation(&self) -> String {
        format!("{} {} {} {}", self.key_tag, self.algorithm, self.digest_type, upper_hex(&self.digest))
    }

    /// The nearest value is another digest of the same key.
    fn pairing_key(&self) -> String {
        format!("{} {}", self.key_tag, self.algorithm)
    }
}
