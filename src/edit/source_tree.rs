//! A YAML text as a tree of its values, each with its bytes, its anchor and its aliases, and every
//! comment.
//!
//! Unlike the tree that a spec is read from, nothing is resolved here: an alias is an alias, a
//! substitution is text. Edits are computed from it, so it knows where the parts of a list or a
//! mapping begin and end.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

/// Index of a node in its [`SourceTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

/// A node of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    /// Which file.
    pub(super) file: usize,
    /// Which node.
    pub(super) node: NodeId,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// As a block, `|` or `>`.
    Block,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A single value; empty where nothing is written.
    Scalar(Box<str>, Style),
    /// A list, in brackets or not.
    Sequence {
        /// Its items.
        items: Vec<NodeId>,
        /// Whether it is in brackets.
        is_flow: bool,
    },
    /// A mapping, in braces or not.
    Mapping {
        /// Its keys and values.
        entries: Vec<(NodeId, NodeId)>,
        /// Whether it is in braces.
        is_flow: bool,
    },
    /// A reference to an anchored node.
    Alias(NodeId),
}

/// An anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// With its `&`.
    pub(super) span: Range<usize>,
    /// Without it.
    pub(super) name: Box<str>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// Its bytes, with quotes, brackets, the header of a block, and its anchor or tag; without the
    /// line break after it.
    pub(super) span: Range<usize>,
    /// Where its content begins, behind its anchor or tag.
    pub(super) content: usize,
    /// Its anchor.
    pub(super) anchor: Option<Anchor>,
    /// What it is.
    pub(super) kind: Kind,
    /// The list or mapping that it is in.
    pub(super) parent: Option<NodeId>,
}

/// A text and its nodes.
#[derive(Debug, Clone)]
pub(super) struct SourceTree<'t> {
    /// The text.
    pub(super) text: &'t str,
    nodes: Vec<Node>,
    /// The outermost node.
    pub(super) root: NodeId,
    /// Comments with their `#`, in order.
    pub(super) comments: Vec<Range<usize>>,
    /// The aliases of each anchored node, in order.
    aliases: BTreeMap<NodeId, Vec<NodeId>>,
    /// What ends lines.
    pub(super) line_break: &'static str,
}

/// A collection that is not closed yet.
struct Frame {
    id: NodeId,
    key: Option<NodeId>,
}

impl<'t> SourceTree<'t> {
    /// Reads the one document of a text.
    ///
    /// # Errors
    /// What is wrong with the text, or that it holds no document or several.
    pub(super) fn read(text: &'t str) -> Result<Self, String> {
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let crlf = text.matches("\r\n").count();
        let line_break = if crlf * 2 > text.matches('\n').count() { "\r\n" } else { "\n" };
        let mut tree = Self {
            text,
            nodes: Vec::new(),
            root: NodeId(0),
            comments: Vec::new(),
            aliases: BTreeMap::new(),
            line_break,
        };
        let (mut stack, mut anchored): (Vec<Frame>, HashMap<usize, NodeId>) =
            (Vec::new(), HashMap::new());
        let (mut documents, mut end, mut last) = (0, mark, NodeId(0));
        let options = granit_parser::options! { emit_comments: true, emit_anchor_events: true };
        for next in Parser::new_from_str_with_options(&text[mark..], options) {
            let (event, span) = next.map_err(|error| error.to_string())?;
            let range = span.byte_range().unwrap_or(0..0);
            let range = range.start + mark..range.end + mark;
            let tag = span.tag_start().and_then(|at| at.byte_offset()).map(|at| at + mark);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        return Err("the text holds several documents".to_owned());
                    }
                }
                Event::Comment(..) => tree.comments.push(range),
                Event::Anchor(_, name) => {
                    let node = &mut tree.nodes[last.0 as usize];
                    node.span.start = node.span.start.min(range.start);
                    node.anchor = Some(Anchor { span: range, name: name.into() });
                }
                Event::Scalar(value, style, anchor, _) => {
                    let (kind, range) = tree.scalar(&value, style, range, end);
                    end = range.end.max(end);
                    last = tree.add(kind, range, tag, &mut stack);
                    anchored.extend((anchor > 0).then_some((anchor, last)));
                }
                Event::Alias(anchor) => {
                    let target = *anchored.get(&anchor).ok_or("an alias refers to nothing")?;
                    end = range.end;
                    last = tree.add(Kind::Alias(target), range, None, &mut stack);
                    tree.aliases.entry(target).or_default().push(last);
                }
                Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                    let is_flow = text[range.clone()].starts_with(['[', '{']);
                    let kind = if matches!(event, Event::SequenceStart(..)) {
                        Kind::Sequence { items: Vec::new(), is_flow }
                    } else {
                        Kind::Mapping { entries: Vec::new(), is_flow }
                    };
                    last = tree.add(kind, range, tag, &mut stack);
                    anchored.extend((anchor > 0).then_some((anchor, last)));
                    stack.push(Frame { id: last, key: None });
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let Some(frame) = stack.pop() else { continue };
                    let is_flow = tree.is_flow(frame.id);
                    let node = &mut tree.nodes[frame.id.0 as usize];
                    if is_flow {
                        end = range.end;
                    }
                    node.span.end = end.max(node.span.end);
                }
                _ => {}
            }
        }
        if tree.nodes.is_empty() { Err("the text is empty".to_owned()) } else { Ok(tree) }
    }

    /// The kind and all bytes of a scalar; `before` is where the last token ended.
    fn scalar(
        &self,
        value: &str,
        style: ScalarStyle,
        range: Range<usize>,
        before: usize,
    ) -> (Kind, Range<usize>) {
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let gap = &self.text[before.min(range.start)..range.start];
                let start = header(gap).map_or(range.start, |at| before + at);
                // The parser goes on to the first word of the next line.
                let blank = self.text[..range.end].trim_end_matches([' ', '\t']);
                let end =
                    if blank.ends_with(['\n', '\r']) { blank } else { &self.text[..range.end] };
                let end = end.trim_end_matches(['\n', '\r']).len();
                (Kind::Scalar(value.into(), Style::Block), start..end.max(start))
            }
            ScalarStyle::SingleQuoted => (Kind::Scalar(value.into(), Style::Single), range),
            ScalarStyle::DoubleQuoted => (Kind::Scalar(value.into(), Style::Double), range),
            // The parser reports what is not written as `~`, with no bytes and at the next token.
            _ if range.is_empty() => {
                let at = self.text[..range.start].trim_end().len().max(before);
                let from = before.min(at);
                let gap = &self.text[from..];
                let next = gap
                    .find(|c: char| !c.is_whitespace())
                    .filter(|n| gap[*n..].starts_with([':', '-', '?']));
                let after = gap.find([':', '-', '?']).map_or(at, |n| from + n + 1);
                // The next token is the indicator itself, or comes after it.
                let at = if next.is_some() || after <= range.start.max(at) { after } else { at };
                (Kind::Scalar("".into(), Style::Plain), at..at)
            }
            _ => (Kind::Scalar(value.into(), Style::Plain), range),
        }
    }

    /// Adds a node to what is open.
    fn add(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        tag: Option<usize>,
        stack: &mut [Frame],
    ) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let parent = stack.last().map(|frame| frame.id);
        let span = tag.map_or(range.start, |tag| tag.min(range.start))..range.end;
        self.nodes.push(Node { content: range.start, span, anchor: None, kind, parent });
        let Some(frame) = stack.last_mut() else {
            self.root = id;
            return id;
        };
        match &mut self.nodes[frame.id.0 as usize].kind {
            Kind::Sequence { items, .. } => items.push(id),
            Kind::Mapping { entries, .. } => match frame.key.take() {
                Some(key) => entries.push((key, id)),
                None => frame.key = Some(id),
            },
            Kind::Scalar(..) | Kind::Alias(_) => {}
        }
        id
    }

    /// A node.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Every node.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// A node, or what it refers to.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        match self.node(id).kind {
            Kind::Alias(target) => target,
            _ => id,
        }
    }

    /// The text of a scalar, aliases followed; empty for anything else.
    pub(super) fn scalar_text(&self, id: NodeId) -> &str {
        match &self.node(self.target(id)).kind {
            Kind::Scalar(text, _) => text,
            _ => "",
        }
    }

    /// The items of a list, none for anything else.
    pub(super) fn items(&self, id: NodeId) -> &[NodeId] {
        match &self.node(self.target(id)).kind {
            Kind::Sequence { items, .. } => items,
            _ => &[],
        }
    }

    /// The pairs of a mapping, none for anything else.
    pub(super) fn entries(&self, id: NodeId) -> &[(NodeId, NodeId)] {
        match &self.node(self.target(id)).kind {
            Kind::Mapping { entries, .. } => entries,
            _ => &[],
        }
    }

    /// The pair of a mapping with this key.
    pub(super) fn entry(&self, id: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        self.entries(id).iter().copied().find(|(name, _)| self.scalar_text(*name) == key)
    }

    /// The value of a mapping with this key.
    pub(super) fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        self.entry(id, key).map(|(_, value)| value)
    }

    /// The value below several keys.
    pub(super) fn at(&self, id: NodeId, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(id, |id, key| self.get(id, key))
    }

    /// Whether a node is a list or mapping in brackets.
    pub(super) fn is_flow(&self, id: NodeId) -> bool {
        matches!(
            self.node(id).kind,
            Kind::Sequence { is_flow: true, .. } | Kind::Mapping { is_flow: true, .. }
        )
    }

    /// Whether a node is in brackets, or is within something that is.
    pub(super) fn is_in_flow(&self, id: NodeId) -> bool {
        std::iter::successors(self.node(id).parent, |id| self.node(*id).parent)
            .any(|id| self.is_flow(id))
    }

    /// The aliases of a node, in order.
    pub(super) fn aliases(&self, id: NodeId) -> &[NodeId] {
        self.aliases.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The anchor through which a node is shared, which is its own or that of something around it.
    pub(super) fn shared_by(&self, id: NodeId) -> Option<NodeId> {
        std::iter::successors(Some(id), |id| self.node(*id).parent)
            .find(|id| !self.aliases(*id).is_empty())
    }

    /// Where the line begins that a byte is in.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let mark = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        self.text[..at].rfind('\n').map_or(mark, |n| n + 1)
    }

    /// Where the line ends that a byte is in, before its line break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..].find('\n').map_or(self.text.len(), |n| at + n);
        if self.text[at..end].ends_with('\r') { end - 1 } else { end }
    }

    /// Where the next line begins.
    pub(super) fn next_line(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |n| at + n + 1)
    }

    /// The column of a byte, in characters.
    pub(super) fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    /// The comments within a range.
    pub(super) fn comments_in(&self, range: Range<usize>) -> impl Iterator<Item = &'t str> + '_ {
        let first = self.comments.partition_point(|c| c.start < range.start);
        let own = self.comments[first..].iter().take_while(move |c| c.start < range.end);
        own.map(|c| &self.text[c.clone()])
    }

    /// Whether only blanks are before a byte on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].bytes().all(|b| b == b' ' || b == b'\t')
    }

    /// The dash of an item of a list without brackets.
    pub(super) fn dash(&self, item: NodeId) -> usize {
        let start = self.node(item).span.start;
        let mut at = start;
        // Backwards over blanks, line breaks and comments.
        loop {
            let before = self.text[..at].trim_end().len();
            let comment = self
                .comments
                .partition_point(|c| c.start < before)
                .checked_sub(1)
                .map(|n| &self.comments[n]);
            match comment {
                Some(comment) if comment.end >= before && comment.start < before => {
                    at = comment.start
                }
                _ => return before.saturating_sub(1),
            }
        }
    }
}

/// Where the header of a block is, such as `|2+`, in what is between the last token and the text of
/// the block.
fn header(gap: &str) -> Option<usize> {
    let (mut line_start, mut found) = (0, None);
    for line in gap.split_inclusive('\n') {
        let comment =
            line.match_indices('#').find(|(at, _)| *at == 0 || line[..*at].ends_with([' ', '\t']));
        let code = line[..comment.map_or(line.len(), |(at, _)| at)].trim_end();
        let token = code.rfind([' ', '\t']).map_or(0, |blank| blank + 1);
        found =
            if code[token..].starts_with(['|', '>']) { Some(line_start + token) } else { found };
        line_start += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every leaf as written.
    fn leaves(text: &str) -> Vec<String> {
        let tree = SourceTree::read(text).unwrap();
        let is_leaf =
            |id: &NodeId| matches!(tree.node(*id).kind, Kind::Scalar(..) | Kind::Alias(_));
        tree.ids().filter(is_leaf).map(|id| text[tree.node(id).span.clone()].to_owned()).collect()
    }

    #[test]
    fn nodes_have_their_bytes() {
        assert_eq!(leaves("a: 'x' # c\nb: [1, \"2\"]\n"), ["a", "'x'", "b", "1", "\"2\""]);
        assert_eq!(leaves("a: &t 300\nb: *t\n"), ["a", "&t 300", "b", "*t"]);
        assert_eq!(
            leaves("a: |-\n  one\n  two\nb: >\n  x\n\n# c\n"),
            ["a", "|-\n  one\n  two", "b", ">\n  x"]
        );
        assert_eq!(
            leaves("a:\n  b: |-\n    one\n  # c\n  d: |\n    two\n  e: 1\n"),
            ["a", "b", "|-\n    one", "d", "|\n    two", "e", "1"]
        );
        assert_eq!(
            leaves("a: # x | y\n  !<t:a> |2 # > |\n   one\nb: 1\n"),
            ["a", "!<t:a> |2 # > |\n   one", "b", "1"]
        );
        assert_eq!(leaves("\u{feff}ä: ö\r\nb:\r\nc: 1\r\n"), ["ä", "ö", "b", "", "c", "1"]);
    }

    #[test]
    fn what_is_not_written_is_behind_its_key() {
        let text = "a:\n  b:   # c\n  d: 1\n";
        let tree = SourceTree::read(text).unwrap();
        let b = tree.at(tree.root, &["a", "b"]).unwrap();
        assert_eq!(tree.node(b).span, 7..7);
    }

    #[test]
    fn dashes_are_found_behind_comments() {
        let text = "- a\n-   # why\n  # more\n  b: 1\n";
        let tree = SourceTree::read(text).unwrap();
        let items = tree.items(tree.root).to_vec();
        assert_eq!((tree.dash(items[0]), tree.dash(items[1])), (0, 4));
    }

    #[test]
    fn aliases_know_their_anchor() {
        let tree = SourceTree::read("a: &x {b: 1}\nc: *x\nd: *x\n").unwrap();
        let a = tree.get(tree.root, "a").unwrap();
        let b = tree.get(a, "b").unwrap();
        assert_eq!((tree.aliases(a).len(), tree.shared_by(b)), (2, Some(a)));
        assert_eq!(tree.scalar_text(tree.at(tree.root, &["c", "b"]).unwrap()), "1");
    }
}
