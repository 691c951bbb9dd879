//! Why a journal cannot be used.

use std::io;

use super::writer::Journal;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalReadError {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Io(#[source] io::Error),
    /// The journal is larger than the limit.
    #[error("it has more than {0} {1}")]
    TooLarge(u64, &'static str),
    /// Its first line is truncated.
    #[error("it ends within its first line, so its apply was stopped before it sent anything")]
    Empty,
    /// The file was not begun by an apply.
    #[error("it is not a journal of an apply: its first line does not begin one")]
    Foreign,
    /// A newer version wrote the journal.
    #[error(
        "it has format {found}; this version reads format {known} only, so use the version that \
        wrote it",
        known = Journal::FORMAT
    )]
    Format {
        /// Its format.
        found: u64,
    },
    /// A line before the last one is damaged.
    #[error("line {0} is broken: {1}")]
    Broken(usize, &'static str),
}
