//! The previous version of a spec: from a git revision, a file or a directory.
//!
//! A path is written as one (`./before`, `../before`, `/srv/before`, `before/`). Everything else is
//! a revision. The author of a tree chooses the names in it, so a directory called `main` must
//! never be taken for the revision `main`.

use std::io;
use std::path::{Component, Path, PathBuf, is_separator};

use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources, findings};
use crate::model::Desired;
use crate::plan::BaseSource;
use crate::spec::{self, GitEnvironment, Revision, RevisionError};

/// The previous spec: the third side of the comparison.
#[derive(Debug, Clone)]
pub struct Base {
    /// Its desired state.
    pub desired: Desired,
    /// Its source.
    pub source: BaseSource,
    /// The top of the submodule's work tree, if it is a revision of a submodule.
    pub submodule: Option<PathBuf>,
    /// Findings about it.
    pub notes: Diagnostics,
}

/// Options for reading previous versions.
#[derive(Debug, Clone)]
pub struct BaseOptions {
    /// Values of variables. A previous version may not have every variable of this one.
    pub variables: Vec<(String, String)>,
    /// The day on which expiry is decided, `YYYY-MM-DD`.
    pub today: String,
    /// The environment of git.
    pub git: GitEnvironment,
}

/// The reason why there is no previous version.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// The name is empty.
    #[error("--base is empty: name a git revision, or a path as ./PATH")]
    Empty,
    /// The spec comes from standard input.
    #[error(
        "--base {name} is a git revision, which needs a spec in files; standard input has no \
        history. A path is written as ./PATH"
    )]
    NoHistory {
        /// The name as given.
        name: String,
    },
    /// There is no directory to write the revision to.
    #[error("failed to make a temporary directory")]
    Directory(#[source] io::Error),
    /// The name is ambiguous.
    #[error(
        "{name} is both a git revision and a path: write --base {name}^0 for the revision, --base \
        ./{name} for the path"
    )]
    Ambiguous {
        /// The name as given.
        name: String,
    },
    /// A path that is not written as one, or an unknown revision.
    #[error("{name} is a path, and --base takes it for a git revision: write --base ./{name}")]
    NotARevision {
        /// The name as given.
        name: String,
        /// The reason why it is not a revision.
        #[source]
        source: RevisionError,
    },
    /// The revision cannot be read.
    #[error("failed to read the base {name}")]
    Revision {
        /// The name as given.
        name: String,
        /// The reason.
        #[source]
        source: RevisionError,
    },
    /// The previous spec has mistakes.
    #[error(
        "the previous spec ({name}) has mistakes{first}; plan without --base, or name another \
        revision"
    )]
    Mistakes {
        /// The name as given.
        name: String,
        /// The first mistake, in words that continue a noun.
        first: String,
    },
}

/// Minimum number of digits of a commit id that git prints.
const LEAST_OF_COMMIT_ID: usize = 7;

/// The kind of name.
enum Named<'a> {
    /// A file or a directory.
    Path(&'a Path),
    /// A git revision.
    Revision(&'a str),
}

impl<'a> Named<'a> {
    /// Decides by the spelling.
    fn of(text: &'a str) -> Result<Self, BaseError> {
        if text.trim().is_empty() {
            return Err(BaseError::Empty);
        }
        let path = Path::new(text);
        let is_plain = matches!(path.components().next(), Some(Component::Normal(_)) | None);
        Ok(if !is_plain || text.ends_with(is_separator) {
            Self::Path(path)
        } else {
            Self::Revision(text)
        })
    }
}

impl Base {
    /// Loads the previous version of the spec in these files and directories; `-` is standard
    /// input.
    ///
    /// # Errors
    /// Fails if it cannot be found or read, has mistakes, or is both a revision and a path.
    pub fn load(name: &str, spec: &[PathBuf], options: &BaseOptions) -> Result<Self, BaseError> {
        Self::load_into(name, spec, options, &mut Sources::default())
    }

    /// Loads as [`Self::load`], and adds the texts to `sources`.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_into(
        name: &str,
        spec: &[PathBuf],
        options: &BaseOptions,
        sources: &mut Sources,
    ) -> Result<Self, BaseError> {
        let name = match Named::of(name)? {
            Named::Path(path) => {
                let ((desired, notes), source) = of_path(path, name, options, sources)?;
                return Ok(Self { desired, source, submodule: None, notes });
            }
            Named::Revision(name) => name.to_owned(),
        };
        if spec.iter().any(|path| path.as_os_str() == "-") {
            return Err(BaseError::NoHistory { name });
        }
        let copies = tempfile::tempdir().map_err(BaseError::Directory)?;
        let matches = spec::at_revision(spec, &name, copies.path(), &options.git);
        let revision = one_meaning(&name, matches, |revision| &revision.commit)?;
        Self::of_copies(name, revision, spec, copies.path(), options, sources)
    }

    /// Reads the copies of a revision, and gives their texts the names of the files at the
    /// revision.
    pub(super) fn of_copies(
        name: String,
        revision: Revision,
        spec: &[PathBuf],
        copies: &Path,
        options: &BaseOptions,
        sources: &mut Sources,
    ) -> Result<Self, BaseError> {
        let source = BaseSource::Revision { name: name.clone(), commit: revision.commit };
        let first_id = sources.iter().count();
        // At a revision without the spec, nothing was wanted, so everything in it is new.
        let (desired, notes) = match revision.inputs.as_slice() {
            [] => (Desired::default(), Diagnostics::default()),
            inputs => read(inputs, &source.to_string(), options, sources)?,
        };
        let copied: Vec<_> = sources.iter().skip(first_id).map(|(id, _)| id).collect();
        for id in copied {
            if let Some(file) = file_of_copy(Path::new(sources.name(id)), spec, copies) {
                sources.rename(id, format!("{name}:{}", file.display()));
            }
        }
        Ok(Self { desired, source, submodule: revision.submodule, notes })
    }

    /// Warns of a base whose name is a branch or tag of the submodule itself. Anyone who can turn a
    /// directory into a submodule chooses its branches and tags, whereas the id of a commit means
    /// the same everywhere.
    pub(super) fn warning_of_submodule(&self) -> Option<Diagnostic> {
        let (Some(top), BaseSource::Revision { name, commit }) = (&self.submodule, &self.source)
        else {
            return None;
        };
        if spec::is_object_id(name) {
            return None;
        }
        let detail = format!(
            "the spec is in the submodule {}, so {name} is the submodule's revision of that name, \
            and not one of the repository \
             around it",
            top.display()
        );
        let help = format!("if that is meant, name it by its id: --base {commit}");
        Some(findings::OF_SUBMODULE.nowhere(detail).help(help))
    }

    /// Describes how the base of a saved plan differs from the named one, if it does. Expiry is
    /// decided on the day of the plan.
    ///
    /// # Errors
    /// Fails if the named one cannot be found or read.
    pub fn differs(
        name: &str,
        saved: Option<&Self>,
        day: Option<&str>,
        options: &BaseOptions,
    ) -> Result<Option<String>, BaseError> {
        let named_source = match Named::of(name)? {
            Named::Path(path) => {
                let mut options = options.clone();
                if let Some(day) = day {
                    day.clone_into(&mut options.today);
                }
                of_path(path, name, &options, &mut Sources::default())?.1
            }
            Named::Revision(name) => {
                let matches = spec::resolve_revision(Path::new("."), name, &options.git);
                BaseSource::Revision {
                    name: name.to_owned(),
                    commit: one_meaning(name, matches, |commit| commit)?,
                }
            }
        };
        Ok(match saved.map(|base| &base.source) {
            Some(source) if source.is_same(&named_source) => None,
            Some(source) => {
                Some(format!("it was made with the base {source}, and --base names {named_source}"))
            }
            None => Some(format!("it was made without a base, and --base names {named_source}")),
        })
    }
}

/// Returns the file of the spec that a copy in a numbered directory is of.
pub(super) fn file_of_copy(copy: &Path, spec: &[PathBuf], copies: &Path) -> Option<PathBuf> {
    let copy = copy.strip_prefix(copies).ok()?;
    let number = copy.components().next()?;
    let input = spec.get(number.as_os_str().to_str()?.parse::<usize>().ok()?)?;
    let directory = if input.is_dir() { input.as_path() } else { input.parent()? };
    Some(directory.join(copy.strip_prefix(number).ok()?))
}

/// Reads a file or a directory.
fn of_path(
    path: &Path,
    name: &str,
    options: &BaseOptions,
    sources: &mut Sources,
) -> Result<(Read, BaseSource), BaseError> {
    let read = read(&[path.to_owned()], name, options, sources)?;
    let source = BaseSource::of_path(name, &spec::print(&read.0));
    Ok((read, source))
}

/// Resolves a revision. Fails if a path has the same name, unless the name is the id of the commit.
/// The author of a tree can name a directory like a branch or a tag.
fn one_meaning<T>(
    name: &str,
    found: Result<T, RevisionError>,
    commit_of: impl FnOnce(&T) -> &String,
) -> Result<T, BaseError> {
    let is_path = Path::new(name).symlink_metadata().is_ok();
    let is_id = |found: &T| {
        let is_long = name.len() >= LEAST_OF_COMMIT_ID;
        is_long
            && commit_of(found)
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let name = name.to_owned();
    match found {
        Ok(found) if is_path && is_id(&found) => Ok(found),
        Ok(_) if is_path => Err(BaseError::Ambiguous { name }),
        Ok(found) => Ok(found),
        Err(source) if is_path => Err(BaseError::NotARevision { name, source }),
        Err(source) => Err(BaseError::Revision { name, source }),
    }
}

/// A previous spec, and findings about it.
type Read = (Desired, Diagnostics);

/// Reads the spec. Mistakes in it are an error, because its missing parts would be taken for
/// removals.
fn read(
    inputs: &[PathBuf],
    name: &str,
    options: &BaseOptions,
    sources: &mut Sources,
) -> Result<Read, BaseError> {
    let BaseOptions { variables, today, git: _ } = options;
    let options = spec::Options {
        variables: variables.clone(),
        may_leave_variables: true,
        today: Some(today.clone()),
        ..spec::Options::default()
    };
    let inputs: Vec<_> = inputs.iter().cloned().map(spec::Input::Path).collect();
    let outcome = spec::load(&inputs, &options, sources);
    if let Some(desired) = outcome.desired {
        return Ok((
            desired,
            outcome.diagnostics.into_iter().filter(Diagnostic::is_of_zone).collect(),
        ));
    }
    let first = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let first = first.map_or_else(String::new, |d| format!(": {}: {}", d.summary(), d.detail));
    Err(BaseError::Mistakes { name: name.to_owned(), first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_one() {
        for path in [".", "..", "./main", "../main", "/main", "main/", "./", "zones/eu/", "/"] {
            assert!(matches!(Named::of(path), Ok(Named::Path(_))), "{path}");
        }
        for revision in [
            "main",
            "HEAD",
            "@",
            "zones/eu",
            "before.yaml",
            "HEAD~1",
            ":/text",
            "..main",
            "-x",
            "main:./x",
        ] {
            assert!(matches!(Named::of(revision), Ok(Named::Revision(_))), "{revision}");
        }
        assert!(Named::of("").is_err() && Named::of(" ").is_err());
    }
}
