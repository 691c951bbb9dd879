//! Finds journals in a directory. Their names begin with the times at which they were begun.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::apply::{Bytes, JournalText};
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
