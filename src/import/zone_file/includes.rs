//! Resolves the files that a zone file includes, and limits their number and depth.

use std::path::{Component, Path, PathBuf};

use super::entries::Line;
use crate::diagnostic::SourceId;
use crate::import::import_result::ImportResult;

/// Reads other files of a source.
pub(in crate::import) type ReadFile<'f> =
    dyn FnMut(&Path, &mut ImportResult) -> Result<SourceId, String> + 'f;

/// Maximum depth of nested includes.
const DEEPEST_INCLUDE: usize = 10;
/// Maximum number of files that a zone file includes, repetitions counted.
const MOST_INCLUDES: usize = 1_000;

/// Open files of a walk over a zone file.
pub(super) struct Includes<'f> {
    read_file: &'f mut ReadFile<'f>,
    /// Files that are being read; each is included by the previous one.
    open: Vec<SourceId>,
    included_count: usize,
}

/// A file that `$INCLUDE` names.
pub(super) struct IncludedFile {
    pub(super) source: SourceId,
    pub(super) path: PathBuf,
}

impl<'f> Includes<'f> {
    /// Begins a walk. `read_file` reads a file of the same source.
    pub(super) fn new(read_file: &'f mut ReadFile<'f>) -> Self {
        Self { read_file, open: Vec::new(), included_count: 0 }
    }

    /// Opens the file that the walk enters.
    pub(super) fn enter(&mut self, source: SourceId) {
        self.open.push(source);
    }

    /// Closes the file that the walk leaves.
    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// Returns true if the walk is in the zone file itself.
    pub(super) fn is_outermost(&self) -> bool {
        self.open.len() == 1
    }

    /// Reads the file that a line `$INCLUDE file [origin]` names.
    ///
    /// # Errors
    ///
    /// The line names no file below `directory`, the file cannot be read, the file includes itself,
    /// or the limit is exceeded.
    pub(super) fn read(
        &mut self,
        line: &Line,
        directory: &Path,
        found: &mut ImportResult,
    ) -> Result<IncludedFile, String> {
        let name = line.words.get(1).ok_or("`$INCLUDE` needs a file")?.text.trim_matches('"');
        let path = Path::new(name);
        let is_below =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_below {
            return Err(format!("`{name}` is not below the directory of the zone file"));
        }
        if self.open.len() > DEEPEST_INCLUDE {
            return Err(format!(
                "files include each other more than {DEEPEST_INCLUDE} levels deep; others are left \
                out"
            ));
        }
        self.included_count += 1;
        if self.included_count > MOST_INCLUDES {
            return Err(format!(
                "the zone file includes more than {MOST_INCLUDES} files; others are left out"
            ));
        }
        let path = directory.join(path);
        let source = (self.read_file)(&path, found)?;
        if self.open.contains(&source) {
            return Err(format!("`{name}` includes itself"));
        }
        Ok(IncludedFile { source, path })
    }
}
