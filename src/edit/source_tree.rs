//! A YAML text as a tree of values with their bytes, anchors and aliases, and all comments.
//!
//! Unlike the tree from which a spec is read, this tree resolves nothing: an alias stays an alias,
//! and a substitution stays text. Edits are computed from it, so it knows the exact extent of each
//! part.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

/// Index of a node in its [`SourceTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

/// A node of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    pub(super) file: usize,
    pub(super) node: NodeId,
}

/// Syntax of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// A block, `|` or `>`.
    Block,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SourceNodeKind {
    /// A scalar; empty if nothing is written.
    Scalar(Box<str>, Style),
    /// A list in block or flow style.
    Sequence {
        items: Vec<NodeId>,
        /// True for a list in brackets.
        is_flow: bool,
    },
    /// A mapping in block or flow style.
    Mapping {
        entries: Vec<(NodeId, NodeId)>,
        /// True for a mapping in braces.
        is_flow: bool,
    },
    /// A reference to an anchored node.
    Alias(NodeId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Bytes with the `&`.
    pub(super) span: Range<usize>,
    /// Name without the `&`.
    pub(super) name: Box<str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceNode {
    /// Bytes with quotes, brackets, block header, anchor and tag, but without the line break after
    /// it.
    pub(super) span: Range<usize>,
    /// Start of the content, after an anchor or tag.
    pub(super) content: usize,
    pub(super) anchor: Option<Anchor>,
    pub(super) kind: SourceNodeKind,
    /// List or mapping that contains the node.
    pub(super) parent: Option<NodeId>,
}

#[derive(Debug, Clone)]
pub(super) struct SourceTree<'t> {
    pub(super) text: &'t str,
    nodes: Vec<SourceNode>,
    pub(super) root: NodeId,
    /// Comments with their `#`, in order.
    pub(super) comments: Vec<Range<usize>>,
    /// Aliases of each anchored node, in order.
    aliases: BTreeMap<NodeId, Vec<NodeId>>,
    /// Line break of the text.
    pub(super) line_break: &'static str,
}

/// A collection that is not closed yet.
struct Frame {
    id: NodeId,
    key: Option<NodeId>,
}

impl<'t> SourceTree<'t> {
    /// Parses a text with one document.
    ///
    /// # Errors
    /// Fails if the text is not YAML, or if it does not have exactly one document.
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
                    last = tree.add(SourceNodeKind::Alias(target), range, None, &mut stack);
                    tree.aliases.entry(target).or_default().push(last);
                }
                Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                    let is_flow = text[range.clone()].starts_with(['[', '{']);
                    let kind = if matches!(event, Event::SequenceStart(..)) {
                        SourceNodeKind::Sequence { items: Vec::new(), is_flow }
                    } else {
                        SourceNodeKind::Mapping { entries: Vec::new(), is_flow }
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

    /// Finds the kind and the bytes of a scalar. `before` is the end of the last token.
    fn scalar(
        &self,
        value: &str,
        style: ScalarStyle,
        range: Range<usize>,
        before: usize,
    ) -> (SourceNodeKind, Range<usize>) {
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let gap = &self.text[before.min(range.start)..range.start];
                let start = header(gap).map_or(range.start, |at| before + at);
                // The parser's range extends to the first word of the next line.
                let blank = self.text[..range.end].trim_end_matches([' ', '\t']);
                let end =
                    if blank.ends_with(['\n', '\r']) { blank } else { &self.text[..range.end] };
                let end = end.trim_end_matches(['\n', '\r']).len();
                (SourceNodeKind::Scalar(value.into(), Style::Block), start..end.max(start))
            }
            ScalarStyle::SingleQuoted => {
                (SourceNodeKind::Scalar(value.into(), Style::Single), range)
            }
            ScalarStyle::DoubleQuoted => {
                (SourceNodeKind::Scalar(value.into(), Style::Double), range)
            }
            // The parser reports an absent value as `~` without bytes, at the next token.
            _ if range.is_empty() => {
                let at = self.text[..range.start].trim_end().len().max(before);
                let from = before.min(at);
                let gap = &self.text[from..];
                let indicator = gap
                    .find(|c: char| !c.is_whitespace())
                    .filter(|n| gap[*n..].starts_with([':', '-', '?']));
                let indicator_end = gap.find([':', '-', '?']).map_or(at, |n| from + n + 1);
                // The next token is the indicator itself, or comes after it.
                let at = if indicator.is_some() || indicator_end <= range.start.max(at) {
                    indicator_end
                } else {
                    at
                };
                (SourceNodeKind::Scalar("".into(), Style::Plain), at..at)
            }
            _ => (SourceNodeKind::Scalar(value.into(), Style::Plain), range),
        }
    }

    /// Adds a node to the innermost open collection.
    fn add(
        &mut self,
        kind: SourceNodeKind,
        range: Range<usize>,
        tag: Option<usize>,
        stack: &mut [Frame],
    ) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let parent = stack.last().map(|frame| frame.id);
        let span = tag.map_or(range.start, |tag| tag.min(range.start))..range.end;
        self.nodes.push(SourceNode { content: range.start, span, anchor: None, kind, parent });
        let Some(frame) = stack.last_mut() else {
            self.root = id;
            return id;
        };
        match &mut self.nodes[frame.id.0 as usize].kind {
            SourceNodeKind::Sequence { items, .. } => items.push(id),
            SourceNodeKind::Mapping { entries, .. } => match frame.key.take() {
                Some(key) => entries.push((key, id)),
                None => frame.key = Some(id),
            },
            SourceNodeKind::Scalar(..) | SourceNodeKind::Alias(_) => {}
        }
        id
    }

    pub(super) fn node(&self, id: NodeId) -> &SourceNode {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// Follows an alias.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        match self.node(id).kind {
            SourceNodeKind::Alias(target) => target,
            _ => id,
        }
    }

    /// Returns the text of a scalar with aliases followed. Empty for other nodes.
    pub(super) fn scalar_text(&self, id: NodeId) -> &str {
        match &self.node(self.target(id)).kind {
            SourceNodeKind::Scalar(text, _) => text,
            _ => "",
        }
    }

    /// Returns the items of a list. Empty for other nodes.
    pub(super) fn items(&self, id: NodeId) -> &[NodeId] {
        match &self.node(self.target(id)).kind {
            SourceNodeKind::Sequence { items, .. } => items,
            _ => &[],
        }
    }

    /// Returns the pairs of a mapping. Empty for other nodes.
    pub(super) fn entries(&self, id: NodeId) -> &[(NodeId, NodeId)] {
        match &self.node(self.target(id)).kind {
            SourceNodeKind::Mapping { entries, .. } => entries,
            _ => &[],
        }
    }

    /// Finds the pair of a mapping with this key.
    pub(super) fn entry(&self, id: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        self.entries(id).iter().copied().find(|(name, _)| self.scalar_text(*name) == key)
    }

    /// Finds the value of a mapping with this key.
    pub(super) fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        self.entry(id, key).map(|(_, value)| value)
    }

    /// Finds the value at a path of keys.
    pub(super) fn at(&self, id: NodeId, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(id, |id, key| self.get(id, key))
    }

    /// Returns true for a list in brackets or a mapping in braces.
    pub(super) fn is_flow(&self, id: NodeId) -> bool {
        matches!(
            self.node(id).kind,
            SourceNodeKind::Sequence { is_flow: true, .. }
                | SourceNodeKind::Mapping { is_flow: true, .. }
        )
    }

    /// Returns true if a node, or a collection that contains it, is in flow style.
    pub(super) fn is_in_flow(&self, id: NodeId) -> bool {
        std::iter::successors(self.node(id).parent, |id| self.node(*id).parent)
            .any(|id| self.is_flow(id))
    }

    /// Lists the aliases of a node in order.
    pub(super) fn aliases(&self, id: NodeId) -> &[NodeId] {
        self.aliases.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the anchored node through which a node is shared: itself or one of its ancestors.
    pub(super) fn shared_by(&self, id: NodeId) -> Option<NodeId> {
        std::iter::successors(Some(id), |id| self.node(*id).parent)
            .find(|id| !self.aliases(*id).is_empty())
    }

    /// Returns the start of the line that contains a byte.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let mark = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        self.text[..at].rfind('\n').map_or(mark, |n| n + 1)
    }

    /// Returns the end of the line that contains a byte, before its line break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..].find('\n').map_or(self.text.len(), |n| at + n);
        if self.text[at..end].ends_with('\r') { end - 1 } else { end }
    }

    /// Returns the start of the next line.
    pub(super) fn next_line(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |n| at + n + 1)
    }

    /// Returns the column of a byte, in characters.
    pub(super) fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    /// Lists the comments within a range.
    pub(super) fn comments_in(&self, range: Range<usize>) -> impl Iterator<Item = &'t str> + '_ {
        let first = self.comments.partition_point(|c| c.start < range.start);
        let comments = self.comments[first..].iter().take_while(move |c| c.start < range.end);
        comments.map(|c| &self.text[c.clone()])
    }

    /// Returns true if only blanks precede a byte on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].bytes().all(|b| b == b' ' || b == b'\t')
    }

    /// Finds the dash of an item of a block list.
    pub(super) fn dash(&self, item: NodeId) -> usize {
        let start = self.node(item).span.start;
        let mut at = start;
        // Skip blanks, line breaks and comments backwards.
        loop {
            let text_end = self.text[..at].trim_end().len();
            let comment = self
                .comments
                .partition_point(|c| c.start < text_end)
                .checked_sub(1)
                .map(|n| &self.comments[n]);
            match comment {
                Some(comment) if comment.end >= text_end && comment.start < text_end => {
                    at = comment.start
                }
                _ => return text_end.saturating_sub(1),
            }
        }
    }
}

/// Finds the header of a block, such as `|2+`, between the last token and the text of the block.
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

    /// Lists the source text of every leaf.
    fn leaves(text: &str) -> Vec<String> {
        let tree = SourceTree::read(text).unwrap();
        let is_leaf = |id: &NodeId| {
            matches!(tree.node(*id).kind, SourceNodeKind::Scalar(..) | SourceNodeKind::Alias(_))
        };
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
