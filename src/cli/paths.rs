//! Where paths lead.

use std::path::Path;

/// Whether a path lies below a directory, links followed; not if it does not exist.
pub(super) fn is_below(path: &Path, directory: &Path) -> bool {
    match (path.canonicalize(), directory.canonicalize()) {
        (Ok(path), Ok(directory)) => path.starts_with(directory),
        _ => false,
    }
}
