//! YAML of other tools, as plain data with places.

use std::collections::HashMap;

use super::read_yaml::{Dialect, MERGE, scan, scan_dialect};
use super::yaml_tree::{Entry, Kind, Meaning, NodeId, Style, Tree};
use crate::diagnostic::{Diagnostics, Place, SourceId};

/// A YAML value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yaml {
    /// Its place.
    pub place: Place,
    /// What it is.
    pub kind: YamlKind,
    /// Whether it is a boolean or a number, which quotes would make a text.
    pub is_plain: bool,
}

/// A YAML value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlKind {
    /// `null`, `~` or nothing.
    Null,
    /// Any other single value, as it was written.
    Scalar(String),
    /// A list.
    List(Vec<Yaml>),
    /// A mapping, in the order of the file.
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// A member of a mapping.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The members of a mapping; none for anything else.
    #[must_use]
    pub fn members(&self) -> &[(String, Self)] {
        match &self.kind {
            YamlKind::Map(members) => members,
            YamlKind::Null | YamlKind::Scalar(_) | YamlKind::List(_) => &[],
        }
    }

    /// The items of a list; the value itself if it is none.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.kind {
            YamlKind::List(items) => items,
            YamlKind::Null | YamlKind::Scalar(_) | YamlKind::Map(_) => std::slice::from_ref(self),
        }
    }

    /// The text of a single value.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            YamlKind::Scalar(text) => Some(text),
            YamlKind::Null | YamlKind::List(_) | YamlKind::Map(_) => None,
        }
    }
}

/// The values that aliases may add, counting each value as often as it is used. The scan bounds what is used, this what is copied.
const MOST_VALUES: usize = 3_000_000;

/// Reads a document. Errors are reported; `None` if nothing can be used.
pub fn read_yaml(text: &str, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Yaml> {
    let tree = scan(text, source, diagnostics)?;
    let mut includes_nothing = |_: &str, _: Place| Err("this is not a file of octoDNS".to_owned());
    Some(
        Copier { tree: &tree, left: MOST_VALUES, include: &mut includes_nothing, failures: Vec::new() }.copy(tree.root),
    )
}

/// What takes the place of `!include NAME`, for a name and its place; otherwise why nothing can.
pub type Include<'i> = dyn FnMut(&str, Place) -> Result<Yaml, String> + 'i;

/// Reads a document of octoDNS, with the mappings that it merges and the files that it includes. Errors are reported; `None` if nothing
/// can be used. Also what cannot be included or merged, each with its place and why.
///
/// # Sources
/// octodns.readthedocs.io (include directive), read 2026-11: `!include NAME` stands for the content of a file, and `<<: !include NAME`
/// merges it. Of equal keys the last one counts.
pub fn read_octodns_yaml(
    text: &str,
    source: SourceId,
    include: &mut Include<'_>,
    diagnostics: &mut Diagnostics,
) -> (Option<Yaml>, Vec<(Place, String)>) {
    let Some(tree) = scan_dialect(text, source, Dialect::Octodns, diagnostics) else { return (None, Vec::new()) };
    let mut copier = Copier { tree: &tree, left: MOST_VALUES, include, failures: Vec::new() };
    let root = copier.copy(tree.root);
    (Some(root), copier.failures)
}

/// Copies the nodes of a tree as plain data.
struct Copier<'c, 'i> {
    tree: &'c Tree,
    /// How many more values may be copied.
    left: usize,
    include: &'c mut Include<'i>,
    /// What cannot be included or merged, and why.
    failures: Vec<(Place, String)>,
}

impl Copier<'_, '_> {
    /// A node.
    fn copy(&mut self, id: NodeId) -> Yaml {
        let tree = self.tree;
        self.left = self.left.saturating_sub(1);
        let kind = match &tree.node(id).kind {
            _ if self.left == 0 => YamlKind::Null,
            Kind::Scalar(name, Style::Include) => match (self.include)(name, tree.place(id)) {
                Ok(included) => return included,
                Err(why) => {
                    self.failures.push((tree.place(id), why));
                    YamlKind::Null
                }
            },
            Kind::Scalar(text, _) => match tree.meaning(id) {
                Some(Meaning::Null) => YamlKind::Null,
                _ => YamlKind::Scalar(text.to_string()),
            },
            Kind::Sequence(items) => YamlKind::List(items.iter().map(|item| self.copy(*item)).collect()),
            Kind::Mapping(entries) => YamlKind::Map(self.members(entries)),
        };
        let is_plain = matches!(tree.meaning(id), Some(Meaning::Bool(_) | Meaning::Integer(_) | Meaning::Number));
        Yaml { place: tree.place(id), kind, is_plain }
    }

    /// The members of a mapping, with those that it merges.
    fn members(&mut self, entries: &[Entry]) -> Vec<(String, Yaml)> {
        let tree = self.tree;
        let is_merge =
            |entry: &Entry| matches!(&tree.node(entry.key).kind, Kind::Scalar(text, Style::Plain) if &**text == MERGE);
        if !entries.iter().any(is_merge) {
            return entries.iter().map(|entry| (tree.text(entry.key).to_owned(), self.copy(entry.value))).collect();
        }
        let mut members: Vec<(String, Yaml)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut put = |name: String, value: Yaml| match places.get(&name) {
            Some(n) => members[*n].1 = value,
            None => {
                places.insert(name.clone(), members.len());
                members.push((name, value));
            }
        };
        for entry in entries {
            let failed = self.failures.len();
            let value = self.copy(entry.value);
            if !is_merge(entry) {
                put(tree.text(entry.key).to_owned(), value);
                continue;
            }
            // Of a list, the first mapping counts most.
            for merged in value.items().iter().rev() {
                match &merged.kind {
                    YamlKind::Map(own) => own.iter().cloned().for_each(|(name, value)| put(name, value)),
                    // What could not be included is reported already.
                    YamlKind::Null if self.failures.len() > failed => {}
                    _ => {
                        self.failures.push((tree.place(entry.value), "only a mapping can be merged by `<<`".to_owned()))
                    }
                }
            }
        }
        members
    }
}
