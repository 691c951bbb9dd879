//! Cloudflare's changes to its rulesets since the lock file was written, as text.

use std::io::{self, Write};

use crate::diagnostic::count;
use crate::insight::waf::lock::LockChanges;
use crate::render::safe::safe;

/// Writes Cloudflare's changes since the lock file was written.
///
/// # Errors
/// The errors of the writer.
pub fn write_waf_lock(
    out: &mut dyn Write,
    file: &str,
    changes: &[LockChanges],
    is_same: bool,
    is_check: bool,
    is_first: bool,
) -> io::Result<()> {
    for change in changes.iter().filter(|_| !is_first) {
        writeln!(out, "{}", safe(&change.sentence()))?;
    }
    let file = safe(file);
    match (is_same, is_check) {
        (true, _) => writeln!(out, "{file} is up to date."),
        (false, true) => writeln!(out, "{file} is not up to date."),
        (false, false) => writeln!(out, "Wrote {file}: {}.", count(changes.len(), "ruleset")),
    }
}
