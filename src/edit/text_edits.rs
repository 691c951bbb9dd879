//! Edits of a text by byte ranges.

use crate::model::sort_by_key;
use std::ops::Range;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edit {
    /// First replaced byte.
    pub(super) start: usize,
    /// End of the replaced bytes, exclusive.
    pub(super) end: usize,
    /// Replacement text.
    pub(super) text: String,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { start: range.start, end: range.end, text: text.into() }
    }
}

/// Applies all edits. Returns `None` if two edits touch the same bytes.
#[must_use]
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    // Several insertions at one place keep their order.
    sort_by_key(&mut edits, |edit| (edit.start, edit.end));
    let mut out =
        String::with_capacity(text.len() + edits.iter().map(|e| e.text.len()).sum::<usize>());
    let mut at = 0;
    for edit in &edits {
        if edit.start == edit.end && edit.start < at {
            // An insertion after removed lines takes the place of these lines.
            let lines = edit.text.strip_prefix("\r\n").map(|rest| (rest, "\r\n"));
            let (rest, line_break) =
                lines.or_else(|| edit.text.strip_prefix('\n').map(|rest| (rest, "\n")))?;
            if !text[..at].ends_with('\n') {
                return None;
            }
            out.push_str(rest);
            out.push_str(line_break);
            continue;
        }
        out.push_str(text.get(at..edit.start)?);
        out.push_str(&edit.text);
        at = edit.end.max(edit.start);
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_their_order() {
        let edits = vec![
            Edit::new(4..5, "E"),
            Edit::new(0..1, ""),
            Edit::new(2..2, "x"),
            Edit::new(2..2, "y"),
        ];
        assert_eq!(apply("abcdef", edits).as_deref(), Some("bxycdEf"));
        assert_eq!(apply("abc", vec![Edit::new(0..2, ""), Edit::new(1..3, "")]), None);
        assert_eq!(apply("abc", vec![Edit::new(0..9, "")]), None);
        assert_eq!(
            apply("a\nb\nc\n", vec![Edit::new(2..4, ""), Edit::new(3..3, "\nx")]).as_deref(),
            Some("a\nx\nc\n")
        );
    }
}
