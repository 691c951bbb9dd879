//! Block scalars whose indentation is part of their meaning, such as `|2+`. They are replaced with
//! names during layout, and restored with the indentation of their new place.
//!
//! The layout moves lines, but ignores indentation indicators and blank lines that a block keeps.
//!
//! # Sources
//! yaml.org/spec/1.2.2, sections 8.1.1.1 (indentation indicator) and 8.1.1.2 (chomping indicator),
//! read 2026-11.

use super::source_tree::{NodeId, SourceNodeKind, SourceTree, Style};
use super::text_edits::{Edit, apply};

/// Indentation of a block relative to its parent.
const INDENT: usize = 2;

/// A block that is put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    /// Name that replaces the block in the text.
    name: String,
    /// `|` or `>`, and its indicators.
    header: String,
    /// Lines of the block without their indentation.
    lines: Vec<String>,
}

/// Blocks of a text that are put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shelf {
    blocks: Vec<Block>,
}

impl Shelf {
    /// Replaces such blocks with names. Returns `None` if a block cannot be removed.
    pub(super) fn fill(text: &str) -> Option<(String, Self)> {
        let mut shelf = Self { blocks: Vec::new() };
        let Ok(tree) = SourceTree::read(text) else { return Some((text.to_owned(), shelf)) };
        // A prefix that the text does not contain.
        let prefix = (0_u32..)
            .map(|n| format!("block-{n}-"))
            .find(|prefix| !text.contains(prefix.as_str()))?;
        let mut edits = Vec::new();
        for id in tree.ids() {
            let at = tree.node(id).content;
            let line_end = tree.line_end(at);
            let Some(header) =
                text[at..line_end].split([' ', '\t']).next().filter(|_| is_block(&tree, id))
            else {
                continue;
            };
            let written_indent = header.chars().find_map(|c| c.to_digit(10));
            let Some(outer) =
                outer(&tree, id).filter(|_| written_indent.is_some() || header.contains('+'))
            else {
                continue;
            };
            let body = (line_end + 1).min(text.len());
            let lines = lines(
                &text[body..],
                written_indent.map(|digit| outer + digit as usize),
                outer,
                header.contains('+'),
            );
            let end = body + lines.iter().map(|(_, line)| line.len()).sum::<usize>();
            let name = format!("{prefix}{}", shelf.blocks.len());
            edits.push(Edit::new(at..at + header.len(), name.clone()));
            edits.push(Edit::new(body..end, ""));
            let unindented = |(indent, line): &(usize, &str)| {
                line.trim_end_matches('\n').get(*indent..).unwrap_or_default().to_owned()
            };
            let header = header.replace(|c: char| c.is_ascii_digit(), &INDENT.to_string());
            shelf.blocks.push(Block {
                name,
                header,
                lines: lines.iter().map(unindented).collect(),
            });
        }
        Some((apply(text, edits)?, shelf))
    }

    /// Restores the blocks. Returns `None` if a block has no place.
    pub(super) fn empty(self, text: &str) -> Option<String> {
        if self.blocks.is_empty() {
            return Some(text.to_owned());
        }
        let tree = SourceTree::read(text).ok()?;
        let mut edits = Vec::new();
        for Block { name, header, lines } in self.blocks {
            let id = tree
                .ids()
                .find(|id| matches!(&tree.node(*id).kind, SourceNodeKind::Scalar(text, Style::Plain) if **text == *name))?;
            let span = &tree.node(id).span;
            let indent = outer(&tree, id)? + INDENT;
            let margin = " ".repeat(indent);
            let line = |line: &String| {
                if line.is_empty() { "\n".to_owned() } else { format!("{margin}{line}\n") }
            };
            let next_line = tree.next_line(span.end);
            edits.push(Edit::new(tree.node(id).content..span.end, header));
            edits.push(Edit::new(next_line..next_line, lines.iter().map(line).collect::<String>()));
        }
        apply(text, edits)
    }
}

/// Returns true if a node is a block scalar.
fn is_block(tree: &SourceTree<'_>, id: NodeId) -> bool {
    matches!(tree.node(id).kind, SourceNodeKind::Scalar(_, Style::Block))
}

/// Returns the column to which the indentation of a block is relative: the column of the keys or
/// dashes of its parent, if any.
fn outer(tree: &SourceTree<'_>, id: NodeId) -> Option<usize> {
    let parent = tree.node(id).parent.filter(|parent| !tree.is_flow(*parent))?;
    let start = match &tree.node(parent).kind {
        SourceNodeKind::Sequence { .. } => tree.dash(id),
        SourceNodeKind::Mapping { entries, .. } => {
            let key = entries
                .iter()
                .find(|(_, value)| *value == id)
                .map(|(key, _)| tree.node(*key).span.start)?;
            // After `? key`, the column is that of the question mark.
            if tree.text[..key].trim_end_matches(' ').ends_with('?') {
                return None;
            }
            key
        }
        SourceNodeKind::Scalar(..) | SourceNodeKind::Alias(_) => return None,
    };
    Some(tree.column(start))
}

/// Splits a block into lines with their indentation. The indentation is `given`, or that of the
/// first line with more than blanks.
fn lines(body: &str, given: Option<usize>, outer: usize, keeps_end: bool) -> Vec<(usize, &str)> {
    let is_blank = |line: &str| line.trim_matches([' ', '\n']).is_empty();
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let detected = || body.lines().find(|line| !is_blank(line)).map_or(0, blanks);
    let indent = given.unwrap_or_else(detected).max(outer + 1);
    let block_lines =
        body.split_inclusive('\n').take_while(|line| is_blank(line) || blanks(line) >= indent);
    let mut lines: Vec<_> = block_lines.map(|line| (indent, line)).collect();
    while !keeps_end && lines.last().is_some_and(|(_, line)| is_blank(line)) {
        lines.pop();
    }
    lines
}
