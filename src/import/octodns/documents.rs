//! Reads each file of octoDNS once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::includes::Includes;
use crate::diagnostic::{Place, SourceId, findings};
use crate::import::import_result::ImportResult;
use crate::import::source_files::{read, within};
use crate::spec::Yaml;

/// A parsed file.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Yaml,
    /// Differences between the text and its meaning to octoDNS.
    pub(super) remarks: Vec<(Place, String)>,
}

/// Files that were read, by their real paths.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// Texts of files, by their real paths.
    texts: BTreeMap<PathBuf, SourceId>,
    /// Documents by their real paths; `None` for an unreadable file, which is reported.
    documents: BTreeMap<PathBuf, Option<Document>>,
    includes: Includes,
}

impl Documents {
    /// Registers the text of a file that was already read.
    pub(super) fn add_text(&mut self, path: &Path, source: SourceId) {
        self.texts.insert(real_path(path), source);
    }

    /// Reads a file below a directory, links followed. Reports mistakes.
    pub(super) fn load(&mut self, tree: &Path, path: &Path, found: &mut ImportResult) {
        let real = real_path(path);
        if self.documents.contains_key(&real) {
            return;
        }
        let source = match self.texts.get(&real) {
            Some(source) => Ok(*source),
            None => read_within(tree, path)
                .map(|text| found.sources.add(path.display().to_string(), text)),
        };
        let document = match source {
            Ok(source) => {
                found.read_file(path);
                let root = self.includes.read(tree, path, source, found);
                let remarks = self.includes.take_remarks();
                root.map(|root| Document { root, remarks })
            }
            Err(why) => {
                let shown = path.display().to_string();
                found.report(findings::UNREADABLE_SOURCE, &shown, Place::NOWHERE, &why, None);
                None
            }
        };
        self.documents.insert(real, document);
    }

    /// Returns a file that was loaded and can be used.
    pub(super) fn get(&self, path: &Path) -> Option<&Document> {
        self.documents.get(&real_path(path))?.as_ref()
    }

    /// Returns the real paths of all files that were read, includes among them.
    pub(super) fn read_paths(&self) -> BTreeSet<PathBuf> {
        self.documents.keys().cloned().chain(self.includes.included()).collect()
    }

    /// Returns the real paths of included files.
    pub(super) fn included(&self) -> BTreeSet<PathBuf> {
        self.includes.included()
    }
}

/// Returns the path of a file with links followed, or the path itself if there is no such file, as
/// for standard input.
fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Reads a file below a directory, links followed.
fn read_within(tree: &Path, path: &Path) -> Result<String, String> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(real) = within(tree, path, name)? else {
        let tree = if tree.as_os_str().is_empty() { Path::new(".") } else { tree };
        return Err(format!("it leads out of {}", tree.display()));
    };
    let text = read(&real)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
