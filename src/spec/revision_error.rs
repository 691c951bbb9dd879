//! Why a spec of a git revision cannot be read.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a spec of a revision cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// git cannot be run.
    #[error("failed to run git; is it installed, and on PATH?")]
    Git(#[source] io::Error),
    /// There is no repository.
    #[error(
        "not a git repository: neither {} nor a directory above it has a `.git` (a bare repository \
        does not count)",
        .0.display()
    )]
    NoRepository(PathBuf),
    /// A `.git` cannot be used.
    #[error("{} cannot be used: {}", .0.display(), .1)]
    Unusable(PathBuf, String),
    /// A `.git` points back into a work tree.
    #[error(
        "{} leads to {}, which is part of a work tree: whoever wrote the tree would decide what \
        git reads",
        .0.display(), .1.display()
    )]
    InTree(PathBuf, PathBuf),
    /// git found another repository.
    #[error("git uses the repository {} and not {}", .0.display(), .1.display())]
    Another(PathBuf, PathBuf),
    /// The repository belongs to another user.
    #[error(
        "git does not trust the repository {}, as it belongs to another user. If you trust it: \
         git config --global --add safe.directory {}",
        .0.display(), .0.display()
    )]
    Untrusted(PathBuf),
    /// The inputs are in several repositories.
    #[error(
        "the spec is in two git repositories, {} and {}, so one revision cannot mean both. Plan \
        them one by one",
        .0.display(), .1.display()
    )]
    Several(PathBuf, PathBuf),
    /// The name cannot be a revision.
    #[error("{0:?} is not a revision: write a commit, a branch or a tag")]
    NotOne(String),
    /// There is no such revision here.
    #[error("there is no revision {0:?} in this repository{1}")]
    Unknown(String, &'static str),
    /// The name is ambiguous.
    #[error(
        "{0:?} names more than one thing in this repository, such as a tag and a branch. Write it \
        in full \
         (refs/heads/NAME, refs/remotes/origin/NAME, refs/tags/NAME), or write the commit's id"
    )]
    Ambiguous(String),
    /// Objects are missing.
    #[error(
        "objects of the revision are missing from {}, a partial clone, and are not fetched while \
        planning. Fetch them first \
         (git fetch --refetch --no-filter origin), or clone without --filter",
        .0.display()
    )]
    Missing(PathBuf),
    /// A file of the revision is missing, and the repository does not say why.
    #[error(
        "the content of {} is missing from this repository. If it is a partial clone, fetch it \
        first \
         (git fetch --refetch --no-filter origin); otherwise check it with git fsck",
        .0.display()
    )]
    Lost(PathBuf),
    /// The spec is a link that cannot be followed there.
    #[error("{} is a symbolic link at that revision, to something that is not below its directory. \
        Name its target as the spec", .0.display())]
    Link(PathBuf),
    /// It is too large.
    #[error(
        "the revision has too much below the spec's directory: {0}. Name a directory with nothing \
        else in it"
    )]
    TooMuch(String),
    /// git takes too long.
    #[error("git did not answer within {} seconds", .0.as_secs_f64())]
    Late(Duration),
    /// git refuses.
    #[error("git says: {0}")]
    Refused(String),
    /// git's output cannot be understood.
    #[error("git's answer to {0} cannot be understood")]
    Answer(&'static str),
    /// A copy of a file cannot be written.
    #[error("failed to write a copy of {}", .0.display())]
    Copy(PathBuf, #[source] io::Error),
}
