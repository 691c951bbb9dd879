//! Finds journals in a directory. Their names begin with the times at which they were begun.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::apply::{Bytes, JournalSummary, JournalText};
use crate::model::sort_by;

/// Maximum size of a journal other than the one that a command is about, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

/// Finds at most `most` journals that were written to at a time that counts, newest first.
pub(super) fn newest(
    directory: &Path,
    counts: impl Fn(SystemTime) -> bool,
    most: usize,
) -> Vec<PathBuf> {
    find(directory, most, |path| modified(path).is_some_and(&counts))
}

/// Finds the journals that were begun at this time or later, newest first. The time is one that a
/// journal has in it.
pub(super) fn begun_since(directory: &Path, time: &str) -> Vec<PathBuf> {
    let first = time.replace(':', "-");
    let is_since =
        |path: &Path| path.file_name().is_some_and(|name| *name.to_string_lossy() >= *first);
    find(directory, usize::MAX, |path| is_since(path) && modified(path).is_some())
}

/// An apply of the past.
#[derive(Debug, Clone)]
pub(crate) struct PastApply {
    /// Its journal.
    pub path: PathBuf,
    /// What it did.
    pub summary: JournalSummary,
    /// When the apply began that this one undid, if it is an undo.
    pub undoes: Option<String>,
    /// When the latest undo of it began, if there is one.
    pub undone_at: Option<String>,
}

/// The applies whose journals are in a directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct PastApplies {
    /// Those that changed something, newest first.
    pub applies: Vec<PastApply>,
    /// Journals that cannot be read, newest first.
    pub unreadable: Vec<PathBuf>,
    /// True if the directory has older journals, which were not read.
    pub has_older: bool,
}

impl PastApplies {
    /// Reads the newest journals of a directory, at most `most`.
    #[must_use]
    pub(crate) fn in_directory(directory: &Path, most: usize) -> Self {
        let mut past = Self::default();
        let mut paths = newest(directory, |_| true, most + 1);
        past.has_older = paths.len() > most;
        paths.truncate(most);
        for path in paths {
            match open(&path).map(JournalSummary::read) {
                Some(Ok(summary)) if summary.has_changes() => {
                    past.applies.push(PastApply { path, summary, undoes: None, undone_at: None });
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => past.unreadable.push(path),
            }
        }
        past.match_undos();
        past
    }

    /// Matches each undo with the apply that it undid.
    fn match_undos(&mut self) {
        let applies = &mut self.applies;
        for undo in 0..applies.len() {
            let JournalSummary { source_digest, began_at, .. } = applies[undo].summary.clone();
            let undone = applies.iter().position(|apply| apply.summary.digest == source_digest);
            if let Some(undone) = undone {
                applies[undo].undoes = Some(applies[undone].summary.began_at.clone());
                // The newest comes first.
                applies[undone].undone_at.get_or_insert(began_at);
            }
        }
    }

    /// Returns the last apply that is no undo. A journal that cannot be read could be a later one.
    ///
    /// # Errors
    /// Fails with the newest journal that is in the way because it cannot be read.
    pub(crate) fn last(self) -> Result<Option<PastApply>, PathBuf> {
        let last = self.applies.into_iter().find(|apply| apply.undoes.is_none());
        let newest = self.unreadable.into_iter().next();
        match newest.filter(|path| last.as_ref().is_none_or(|last| *path > last.path)) {
            Some(path) => Err(path),
            None => Ok(last),
        }
    }
}

/// Opens a journal; `None` if it is too large or not a journal.
pub(super) fn open(path: &Path) -> Option<JournalText<Box<dyn Bytes>>> {
    let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST);
    if is_small { JournalText::open(path).ok() } else { None }
}

/// Returns the time of the last write to a file. Links and special files are left out, because a
/// journal is a regular file.
fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)
        .and_then(|metadata| metadata.modified().ok())
}

/// Finds at most `most` journals that satisfy a condition, newest first.
fn find(directory: &Path, most: usize, is_wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_journal =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "jsonl") && is_wanted(path);
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_journal).collect();
    sort_by(&mut paths, |a, b| b.cmp(a));
    paths.truncate(most);
    paths
}
