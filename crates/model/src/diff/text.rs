//! Finds differences between two texts: by lines, by words, or by other parts.
//!
//! `similar` compiles each of its algorithms for each kind of sequence that it compares, 2 MB of
//! instructions in all. So only this module calls it, always with slices of texts and with an
//! explicit algorithm. The feature `text` of `similar`, which divides texts into words and lines,
//! would compile all algorithms for texts, even unused ones, so this module divides texts itself.

use std::fmt::Write as _;
use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, group_diff_ops};

/// A step from one sequence to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStep {
    /// True if both sequences are equal in this step.
    pub is_equal: bool,
    /// The range in the first sequence.
    pub old: Range<usize>,
    /// The range in the second sequence.
    pub new: Range<usize>,
}

/// Returns the steps from one sequence to another, in order; together they cover both sequences.
#[must_use]
pub fn steps(old: &[&str], new: &[&str]) -> Vec<TextStep> {
    let step = |op: DiffOp| TextStep {
        is_equal: matches!(op, DiffOp::Equal { .. }),
        old: op.old_range(),
        new: op.new_range(),
    };
    shortest_edits(old, new).into_iter().map(step).collect()
}

/// Divides a text into words and the spaces between them.
#[must_use]
pub fn words_and_spaces(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut text_left = text;
    while let Some(first) = text_left.chars().next() {
        let end = text_left
            .find(|c: char| c.is_whitespace() != first.is_whitespace())
            .unwrap_or(text_left.len());
        let (word, after) = text_left.split_at(end);
        words.push(word);
        text_left = after;
    }
    words
}

/// Divides a text into lines, each with its line end: a line feed, a carriage return, or both.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut text_left = text;
    while !text_left.is_empty() {
        let end = text_left.find(['\r', '\n']).map_or(text_left.len(), |at| {
            at + if text_left[at..].starts_with("\r\n") { 2 } else { 1 }
        });
        let (line, after) = text_left.split_at(end);
        lines.push(line);
        text_left = after;
    }
    lines
}

/// Formats a range of lines for the header of a hunk: the first line and the number of lines. The
/// number is left out for one line. An empty range is named by the line before it.
fn lines_of_hunk(range: Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => (range.start + 1).to_string(),
        count => format!("{},{count}", range.start + 1),
    }
}

/// Returns the differences between two texts as a unified diff with file names and `context` equal
/// lines around each change. Returns an empty text if the texts are equal.
#[must_use]
pub fn unified(
    before: &str,
    after: &str,
    (old_name, new_name): (&str, &str),
    context: usize,
) -> String {
    let (old, new) = (split_lines(before), split_lines(after));
    let mut text = String::new();
    for hunk in group_diff_ops(shortest_edits(&old, &new), context) {
        if text.is_empty() {
            text = format!("--- {old_name}\n+++ {new_name}\n");
        }
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let old_lines = lines_of_hunk(first.old_range().start..last.old_range().end);
        let new_lines = lines_of_hunk(first.new_range().start..last.new_range().end);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "@@ -{old_lines} +{new_lines} @@");
        for change in hunk.iter().flat_map(|op| op.iter_changes(old.as_slice(), new.as_slice())) {
            let _ = write!(text, "{}{}", change.tag(), change.value());
            if !change.value().ends_with(['\r', '\n']) {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

fn shortest_edits(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut captured = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut captured, old, 0..old.len(), new, 0..new.len());
    captured.into_inner().into_inner().into_ops()
}

#[cfg(test)]
mod tests {
    use super::{split_lines, unified, words_and_spaces};

    #[test]
    fn texts_are_divided_without_loss() {
        assert_eq!(
            words_and_spaces("v=spf1  ip4:192.0.2.1\t-all "),
            ["v=spf1", "  ", "ip4:192.0.2.1", "\t", "-all", " "]
        );
        assert_eq!(words_and_spaces("\u{3000}é\u{a0}"), ["\u{3000}", "é", "\u{a0}"]);
        assert_eq!(words_and_spaces(""), [""; 0]);
        assert_eq!(split_lines("a\r\nb\rc\n\nd"), ["a\r\n", "b\r", "c\n", "\n", "d"]);
        assert_eq!(split_lines(""), [""; 0]);
    }

    /// Programs that apply a patch find its lines by the headers of hunks.
    #[test]
    fn heads_of_hunks_name_the_lines() {
        let head = |before: &str, after: &str| {
            let text = unified(before, after, ("a", "b"), 3);
            text.lines()
                .filter(|line| line.starts_with("@@"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(head("", "one\n"), ["@@ -0,0 +1 @@"]);
        assert_eq!(head("one\n", ""), ["@@ -1 +0,0 @@"]);
        assert_eq!(head("one\ntwo\n", "one\n2\n"), ["@@ -1,2 +1,2 @@"]);
        let many = |middle: &str| {
            (1..=20)
                .map(|n| if n == 10 { middle.to_owned() } else { format!("{n}\n") })
                .collect::<String>()
        };
        assert_eq!(head(&many("10\n"), &many("ten\nand\n")), ["@@ -7,7 +7,8 @@"]);
        assert_eq!(head(&many("10\n"), &many("")), ["@@ -7,7 +7,6 @@"]);
    }
}
