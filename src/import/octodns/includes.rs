//! Resolves the includes of octoDNS files.
//!
//! A file includes others by `!include`, relative to itself. octoDNS includes any file of the
//! machine; an import includes only files below the directory that the user named, links followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostics, Place, Source, SourceId, findings};
use crate::import::import_result::ImportResult;
use crate::import::source_files::{read, within};
use crate::model::Gather;
use crate::spec::{Yaml, YamlKind, read_octodns_yaml};

/// Maximum depth of nested includes.
const DEEPEST: usize = 10;
/// Maximum number of values in all included files, repetitions counted.
const MOST_VALUES: usize = 600_000;
/// Maximum number of bytes in all included files, repetitions counted.
const MOST_BYTES: usize = 64 << 20;

/// State of the includes of a source.
#[derive(Debug, Default)]
pub(super) struct Includes {
    /// Content and size of each file by its real path; `None` for an unreadable file, which is
    /// reported.
    contents: BTreeMap<PathBuf, Option<(Yaml, Size)>>,
    /// Real paths of the files that are being read; each is included by the previous one.
    open: Vec<PathBuf>,
    /// Size of all includes.
    size: Size,
    /// Differences between the text and its meaning to octoDNS.
    remarks: Vec<(Place, String)>,
}

impl Includes {
    /// Returns the real paths of included files.
    pub(super) fn included(&self) -> BTreeSet<PathBuf> {
        self.contents.keys().cloned().gather()
    }

    /// Removes and returns the remarks on files that were read since the last call.
    pub(super) fn take_remarks(&mut self) -> Vec<(Place, String)> {
        std::mem::take(&mut self.remarks)
    }

    /// Reads a file of the tree below a directory, with its includes. Reports mistakes. Returns
    /// `None` if nothing can be used.
    pub(super) fn read(
        &mut self,
        tree: &Path,
        path: &Path,
        source: SourceId,
        found: &mut ImportResult,
    ) -> Option<Yaml> {
        self.open = path.canonicalize().into_iter().collect();
        self.content(tree, path, source, found)
    }

    /// Returns the content of an open file.
    fn content(
        &mut self,
        tree: &Path,
        path: &Path,
        source: SourceId,
        found: &mut ImportResult,
    ) -> Option<Yaml> {
        let text = found.sources.get(source).map_or("", Source::text).to_owned();
        let mut diagnostics = Diagnostics::default();
        let mut include = |name: &str, _: Place| self.include(tree, path, name, found);
        let document = read_octodns_yaml(&text, source, &mut include, &mut diagnostics);
        let is_whole = document.failures.is_empty();
        for (place, why) in document.failures {
            found.report(findings::UNREADABLE_SOURCE, "", place, &why, None);
        }
        found.diagnostics.append(diagnostics);
        self.remarks.extend(document.remarks);
        document.root.filter(|_| is_whole)
    }

    /// Returns the value that replaces `!include NAME` in a file, or the reason why there is none.
    fn include(
        &mut self,
        tree: &Path,
        of: &Path,
        name: &str,
        found: &mut ImportResult,
    ) -> Result<Yaml, String> {
        if name.is_empty() {
            return Err("`!include` needs the name of a file".to_owned());
        }
        if name.starts_with('~') || Path::new(name).is_absolute() {
            return Err(format!("`{name}` is not relative to the file that includes it"));
        }
        let path = of.parent().unwrap_or(Path::new("")).join(name);
        let Some(real) = within(tree, &path, name)? else {
            let tree = if tree.as_os_str().is_empty() { Path::new(".") } else { tree };
            return Err(format!(
                "`{name}` is not below {}; import the directory that contains both files",
                tree.display()
            ));
        };
        if self.open.contains(&real) {
            return Err(format!("`{name}` includes itself"));
        }
        if self.open.len() > DEEPEST {
            return Err(format!("files include each other more than {DEEPEST} deep"));
        }
        if !self.contents.contains_key(&real) {
            let text = read(&real).map_err(|why| format!("`{name}`: {why}"))?;
            let source = found.sources.add(path.display().to_string(), text);
            self.open.push(real.clone());
            let content = self.content(tree, &path, source, found);
            self.open.pop();
            self.contents.insert(
                real.clone(),
                content.map(|content| {
                    let size = Size::of(&content);
                    (content, size)
                }),
            );
        }
        let Some(Some((content, size))) = self.contents.get(&real) else {
            return Err(format!("`{name}` cannot be read"));
        };
        self.size = self.size.and(*size);
        if self.size.values > MOST_VALUES {
            return Err(format!("the included files have more than {MOST_VALUES} values together"));
        }
        if self.size.bytes > MOST_BYTES {
            return Err(format!(
                "the included files have more than {} MiB of text together",
                MOST_BYTES >> 20
            ));
        }
        Ok(content.clone())
    }
}

/// Size of a value.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// Number of values, the outermost included.
    values: usize,
    /// Number of bytes in texts and names.
    bytes: usize,
}

impl Size {
    fn of(value: &Yaml) -> Self {
        match &value.kind {
            YamlKind::Null => Self { values: 1, bytes: 0 },
            YamlKind::Scalar(text) => Self { values: 1, bytes: text.len() },
            YamlKind::List(items) => {
                items.iter().map(Self::of).fold(Self { values: 1, bytes: 0 }, Self::and)
            }
            YamlKind::Map(members) => {
                let sizes = members.iter().map(|(name, value)| {
                    Self { values: 0, bytes: name.len() }.and(Self::of(value))
                });
                sizes.fold(Self { values: 1, bytes: 0 }, Self::and)
            }
        }
    }

    /// Adds two sizes.
    fn and(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}
