//! How the files of a spec differ from their copies of a revision.

use std::fs;
use std::path::{Path, PathBuf};

use super::directory_search::{self, Budget, Found};
use super::load::is_yaml;
use super::repository::Repository;
use crate::diagnostic::Sources;

/// Differences between the files of a spec and their copies of a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uncommitted {
    /// True if a file of the spec has another text at the revision.
    pub is_changed: bool,
    /// Copies of files that do not exist any more. If the spec is named by file, they need not
    /// have belonged to it.
    pub removed: Vec<PathBuf>,
    /// The first file of the spec that the revision does not have.
    pub new_file: Option<String>,
}

/// Compares the files of a spec with the copies that [`at_revision`](super::at_revision) made of
/// its inputs. Line breaks do not count, because Git can convert them.
#[must_use]
pub fn uncommitted(inputs: &[PathBuf], sources: &Sources, copies: &Path) -> Uncommitted {
    let mut differences = Uncommitted::default();
    let directories: Vec<(PathBuf, PathBuf)> = inputs
        .iter()
        .enumerate()
        .filter_map(|(number, input)| {
            let parent = input.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory =
                if input.is_dir() { input.as_path() } else { parent.unwrap_or(Path::new(".")) };
            Some((directory.canonicalize().ok()?, copies.join(number.to_string())))
        })
        .collect();
    for (_, source) in sources.iter() {
        let Ok(file) = Path::new(source.name()).canonicalize() else { continue };
        let mut copies = directories.iter().filter_map(|(directory, copies)| {
            Some(copies.join(file.strip_prefix(directory).ok()?)).filter(|copy| copy.exists())
        });
        match copies.next() {
            Some(copy) => differences.is_changed |= !is_same_text(&file, &copy),
            None => {
                differences.new_file.get_or_insert_with(|| source.name().to_owned());
            }
        }
    }
    for (directory, copies) in &directories {
        for found in directory_search::below(copies, copies, &mut Budget::default()) {
            if let Found::File(copy) = found
                && is_yaml(&copy)
                && let Ok(name) = copy.strip_prefix(copies)
                && directory.join(name).symlink_metadata().is_err()
            {
                differences.removed.push(copy);
            }
        }
    }
    differences
}

/// Returns true if a directory is in a Git work tree.
#[must_use]
pub fn is_in_work_tree(directory: &Path) -> bool {
    Repository::find(directory).is_ok()
}

/// Returns true if two files have the same text, whatever their line breaks are.
fn is_same_text(file: &Path, other: &Path) -> bool {
    let lines = |path: &Path| {
        let mut bytes = fs::read(path).ok()?;
        if bytes.contains(&b'\r') {
            bytes = String::from_utf8(bytes).ok()?.replace("\r\n", "\n").into_bytes();
        }
        Some(bytes)
    };
    lines(file).is_some_and(|text| Some(text) == lines(other))
}
