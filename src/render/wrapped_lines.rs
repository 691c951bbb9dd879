//! Wraps lines that are wider than the terminal, and continues them below the start of their text.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters with which an excerpt marks a place.
const MARKS: [char; 3] = ['^', '-', '_'];

/// A character with the escape sequences before it.
struct Cell {
    codes: String,
    shown: char,
}

/// Lines of a report, none of them wider than a terminal.
pub(crate) struct Wrapping<'w> {
    out: &'w mut dyn Write,
    /// The width of the terminal, in columns.
    width: usize,
    /// The current line so far.
    line: Vec<u8>,
}

impl<'w> Wrapping<'w> {
    /// Creates a writer for a terminal of this width.
    pub(crate) fn new(out: &'w mut dyn Write, width: usize) -> Self {
        Self { out, width, line: Vec::new() }
    }

    /// Writes the rest of a line without an end.
    ///
    /// # Errors
    /// The errors of the writer.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.line.is_empty() { Ok(()) } else { self.write_line(false) }
    }

    fn write_line(&mut self, ends: bool) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let rows = report_rows(&String::from_utf8_lossy(&line), self.width);
        self.out.write_all(rows.join("\n").as_bytes())?;
        if ends { self.out.write_all(b"\n") } else { Ok(()) }
    }
}

impl Write for Wrapping<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        for part in text.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.line.extend_from_slice(end);
                    self.write_line(true)?;
                }
                None => self.line.extend_from_slice(part),
            }
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the rows of a line of a report. Text that does not fit continues below the last column
/// that begins in the left half.
pub(crate) fn report_rows(line: &str, width: usize) -> Vec<String> {
    split(line, width, |plain, width| {
        let start = plain.len() - plain.trim_start().len();
        let is_space = |at: usize| plain.as_bytes()[at] == b' ';
        // A column begins after two spaces or more.
        let begins = |at: &usize| is_space(at - 2) && is_space(at - 1) && !is_space(*at);
        let columns = (start + 2..plain.len()).filter(begins).map(|at| plain[..at].width());
        let below = columns.take_while(|column| *column <= width / 2).last();
        (String::new(), below.unwrap_or(start + 2).min(width / 2))
    })
}

/// Returns the rows of a line of a finding, with escape sequences for colours, none wider than a
/// terminal.
pub(super) fn rows(line: &str, width: usize) -> Vec<String> {
    split(line, width, continuation)
}

/// Divides a line into rows. `continuation` returns the beginning of further rows, and the column
/// in which their text begins.
fn split(
    line: &str,
    width: usize,
    continuation: impl Fn(&str, usize) -> (String, usize),
) -> Vec<String> {
    let (cells, end) = cells(line);
    let plain: String = cells.iter().map(|cell| cell.shown).collect();
    if plain.width() <= width {
        return vec![line.to_owned()];
    }
    let (gutter, hang) = continuation(&plain, width);
    let mut rows = Vec::new();
    let mut active = String::new();
    let mut unwritten = &cells[..];
    while !unwritten.is_empty() {
        let (prefix, free) = if rows.is_empty() {
            (String::new(), width)
        } else {
            let missing = hang.saturating_sub(gutter.width());
            (format!("{gutter}{}", " ".repeat(missing)), width.saturating_sub(hang).max(1))
        };
        let mut used = 0;
        let fits = unwritten.iter().take_while(|cell| {
            used += cell.shown.width().unwrap_or(0);
            used <= free
        });
        let fits = fits.count().max(1);
        let first = if rows.is_empty() { hang.min(fits) } else { 0 };
        let space =
            unwritten[first..fits].iter().rposition(|cell| cell.shown == ' ').map(|at| at + first);
        let end = match space {
            _ if fits == unwritten.len() || unwritten[fits].shown == ' ' => fits,
            Some(space) if space > 0 => space,
            _ => fits,
        };
        let mut row = format!("{prefix}{active}");
        let text = unwritten[..end]
            .iter()
            .rposition(|cell| cell.shown != ' ')
            .map_or(end, |last| last + 1);
        for Cell { codes, shown } in &unwritten[..text] {
            row.push_str(codes);
            row.push(*shown);
            note(&mut active, codes);
        }
        if !active.is_empty() {
            row.push_str("\u{1b}[0m");
        }
        rows.push(row);
        let spaces = unwritten[end..].iter().take_while(|cell| cell.shown == ' ').count();
        unwritten[text..end + spaces].iter().for_each(|cell| note(&mut active, &cell.codes));
        unwritten = &unwritten[end + spaces..];
    }
    if let Some(last) = rows.last_mut() {
        last.push_str(&end);
    }
    rows
}

/// Returns the characters of a line, and the escape sequences after the last one.
fn cells(line: &str) -> (Vec<Cell>, String) {
    let mut cells = Vec::new();
    let mut codes = String::new();
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        if c == '\u{1b}' {
            codes.push(c);
            for c in characters.by_ref() {
                codes.push(c);
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            cells.push(Cell { codes: std::mem::take(&mut codes), shown: c });
        }
    }
    (cells, codes)
}

/// Adds escape sequences to the active ones; a reset removes all.
fn note(active: &mut String, codes: &str) {
    for code in codes.split_inclusive('m') {
        if code == "\u{1b}[0m" { active.clear() } else { active.push_str(code) }
    }
}

/// Returns the beginning of further rows, and the column in which their text begins.
fn continuation(plain: &str, width: usize) -> (String, usize) {
    let start = plain.len() - plain.trim_start().len();
    let body = &plain[start..];
    let gutter =
        if body.starts_with('|') { format!("{}|", " ".repeat(start)) } else { String::new() };
    let text = if gutter.is_empty() {
        // After `= help: `, or after `error[CODE]: `.
        body.find(": ")
            .map_or(start, |colon| if body.starts_with('=') { start + colon + 2 } else { 2 })
    } else {
        let marks = body.rfind(MARKS).map_or(1, |last| last + 1);
        start + marks + 1
    };
    let hang = if text > width / 2 { (gutter.width() + 4).min(width / 2) } else { text };
    (gutter, hang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_continues_below_its_start() {
        assert_eq!(
            rows("  = help: one two three four", 20),
            ["  = help: one two", "          three four"]
        );
        assert_eq!(rows("error[A]: one two three four", 20), ["error[A]: one two", "  three four"]);
        assert_eq!(
            rows("  |  ^^ one two three four", 20),
            ["  |  ^^ one two", "  |     three four"]
        );
        assert_eq!(rows("short", 20), ["short"]);
    }

    #[test]
    fn a_line_of_a_report_continues_below_its_column() {
        assert_eq!(
            report_rows("  ok    one two three four", 20),
            ["  ok    one two", "        three four"]
        );
        assert_eq!(report_rows("one two three four five", 20), ["one two three four", "  five"]);
        assert_eq!(
            report_rows("  name  A  192.0.2.1  ttl auto, glue", 24),
            ["  name  A  192.0.2.1", "           ttl auto,", "           glue"]
        );
        // Columns can be two or more spaces apart.
        assert_eq!(
            report_rows("  ok   one two three four", 20),
            ["  ok   one two three", "       four"]
        );
        assert_eq!(
            report_rows("  ok     one two three four", 20),
            ["  ok     one two", "         three four"]
        );
        // A column that begins too far to the right leaves no space below it.
        assert_eq!(
            report_rows("  a.long.name.of.a.host  A  192.0.2.1", 26),
            ["  a.long.name.of.a.host  A", "    192.0.2.1"]
        );
        assert_eq!(report_rows("日本語 日本語", 8), ["日本語", "  日本語"]);
        assert_eq!(report_rows("", 8), [""]);
    }

    #[test]
    fn a_writer_breaks_lines_however_they_are_written() {
        let mut out = Vec::new();
        let mut lines = Wrapping::new(&mut out, 12);
        for part in ["one two", " three", "\n\nfour five ", "six\nend"] {
            lines.write_all(part.as_bytes()).unwrap();
        }
        lines.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "one two\n  three\n\nfour five\n  six\nend");
    }

    #[test]
    fn colours_go_on() {
        let red = "\u{1b}[31mone two three\u{1b}[0m";
        assert_eq!(
            rows(red, 8),
            ["\u{1b}[31mone two\u{1b}[0m", "\u{1b}[31mthree\u{1b}[0m\u{1b}[0m"]
        );
        assert!(rows(&"x".repeat(50), 1).len() == 50);
    }
}
