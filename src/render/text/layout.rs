//! Widths and lines shared by the text outputs.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::{AFTER, BEFORE, DIM, EMPHASIS, PLAIN, styled};
use crate::render::textdiff::{Compared, Part, abridged};

/// Pads to a width in columns; longer text stays unchanged.
pub(super) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// The output medium: its width and colours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paper {
    /// True for colours.
    pub(super) colour: bool,
    /// The width of the terminal, in columns; `None` if lines may have any length.
    pub(super) width: Option<usize>,
    /// True if long values are shown in full.
    pub(super) is_full: bool,
}

/// A piece of a line.
#[derive(Debug, Clone)]
struct Span {
    text: String,
    style: Style,
    /// True for a difference. Without colour it is underlined on a line of its own.
    differs: bool,
    /// True if it stays on one row, provided that it fits there.
    is_whole: bool,
}

/// A line, which may be longer than the terminal is wide.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    spans: Vec<Span>,
    /// Column at which the text continues if it does not fit.
    hang: usize,
}

impl Line {
    /// A line that begins in this column and continues there if it does not fit.
    pub(super) fn indented(column: usize) -> Self {
        let indent =
            Span { text: " ".repeat(column), style: PLAIN, differs: false, is_whole: false };
        Self { spans: if column > 0 { vec![indent] } else { Vec::new() }, hang: column }
    }

    /// A line at the margin that continues in this column if it does not fit.
    pub(super) fn hung(column: usize) -> Self {
        Self { spans: Vec::new(), hang: column }
    }

    /// Adds text, which must be escaped already.
    pub(super) fn add(mut self, text: impl Into<String>, style: Style) -> Self {
        self.spans.push(Span { text: text.into(), style, differs: false, is_whole: false });
        self
    }

    /// Adds text that a reader may copy: it is not divided at its spaces.
    pub(super) fn add_whole(mut self, text: impl Into<String>, style: Style) -> Self {
        self.spans.push(Span { text: text.into(), style, differs: false, is_whole: true });
        self
    }

    /// Adds a part of a value, with emphasis if it differs.
    fn part(&mut self, part: Part, style: Style) {
        let style =
            if part.differs { style.effects(style.get_effects() | EMPHASIS) } else { style };
        self.spans.push(Span { text: part.text, style, differs: part.differs, is_whole: false });
    }

    /// Returns its width so far.
    pub(super) fn width(&self) -> usize {
        self.spans.iter().map(|span| span.text.width()).sum()
    }

    /// Adds spaces up to a column.
    pub(super) fn up_to(self, column: usize) -> Self {
        let missing = column.saturating_sub(self.width());
        if missing == 0 { self } else { self.add(" ".repeat(missing), PLAIN) }
    }

    /// Continues text that does not fit at the current column.
    pub(super) fn hanging(mut self) -> Self {
        self.hang = self.width();
        self
    }

    /// Writes the line on as many rows as it needs.
    ///
    /// # Errors
    /// The errors of the writer.
    pub(super) fn write(&self, out: &mut dyn Write, paper: Paper) -> io::Result<()> {
        for row in self.rows(paper.width) {
            let mut text = String::new();
            let mut marks = String::new();
            for (n, piece) in &row {
                let span = &self.spans[*n];
                text.push_str(&if span.style == PLAIN {
                    piece.clone()
                } else {
                    styled(piece, span.style, paper.colour)
                });
                marks.push_str(&if span.differs { "^" } else { " " }.repeat(piece.width()));
            }
            writeln!(out, "{}", if paper.colour { &text } else { text.trim_end() })?;
            if !paper.colour && marks.contains('^') {
                writeln!(out, "{}", marks.trim_end())?;
            }
        }
        Ok(())
    }

    /// Divides the line into rows: pieces of spans with the indices of the spans.
    fn rows(&self, width: Option<usize>) -> Vec<Vec<(usize, String)>> {
        let Some(width) = width.filter(|width| self.width() > *width) else {
            return vec![
                self.spans.iter().enumerate().map(|(n, span)| (n, span.text.clone())).collect(),
            ];
        };
        let hang = self.hang.min(width / 2);
        let characters: Vec<(usize, char)> = self
            .spans
            .iter()
            .enumerate()
            .flat_map(|(n, span)| span.text.chars().map(move |c| (n, c)))
            .collect();
        let is_break = |(n, c): &(usize, char)| *c == ' ' && !self.spans[*n].is_whole;
        let mut rows = Vec::new();
        let mut unwritten = &characters[..];
        // The first row has its own indentation.
        let mut free = width;
        while !unwritten.is_empty() {
            let fits = fitting(unwritten, free);
            let is_last = fits == unwritten.len();
            let indent = if rows.is_empty() { self.hang.min(unwritten.len()) } else { 0 };
            let word = unwritten[indent.min(fits)..fits]
                .iter()
                .rposition(is_break)
                .map(|at| at + indent.min(fits));
            // A space after the row ends a word as well.
            let end = match word {
                _ if is_last || is_break(&unwritten[fits]) => fits,
                Some(space) if space > 0 => space,
                // A list without spaces is divided between its members.
                _ => unwritten[..fits]
                    .iter()
                    .rposition(|(_, c)| *c == ',')
                    .map_or(fits, |comma| comma + 1),
            };
            rows.push((rows.is_empty(), &unwritten[..end]));
            unwritten = &unwritten[end..];
            let spaces = unwritten.iter().take_while(|(_, c)| *c == ' ').count();
            unwritten = &unwritten[spaces..];
            free = width.saturating_sub(hang).max(1);
        }
        let joined = |(is_first, row): (bool, &[(usize, char)])| {
            let mut pieces: Vec<(usize, String)> = Vec::new();
            for (n, c) in row {
                match pieces.last_mut().filter(|(last, _)| last == n) {
                    Some((_, piece)) => piece.push(*c),
                    None => pieces.push((*n, c.to_string())),
                }
            }
            (is_first, pieces)
        };
        rows.into_iter()
            .map(joined)
            .map(|(is_first, pieces)| self.with_indent(pieces, if is_first { 0 } else { hang }))
            .collect()
    }

    /// Adds the indentation of a row, which belongs to the first span.
    fn with_indent(&self, mut pieces: Vec<(usize, String)>, indent: usize) -> Vec<(usize, String)> {
        // Spaces look the same in every style except underlined, and the first span is never
        // underlined.
        if indent > 0 {
            pieces.insert(0, (0, " ".repeat(indent)));
        }
        pieces
    }
}

/// Returns the number of characters that fit into `free` columns; at least one.
fn fitting(rest: &[(usize, char)], free: usize) -> usize {
    let mut used = 0;
    let fits = rest.iter().take_while(|(_, c)| {
        used += c.width().unwrap_or(0);
        used <= free
    });
    fits.count().max(1)
}

/// Writes a change after the beginning of a line: `before → after` if both are short, otherwise one
/// below the other with marked differences. `rest` is added to the end.
///
/// # Errors
/// The errors of the writer.
pub(super) fn write_change(
    out: &mut dyn Write,
    head: Line,
    (before, after): (&str, &str),
    rest: &str,
    paper: Paper,
) -> io::Result<()> {
    let compared = Compared::of(before, after);
    if compared.is_short() {
        let text = |parts: &[Part]| parts.iter().map(|part| part.text.as_str()).collect::<String>();
        let line = head
            .hanging()
            .add(text(&compared.before), BEFORE)
            .add(" → ", PLAIN)
            .add(text(&compared.after), AFTER);
        return line.add(rest, DIM).write(out, paper);
    }
    // A value begins on a line of its own if little space is left.
    let column = head.width();
    let is_crowded = paper.width.is_some_and(|width| column > width / 3);
    let indent = if is_crowded { INDENT } else { column };
    let mut head = Some(head);
    if is_crowded && let Some(head) = head.take() {
        head.write(out, paper)?;
    }
    for (sign, style, parts) in [("- ", BEFORE, &compared.before), ("+ ", AFTER, &compared.after)] {
        let mut line =
            head.take().unwrap_or_else(|| Line::indented(indent)).add(sign, style).hanging();
        let parts = if paper.is_full { parts.clone() } else { abridged(parts) };
        parts.into_iter().for_each(|part| line.part(part, style));
        line.write(out, paper)?;
    }
    let about: Vec<&str> = [rest.trim()].into_iter().filter(|rest| !rest.is_empty()).collect();
    let lengths = compared.lengths().map(|words| format!("({words})"));
    let about: Vec<&str> = lengths.as_deref().into_iter().chain(about).collect();
    if about.is_empty() {
        Ok(())
    } else {
        Line::indented(indent + 2).add(about.join("  "), DIM).write(out, paper)
    }
}

/// Maximum number of fields that are shown of one object; the JSON has all.
pub(super) const FIELDS: usize = 30;

/// Indentation of additional lines about an operation, in columns.
pub(super) const INDENT: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::text::style::BOLD;

    fn written(line: &Line, width: Option<usize>, colour: bool) -> String {
        let mut out = Vec::new();
        line.write(&mut out, Paper { colour, width, is_full: false }).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_does_not_fit_continues_below() {
        let line = Line::indented(2).add("ab: ", BOLD).hanging().add("one two threefour", PLAIN);
        assert_eq!(written(&line, None, false), "  ab: one two threefour\n");
        assert_eq!(written(&line, Some(14), false), "  ab: one two\n      threefou\n      r\n");
        assert_eq!(written(&line, Some(23), false), "  ab: one two threefour\n");
        let list = Line::hung(2).add("all: --allow one-thing,another-thing,third", BOLD);
        assert_eq!(
            written(&list, Some(20), false),
            "all: --allow\n  one-thing,\n  another-thing,\n  third\n"
        );
        // A terminal may be narrower than the indentation.
        assert!(written(&line, Some(1), false).lines().count() > 10);
        // Two columns each.
        let wide = Line::indented(0).add("例例 例例", PLAIN);
        assert_eq!(written(&wide, Some(5), false), "例例\n例例\n");
        assert_eq!(pad("例", 4), "例  ");
    }

    #[test]
    fn a_change_keeps_its_arrow_and_marks_what_differs() {
        let change = |before: &str, after: &str, colour, width| {
            let mut out = Vec::new();
            let paper = Paper { colour, width, is_full: false };
            write_change(&mut out, Line::indented(4), (before, after), "", paper).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(change("192.0.2.1", "192.0.2.2", false, None), "    192.0.2.1 → 192.0.2.2\n");
        assert!(change("192.0.2.1", "192.0.2.2", true, None).contains(" → "));
        let (before, after) = (
            "v=spf1 include:_spf.example.net include:a.example -all",
            "v=spf1 include:_spf.example.net include:a.example ~all",
        );
        let long = change(before, after, false, None);
        let lines: Vec<&str> = long.lines().collect();
        assert_eq!(lines[0], format!("    - {before}"));
        assert_eq!(lines[2], format!("    + {after}"));
        assert_eq!(
            (lines[1].find('^'), lines[3].find('^')),
            (lines[0].find(" -all").map(|n| n + 1), lines[2].find('~'))
        );
        assert!(!change(before, after, true, Some(40)).contains("\u{1b}[9m"), "no strikethrough");
    }
}
