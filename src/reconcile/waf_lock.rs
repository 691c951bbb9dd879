//! `waf.lock` beside a spec: where it is, and what Cloudflare changed since it was written.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::{self, Diagnostics, findings};
use crate::insight::waf::lock::{Lock, compare};
use crate::model::managed::Catalogue;
use crate::model::{Live, sort_by};

/// Name of the file.
const NAME: &str = "waf.lock";

/// Largest file that is read, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The file beside the first part of a spec; in the working directory if the spec is no file.
#[must_use]
pub fn path_beside(spec: Option<&Path>) -> PathBuf {
    match spec {
        Some(path) if path.is_dir() => path.join(NAME),
        Some(path) => path.parent().unwrap_or_else(|| Path::new("")).join(NAME),
        None => PathBuf::from(NAME),
    }
}

/// What Cloudflare changed in the rulesets that a file has and a plan read. Without a file, nothing is said.
pub(super) fn check(path: &Path, live: &Live) -> Diagnostics {
    let mut found = Diagnostics::default();
    let file = path.display();
    let lock = match read(path) {
        Ok(None) => return found,
        Ok(Some(lock)) => lock,
        Err(reason) => {
            let what = format!("{file}: {reason}; changes that Cloudflare made to its rulesets are not reported");
            let diagnostic = findings::LOCK_UNREADABLE.nowhere(what);
            found.push(diagnostic.help("write it again: zonewright waf lock SPEC"));
            return found;
        }
    };
    let mut catalogues: Vec<&Catalogue> =
        live.zones.values().flat_map(|zone| &zone.waf.catalogues).map(AsRef::as_ref).collect();
    sort_by(&mut catalogues, |a, b| a.id.0.cmp(&b.id.0));
    catalogues.dedup_by(|a, b| a.id == b.id);
    for catalogue in catalogues {
        let Some(locked) = lock.ruleset(&catalogue.id.0) else { continue };
        let changes = compare(Some(locked), catalogue);
        if changes.is_empty() {
            continue;
        }
        found.push(
            findings::LOCK_CHANGED.nowhere(changes.sentence()).help(format!(
                "zonewright waf lock --check SPEC shows it; zonewright waf lock SPEC accepts it in {file}"
            )),
        );
    }
    found
}

/// What was written down; in words why it cannot be read.
fn read(path: &Path) -> Result<Option<Lock>, String> {
    match read_text(path) {
        Ok(text) => Lock::parse(&text).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The text of such a file.
///
/// # Errors
/// It cannot be read, is too large, or is something that may never end.
pub fn read_text(path: &Path) -> io::Result<String> {
    // Before it is opened: a FIFO waits for someone who writes.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    diagnostic::read_text(File::open(path)?, LARGEST)
}
