//! Formats that several record types have in common.
//!
//! A format is written once; the file of each type contains its facts and one line of [`record_of_format!`].

use super::super::facts::TypeFacts;
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::{DataError, FieldReader, Purpose, Root, host};

/// The methods of a format: as for [`RecordData`](super::RecordData), with the facts of the type as an argument.
pub(super) trait Format: Sized {
    /// From named scalars.
    fn from_fields(facts: &'static TypeFacts, fields: &Fields) -> Result<Self, Vec<DataError>>;

    /// From presentation text.
    fn from_text(text: &str) -> Result<Self, DataError>;

    /// As named scalars in the spelling that we send.
    fn fields(&self) -> Fields;

    /// In presentation form.
    fn presentation(&self) -> String;

    /// A key for pairing within a set.
    fn pairing_key(&self) -> String {
        String::new()
    }

    /// See [`Purpose`].
    fn purpose(&self) -> Purpose {
        Purpose::Shared
    }

    /// The host that the value points to, if any.
    fn target(&self) -> Option<&Fqdn> {
        None
    }
}

/// Defines a type by its format: `record_of_format!(Ns(SingleHost), TypeFacts { … });`.
macro_rules! record_of_format {
    ($record:ident($format:ty), $facts:expr) => {
        impl $crate::model::rdata::RecordData for $record {
            const FACTS: $crate::model::facts::TypeFacts = $facts;

            fn from_fields(fields: &$crate::model::Fields) -> Result<Self, Vec<$crate::model::rdata::DataError>> {
                <$format as $crate::model::rdata::shared::Format>::from_fields(&Self::FACTS, fields).map(Self)
            }

            fn from_text(text: &str) -> Result<Self, $crate::model::rdata::DataError> {
                <$format as $crate::model::rdata::shared::Format>::from_text(text).map(Self)
            }

            fn fields(&self) -> $crate::model::Fields {
                $crate::model::rdata::shared::Format::fields(&self.0)
            }

            fn presentation(&self) -> String {
                $crate::model::rdata::shared::Format::presentation(&self.0)
            }

            fn pairing_key(&self) -> String {
                $crate::model::rdata::shared::Format::pairing_key(&self.0)
            }

            fn purpose(&self) -> $crate::model::rdata::Purpose {
                $crate::model::rdata::shared::Format::purpose(&self.0)
            }

            fn target(&self) -> Option<&$crate::model::Fqdn> {
                $crate::model::rdata::shared::Format::target(&self.0)
            }
        }
    };
}
pub(super) use record_of_format;

/// One host name in `content`: CNAME, NS, PTR.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SingleHost(Fqdn);

impl Format for SingleHost {
    fn from_fields(facts: &'static TypeFacts, fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(facts, fields);
        let data = reader.host("content", Root::Refused).map(Self);
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        host("content", text.trim(), Root::Refused).map(Self)
    }

    fn fields(&self) -> Fields {
        Fields::from([("content".to_owned(), Value::from(self.0.as_str()))])
    }

    fn presentation(&self) -> String {
        self.0.to_string()
    }

    fn target(&self) -> Option<&Fqdn> {
        Some(&self.0)
    }
}
