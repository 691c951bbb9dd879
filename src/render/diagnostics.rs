//! Findings as text in the style of `rustc`.
//!
//! ```text
//! error[SPEC0016]: the key is unknown
//!   --> zones/example.com.yaml:4:48
//!    |
//!  4 |       - { name: www, type: CNAME, content: a.b, proxed: true }
//!    |                                                 ^^^^^^ there is no key `proxed` here
//!    |
//!    = help: did you mean `proxied`?
//! ```
//!
//! The text comes from files that anyone may have written, so none of it reaches a terminal
//! unescaped: control characters, escape sequences and marks that reorder text are written as
//! `\u{…}`, and long lines are cut around the place. Columns in the heading count the characters of
//! the file, not of the shown text.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::names_in_words::with_unicode;
use super::safe::{shortened, visible};
use super::wrapped_lines::rows;
use crate::diagnostic::{Diagnostic, Label, Severity, Source, SourceId, Sources};

/// Maximum length of a line that is shown in full, on a terminal that is wide enough.
///
/// # Units
/// Characters.
const LINE: usize = 140;

/// Minimum length of a shown line, even on a narrow terminal.
///
/// # Units
/// Characters.
const SHORTEST: usize = 20;

/// Width of the line number and the signs beside it.
///
/// # Units
/// Characters.
const GUTTER: usize = 10;

/// Length of the text shown before the place in a longer line.
///
/// # Units
/// Characters.
const BEFORE: usize = 50;

/// Maximum length of a message that is shown in full.
///
/// # Units
/// Characters.
const MESSAGE: usize = 400;

/// Maximum number of lines between two places that share one excerpt.
const NEAR: usize = 40;

/// Width at which the renderer would wrap a message; the renderer itself cuts nothing.
const WIDTH: usize = 400;

/// Writes findings one after the other, each followed by an empty line. If `width` is the number of
/// columns of a terminal, excerpts are cut and sentences are wrapped.
///
/// # Errors
/// The errors of the writer.
pub fn write<'d>(
    out: &mut dyn Write,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    sources: &Sources,
    colour: bool,
    width: Option<usize>,
) -> io::Result<()> {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH);
    // The line number and a bar take the columns beside an excerpt.
    let line = width.map_or(LINE, |width| LINE.min(width.saturating_sub(GUTTER)).max(SHORTEST));
    for diagnostic in diagnostics {
        let (group, headings) = group(diagnostic, sources, line);
        let mut text = renderer.render(&[group]);
        for (shown, meant) in headings {
            text = text.replacen(&shown, &meant, 1);
        }
        // The renderer pads lines with spaces, which are not needed.
        for line in text.lines() {
            for row in width.map_or_else(|| vec![line.to_owned()], |width| rows(line, width)) {
                writeln!(out, "{}", row.trim_end())?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A heading of the renderer, and its correction: the renderer counts columns in the shown part of
/// a line.
type Heading = (String, String);

/// Converts a finding for the renderer.
fn group<'a>(diagnostic: &Diagnostic, sources: &Sources, line: usize) -> (Group<'a>, Vec<Heading>) {
    let mut headings = Vec::new();
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group =
        Group::with_title(level.primary_title(message(diagnostic.summary())).id(diagnostic.code()));
    let labels: Vec<(AnnotationKind, &Label, String)> = diagnostic
        .primary
        .iter()
        .map(|l| {
            let text = if l.text.is_empty() { &diagnostic.detail } else { &l.text };
            (AnnotationKind::Primary, l, message(&with_unicode(text)))
        })
        .chain(diagnostic.related.iter().map(|l| (AnnotationKind::Context, l, message(&l.text))))
        .collect();
    let mut first = true;
    for labels in excerpts(labels, sources) {
        let Some((_, anchor, _)) = labels.first() else { continue };
        let source = anchor.place.source;
        let at = sources.line_column(anchor.place);
        let name = message(sources.name(source));
        let (snippet, column) = snippet(labels, sources, line);
        if column != at.column {
            let heading = |column| format!("{name}:{}:{column}", at.line);
            headings.push((heading(column), heading(at.column)));
        }
        group = group.element(snippet.path(name));
        first = false;
    }
    if first || diagnostic.primary.as_ref().is_some_and(|l| !l.text.is_empty()) {
        group = group.element(Level::NOTE.message(message(&with_unicode(&diagnostic.detail))));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(message(help)));
    }
    (group, headings)
}

/// A label with its text.
type Labelled<'l> = (AnnotationKind, &'l Label, String);

/// Groups labels that are close enough for one excerpt; the primary label stays first.
fn excerpts<'l>(labels: Vec<Labelled<'l>>, sources: &Sources) -> Vec<Vec<Labelled<'l>>> {
    let mut excerpts: Vec<(SourceId, usize, usize, Vec<Labelled<'l>>)> = Vec::new();
    for label in labels {
        let source = label.1.place.source;
        let line = sources.get(source).map_or(0, |s| s.line(label.1.place.span.start as usize));
        let near = |e: &&mut (SourceId, usize, usize, _)| {
            e.0 == source && line + NEAR >= e.2 && line <= e.1 + NEAR
        };
        match excerpts.iter_mut().find(near) {
            Some(excerpt) => {
                excerpt.1 = excerpt.1.min(line);
                excerpt.2 = excerpt.2.max(line);
                excerpt.3.push(label);
            }
            None => excerpts.push((source, line, line, vec![label])),
        }
    }
    excerpts.into_iter().map(|e| e.3).collect()
}

/// Returns the excerpt of a text around its labels, escaped and shortened, and the column of the
/// first label in the shown text.
fn snippet<'a>(
    labels: Vec<Labelled<'_>>,
    sources: &Sources,
    most: usize,
) -> (Snippet<'a, annotate_snippets::Annotation<'a>>, usize) {
    let source = labels[0].1.place.source;
    let text = sources.get(source).map_or("", Source::text);
    // Only the first line of a place with several lines is shown.
    let spots: Vec<(usize, Range<usize>)> = labels
        .iter()
        .map(|(_, label, _)| {
            let span = label.place.span;
            let start = text.floor_char_boundary((span.start as usize).min(text.len()));
            let line = sources.get(source).map_or(0, |s| s.line(start));
            let range = sources.get(source).map_or(0..0, |s| s.line_range(line));
            let start = start.min(range.end);
            let end = text.floor_char_boundary((span.end as usize).clamp(start, range.end));
            (line, start..end)
        })
        .collect();
    let first = spots.iter().map(|s| s.0).min().unwrap_or(0);
    let last = spots.iter().map(|s| s.0).max().unwrap_or(0);
    let mut shown = String::new();
    let mut places = vec![0..0; spots.len()];
    for line in first..=last {
        let range = sources.get(source).map_or(0..0, |s| s.line_range(line));
        let spots_of_line: Vec<usize> = (0..spots.len()).filter(|n| spots[*n].0 == line).collect();
        // Lines without a label are folded unless they are next to one, so only their number
        // matters.
        let place = spots_of_line.first().map_or(0, |n| spots[*n].1.start - range.start);
        let cut = cut(&text[range.clone()], place, most);
        let cut = range.start + cut.start..range.start + cut.end;
        if cut.start > range.start {
            shown.push('…');
        }
        let start = shown.len();
        for n in spots_of_line {
            let spot = &spots[n].1;
            let at = |offset: usize| {
                start + display(&text[cut.start..offset.clamp(cut.start, cut.end)]).len()
            };
            places[n] = at(spot.start)..at(spot.end);
        }
        shown.push_str(&display(&text[cut.clone()]));
        if cut.end < range.end {
            shown.push('…');
        }
        shown.push('\n');
    }
    let text_before = &shown[..places[0].start];
    let column = text_before[text_before.rfind('\n').map_or(0, |n| n + 1)..].chars().count() + 1;
    let annotations =
        labels.into_iter().zip(places).map(|((kind, _, text), place)| kind.span(place).label(text));
    (Snippet::source(shown).line_start(first + 1).annotations(annotations), column)
}

/// Selects the part of a line to show, at most `most` characters, so that a place in it is visible.
fn cut(line: &str, place: usize, most: usize) -> Range<usize> {
    let context = BEFORE.min(most / 2);
    let Some((end, _)) = line.char_indices().nth(most) else { return 0..line.len() };
    // Counting from the start of the line would be slow: the line may be a whole spec, with
    // thousands of findings.
    if line[..place].chars().take(most).count() + 20 < most {
        return 0..end;
    }
    let start =
        line[..place].char_indices().rev().nth(context.saturating_sub(1)).map_or(0, |(n, _)| n);
    let end = line[start..].char_indices().nth(most).map_or(line.len(), |(n, _)| start + n);
    start..end
}

/// Puts a text on one line, escapes it for a terminal, and cuts it if it is very long.
fn message(text: &str) -> String {
    // A finding that was cut ends with its original length, which counts here instead of its
    // current length.
    let total = text.rfind("… (").filter(|_| text.ends_with(" bytes in all)"));
    match total {
        Some(at) if text[..at].chars().nth(MESSAGE).is_some() => {
            let start: String = text.chars().take(MESSAGE).collect();
            format!("{}{}", display(&start), display(&text[at..]))
        }
        _ => shortened(&plain(text), MESSAGE).into_owned(),
    }
}

/// Escapes every character that a terminal would act on or not show.
fn display(text: &str) -> String {
    visible(&plain(text)).into_owned()
}

/// Replaces tabs, whose width varies, and removes byte order marks, which have no width.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\t', '\u{feff}']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\t', "    ").replace('\u{feff}', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_upon_is_written_out() {
        assert_eq!(
            display("a\u{1b}[31mb\u{202e}c\u{200b}\r"),
            "a\\u{1b}[31mb\\u{202e}c\\u{200b}\\u{d}"
        );
        assert_eq!(display("\u{feff}é\t例"), "é    例");
        let cut = format!("{}… (401 bytes in all)", "x".repeat(MESSAGE));
        assert_eq!(message(&"x".repeat(MESSAGE + 1)), cut);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line = "é".repeat(1_000);
        assert_eq!(cut(&line, 0, LINE), 0..2 * LINE);
        assert_eq!(cut(&line, 1_000, LINE), 2 * (500 - BEFORE)..2 * (500 - BEFORE + LINE));
        assert_eq!(cut(&line, 2_000, LINE), 2 * (1_000 - BEFORE)..2_000);
        assert_eq!(cut("short", 5, LINE), 0..5);
    }
}
