//! OPENPGPKEY: the OpenPGP key of a mail user.

use super::super::facts::{FieldFacts, FieldKind, Slot, TypeFacts};
use super::super::fields::{Fields, Value};
use super::digits::{Digits, base64};
use super::{DataError, FieldReader, RecordData, presentation};

/// The OpenPGP key of a mail user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Openpgpkey(Vec<u8>);

impl RecordData for Openpgpkey {
    const FACTS: TypeFacts = TypeFacts {
        name: "OPENPGPKEY",
        number: 61,
        about: "the OpenPGP key of a mail user",
        fields: &[FieldFacts {
            name: "content",
            slot: Slot::Content,
            kind: FieldKind::Base64,
            about: "the transferable public key in base64, without armour",
        }],
        composed: &[],
        proxiable: false,
        repeats_priority: false,
        source: "RFC 7929 section 2",
        examples: &["bWFkZS11cC1rZXk=", "mQENBF8A"],
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let text = reader.text("content");
        let data = text.and_then(|text| reader.keep(Self::from_text(&text)));
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        if let Some(at) = text.find("-----") {
            return Err(DataError::field("content", "the key is in its armoured form")
                .help("write the base64 text of `gpg --export KEY | base64`, without header and checksum")
                .at(at));
        }
        Digits::of_tokens(&presentation::tokens(text)?).base64("content").map(Self)
    }

    fn fields(&self) -> Fields {
        Fields::from([("content".to_owned(), Value::from(self.presentation()))])
    }

    fn presentation(&self) -> String {
        base64(&self.0)
    }
}
