//! Files of octoDNS with what they include.
//!
//! A file names others by `!include`, relative to itself. octoDNS takes any file of the machine;
//! here it must be below the directory that the user named, links followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostics, Place, Source, SourceId, findings};
use crate::import::import_result::ImportResult;
use crate::import::source_files::{read, within};
use crate::model::Gather;
use crate::spec::{Yaml, YamlKind, read_octodns_yaml};

/// The deepest nesting of files.
const DEEPEST: usize = 10;
/// The most values of all included files, counted as often as they are included.
const MOST_VALUES: usize = 600_000;
/// The most bytes of their texts, counted in the same way.
const MOST_BYTES: usize = 64 << 20;

/// What was included so far.
#[derive(Debug, Default)]
pub(super) struct Includes {
    /// The content of each file with its size, by its real path; `None` if it cannot be read, which
    /// is reported.
    contents: BTreeMap<PathBuf, Option<(Yaml, Size)>>,
    /// The real paths of the files that are being read, each included by the one before it.
    open: Vec<PathBuf>,
    /// The size of all inclusions.
    size: Size,
    /// What octoDNS reads otherwise than it looks.
    remarks: Vec<(Place, String)>,
}

impl Includes {
    /// The real paths of the files that others include.
    pub(super) fn included(&self) -> BTreeSet<PathBuf> {
        self.contents.keys().cloned().gather()
    }

    /// Returns what octoDNS reads otherwise than it looks, in the files that were read since the
    /// last call.
    pub(super) fn take_remarks(&mut self) -> Vec<(Place, String)> {
        std::mem::take(&mut self.remarks)
    }

    /// A file of the tree below a directory, with what it includes. What is wrong is reported;
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

    /// The content of a file that is open.
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

    /// What takes the place of `!include NAME` in a file; otherwise why nothing can.
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

/// How large a value is.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// The values in it, itself included.
    values: usize,
    /// The bytes of its texts and names.
    bytes: usize,
}

impl Size {
    /// That of a value.
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

    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}
