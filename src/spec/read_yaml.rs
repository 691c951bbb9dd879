//! Reads the events of a YAML text in one pass and returns a [`Tree`] and findings.
//!
//! Finds everything that a deserialiser cannot report: the actual syntax error, duplicate keys at
//! every level with both places, merge keys, tags, several documents, keys that are not scalars,
//! and excessive nesting and aliases. A refused part that can be skipped is left out of the tree,
//! so that the rest is still checked.
//!
//! octoDNS's files may have merge keys and `!include`, which `other_tools_yaml` resolves.

use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError};

use super::limits::{ALIAS_NODES, BYTES_PER_NODE, DEPTH, NODES};
use super::yaml_tree::{Entry, Kind, Node, NodeId, Style, Tree};
use crate::diagnostic::double_quoted;
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, SourceId, Span};

/// Number of keys from which duplicates are looked up in a table.
const KEYS_IN_TABLE: usize = 16;

/// The dialect of a YAML text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// A spec: no merge keys, no tags, not empty.
    Spec,
    /// octoDNS: merge keys and the tag `!include` are kept; an empty document is null.
    Octodns,
}

/// octoDNS's tag for the content of another file.
const INCLUDE: &str = "!include";

/// The tag for text.
const TEXT: &str = "!!str";

/// The key that merges mappings.
pub(super) const MERGE: &str = "<<";

/// Reads one document; `None` if nothing useful remains.
///
/// Places in the tree and in the findings count from the start of `text`, including a byte-order
/// mark.
pub(super) fn scan(text: &str, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Tree> {
    scan_dialect(text, source, Dialect::Spec, diagnostics)
}

/// Does the same as [`scan`] for a dialect.
pub(super) fn scan_dialect(
    text: &str,
    source: SourceId,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<Tree> {
    if let Some(at) = lone_carriage_return(text) {
        let place = Place { source, span: Span::new(at, at + 1) };
        diagnostics.push(
            findings::CARRIAGE_RETURN
                .at(place, "a line ends here with a carriage return alone")
                .help(
                    "end each line with a line feed, or with a carriage return and a line feed; \
                    write `\"\\r\"` for one in a text",
                ),
        );
        return None;
    }
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut scanner = Scanner {
        text,
        dialect,
        mark,
        tree: Tree { source, nodes: Vec::new(), root: NodeId(0) },
        weights: Vec::new(),
        stack: Vec::new(),
        anchors: HashMap::new(),
        aliased: 0,
        documents: 0,
        root: None,
        diagnostics,
    };
    let options = granit_parser::options! { emit_comments: false };
    for next in Parser::new_from_str_with_options(&text[mark..], options) {
        let stop = match next {
            Err(error) => Some(scanner.syntax_error(&error)),
            Ok((event, span)) => {
                let range = span.byte_range().unwrap_or(0..0);
                let start = span.tag_start().and_then(|m| m.byte_offset());
                scanner
                    .event(
                        event,
                        Span::new(range.start + mark, range.end + mark),
                        start.map(|s| s + mark),
                    )
                    .err()
            }
        };
        if let Some(diagnostic) = stop {
            scanner.diagnostics.push(*diagnostic);
            return None;
        }
    }
    let Some(root) = scanner.root else {
        if dialect == Dialect::Octodns {
            scanner.node(
                Node {
                    span: Span::new(mark, mark),
                    kind: Kind::Scalar(Box::default(), Style::Plain),
                },
                0,
            );
            return Some(scanner.tree);
        }
        let place = Place { source, span: Span::new(mark, mark) };
        diagnostics.push(
            findings::NOTHING
                .at(place, "the file is empty")
                .help("begin with `version: 1` and `zones:`"),
        );
        return None;
    };
    scanner.tree.root = root;
    Some(scanner.tree)
}

/// Returns the position of the first carriage return without a line feed after it. YAML and tables
/// take it for the end of a line, and editors do not: text that looks like a comment to a reviewer
/// would be part of the spec.
#[must_use]
pub fn lone_carriage_return(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    text.match_indices('\r').map(|(at, _)| at).find(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// An open list or mapping.
struct Frame {
    id: NodeId,
    is_mapping: bool,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    /// The key whose value comes next, and whether the pair is kept.
    key: Option<(NodeId, bool)>,
    /// Keys seen, once there are many.
    table: HashMap<Box<str>, NodeId>,
    weight: u64,
}

/// The state of the pass.
struct Scanner<'a> {
    text: &'a str,
    dialect: Dialect,
    mark: usize,
    tree: Tree,
    /// For each node, its number of nodes with aliases expanded.
    weights: Vec<u64>,
    stack: Vec<Frame>,
    anchors: HashMap<usize, NodeId>,
    aliased: u64,
    documents: usize,
    root: Option<NodeId>,
    diagnostics: &'a mut Diagnostics,
}

/// A finding that ends reading. Boxed, because it is rare and large.
type Stop = Box<Diagnostic>;

impl Scanner<'_> {
    /// Handles one event.
    fn event(&mut self, event: Event<'_>, span: Span, tag: Option<usize>) -> Result<(), Stop> {
        let mut includes = false;
        let mut is_text = false;
        if let Some(start) = tag {
            let end = start
                + self.text[start..]
                    .find(|c: char| c.is_whitespace())
                    .unwrap_or(self.text.len() - start);
            let place = self.place(Span::new(start, end));
            let tag = self.text[start..end].to_owned();
            includes = self.dialect == Dialect::Octodns
                && tag == INCLUDE
                && matches!(event, Event::Scalar(..));
            // PyYAML's tag makes any value text.
            is_text = self.dialect == Dialect::Octodns
                && tag == TEXT
                && matches!(event, Event::Scalar(..));
            if !includes && !is_text {
                self.diagnostics.push(
                    findings::TAG
                        .at(place, format!("`{tag}` is a tag"))
                        .help("remove the tag; write a value in quotes if it is meant as text"),
                );
            }
        }
        if self.tree.nodes.len() >= NODES {
            return Err(Box::new(
                findings::TOO_LARGE
                    .at(self.place(span), format!("the file holds more than {NODES} values"))
                    .help("write one file for each zone"),
            ));
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Box::new(
                        findings::SEVERAL_DOCUMENTS
                            .at(self.place(span), "another document begins here")
                            .help(
                                "remove the `---`, or write the second document to a file of its \
                                own",
                            ),
                    ));
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                // The parser reports an absent value as `~`.
                let absent = matches!(style, ScalarStyle::Plain) && span.start == span.end;
                let style = match style {
                    _ if is_text => Style::Text,
                    _ if includes => Style::Include,
                    ScalarStyle::Plain => Style::Plain,
                    _ => Style::Text,
                };
                let text: Box<str> = if absent { Box::default() } else { text.into() };
                let id = self.node(Node { span, kind: Kind::Scalar(text, style) }, anchor);
                self.attach(id);
            }
            Event::SequenceStart(_, anchor, _) => self.open(span, anchor, false)?,
            Event::MappingStart(_, anchor, _) => self.open(span, anchor, true)?,
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => self.alias(anchor, span)?,
            _ => {}
        }
        Ok(())
    }

    /// Returns a place in this text.
    fn place(&self, span: Span) -> Place {
        Place { source: self.tree.source, span }
    }

    /// Adds a node.
    fn node(&mut self, node: Node, anchor: usize) -> NodeId {
        let id = NodeId(u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX));
        self.weights.push(match &node.kind {
            Kind::Scalar(text, _) => 1 + (text.len() / BYTES_PER_NODE) as u64,
            Kind::Sequence(_) | Kind::Mapping(_) => 1,
        });
        self.tree.nodes.push(node);
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
        id
    }

    /// Opens a list or mapping.
    fn open(&mut self, span: Span, anchor: usize, is_mapping: bool) -> Result<(), Stop> {
        if self.stack.len() >= DEPTH {
            let place = self.place(Span::new(span.start as usize, span.start as usize + 1));
            return Err(Box::new(
                findings::TOO_DEEP
                    .at(place, format!("lists and mappings are nested more than {DEPTH} deep here"))
                    .help("look for brackets that are not closed"),
            ));
        }
        let kind = if is_mapping { Kind::Mapping(Vec::new()) } else { Kind::Sequence(Vec::new()) };
        let id = self.node(Node { span, kind }, anchor);
        self.stack.push(Frame {
            id,
            is_mapping,
            items: Vec::new(),
            entries: Vec::new(),
            key: None,
            table: HashMap::new(),
            weight: 1,
        });
        Ok(())
    }

    /// Closes the innermost list or mapping.
    fn close(&mut self, span: Span) {
        let Some(mut frame) = self.stack.pop() else { return };
        self.weights[frame.id.0 as usize] = frame.weight;
        let node = self.tree.node_mut(frame.id);
        // Block collections end where the next item begins; trailing blanks are not part of them.
        let end =
            self.text.get(..span.end as usize).map_or(span.end as usize, |t| t.trim_end().len());
        node.span = Span::new(node.span.start as usize, end);
        frame.items.shrink_to_fit();
        frame.entries.shrink_to_fit();
        node.kind = if frame.is_mapping {
            Kind::Mapping(frame.entries)
        } else {
            Kind::Sequence(frame.items)
        };
        self.attach(frame.id);
    }

    /// Handles a reference to an anchor.
    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let target = self.anchors.get(&anchor).copied();
        let open = target.is_some_and(|t| self.stack.iter().any(|f| f.id == t));
        let Some(target) = target.filter(|_| !open) else {
            return Err(Box::new(
                findings::SYNTAX
                    .at(self.place(span), "the alias is inside the value that it refers to")
                    .help("write the value out"),
            ));
        };
        self.aliased = self.aliased.saturating_add(self.weights[target.0 as usize]);
        if self.aliased > ALIAS_NODES {
            return Err(Box::new(
                findings::TOO_MANY_ALIASES
                    .at(
                        self.place(span),
                        "with this alias, more than a million values, or 256 MB of text, are \
                        repeated",
                    )
                    .help("write the values out, or use `defaults:`"),
            ));
        }
        self.attach(target);
        Ok(())
    }

    /// Adds a complete node to the list or mapping that contains it.
    fn attach(&mut self, id: NodeId) {
        let weight = self.weights[id.0 as usize];
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(id);
            return;
        };
        frame.weight = frame.weight.saturating_add(weight);
        if !frame.is_mapping {
            frame.items.push(id);
            return;
        }
        match frame.key.take() {
            Some((key, true)) => frame.entries.push(Entry { key, value: id }),
            Some((_, false)) => {}
            None => {
                let kept = self.key(id);
                if let Some(frame) = self.stack.last_mut() {
                    frame.key = Some((id, kept));
                }
            }
        }
    }

    /// Checks a key of the innermost mapping. Returns true if its pair is kept.
    fn key(&mut self, id: NodeId) -> bool {
        let place = self.tree.place(id);
        let Kind::Scalar(text, style) = &self.tree.node(id).kind else {
            self.diagnostics.push(
                findings::KEY_NOT_TEXT.at(place, "this is a list or a mapping, not a word").help(
                    "write `key: value`; a value that begins with \
                        `{` or `[` needs quotes to be text",
                ),
            );
            return false;
        };
        // `other_tools_yaml` resolves merge keys and keeps the last of equal keys.
        if self.dialect == Dialect::Octodns {
            return true;
        }
        if &**text == MERGE && *style == Style::Plain {
            self.diagnostics.push(
                findings::MERGE_KEY
                    .at(place, "`<<` hides where a value comes from")
                    .help("use `defaults:` for what records share, or write the keys out"),
            );
            return false;
        }
        let Some(frame) = self.stack.last_mut() else { return false };
        let first = if frame.entries.len() < KEYS_IN_TABLE {
            frame.entries.iter().map(|e| e.key).find(|k| self.tree.text(*k) == &**text)
        } else {
            if frame.table.is_empty() {
                frame.table =
                    frame.entries.iter().map(|e| (self.tree.text(e.key).into(), e.key)).collect();
            }
            let first = frame.table.get(text).copied();
            frame.table.entry(text.clone()).or_insert(id);
            first
        };
        let Some(first) = first else { return true };
        if super::is_enough(self.diagnostics) {
            return false;
        }
        self.diagnostics.push(
            findings::DUPLICATE_KEY
                .at(place, format!("`{text}` is already defined here"))
                .and_at(self.tree.place(first), "it is first written here")
                .help("remove one of the two, or merge what they hold"),
        );
        false
    }

    /// Converts an error of the parser to a finding.
    fn syntax_error(&self, error: &ScanError) -> Stop {
        let at = self.mark + error.marker().byte_offset().unwrap_or(0);
        let (detail, help) = explain(error.kind());
        let detail = detail.map_or_else(|| error.info(), str::to_owned);
        let at = if is_tab(error.kind()) { tab_near(self.text, at) } else { at };
        // The parser reports unclosed items at the end of the text, which has nothing to show. The
        // last line is reported instead.
        let at = if at >= self.text.len() { self.text.trim_end().len() } else { at };
        let length = self.text.get(at..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
        let finding = match error.kind() {
            ErrorKind::RecursionLimitExceeded => findings::TOO_DEEP,
            _ => findings::SYNTAX,
        };
        let diagnostic = finding.at(self.place(Span::new(at, at + length)), detail);
        Box::new(match (value_with_colon(self.text, at), help) {
            (Some(value), Some(_)) => diagnostic.help(format!(
                "a value that holds `: ` or ends with `:` needs quotes: write {}",
                double_quoted(value)
            )),
            (_, Some(help)) => diagnostic.help(help),
            (_, None) => diagnostic,
        })
    }
}

/// Returns the value in a flow mapping in which an unquoted colon at `at` was taken for the end of
/// a key.
fn value_with_colon(text: &str, at: usize) -> Option<&str> {
    let value_tail = text.get(at..).filter(|rest| rest.starts_with(':'))?;
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line_head = &text[line_start..at];
    let start = line_start + line_head.rfind(": ").map(|colon| colon + 2)?;
    let end = value_tail.find([',', '}', '\n']).map_or(text.len(), |end| at + end);
    let value = text[start..end].trim();
    let is_plain = text[line_start..start].contains('{') && !value.contains(['"', '\'', '{', '[']);
    is_plain.then_some(value)
}

/// Returns the place of the tab that the parser reports: among the blanks before this place, after
/// it on the line, or at the beginning of a later line, where it ends a value.
fn tab_near(text: &str, at: usize) -> usize {
    let text_before = text.get(..at).unwrap_or_default();
    let blanks = text_before.trim_end_matches([' ', '\t']).len();
    if let Some(n) = text_before[blanks..].find('\t') {
        return blanks + n;
    }
    let text_after = text.get(at..).unwrap_or_default();
    if let Some(n) = text_after.lines().next().and_then(|line| line.find('\t')) {
        return at + n;
    }
    let in_indentation = |(start, _): (usize, &str)| {
        let blank = text_after[start + 1..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        blank.enumerate().find(|(_, byte)| *byte == b'\t').map(|(n, _)| at + start + 1 + n)
    };
    text_after.match_indices('\n').find_map(in_indentation).unwrap_or(at)
}

/// Returns true if the error is a tab.
fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar
    )
}

/// Returns a clearer message for common errors, and the suggested correction.
fn explain(kind: &ErrorKind) -> (Option<&'static str>, Option<&'static str>) {
    match kind {
        kind if is_tab(kind) => {
            (Some("a tab is used for indentation"), Some("use spaces, two for each level"))
        }
        ErrorKind::UnexpectedEofFlowSequence => {
            (Some("a `[` is not closed"), Some("add the closing `]`"))
        }
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            (Some("a `{` is not closed"), Some("add the closing `}`"))
        }
        ErrorKind::UnclosedFlowCollection { open: '[' } => {
            (Some("a `[` is not closed"), Some("add the closing `]`"))
        }
        ErrorKind::UnclosedFlowCollection { .. } => {
            (Some("a `{` is not closed"), Some("add the closing `}`"))
        }
        ErrorKind::MisplacedFlowCollectionEnd | ErrorKind::MismatchedFlowCollectionEnd { .. } => (
            Some("this bracket has no opening bracket"),
            Some(
                "remove it, or open it with `[` or \
                `{`; brackets inside text need quotes around the text",
            ),
        ),
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::DocumentIndicatorInQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent => (
            Some("a quote is not closed"),
            Some("add the closing quote; a `'` inside single quotes is written `''`"),
        ),
        ErrorKind::UnknownAnchor => (
            Some("the alias refers to an anchor that is not defined above it"),
            Some(
                "define it with `&name`, or write the value in quotes if it begins with `*`, such \
                as \"*\"",
            ),
        ),
        ErrorKind::MissingAnchorOrAliasName => (
            Some("`*` and `&` at the start of a value need a name"),
            Some("write a wildcard in quotes, such as \"*\" or \"*.example.com\""),
        ),
        ErrorKind::UnexpectedCharacter { character } if character.is_control() => (
            Some("this character is not allowed in a YAML file"),
            Some("remove it, or write it as an escape such as \"\\x1b\" in double quotes"),
        ),
        ErrorKind::UnexpectedCharacter { .. } => (
            Some("no value can begin with this character"),
            Some("write the value in quotes, such as \"@\""),
        ),
        ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidSimpleKey
        | ErrorKind::SimpleKeyExpected => (
            Some("this line fits neither the indentation above it nor the form `key: value`"),
            Some(
                "begin the keys of one mapping in the same column, and write a space after each `:`",
            ),
        ),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            Some("a `:` is where no key can be"),
            Some(
                "write the value in quotes if the `:` belongs to it, or begin the key on a line of \
                its own",
            ),
        ),
        ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection => (
            Some("a list item is not possible here"),
            Some("begin each `- ` item on a line of its own"),
        ),
        ErrorKind::ExpectedFlowMappingSeparator => (
            Some("`,` or `}` is expected here"),
            Some(
                "write `{ key: value, key: value }`; a value that holds `,`, `{` or `}` needs \
                quotes",
            ),
        ),
        ErrorKind::ExpectedFlowSequenceSeparator => (
            Some("`,` or `]` is expected here"),
            Some("write `[value, value]`; a value that holds `,`, `[` or `]` needs quotes"),
        ),
        ErrorKind::UnknownQuotedScalarEscape => (
            Some("the escape does not exist in double quotes"),
            Some("write `\\\\` for a backslash, or use single quotes, which have no escapes"),
        ),
        ErrorKind::InvalidTrailingDoubleQuotedScalar
        | ErrorKind::InvalidTrailingSingleQuotedScalar => (
            Some("text follows a closing quote"),
            Some(
                "put the whole value in quotes; a `\"` inside double quotes is written `\\\"`, or \
                use single quotes around it",
            ),
        ),
        ErrorKind::RecursionLimitExceeded => (
            Some("lists and mappings are nested too deep here"),
            Some("look for brackets that are not closed"),
        ),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Sources;

    /// Codes and places of the findings of a scan.
    fn found(text: &str) -> Vec<(&'static str, usize, usize)> {
        let mut sources = Sources::default();
        let source = sources.add("a.yaml", text);
        let mut diagnostics = Diagnostics::default();
        scan(text, source, &mut diagnostics);
        diagnostics
            .iter()
            .map(|d| {
                let at = sources.line_column(d.primary.as_ref().unwrap().place);
                (d.code(), at.line, at.column)
            })
            .collect()
    }

    #[test]
    fn duplicates_are_found_at_every_level() {
        assert_eq!(
            found("a: 1\nb: {c: 1, c: 2}\nl:\n- {x: 1, y: 2, x: 3, x: 4}\na: 2\n"),
            [("SPEC0008", 2, 11), ("SPEC0008", 4, 16), ("SPEC0008", 4, 22), ("SPEC0008", 5, 1)]
        );
        let many: String = (0..40).map(|n| format!("k{n}: 1\n")).collect();
        assert_eq!(
            found(&format!("{many}k3: 1\nk39: 1\n")),
            [("SPEC0008", 41, 1), ("SPEC0008", 42, 1)]
        );
    }

    #[test]
    fn what_is_refused() {
        assert_eq!(found("a: &x {b: 1}\nc:\n  <<: *x\n  d: *x\n"), [("SPEC0011", 3, 3)]);
        assert_eq!(found("a: !secret b\n"), [("SPEC0012", 1, 4)]);
        assert_eq!(found("a: 1\n---\nb: 2\n"), [("SPEC0013", 2, 1)]);
        assert_eq!(found("? [a]\n: 1\n"), [("SPEC0014", 1, 3)]);
        assert_eq!(found("a: &x [*x]\n"), [("SPEC0001", 1, 8)]);
        assert_eq!(found("a: *x\n"), [("SPEC0001", 1, 4)]);
        assert_eq!(found("# nothing\n"), [("SPEC0005", 1, 1)]);
    }

    #[test]
    fn a_carriage_return_alone_ends_no_line() {
        assert_eq!(found("a: 1\r\nb: # hidden\r  - c\n"), [("SPEC0046", 2, 12)]);
        assert_eq!(found("a: 1\rb: 2"), [("SPEC0046", 1, 5)]);
        assert_eq!(found("a: 1\n\r"), [("SPEC0046", 2, 1)]);
        assert_eq!(found("a: 1\r\nb: \"\\r\"\r\n"), []);
    }

    #[test]
    fn depth_and_aliases_are_bounded() {
        assert_eq!(found(&"[".repeat(20_000))[0].0, "SPEC0009");
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for n in 1..12 {
            bomb.push_str(&format!(
                "a{n}: &a{n} [{}]\n",
                vec![format!("*a{}", n - 1); 9].join(",")
            ));
        }
        assert_eq!(found(&bomb)[0].0, "SPEC0010");
    }
}
