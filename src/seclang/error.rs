//! What is wrong with a rule set.

/// A file of a rule set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    file: String,
    line: usize,
    message: String,
}

impl Error {
    pub(super) fn new(file: &str, line: usize, message: &str) -> Self {
        Self { file: file.to_owned(), line, message: message.to_owned() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for Error {}
