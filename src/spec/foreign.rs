//! YAML of other tools, as plain data with places.

use super::scan::scan;
use super::tree::{Kind, Meaning, NodeId, Tree};
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
    let mut left = MOST_VALUES;
    Some(copy(&tree, tree.root, &mut left))
}

/// A node as plain data.
fn copy(tree: &Tree, id: NodeId, left: &mut usize) -> Yaml {
    *left = left.saturating_sub(1);
    let kind = match &tree.node(id).kind {
        _ if *left == 0 => YamlKind::Null,
        Kind::Scalar(text, _) => match tree.meaning(id) {
            Some(Meaning::Null) => YamlKind::Null,
            _ => YamlKind::Scalar(text.to_string()),
        },
        Kind::Sequence(items) => YamlKind::List(items.iter().map(|item| copy(tree, *item, left)).collect()),
        Kind::Mapping(entries) => {
            let member = |entry: &super::tree::Entry| (tree.text(entry.key).to_owned(), copy(tree, entry.value, left));
            YamlKind::Map(entries.iter().map(member).collect())
        }
    };
    let is_plain = matches!(tree.meaning(id), Some(Meaning::Bool(_) | Meaning::Integer(_) | Meaning::Number));
    Yaml { place: tree.place(id), kind, is_plain }
}
