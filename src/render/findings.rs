//! Findings about a spec for machine-readable outputs, with a summary of the checked spec.

use std::collections::BTreeMap;

use super::names_in_words::with_unicode;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Sources, Span, count};

/// The findings of a command, and the inputs that it checked.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'a> {
    /// The command: `plan` or `validate`.
    pub command: &'static str,
    /// The findings.
    pub diagnostics: &'a Diagnostics,
    /// The source texts of the spec.
    pub sources: &'a Sources,
    /// Describes the content of a valid spec: `1 file, 2 zones, 30 records`.
    pub holds: Option<&'a str>,
}

impl Findings<'_> {
    /// Describes the number of findings: `1 error, 2 warnings`.
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

    /// Describes if the spec can be used.
    pub(super) fn verdict_words(&self) -> &'static str {
        if self.diagnostics.has_errors() { "the spec has errors" } else { "the spec is valid" }
    }
}

/// Describes the known findings that are not shown, by code: `3 notes are not shown (2 LINT0012, 1
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
    let total: usize = codes.values().sum();
    let codes: Vec<_> = codes.iter().map(|(code, n)| format!("{n} {code}")).collect();
    let verb = if total == 1 { "is" } else { "are" };
    (total > 0).then(|| format!("{} {verb} not shown ({})", count(total, noun), codes.join(", ")))
}

/// A part of a file.
///
/// # Units
/// Lines and columns count from 1, columns in characters; the end column is one past the last
/// character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region<'a> {
    /// The file name that the user gave.
    pub(super) file: &'a str,
    /// True for the name of a file, false for standard input or a flag.
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
    /// Returns the region of a place; `None` if the place is in no source text.
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

    /// Returns the region of a finding.
    pub(super) fn of_finding(diagnostic: &Diagnostic, sources: &'a Sources) -> Option<Self> {
        Self::of(diagnostic.primary.as_ref()?.place, sources)
    }

    /// Formats file, line and column.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Describes the problem in one line: by the label at the place if it is more specific than the
/// detail.
pub(super) fn detail(diagnostic: &Diagnostic) -> String {
    let text = match &diagnostic.primary {
        Some(label) if !label.text.is_empty() && label.text != diagnostic.detail => {
            format!("{} ({})", diagnostic.detail, label.text)
        }
        Some(_) | None => diagnostic.detail.clone(),
    };
    with_unicode(&text).into_owned()
}
