//! The texts of a run, and places in them.

use std::ops::Range;
use std::sync::OnceLock;

/// Index of a source in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

/// A half-open range of bytes in one source.
///
/// # Units
/// Bytes from the start of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span `start..end`; saturates at 4 GiB, far above the size limit of a spec.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end.max(start)) }
    }
}

/// A span in a named source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// File or other input that contains the span.
    pub source: SourceId,
    /// The span in the source.
    pub span: Span,
}

impl Place {
    /// No place in any text: for items that are not in a file, such as the live state.
    pub const NOWHERE: Self = Self { source: SourceId(u32::MAX), span: Span { start: 0, end: 0 } };

    /// Returns true if `other` is within this place.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.source == other.source
            && self.span.start <= other.span.start
            && other.span.end <= self.span.end
    }
}

/// One text that was read.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    /// Computed on first use.
    index: OnceLock<TextIndex>,
}

/// The positions of lines and characters of a text.
#[derive(Debug, Clone)]
struct TextIndex {
    /// Byte offset of the start of each line.
    lines: Vec<u32>,
    /// For each block of [`BLOCK`] bytes, the number of characters before it that take a column. A
    /// program may write a whole spec on one line, and columns must not be counted from its start
    /// each time.
    columns: Vec<u32>,
}

/// Bytes between two character counts.
const BLOCK: usize = 1024;

impl Source {
    /// Returns the name shown to the user: a path as given, `<stdin>`, or `--var`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A line and column as editors count them.
///
/// # Units
/// Both count from 1; the column counts characters (Unicode scalar values), not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// All texts read in a run.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    all: Vec<Source>,
}

impl Sources {
    /// Adds a text under the name that is shown to the user.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.all.len()).expect("fewer than 2^32 files are read"));
        self.all.push(Source { name: name.into(), text: text.into(), index: OnceLock::new() });
        id
    }

    /// Masks a range of a text with `*`, byte for byte, so that it is never shown. Other places
    /// stay valid.
    pub fn redact(&mut self, place: Place) {
        let Some(source) = self.all.get_mut(place.source.0 as usize) else { return };
        let (start, end) = (place.span.start as usize, place.span.end as usize);
        let Some(secret) = source.text.get(start..end) else { return };
        // Line breaks stay, so that the line numbers below do not change.
        let cover: String = secret
            .bytes()
            .map(|b| if matches!(b, b'\n' | b'\r') { char::from(b) } else { '*' })
            .collect();
        source.text.replace_range(start..end, &cover);
        // The lines are unchanged, but a character of several bytes became several characters.
        source.index = OnceLock::new();
    }

    /// Changes the name under which a text is shown.
    pub fn rename(&mut self, id: SourceId, name: String) {
        if let Some(source) = self.all.get_mut(id.0 as usize) {
            source.name = name;
        }
    }

    /// Returns the source with this id.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.all.get(id.0 as usize)
    }

    /// Returns the name of a source; empty if the source is unknown.
    #[must_use]
    pub fn name(&self, id: SourceId) -> &str {
        self.get(id).map_or("", Source::name)
    }

    /// Iterates over the sources with their ids, in the order of reading.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.all
            .iter()
            .enumerate()
            .map(|(n, s)| (SourceId(u32::try_from(n).unwrap_or(u32::MAX)), s))
    }

    /// Returns the line and column at which a place begins.
    #[must_use]
    pub fn line_column(&self, place: Place) -> LineColumn {
        self.get(place.source)
            .map_or(LineColumn { line: 1, column: 1 }, |s| s.line_column(place.span.start as usize))
    }
}

impl Source {
    fn index(&self) -> &TextIndex {
        self.index.get_or_init(|| {
            let narrow = |n: usize| Span::new(n, n).start;
            let after_breaks =
                self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(n, _)| n + 1);
            let mut columns = vec![0];
            let mut count = 0;
            for from in (0..self.text.len()).step_by(BLOCK) {
                count += columns_between(&self.text, from, (from + BLOCK).min(self.text.len()));
                columns.push(narrow(count));
            }
            TextIndex {
                lines: std::iter::once(0).chain(after_breaks).map(narrow).collect(),
                columns,
            }
        })
    }

    fn starts(&self) -> &[u32] {
        &self.index().lines
    }

    /// Counts the characters before a byte offset that take a column.
    fn columns_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.index().columns[block] as usize + columns_between(&self.text, block * BLOCK, offset)
    }

    /// Returns the number of the line, from 0, that contains a byte offset.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts().partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// Returns the byte range of a line, counted from 0, without its line break; empty past the
    /// end.
    #[must_use]
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let start = |n: usize| self.starts().get(n).map(|s| *s as usize);
        let first = start(line).unwrap_or(self.text.len());
        let end = start(line + 1).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[first..end].ends_with('\r') { end - 1 } else { end };
        first..end
    }

    /// Returns the line and column of a byte offset. An offset inside a character counts as its
    /// start, an offset past the end as the end.
    fn line_column(&self, offset: usize) -> LineColumn {
        let at = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.line(at);
        let start = self.line_range(line).start;
        LineColumn {
            line: line + 1,
            column: self.columns_before(at) - self.columns_before(start) + 1,
        }
    }
}

/// Counts the characters in a range of bytes that take a column; a byte order mark takes none.
fn columns_between(text: &str, from: usize, to: usize) -> usize {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let bytes = text.as_bytes();
    let begins = |n: &usize| {
        text.is_char_boundary(*n) && !(bytes[*n] == MARK[0] && bytes[*n..].starts_with(MARK))
    };
    (from..to).filter(begins).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let mut sources = Sources::default();
        let id = sources.add("a.yaml", "ä: b\nzß: x\r\nend");
        let at = |n: usize| sources.line_column(Place { source: id, span: Span::new(n, n) });
        assert_eq!(at(0), LineColumn { line: 1, column: 1 });
        assert_eq!(at(4), LineColumn { line: 1, column: 4 });
        assert_eq!(at(11), LineColumn { line: 2, column: 5 });
        assert_eq!(at(999), LineColumn { line: 3, column: 4 });
    }

    #[test]
    fn columns_of_a_long_line_are_those_counted_from_its_start() {
        // Characters of one to four bytes, and byte order marks, placed across the ends of blocks
        // in every way.
        let line = "aé例😀\u{feff}b".repeat(600);
        let text = format!("x\n{line}\ny");
        let mut sources = Sources::default();
        let id = sources.add("a.yaml", text.as_str());
        let mut column = 1;
        for (n, c) in line.char_indices() {
            let at = sources.line_column(Place { source: id, span: Span::new(n + 2, n + 2) });
            assert_eq!(at, LineColumn { line: 2, column });
            column += usize::from(c != '\u{feff}');
        }
    }

    #[test]
    fn columns_behind_what_was_redacted_are_right() {
        let mut sources = Sources::default();
        let id = sources.add("a.yaml", "token: é, end: 1");
        let at = |sources: &Sources, n| {
            sources.line_column(Place { source: id, span: Span::new(n, n) }).column
        };
        assert_eq!(at(&sources, 10), 10);
        sources.redact(Place { source: id, span: Span::new(7, 9) });
        assert_eq!(at(&sources, 10), 11);
    }

    #[test]
    fn a_redacted_text_keeps_its_length_and_lines() {
        let mut sources = Sources::default();
        let id = sources.add("a.yaml", "token: gehéim\nx\nend: 1");
        sources.redact(Place { source: id, span: Span::new(7, 16) });
        assert_eq!(sources.get(id).map(Source::text), Some("token: *******\n*\nend: 1"));
        sources.redact(Place { source: id, span: Span::new(7, 999) });
    }
}
