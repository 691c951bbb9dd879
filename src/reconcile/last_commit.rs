//! The base of a run that names none: the last commit, if files of the spec differ from it.

use std::path::{Path, PathBuf};

use super::base::{Base, BaseError, BaseOptions, file_of_copy};
use crate::diagnostic::Sources;
use crate::spec::{self, RevisionError, Uncommitted};

/// The revision of the last commit.
const LAST_COMMIT: &str = "HEAD";

/// The base of a run that names none.
#[derive(Debug)]
pub(crate) enum DefaultBase {
    /// The last commit, because files of the spec differ from it.
    LastCommit(Box<Base>),
    /// No base, because no file differs from the last commit, or because the spec is not in files
    /// of a Git work tree.
    Unneeded,
    /// No base, for this reason.
    Unusable(String),
}

impl DefaultBase {
    /// Compares the files of a spec with the last commit. `sources` has the texts of the spec.
    #[must_use]
    pub(crate) fn find(spec: &[PathBuf], sources: &Sources, options: &BaseOptions) -> Self {
        match last_commit(spec, sources, options) {
            Ok(Some(base)) => Self::LastCommit(Box::new(base)),
            Ok(None) => Self::Unneeded,
            Err(reason) => Self::Unusable(reason),
        }
    }
}

/// Returns the last commit as the base, if it is one.
///
/// # Errors
/// Why the last commit cannot be the base although it may be meant.
fn last_commit(
    spec: &[PathBuf],
    sources: &Sources,
    options: &BaseOptions,
) -> Result<Option<Base>, String> {
    if spec.iter().any(|path| path.as_os_str() == "-") {
        return Ok(None);
    }
    let copies = tempfile::tempdir()
        .map_err(|error| format!("failed to make a temporary directory: {error}"))?;
    let revision = match spec::at_revision(spec, LAST_COMMIT, copies.path(), &options.git) {
        Ok(revision) => revision,
        Err(RevisionError::NoRepository(_)) if !spec::is_in_work_tree(Path::new(".")) => {
            return Ok(None);
        }
        Err(RevisionError::NoRepository(directory)) => {
            return Err(format!("{} is in no Git work tree", directory.display()));
        }
        Err(RevisionError::Unknown(..)) => {
            return Err("the repository of the spec has no commit yet".to_owned());
        }
        Err(error) => return Err(in_words(error)),
    };
    let Uncommitted { is_changed, removed, new_file } =
        spec::uncommitted(spec, sources, copies.path());
    if revision.inputs.is_empty() || (!is_changed && removed.is_empty()) {
        return match new_file {
            Some(file) => Err(format!("{file} is not in the last commit")),
            None => Ok(None),
        };
    }
    let mut previous = Sources::default();
    let base = Base::of_copies(
        LAST_COMMIT.to_owned(),
        revision,
        spec,
        copies.path(),
        options,
        &mut previous,
    )
    .map_err(|error| match error {
        BaseError::Mistakes { name, first } => format!("the spec of {name} has mistakes{first}"),
        error => in_words(error),
    })?;
    // A removed file beside a spec that is one file need not have belonged to it.
    let was_read = |copy: &PathBuf| {
        let file = file_of_copy(copy, spec, copies.path());
        let name = file.map(|file| format!("{LAST_COMMIT}:{}", file.display()));
        previous.iter().any(|(_, source)| Some(source.name()) == name.as_deref())
    };
    Ok((is_changed || removed.iter().any(was_read)).then_some(base))
}

/// Returns an error with its causes on one line.
fn in_words(error: impl std::error::Error + Send + Sync + 'static) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}
