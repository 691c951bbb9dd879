//! Finding the git repository that a spec belongs to.
//!
//! git also accepts a directory that only looks like a repository (a *bare* repository), and such a
//! directory can be committed to a tree. A `.git` cannot: git never checks one out. So only a
//! `.git` marks a repository here, and one that leads back into a work tree is refused.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::revision_error::RevisionError;

/// Name that marks a repository: a directory or, in worktrees and submodules, a file that contains
/// the path to it.
const MARK: &str = ".git";

/// Largest `.git` file, in bytes; it holds one path.
const LARGEST: u64 = 8 * 1024;

/// A repository, found by searching upwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The top of its work tree, where the `.git` is. Absolute, without symbolic links.
    pub(super) top: PathBuf,
    /// The git directory. Absolute, without symbolic links.
    pub(super) git_directory: PathBuf,
}

impl Repository {
    /// Finds the repository of a directory, in it or above it.
    ///
    /// # Errors
    /// Fails if there is none, or its `.git` cannot be used. The search does not continue above an
    /// unusable one.
    pub(super) fn find(directory: &Path) -> Result<Self, RevisionError> {
        let broken = |path: &Path, error: io::Error| {
            RevisionError::Unusable(path.to_owned(), error.to_string())
        };
        let start = directory.canonicalize().map_err(|error| broken(directory, error))?;
        for top in start.ancestors() {
            let mark = top.join(MARK);
            match fs::symlink_metadata(&mark) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(broken(&mark, error)),
                Ok(_) => {
                    let git_directory = leads_to(top).map_err(|error| broken(&mark, error))?;
                    if is_work_tree_content(&git_directory, top) {
                        return Err(RevisionError::InTree(mark, git_directory));
                    }
                    return Ok(Self { top: top.to_owned(), git_directory });
                }
            }
        }
        Err(RevisionError::NoRepository(start))
    }

    /// Returns true if it is a submodule: its git directory is inside that of the enclosing
    /// repository.
    pub(super) fn is_submodule(&self) -> bool {
        let names: Vec<_> = self.git_directory.iter().collect();
        names.windows(2).any(|pair| pair == [OsStr::new(MARK), OsStr::new("modules")])
    }
}

/// Returns the git directory that the `.git` of a directory is or points to.
fn leads_to(top: &Path) -> io::Result<PathBuf> {
    let mark = top.join(MARK);
    let metadata = fs::metadata(&mark)?;
    let directory = if metadata.is_dir() {
        mark
    } else if metadata.is_file() {
        let mut bytes = Vec::new();
        File::open(&mark)?.take(LARGEST).read_to_end(&mut bytes)?;
        let path =
            bytes.strip_prefix(b"gitdir:").map(<[u8]>::trim_ascii).filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| {
            io::Error::other("it is a file that does not begin with `gitdir: PATH`")
        })?;
        top.join(path_of(path)?)
    } else {
        return Err(io::Error::other("it is neither a directory nor a file"));
    };
    let directory = directory.canonicalize()?;
    // git requires this file. Without it, git would search further up.
    if directory.join("HEAD").symlink_metadata().is_err() {
        return Err(io::Error::other(format!(
            "{} is not a Git directory: it has no HEAD",
            directory.display()
        )));
    }
    Ok(directory)
}

/// Returns true if a git directory consists of files that someone could have committed to a work
/// tree.
fn is_work_tree_content(git_directory: &Path, top: &Path) -> bool {
    git_directory.ancestors().skip(1).filter(|tree| tree.join(MARK).symlink_metadata().is_ok()).any(
        |tree| {
            let is_marked = git_directory
                .strip_prefix(tree)
                .is_ok_and(|below| below.iter().any(|name| name == MARK));
            // A layout with adjacent worktrees keeps the git directory under another name, and a
            // `.git` points to it.
            let is_own =
                || tree != top && leads_to(tree).is_ok_and(|own| git_directory.starts_with(own));
            !is_marked && !is_own()
        },
    )
}

/// Returns a path as git writes it.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> io::Result<OsString> {
    let path: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    Ok(path.to_owned())
}

/// Returns a path as git writes it.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> io::Result<OsString> {
    std::str::from_utf8(bytes).map(OsString::from).map_err(io::Error::other)
}
