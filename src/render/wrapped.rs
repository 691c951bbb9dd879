//! Lines of a finding that are wider than the terminal, continued below where they began.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters with which an excerpt marks a place.
const MARKS: [char; 3] = ['^', '-', '_'];

/// A character with the escape sequences before it.
struct Cell {
    codes: String,
    shown: char,
}

/// The rows of a line with escape sequences of colours, none wider than a terminal.
pub(super) fn rows(line: &str, width: usize) -> Vec<String> {
    let (cells, end) = cells(line);
    let plain: String = cells.iter().map(|cell| cell.shown).collect();
    if plain.width() <= width {
        return vec![line.to_owned()];
    }
    let (gutter, hang) = continuation(&plain, width);
    let mut rows = Vec::new();
    let mut active = String::new();
    let mut rest = &cells[..];
    while !rest.is_empty() {
        let (prefix, room) = if rows.is_empty() {
            (String::new(), width)
        } else {
            let missing = hang.saturating_sub(gutter.width());
            (format!("{gutter}{}", " ".repeat(missing)), width.saturating_sub(hang).max(1))
        };
        let mut used = 0;
        let fits = rest.iter().take_while(|cell| {
            used += cell.shown.width().unwrap_or(0);
            used <= room
        });
        let fits = fits.count().max(1);
        let first = if rows.is_empty() { hang.min(fits) } else { 0 };
        let space = rest[first..fits].iter().rposition(|cell| cell.shown == ' ').map(|at| at + first);
        let end = match space {
            _ if fits == rest.len() || rest[fits].shown == ' ' => fits,
            Some(space) if space > 0 => space,
            _ => fits,
        };
        let mut row = format!("{prefix}{active}");
        for Cell { codes, shown } in &rest[..end] {
            row.push_str(codes);
            row.push(*shown);
            note(&mut active, codes);
        }
        if !active.is_empty() {
            row.push_str("\u{1b}[0m");
        }
        rows.push(row);
        let spaces = rest[end..].iter().take_while(|cell| cell.shown == ' ').count();
        rest[end..end + spaces].iter().for_each(|cell| note(&mut active, &cell.codes));
        rest = &rest[end + spaces..];
    }
    if let Some(last) = rows.last_mut() {
        last.push_str(&end);
    }
    rows
}

/// A line as characters, and the escape sequences after the last one.
fn cells(line: &str) -> (Vec<Cell>, String) {
    let mut cells = Vec::new();
    let mut codes = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            codes.push(c);
            for c in rest.by_ref() {
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

/// Adds escape sequences to those in force; the one that ends all of them leaves none.
fn note(active: &mut String, codes: &str) {
    for code in codes.split_inclusive('m') {
        if code == "\u{1b}[0m" { active.clear() } else { active.push_str(code) }
    }
}

/// What a row after the first begins with, and the column in which its text does.
fn continuation(plain: &str, width: usize) -> (String, usize) {
    let start = plain.len() - plain.trim_start().len();
    let body = &plain[start..];
    let gutter = if body.starts_with('|') { format!("{}|", " ".repeat(start)) } else { String::new() };
    let text = if gutter.is_empty() {
        // After `= help: `, or after `error[CODE]: `.
        body.find(": ").map_or(start, |colon| if body.starts_with('=') { start + colon + 2 } else { 2 })
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
        assert_eq!(rows("  = help: one two three four", 20), ["  = help: one two", "          three four"]);
        assert_eq!(rows("error[A]: one two three four", 20), ["error[A]: one two", "  three four"]);
        assert_eq!(rows("  |  ^^ one two three four", 20), ["  |  ^^ one two", "  |     three four"]);
        assert_eq!(rows("short", 20), ["short"]);
    }

    #[test]
    fn colours_go_on() {
        let red = "\u{1b}[31mone two three\u{1b}[0m";
        assert_eq!(rows(red, 8), ["\u{1b}[31mone two\u{1b}[0m", "\u{1b}[31mthree\u{1b}[0m\u{1b}[0m"]);
        assert!(rows(&"x".repeat(50), 1).len() == 50);
    }
}
