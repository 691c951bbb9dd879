//! Errors of the functions that start, seed and dump a sandbox.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::envelope;

/// An error of a function that starts, seeds or dumps a sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The store's file is a symbolic link, which could lead anywhere.
    #[error("use {}: it is a symbolic link; remove it or name another directory", .0.display())]
    Link(PathBuf),
    /// The store's file cannot be made private.
    #[error("make {} readable for its owner only", .0.display())]
    Private(PathBuf, #[source] std::io::Error),
    /// The store cannot be used.
    #[error("use the sandbox's store")]
    Store(#[source] rusqlite::Error),
    /// The folder of the store cannot be created.
    #[error("create the folder {}", .0.display())]
    Folder(PathBuf, #[source] std::io::Error),
    /// The sandbox cannot listen on the address.
    #[error("listen on {0}")]
    Listen(SocketAddr, #[source] std::io::Error),
    /// The profile names a plan that does not exist.
    #[error("use the plan `{0}`: it must be free, pro, business or enterprise")]
    Plan(String),
    /// A seed document is invalid.
    #[error("load {place}: {problem}")]
    Document {
        /// The place in the document.
        place: String,
        /// Describes the problem.
        problem: String,
    },
}

impl SandboxError {
    /// Returns a mistake in a seed document.
    pub(super) fn document(place: &str, problem: impl Into<String>) -> Self {
        Self::Document { place: place.to_owned(), problem: problem.into() }
    }

    /// Returns a record that the sandbox refuses.
    pub(super) fn refused(place: &str, refusal: &envelope::Refusal) -> Self {
        let problems: Vec<_> = refusal.problems.iter().map(envelope::Problem::in_words).collect();
        Self::document(place, problems.join("; "))
    }
}

impl From<rusqlite::Error> for SandboxError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error)
    }
}
