//! Findings about a spec for machine-readable outputs: what was checked, and what was found.

use std::collections::BTreeMap;

use super::names_in_words::with_unicode;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Sources, Span, count};

/// The findings of a command and what it checked.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'a> {
    /// The command: `plan` or `validate`.
    pub command: &'static str,
    /// The findings.
    pub diagnostics: &'a Diagnostics,
    /// The source texts of the spec.
    pub sources: &'a Sources,
    /// The content of a valid spec, in words: `1 file, 2 zones, 30 records`.
    pub holds: Option<&'a str>,
}

impl Findings<'_> {
    /// The number of findings, in words: `1 error, 2 warnings`.
    pub(super) fn words(&self) -> String {
        let severities = [Severity::Error, Severity::Warning, Severity::Note];
        let parts: Vec<_> = severities
            .into_iter()
            .map(|severity| (self.diagnostics.count(severity), severity.as_str()))
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| count(n, word))
            .collect();
        if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") }
    }

    /// Whether the spec can be used.
    pub(super) fn verdict_words(&self) -> &'static str {
        if self.diagnostics.has_errors() { "the spec has errors" } else { "the spec is valid" }
    }
}

/// How many known findings are not shown, by code: `3 notes are not shown (2 LINT0012, 1
/// PLAN0018)`.
#[must_use]
pub fn known_findings<'d>(known: impl Iterator<Item = &'d Diagnostic>) -> Option<String> {
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut noun = "note";
    for diagnostic in known {
        *codes.entry(diagnostic.code()).or_default() += diagnostic.number();
        if diagnostic.severity != Severity::Note {
            noun = "known finding";
        }
    }
    let all: usize = codes.values().sum();
    let codes: Vec<_> = codes.iter().map(|(code, n)| format!("{n} {code}")).collect();
    let verb = if all == 1 { "is" } else { "are" };
    (all > 0).then(|| format!("{} {verb} not shown ({})", count(all, noun), codes.join(", ")))
}

/// A part of a file.
///
/// # Units
/// Lines and columns count from 1, columns in characters; the end column is one past the last
/// character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region<'a> {
    /// The file name as the user knows it.
    pub(super) file: &'a str,
    /// Whether that is the name of a file, instead of standard input or a flag.
    pub(super) is_file: bool,
    /// First line.
    pub(super) line: usize,
    /// First column.
    pub(super) column: usize,
    /// Last line.
    pub(super) end_line: usize,
    /// One past the last column.
    pub(super) end_column: usize,
}

impl<'a> Region<'a> {
    /// The region of a place; `None` if the place is in no source text.
    pub(super) fn of(place: Place, sources: &'a Sources) -> Option<Self> {
        let source = sources.get(place.source)?;
        let start = sources.line_column(place);
        let end = sources
            .line_column(Place { span: Span { start: place.span.end, ..place.span }, ..place });
        let file = source.name();
        Some(Self {
            file,
            is_file: !file.starts_with('<') && !file.starts_with("--"),
            line: start.line,
            column: start.column,
            end_line: end.line.max(start.line),
            end_column: end.column,
        })
    }

    /// The region of a finding.
    pub(super) fn of_finding(diagnostic: &Diagnostic, sources: &'a Sources) -> Option<Self> {
        Self::of(diagnostic.primary.as_ref()?.place, sources)
    }

    /// The file, line and column as text.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What is wrong, in one line: the label at the place if it is more specific than the detail.
pub(super) fn detail(diagnostic: &Diagnostic) -> String {
    let text = match &diagnostic.primary {
        Some(label) if !label.text.is_empty() && label.text != diagnostic.detail => {
            format!("{} ({})", diagnostic.detail, label.text)
        }
        Some(_) | None => diagnostic.detail.clone(),
    };
    with_unicode(&text).into_owned()
}
