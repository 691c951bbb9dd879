//! Checks the targets of paths.

use std::path::Path;

/// Returns true if a path is below a directory, links followed; false if the path does not exist.
pub(super) fn is_below(path: &Path, directory: &Path) -> bool {
    match (path.canonicalize(), directory.canonicalize()) {
        (Ok(path), Ok(directory)) => path.starts_with(directory),
        _ => false,
    }
}
