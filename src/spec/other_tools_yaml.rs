//! YAML of other tools as plain data with places.

use std::collections::HashMap;

use super::limits::BYTES_PER_NODE;
use super::read_yaml::{Dialect, MERGE, scan, scan_dialect};
use super::yaml_1_1::PythonScalar;
use super::yaml_tree::{Entry, Kind, Meaning, NodeId, Style, Tree};
use crate::diagnostic::{Diagnostics, Place, SourceId, findings};

/// A YAML value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yaml {
    /// Where the value begins in its file.
    pub place: Place,
    /// Its content.
    pub kind: YamlKind,
    /// True if it is a boolean or a number, which quotes would make a text.
    pub is_plain: bool,
    /// True if it is a single value without quotes.
    pub is_bare: bool,
    /// True if it is the value of a key without quotes.
    pub is_key_bare: bool,
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
    /// Creates a value that is written in quotes, if it is a single one.
    #[must_use]
    pub fn new(place: Place, kind: YamlKind) -> Self {
        Self { place, kind, is_plain: false, is_bare: false, is_key_bare: false }
    }

    /// Returns a member of a mapping.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns the members of a mapping; none for anything else.
    #[must_use]
    pub fn members(&self) -> &[(String, Self)] {
        match &self.kind {
            YamlKind::Map(members) => members,
            YamlKind::Null | YamlKind::Scalar(_) | YamlKind::List(_) => &[],
        }
    }

    /// Returns the items of a list. A value that is not a list is its own only item.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.kind {
            YamlKind::List(items) => items,
            YamlKind::Null | YamlKind::Scalar(_) | YamlKind::Map(_) => std::slice::from_ref(self),
        }
    }

    /// Returns the single value that Python reads; `None` for lists and mappings.
    #[must_use]
    pub fn python(&self) -> Option<PythonScalar> {
        match &self.kind {
            YamlKind::Null => Some(PythonScalar::Null),
            YamlKind::Scalar(text) if self.is_bare => Some(PythonScalar::of_plain(text)),
            YamlKind::Scalar(text) => Some(PythonScalar::Text(text.clone())),
            YamlKind::List(_) | YamlKind::Map(_) => None,
        }
    }

    /// Returns the text of a single value.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            YamlKind::Scalar(text) => Some(text),
            YamlKind::Null | YamlKind::List(_) | YamlKind::Map(_) => None,
        }
    }
}

/// Maximum number of values in a document. Each value counts as often as aliases use it, and long
/// texts count several times.
const MOST_VALUES: usize = 600_000;

/// Reads a document and reports its errors. Returns `None` if nothing can be used.
pub fn read_yaml(text: &str, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Yaml> {
    let tree = scan(text, source, diagnostics)?;
    let mut includes_nothing = |_: &str, _: Place| Err("this is not a file of octoDNS".to_owned());
    Copier::new(&tree, Dialect::Spec, &mut includes_nothing).document(diagnostics).root
}

/// Resolves `!include NAME` for a name and its place. Fails with the reason.
pub type Include<'i> = dyn FnMut(&str, Place) -> Result<Yaml, String> + 'i;

/// A document of octoDNS.
#[derive(Debug, Default)]
pub struct OctodnsDocument {
    /// Its content, with merged and included mappings; `None` if nothing can be used.
    pub root: Option<Yaml>,
    /// Merges and includes that failed, each with its place and the reason.
    pub failures: Vec<(Place, String)>,
    /// Values that octoDNS reads differently from how they look, each with its place.
    pub remarks: Vec<(Place, String)>,
}

/// Reads a document of octoDNS, with the mappings that it merges and the files that it includes.
/// Errors are reported.
///
/// # Sources
/// octodns.readthedocs.io (include directive), read 2026-11: `!include NAME` stands for the content
/// of a file, and `<<: !include NAME` merges it. Of equal keys the last one counts, which is also
/// what PyYAML does with equal keys of one mapping.
pub fn read_octodns_yaml(
    text: &str,
    source: SourceId,
    include: &mut Include<'_>,
    diagnostics: &mut Diagnostics,
) -> OctodnsDocument {
    match scan_dialect(text, source, Dialect::Octodns, diagnostics) {
        Some(tree) => Copier::new(&tree, Dialect::Octodns, include).document(diagnostics),
        None => OctodnsDocument::default(),
    }
}

/// Copies the nodes of a tree as plain data.
struct Copier<'c, 'i> {
    tree: &'c Tree,
    dialect: Dialect,
    /// Number of values that may still be copied.
    left: usize,
    include: &'c mut Include<'i>,
    /// Merges and includes that failed, with the reason.
    failures: Vec<(Place, String)>,
    /// Keys that octoDNS reads differently from how they look.
    remarks: Vec<(Place, String)>,
}

impl<'c, 'i> Copier<'c, 'i> {
    fn new(tree: &'c Tree, dialect: Dialect, include: &'c mut Include<'i>) -> Self {
        Self {
            tree,
            dialect,
            left: MOST_VALUES,
            include,
            failures: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Copies the document. Reports a document with too many values.
    fn document(mut self, diagnostics: &mut Diagnostics) -> OctodnsDocument {
        let root = self.copy(self.tree.root);
        if self.left == 0 {
            let place = self.tree.place(self.tree.root);
            let detail = format!("with its aliases, the file holds more than {MOST_VALUES} values");
            diagnostics
                .push(findings::TOO_LARGE.at(place, detail).help("write one file for each zone"));
            return OctodnsDocument::default();
        }
        OctodnsDocument { root: Some(root), failures: self.failures, remarks: self.remarks }
    }

    fn copy(&mut self, id: NodeId) -> Yaml {
        let tree = self.tree;
        let weight = match &tree.node(id).kind {
            Kind::Scalar(text, _) => 1 + text.len() / BYTES_PER_NODE,
            Kind::Sequence(_) | Kind::Mapping(_) => 1,
        };
        self.left = self.left.saturating_sub(weight);
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
            Kind::Sequence(items) => {
                YamlKind::List(items.iter().map(|item| self.copy(*item)).collect())
            }
            Kind::Mapping(entries) => YamlKind::Map(self.members(entries)),
        };
        let is_plain = matches!(
            tree.meaning(id),
            Some(Meaning::Bool(_) | Meaning::Integer(_) | Meaning::Number)
        );
        let is_bare = is_bare(tree, id);
        Yaml { place: tree.place(id), kind, is_plain, is_bare, is_key_bare: false }
    }

    /// Returns the members of a mapping, including those that it merges.
    fn members(&mut self, entries: &[Entry]) -> Vec<(String, Yaml)> {
        let tree = self.tree;
        let is_merge = |entry: &Entry| matches!(&tree.node(entry.key).kind, Kind::Scalar(text, Style::Plain) if &**text == MERGE);
        if self.dialect == Dialect::Spec {
            let member = |entry: &Entry| {
                let is_key_bare = is_bare(tree, entry.key);
                let value = Yaml { is_key_bare, ..self.copy(entry.value) };
                (tree.text(entry.key).to_owned(), value)
            };
            return entries.iter().map(member).collect();
        }
        let mut members = Members::default();
        for entry in entries {
            let failed = self.failures.len();
            let value = self.copy(entry.value);
            if !is_merge(entry) {
                let key = self.key(entry.key);
                if members.put(key, value, true) {
                    let why =
                        "the key is in this mapping twice; octoDNS takes the last one".to_owned();
                    self.remarks.push((tree.place(entry.key), why));
                }
                continue;
            }
            // In a list, the first mapping has precedence.
            for merged in value.items().iter().rev() {
                match &merged.kind {
                    YamlKind::Map(own) => {
                        for (name, value) in own {
                            members.put((true, name.clone()), value.clone(), false);
                        }
                    }
                    // A failed include is reported already.
                    YamlKind::Null if self.failures.len() > failed => {}
                    _ => self.failures.push((
                        tree.place(entry.value),
                        "only a mapping can be merged by `<<`".to_owned(),
                    )),
                }
            }
        }
        members.list
    }

    /// Returns the name that Python's `str` gives a key, and whether the key is a text.
    fn key(&mut self, id: NodeId) -> (bool, String) {
        let text = self.tree.text(id);
        let scalar = if is_bare(self.tree, id) {
            PythonScalar::of_plain(text)
        } else {
            PythonScalar::Text(text.to_owned())
        };
        let name = scalar.python_text();
        if name != text {
            let why =
                format!("octoDNS reads the key `{text}` as `{name}`, because it is not in quotes");
            self.remarks.push((self.tree.place(id), why));
        }
        (matches!(scalar, PythonScalar::Text(_)), name)
    }
}

/// Returns true if a node is a single value without quotes.
fn is_bare(tree: &Tree, id: NodeId) -> bool {
    matches!(&tree.node(id).kind, Kind::Scalar(_, Style::Plain))
}

/// The members of a mapping of octoDNS. The last value of equal keys counts, at the place of the
/// first.
#[derive(Default)]
struct Members {
    list: Vec<(String, Yaml)>,
    /// Index of each key and whether it was written in this mapping; the number 1 and the text 1
    /// are two keys.
    places: HashMap<(bool, String), (usize, bool)>,
}

impl Members {
    /// Adds a member. Returns true if both it and an equal key were written in this mapping.
    fn put(&mut self, key: (bool, String), value: Yaml, is_written: bool) -> bool {
        if let Some((n, was_written)) = self.places.get_mut(&key) {
            self.list[*n].1 = value;
            let is_twice = *was_written && is_written;
            *was_written |= is_written;
            return is_twice;
        }
        self.list.push((key.1.clone(), value));
        self.places.insert(key, (self.list.len() - 1, is_written));
        false
    }
}
