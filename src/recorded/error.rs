//! Errors in recorded requests.

use super::sample::InputPosition;

/// An input that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {detail}")]
pub struct ReadError {
    /// Position of the input.
    pub place: InputPosition,
    /// Description of the problem.
    pub detail: String,
    /// True if the error ends the file.
    pub is_fatal: bool,
}

impl ReadError {
    /// Returns one request cannot be read; later ones can.
    pub(super) fn of_one(place: InputPosition, detail: impl Into<String>) -> Self {
        Self { place, detail: detail.into(), is_fatal: false }
    }

    /// Returns the rest of the file cannot be read.
    pub(super) fn fatal(place: InputPosition, detail: impl Into<String>) -> Self {
        Self { place, detail: detail.into(), is_fatal: true }
    }
}

/// Describes a JSON error without its position in the line and without content of the request.
pub(super) fn describe_json_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.split(" at line ").next().unwrap_or_default();
    match error.classify() {
        serde_json::error::Category::Io => words.to_owned(),
        serde_json::error::Category::Eof => "it ends too early".to_owned(),
        serde_json::error::Category::Syntax => format!("it is not JSON: {words}"),
        serde_json::error::Category::Data => match words.rsplit_once("expected ") {
            Some((_, expected)) => {
                format!("it is not a request: a value has the wrong type, expected {expected}")
            }
            None => format!("it is not a request: {words}"),
        },
    }
}
