//! The interface of the files for record types.

use crate::facts::TypeFacts;
use crate::fields::Fields;
use crate::name::Fqdn;

/// An error in a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DataError {
    /// The affected field, by Cloudflare's name; `None` for the value as a whole.
    pub field: Option<&'static str>,
    /// Describes the error.
    pub message: String,
    /// The suggested fix.
    pub help: Option<String>,
    /// Byte offset in the parsed text, if known.
    pub offset: Option<usize>,
}

impl DataError {
    pub(super) fn field(field: &'static str, message: impl Into<String>) -> Self {
        Self { field: Some(field), message: message.into(), help: None, offset: None }
    }

    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into(), help: None, offset: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

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
    /// Each value is a record of its own: another value never replaces it.
    Unique,
}

/// The interface of the file of a record type.
pub(super) trait RecordData: Sized {
    /// The facts of the type.
    const FACTS: TypeFacts;

    /// Reads named scalars, from `data:` or from an answer.
    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>>;

    /// Parses presentation text (the right-hand side of a zone-file line).
    fn from_text(text: &str) -> Result<Self, DataError>;

    /// Returns named scalars in the spelling of requests.
    fn fields(&self) -> Fields;

    /// Returns the presentation form.
    fn presentation(&self) -> String;

    /// Returns a key for pairing: among values of one purpose, values with equal keys are paired
    /// first.
    fn pairing_key(&self) -> String {
        String::new()
    }

    /// See [`Purpose`].
    fn purpose(&self) -> Purpose {
        Purpose::Shared
    }

    /// Returns the host that the value points to, if any.
    fn target(&self) -> Option<&Fqdn> {
        None
    }
}
