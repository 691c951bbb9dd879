//! Why a journal cannot be used.

use std::io;

use super::writer::Journal;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalReadError {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Io(#[source] io::Error),
    /// More than these.
    #[error("it has more than {0} {1}")]
    TooLarge(u64, &'static str),
    /// Its first line is cut.
    #[error("it ends within its first line, so its apply was stopped before it sent anything")]
    Empty,
    /// Not begun by an apply.
    #[error("it is not a journal of an apply: its first line does not begin one")]
    Foreign,
    /// Written by a newer version.
    #[error(
        "it has format {found}; this version reads format {known} only, so use the version that wrote it",
        known = Journal::FORMAT
    )]
    Format {
        /// The format that it has.
        found: u64,
    },
    /// A line within it is broken.
    #[error("line {0} is broken: {1}")]
    Broken(usize, &'static str),
}
