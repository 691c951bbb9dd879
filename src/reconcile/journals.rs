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
pub struct PastApply {
    /// Its journal.
    pub path: PathBuf,
    /// What it did.
    pub summary: JournalSummary,
    /// When the apply began that this one undid, if it is an undo.
    pub undoes: Option<String>,
    /// When the latest undo of it began, if there is one.
    pub undone_at: Option<String>,
}

/// Returns the applies whose journals are in a directory and that changed something, newest first;
/// at most `most` journals are read. Journals that cannot be read are left out.
#[must_use]
pub fn past_applies(directory: &Path, most: usize) -> Vec<PastApply> {
    let summary = |path: PathBuf| {
        let summary = JournalSummary::read(open(&path)?).ok()?;
        summary.has_changes().then_some(PastApply { path, summary, undoes: None, undone_at: None })
    };
    let paths = newest(directory, |_| true, most);
    let mut applies: Vec<PastApply> = paths.into_iter().filter_map(summary).collect();
    for undo in 0..applies.len() {
        let JournalSummary { source_digest, began_at, .. } = applies[undo].summary.clone();
        let undone = applies.iter().position(|apply| apply.summary.digest == source_digest);
        if let Some(undone) = undone {
            applies[undo].undoes = Some(applies[undone].summary.began_at.clone());
            // The newest comes first.
            applies[undone].undone_at.get_or_insert(began_at);
        }
    }
    applies
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
