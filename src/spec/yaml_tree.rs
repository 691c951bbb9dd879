//! A YAML document as a compact tree with places.
//!
//! Nodes live in one arena and refer to each other by index, so an alias is a second reference to
//! its anchor's node and nothing is copied. The scan guarantees that there are no cycles, that the
//! depth is bounded and that keys are scalars.

use crate::diagnostic::{Place, SourceId, Span};

/// Index of a node in its [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(pub(super) u32);

/// The notation of a scalar, as far as it affects the meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Bare: `auto`, `300`, `true`, `null`.
    Plain,
    /// Quoted, a block, or the result of a substitution: always text.
    Text,
    /// The name of a file whose content takes this place: `!include common.yaml`. Only octoDNS has
    /// it.
    Include,
}

/// A pair of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The key, a scalar.
    pub(super) key: NodeId,
    pub(super) value: NodeId,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A single value; the text of an empty plain one is empty.
    Scalar(Box<str>, Style),
    /// A list.
    Sequence(Vec<NodeId>),
    Mapping(Vec<Entry>),
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// The meaning of a scalar in the YAML 1.2 core schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction or an exponent, or too large.
    Number,
    Text,
}

/// A document.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// The text that it was read from.
    pub(super) source: SourceId,
    pub(super) nodes: Vec<Node>,
    /// The outermost node.
    pub(super) root: NodeId,
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Returns a node for changing it.
    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    pub(super) fn place(&self, id: NodeId) -> Place {
        Place { source: self.source, span: self.node(id).span }
    }

    /// Returns the text of a scalar, empty for anything else.
    pub(super) fn text(&self, id: NodeId) -> &str {
        match &self.node(id).kind {
            Kind::Scalar(text, _) => text,
            Kind::Sequence(_) | Kind::Mapping(_) => "",
        }
    }

    /// Returns the meaning of a scalar; `None` for lists and mappings.
    pub(super) fn meaning(&self, id: NodeId) -> Option<Meaning> {
        match &self.node(id).kind {
            Kind::Scalar(text, style) => Some(scalar_meaning(text, *style)),
            Kind::Sequence(_) | Kind::Mapping(_) => None,
        }
    }

    /// Returns the pairs of a mapping, none for anything else.
    pub(super) fn entries(&self, id: NodeId) -> &[Entry] {
        match &self.node(id).kind {
            Kind::Mapping(entries) => entries,
            Kind::Scalar(..) | Kind::Sequence(_) => &[],
        }
    }

    /// Returns the items of a list, none for anything else.
    pub(super) fn items(&self, id: NodeId) -> &[NodeId] {
        match &self.node(id).kind {
            Kind::Sequence(items) => items,
            Kind::Scalar(..) | Kind::Mapping(_) => &[],
        }
    }

    /// Returns the pair with this key.
    pub(super) fn entry(&self, id: NodeId, key: &str) -> Option<Entry> {
        self.entries(id).iter().copied().find(|e| self.text(e.key) == key)
    }

    /// Returns a short place to show for a node: the first key of a mapping or the first item of a
    /// list, because the whole can be many lines long.
    pub(super) fn handle(&self, id: NodeId) -> Place {
        match &self.node(id).kind {
            Kind::Mapping(entries) => entries.first().map_or(self.place(id), |e| self.place(e.key)),
            Kind::Sequence(items) => items.first().map_or(self.place(id), |i| self.handle(*i)),
            Kind::Scalar(..) => self.place(id),
        }
    }
}

/// Returns the meaning of a scalar in the YAML 1.2 core schema. Octal and hexadecimal numbers stay
/// text, because no key accepts them.
fn scalar_meaning(text: &str, style: Style) -> Meaning {
    if style != Style::Plain {
        return Meaning::Text;
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Meaning::Null,
        "true" | "True" | "TRUE" => return Meaning::Bool(true),
        "false" | "False" | "FALSE" => return Meaning::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !digits.contains(|c: char| c.is_ascii_digit())
    {
        return Meaning::Text;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_or(Meaning::Number, Meaning::Integer);
    }
    let number =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if number && text.parse::<f64>().is_ok() { Meaning::Number } else { Meaning::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_yaml_1_2_says() {
        for (text, expected) in [
            ("", Meaning::Null),
            ("~", Meaning::Null),
            ("true", Meaning::Bool(true)),
            ("NO", Meaning::Text),
            ("on", Meaning::Text),
            ("300", Meaning::Integer(300)),
            ("-1", Meaning::Integer(-1)),
            ("010", Meaning::Integer(10)),
            ("1.10", Meaning::Number),
            ("1e3", Meaning::Number),
            ("99999999999999999999", Meaning::Number),
            ("192.0.2.1", Meaning::Text),
            ("2027-03-01", Meaning::Text),
            ("0x10", Meaning::Text),
            (".", Meaning::Text),
            ("-", Meaning::Text),
        ] {
            assert_eq!(scalar_meaning(text, Style::Plain), expected, "{text}");
        }
        assert_eq!(scalar_meaning("300", Style::Text), Meaning::Text);
    }
}
