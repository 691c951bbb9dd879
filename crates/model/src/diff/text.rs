//! What differs between two texts: by lines, by words, or by whatever they are divided into.
//!
//! `similar` compiles each of its algorithms for each kind of sequence that it compares, 2 MB of instructions in all. So this is the
//! only place that asks it, always for slices of texts, and it names the algorithm.

use std::fmt::Write as _;
use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffableStr, group_diff_ops};

/// Equal lines that a patch shows on both sides of a change.
const CONTEXT: usize = 3;

/// A step from one sequence to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStep {
    /// Whether both have the same here.
    pub is_equal: bool,
    /// Its part of the first sequence.
    pub old: Range<usize>,
    /// Its part of the second one.
    pub new: Range<usize>,
}

/// The steps from one sequence to another, in order; together they cover both.
#[must_use]
pub fn steps(old: &[&str], new: &[&str]) -> Vec<TextStep> {
    let step = |op: DiffOp| TextStep {
        is_equal: matches!(op, DiffOp::Equal { .. }),
        old: op.old_range(),
        new: op.new_range(),
    };
    operations(old, new).into_iter().map(step).collect()
}

/// The words of a text and the spaces between them.
#[must_use]
pub fn words(text: &str) -> Vec<&str> {
    text.tokenize_words()
}

/// What differs between two texts as a unified diff, with the names of the files; empty if nothing does.
#[must_use]
pub fn unified(before: &str, after: &str, (old_name, new_name): (&str, &str)) -> String {
    let (old, new) = (before.tokenize_lines(), after.tokenize_lines());
    let mut text = String::new();
    for hunk in group_diff_ops(operations(&old, &new), CONTEXT) {
        if text.is_empty() {
            text = format!("--- {old_name}\n+++ {new_name}\n");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", UnifiedHunkHeader::new(&hunk));
        for change in hunk.iter().flat_map(|op| op.iter_changes(old.as_slice(), new.as_slice())) {
            let _ = write!(text, "{}{}", change.tag(), change.value());
            if !change.value().ends_with(['\r', '\n']) {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// The steps as `similar` has them, by the algorithm of Myers.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut found, old, 0..old.len(), new, 0..new.len());
    found.into_inner().into_inner().into_ops()
}
