//! Why something is not a recorded request.

use super::sample::Place;

/// Something that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {detail}")]
pub struct ReadError {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub detail: String,
    /// Whether nothing after it can be read.
    pub is_fatal: bool,
}

impl ReadError {
    /// One request cannot be read; those after it can.
    pub(super) fn of_one(place: Place, detail: impl Into<String>) -> Self {
        Self { place, detail: detail.into(), is_fatal: false }
    }

    /// Nothing after it can be read.
    pub(super) fn fatal(place: Place, detail: impl Into<String>) -> Self {
        Self { place, detail: detail.into(), is_fatal: true }
    }
}

/// An error of JSON without the place within its line, and without what the request holds.
pub(super) fn plain(error: &serde_json::Error) -> String {
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
