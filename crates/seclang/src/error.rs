//! The error for an invalid rule set.

/// An invalid file of a rule set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
}

impl Error {
    pub(super) fn new(file: &str, line: usize, message: &str) -> Self {
        let message =
            if line == 0 { message.to_owned() } else { format!("{file}:{line}: {message}") };
        Self { message }
    }
}
