//! Finds the place in the file of a part of a scalar's text.
//!
//! Decodes the scalar's source again and records for each byte of the result the piece of the file
//! that it came from. If the result differs from the scalar's text (because of a substitution, or
//! an unsupported form), the place is the whole scalar. A place is never wrong, but it may be
//! larger than needed.
//!
//! | form | what is undone |
//! |---|---|
//! | plain, `'…'`, `"…"` | quotes, escapes, lines folded to blanks |
//! | <code>\|</code> | indentation, the header, the end of the last line |
//! | `>` | the same, and lines folded to blanks unless one is indented further |

use std::ops::Range;

use crate::diagnostic::{Place, Span};

/// Returns the place of a part of a scalar. Returns that of the whole scalar if the part cannot be
/// found.
///
/// # Units
/// `part` is in bytes of the scalar's text.
pub(super) fn within(place: Place, file: &str, scalar: &str, part: Range<usize>) -> Place {
    let (start, end) = (place.span.start as usize, place.span.end as usize);
    // A block begins at its first letter, after its header and indentation.
    let header = block_header(file, start);
    let from = header.map_or(start, |h| h.content);
    let decoded = file.get(from..end).map(|written| decode(written, header.map(|h| h.is_folded)));
    match decoded.and_then(|decoded| locate(&decoded, scalar, part)) {
        Some(found) => {
            Place { source: place.source, span: Span::new(from + found.start, from + found.end) }
        }
        None => place,
    }
}

/// The header of a block.
#[derive(Debug, Clone, Copy)]
struct Header {
    is_folded: bool,
    /// Start of the line below the header.
    content: usize,
}

/// Returns the header of the block whose text begins at `start`, if it is a block.
fn block_header(file: &str, start: usize) -> Option<Header> {
    let mut content = file.get(..start)?.rfind('\n')? + 1;
    if !file[content..start].bytes().all(|b| b == b' ') {
        return None;
    }
    loop {
        let above = &file[..content - 1];
        let line = above.rfind('\n').map_or(0, |n| n + 1);
        let written = above[line..].trim_end();
        if written.is_empty() && line > 0 {
            content = line;
            continue;
        }
        let written = written.split(" #").next().unwrap_or_default().trim_end();
        let bare =
            written.trim_end_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let is_folded = bare.ends_with('>');
        let text_before = bare.strip_suffix(['|', '>'])?;
        return text_before.ends_with([' ', ':', '-']).then_some(Header { is_folded, content });
    }
}

/// Returns the part of the source that corresponds to a part of the text.
fn locate(decoded: &Decoded, scalar: &str, part: Range<usize>) -> Option<Range<usize>> {
    if part.start > part.end || part.end > scalar.len() {
        return None;
    }
    let is_same = decoded.text == scalar.as_bytes();
    // The end of a block belongs to the scalar or not, depending on the text after it.
    let is_same =
        is_same || decoded.text.trim_ascii_end() == scalar.trim_end_matches(['\n', ' ']).as_bytes();
    if !is_same {
        return None;
    }
    let pieces = &decoded.pieces;
    let start =
        pieces.get(part.start).map_or_else(|| pieces.last().map_or(0, |p| p.end), |p| p.start);
    let end = match part.end.checked_sub(1).filter(|_| !part.is_empty()) {
        Some(last) => pieces.get(last.min(pieces.len().checked_sub(1)?))?.end,
        None => start,
    };
    (start <= end).then_some(start as usize..end as usize)
}

/// The part of the source that a byte of the text came from.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: u32,
    end: u32,
}

/// A text with the origin of each of its bytes.
#[derive(Debug, Default)]
struct Decoded {
    text: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Decoded {
    /// Adds text that corresponds to a piece of the source.
    fn push(&mut self, text: &str, start: usize, end: usize) {
        #[expect(clippy::cast_possible_truncation, reason = "files have at most 24 MiB")]
        let piece = Piece { start: start as u32, end: end as u32 };
        self.text.extend_from_slice(text.as_bytes());
        self.pieces.resize(self.text.len(), piece);
    }

    /// Adds text that is the same in the source.
    fn copy(&mut self, text: &str, start: usize) {
        for (at, c) in text.char_indices() {
            self.push(&text[at..at + c.len_utf8()], start + at, start + at + c.len_utf8());
        }
    }

    /// Removes blanks from the end, but keeps at least `least` bytes.
    fn trim_blanks(&mut self, least: usize) {
        while self.text.len() > least && matches!(self.text.last(), Some(b' ' | b'\t')) {
            self.text.pop();
            self.pieces.pop();
        }
    }
}

/// Decodes a scalar from its source; for a block, from the part below its header.
fn decode(written: &str, folded: Option<bool>) -> Decoded {
    if let Some(is_folded) = folded {
        return decode_block(written, is_folded);
    }
    match written.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => {
            let quote = char::from(*quote);
            let inner = written[1..].strip_suffix(quote).unwrap_or(&written[1..]);
            decode_flow(inner, 1, quote)
        }
        _ => decode_flow(written, 0, ' '),
    }
}

/// Decodes a plain or quoted scalar and folds its lines.
fn decode_flow(inner: &str, shift: usize, quote: char) -> Decoded {
    let mut decoded = Decoded::default();
    let mut at = 0;
    // Blanks that were written as escapes are not trimmed.
    let mut kept = 0;
    while let Some(c) = inner[at..].chars().next() {
        let start = at;
        at += c.len_utf8();
        match c {
            '\n' | '\r' => {
                decoded.trim_blanks(kept);
                let text_left = &inner[start..];
                let end = start
                    + (text_left.len()
                        - text_left.trim_start_matches([' ', '\t', '\n', '\r']).len());
                let breaks = inner[start..end].matches('\n').count().max(1);
                let joint = if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks - 1) };
                decoded.push(&joint, shift + start, shift + end);
                kept = decoded.text.len();
                at = end;
            }
            '\'' if quote == '\'' => {
                at += usize::from(inner[at..].starts_with('\''));
                decoded.push("'", shift + start, shift + at);
            }
            '\\' if quote == '"' => {
                at = decode_escape(inner, start, shift, &mut decoded);
                kept = decoded.text.len();
            }
            _ => decoded.copy(&inner[start..at], shift + start),
        }
    }
    decoded
}

/// Decodes an escape in a double-quoted scalar. Returns the position after it.
fn decode_escape(inner: &str, start: usize, shift: usize, decoded: &mut Decoded) -> usize {
    let Some(letter) = inner[start + 1..].chars().next() else { return inner.len() };
    let end_of_letter = start + 1 + letter.len_utf8();
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let end = (end_of_letter + digits).min(inner.len());
        let number =
            inner.get(end_of_letter..end).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        if let Some(c) = number.and_then(char::from_u32) {
            decoded.push(c.encode_utf8(&mut [0; 4]), shift + start, shift + end);
        }
        return end;
    }
    let text = match letter {
        'n' => "\n",
        't' | '\t' => "\t",
        'r' => "\r",
        '0' => "\0",
        'a' => "\u{7}",
        'b' => "\u{8}",
        'e' => "\u{1b}",
        'f' => "\u{c}",
        'v' => "\u{b}",
        'N' => "\u{85}",
        '_' => "\u{a0}",
        'L' => "\u{2028}",
        'P' => "\u{2029}",
        '\n' | '\r' => {
            // The text continues where the next line begins.
            let text_after = &inner[start + 1..];
            let line = text_after
                .strip_prefix("\r\n")
                .or_else(|| text_after.strip_prefix(['\n', '\r']))
                .unwrap_or(text_after);
            return inner.len() - line.trim_start_matches([' ', '\t']).len();
        }
        _ => &inner[start + 1..end_of_letter],
    };
    decoded.push(text, shift + start, shift + end_of_letter);
    end_of_letter
}

/// A line of a block, without its line break.
struct Line<'t> {
    start: usize,
    text: &'t str,
}

fn lines_with_starts(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|whole| {
            let line = Line { start, text: whole.trim_end_matches(['\n', '\r']) };
            start += whole.len();
            line
        })
        .collect()
}

fn decode_block(written: &str, is_folded: bool) -> Decoded {
    let mut decoded = Decoded::default();
    let block_lines = lines_with_starts(written);
    let indent = |line: &Line<'_>| line.text.len() - line.text.trim_start_matches(' ').len();
    let is_blank = |line: &Line<'_>| line.text.trim_matches(' ').is_empty();
    let Some(depth) = block_lines.iter().find(|l| !is_blank(l)).map(indent) else { return decoded };
    // A line that is indented further, or begins with a tab, keeps its line breaks.
    let is_free =
        |line: &Line<'_>| line.text.get(depth..).is_some_and(|t| t.starts_with([' ', '\t']));
    let mut previous_line: Option<&Line<'_>> = None;
    let mut blanks = 0;
    for line in &block_lines {
        if is_blank(line) && line.text.len() <= depth {
            blanks += 1;
            continue;
        }
        if let Some(previous_line) = previous_line {
            let end = previous_line.start + previous_line.text.len();
            let folds = is_folded && !is_free(previous_line) && !is_free(line);
            let joint = match (folds, blanks) {
                (true, 0) => " ".to_owned(),
                (true, _) => "\n".repeat(blanks),
                (false, _) => "\n".repeat(blanks + 1),
            };
            decoded.push(&joint, end, line.start + depth.min(line.text.len()));
        } else {
            decoded.push(&"\n".repeat(blanks), line.start, line.start);
        }
        decoded.copy(line.text.get(depth..).unwrap_or_default(), line.start + depth);
        (previous_line, blanks) = (Some(line), 0);
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::super::read_yaml::scan;
    use super::super::yaml_tree::{Kind, Tree};
    use super::*;
    use crate::diagnostic::{Diagnostics, Sources};

    /// The tree of a text.
    fn tree(text: &str) -> Tree {
        let source = Sources::default().add("a.yaml", text);
        scan(text, source, &mut Diagnostics::default()).unwrap()
    }

    /// The part of the file that corresponds to a part of the value of `k`.
    fn found(text: &str, part: &str) -> String {
        let tree = tree(text);
        let value = tree.entry(tree.root, "k").unwrap().value;
        let scalar = tree.text(value);
        let start = scalar.find(part).unwrap_or_else(|| panic!("{part:?} is not in {scalar:?}"));
        let place = within(tree.place(value), text, scalar, start..start + part.len());
        text[place.span.start as usize..place.span.end as usize].to_owned()
    }

    #[test]
    fn parts_are_found_in_every_form() {
        for (text, part, expected) in [
            ("k: a eq b\n", "eq", "eq"),
            ("k: ä eq b # no\n", "b", "b"),
            ("k: a\n  eq b\nx: 1\n", "eq b", "eq b"),
            ("k: a\n  eq b\nx: 1\n", "a eq", "a\n  eq"),
            ("k: 'it''s eq b'\n", "eq", "eq"),
            ("k: 'it''s eq b'\n", "'s", "''s"),
            ("k: \"a \\\"x\\\" eq b\"\n", "\"x\"", "\\\"x\\\""),
            ("k: \"a \\u00e4 eq b\"\n", "ä", "\\u00e4"),
            ("k: \"a \\u00e4 eq b\"\n", "eq", "eq"),
            ("k: \"a \\\n   eq b\"\n", "eq", "eq"),
            ("k: \"a\n   eq\n\n b\"\n", "eq", "eq"),
            ("k: \"a\n   eq\n\n b\"\n", "b", "b"),
            ("{k: a eq b}\n", "b", "b"),
            ("k: |\n  a eq b\n  or c\n", "or c", "or c"),
            ("k: |\n  a eq b\n\n    or c\nx: 1\n", "or c", "or c"),
            ("k: |-\n  a eq b\n  or c\n", "b\nor", "b\n  or"),
            ("k: |+ # why\n  a eq b\n  or c\n\nx: 1\n", "eq", "eq"),
            ("k: >-\n  a eq b\n  or c\n", "or c", "or c"),
            ("k: >\n  a eq b\n\n  or c\n    and d\n  e\nx: 1\n", "and d", "and d"),
            ("k: >\n  a eq b\n\n  or c\n    and d\n  e\nx: 1\n", "e\n", "e"),
            ("k: >\r\n  a eq b\r\n  or c\r\n", "or c", "or c"),
            ("k:\n  - 1\nk: x\n", "", ""),
        ] {
            if part.is_empty() {
                continue;
            }
            assert_eq!(found(text, part), expected, "{part:?} in {text:?}");
        }
    }

    #[test]
    fn what_was_changed_is_pointed_at_as_a_whole() {
        let text = "k: 'a ${X} b'\n";
        let mut tree = tree(text);
        let value = tree.entry(tree.root, "k").unwrap().value;
        tree.node_mut(value).kind =
            Kind::Scalar("a long b".into(), super::super::yaml_tree::Style::Text);
        let place = tree.place(value);
        assert_eq!(within(place, text, "a long b", 2..6), place);
        assert_eq!(within(place, text, "a ${X} b", 20..30), place);
    }

    #[test]
    fn decoding_agrees_with_the_parser() {
        for value in [
            "a\n  b\n\n\n  c d\n",
            "'a\n  b''c\n\n  d '\n",
            "\"a\\tb\n   c \\\n  d\\x41 \\n\"\n",
            "|\n\n  a\n   b\n\n\n  c\n",
            ">\n\n  a\n  b\n\n\n  c\n     d\n\n     e\n  f\n",
            ">-\n  a\n\tb\n",
        ] {
            let text = format!("k: {value}");
            let mut diagnostics = Diagnostics::default();
            let source = Sources::default().add("a.yaml", text.clone());
            let Some(tree) = scan(&text, source, &mut diagnostics) else { continue };
            let node = tree.entry(tree.root, "k").unwrap().value;
            let span = tree.node(node).span;
            let header = block_header(&text, span.start as usize);
            let from = header.map_or(span.start as usize, |h| h.content);
            let decoded = decode(&text[from..span.end as usize], header.map(|h| h.is_folded));
            let decoded = String::from_utf8(decoded.text).unwrap();
            assert_eq!(
                decoded.trim_end_matches('\n'),
                tree.text(node).trim_end_matches('\n'),
                "{text:?}"
            );
        }
    }
}
