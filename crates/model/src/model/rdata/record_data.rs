//! What the file of a record type provides.

use crate::model::facts::TypeFacts;
use crate::model::fields::Fields;
use crate::model::name::Fqdn;

/// An error in a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DataError {
    /// The field affected, by Cloudflare's name; `None` for the value as a whole.
    pub field: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Byte offset in the parsed text, if known.
    pub offset: Option<usize>,
}

impl DataError {
    /// An error in one field.
    pub(super) fn field(field: &'static str, message: impl Into<String>) -> Self {
        Self { field: Some(field), message: message.into(), help: None, offset: None }
    }

    /// An error in the value as a whole.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into(), help: None, offset: None }
    }

    /// Sets what to write instead.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the offset in the text.
    pub(super) fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }
}

/// The purpose of a value within its set, which decides whether one value may be updated to
/// another.
///
/// Values of one name and type can be unrelated: SPF and a verification token, a CAA `issue` and an
/// `iodef`. Values are paired for an update only within one purpose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// All values of the set are alternatives.
    Shared,
    /// Values with this key replace each other.
    Keyed(String),
    /// The value is its own identity: another value is another record.
    Unique,
}

/// What the file of a record type provides.
pub(super) trait RecordData: Sized {
    /// The facts of the type.
    const FACTS: TypeFacts;

    /// From named scalars, as in `data:` or selected from an answer.
    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>>;

    /// From presentation text (the right-hand side of a zone-file line).
    fn from_text(text: &str) -> Result<Self, DataError>;

    /// As named scalars in the spelling that we send.
    fn fields(&self) -> Fields;

    /// In presentation form, as we print it.
    fn presentation(&self) -> String;

    /// A key for pairing: among values of one purpose, those with equal keys are paired first.
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
