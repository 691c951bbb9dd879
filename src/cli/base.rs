//! `--base`: the previous version of the spec, from a git revision, a file or a directory.
//!
//! A path is written as one (`./before`, `../before`, `/srv/before`, `before/`); everything else is a revision. What is in a tree is
//! chosen by whoever wrote the tree, so a directory called `main` must never be taken for the revision `main`.

use std::path::{Component, Path, PathBuf, is_separator};

use anyhow::{Context, bail};

use super::args::SpecArgs;
use super::settings::Settings;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources};
use crate::model::Desired;
use crate::plan::BaseSource;
use crate::plan::file::base_digest;
use crate::reconcile::{Base, Goal, Source};
use crate::spec::{self, RevisionError};

/// What `--base` names.
enum Named<'a> {
    /// A file or a directory.
    Path(&'a Path),
    /// A git revision.
    Revision(&'a str),
}

impl<'a> Named<'a> {
    /// By how it is written.
    ///
    /// # Errors
    /// It is empty.
    fn of(text: &'a str) -> anyhow::Result<Self> {
        if text.trim().is_empty() {
            bail!("--base is empty: name a git revision, or a path as ./PATH");
        }
        let path = Path::new(text);
        let is_plain = matches!(path.components().next(), Some(Component::Normal(_)) | None);
        Ok(if !is_plain || text.ends_with(is_separator) { Self::Path(path) } else { Self::Revision(text) })
    }
}

/// Loads the previous version of the spec.
///
/// # Errors
/// It cannot be found or read, has mistakes, or is both a revision and a path.
pub(super) fn load(base: &str, args: &SpecArgs, settings: &Settings<'_>) -> anyhow::Result<Base> {
    let today = settings.today()?;
    let ((desired, notes), source, submodule) = match Named::of(base)? {
        Named::Path(path) => {
            let (read, source) = of_path(path, base, &today, settings)?;
            (read, source, None)
        }
        Named::Revision(name) => {
            if args.spec.iter().any(|path| path.as_os_str() == "-") {
                let what = "is a git revision, which needs a spec in files; standard input has no history";
                bail!("--base {name} {what}. A path is written as ./PATH");
            }
            let directory = tempfile::tempdir().context("failed to make a temporary directory")?;
            let found = spec::at_revision(&args.spec, name, directory.path(), &settings.git_environment());
            let revision = one_meaning(name, found)?;
            let source = BaseSource::Revision { name: name.to_owned(), commit: revision.commit };
            // Where the spec did not exist, nothing was wanted: everything in it is new.
            let read = match revision.inputs.as_slice() {
                [] => (Desired::default(), Diagnostics::default()),
                inputs => read(inputs, &source.to_string(), today, settings)?,
            };
            (read, source, revision.submodule)
        }
    };
    Ok(Base { desired, source, submodule, notes })
}

/// Says how the base of a saved plan differs from the one that `--base` names, if it does.
///
/// # Errors
/// The named one cannot be found or read.
pub(super) fn differs(base: &str, saved: &Goal, settings: &Settings<'_>) -> anyhow::Result<Option<String>> {
    let named = match Named::of(base)? {
        Named::Path(path) => {
            // The day by which the saved plan judges what has expired.
            let day = match &saved.source {
                Source::SavedPlan { reviewed, .. } => reviewed.pointer("/saved/today").and_then(|day| day.as_str()),
                _ => None,
            };
            let today = day.map_or_else(|| settings.today(), |day| Ok(day.to_owned()))?;
            of_path(path, base, &today, settings)?.1
        }
        Named::Revision(name) => {
            let found = spec::resolve_revision(Path::new("."), name, &settings.git_environment());
            BaseSource::Revision { name: name.to_owned(), commit: one_meaning(name, found)? }
        }
    };
    Ok(match saved.base().map(|base| &base.source) {
        Some(source) if source.is_same(&named) => None,
        Some(source) => Some(format!("it was made with the base {source}, and --base names {named}")),
        None => Some(format!("it was made without a base, and --base names {named}")),
    })
}

/// A file or a directory.
fn of_path(path: &Path, name: &str, today: &str, settings: &Settings<'_>) -> anyhow::Result<(Read, BaseSource)> {
    let read = read(&[path.to_owned()], name, today.to_owned(), settings)?;
    let digest = base_digest(&spec::print(&read.0));
    Ok((read, BaseSource::Path { name: name.to_owned(), digest }))
}

/// What was found for a revision, unless a path has the same name: then it is not known what is meant.
fn one_meaning<T>(name: &str, found: Result<T, RevisionError>) -> anyhow::Result<T> {
    let is_path = Path::new(name).symlink_metadata().is_ok();
    match found {
        Ok(_) if is_path => {
            bail!(
                "{name} is both a git revision and a path: write --base {name}^0 for the revision, --base ./{name} for the path"
            )
        }
        Ok(found) => Ok(found),
        Err(error) if is_path => {
            let what = format!("{name} is a path, and --base takes it for a git revision: write --base ./{name}");
            Err(anyhow::Error::new(error).context(what))
        }
        Err(error) => Err(anyhow::Error::new(error).context(format!("failed to read the base {name}"))),
    }
}

/// A previous spec, and the notes about it.
type Read = (Desired, Diagnostics);

/// Reads it; its mistakes end the run, as half of it would be taken for removals.
fn read(inputs: &[PathBuf], name: &str, today: String, settings: &Settings<'_>) -> anyhow::Result<Read> {
    let mut sources = Sources::default();
    // A previous version may not have every variable of this one.
    let variables = settings.flags.variables.clone();
    let options =
        spec::Options { variables, may_leave_variables: true, today: Some(today), ..spec::Options::default() };
    let inputs: Vec<_> = inputs.iter().cloned().map(spec::Input::Path).collect();
    let outcome = spec::load(&inputs, &options, &mut sources);
    if let Some(desired) = outcome.desired {
        return Ok((desired, outcome.diagnostics.into_iter().filter(Diagnostic::is_of_zone).collect()));
    }
    let first = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let what = first.map_or_else(String::new, |d| format!(": {}: {}", d.summary(), d.detail));
    bail!("the previous spec ({name}) has mistakes{what}; plan without --base, or name another revision")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_one() {
        for path in [".", "..", "./main", "../main", "/main", "main/", "./", "zones/eu/", "/"] {
            assert!(matches!(Named::of(path), Ok(Named::Path(_))), "{path}");
        }
        for revision in ["main", "HEAD", "@", "zones/eu", "before.yaml", "HEAD~1", ":/text", "..main", "-x", "main:./x"]
        {
            assert!(matches!(Named::of(revision), Ok(Named::Revision(_))), "{revision}");
        }
        assert!(Named::of("").is_err() && Named::of(" ").is_err());
    }
}
