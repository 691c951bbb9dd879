//! Findings as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use crate::diagnostic::{
    Diagnostic as Found, Diagnostics, Label, Place as PlaceOf, Severity, Sources, Span,
};
use crate::wire::keyword::Keyword;

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// The stable code; `docs/findings.md` explains it.
    code: &'static str,
    /// The severity.
    severity: Keyword<Severity>,
    /// The error in general, the same for every finding with this code.
    summary: &'static str,
    /// The error in this place.
    detail: String,
    /// The address of the object.
    address: Option<String>,
    /// The place of the error.
    #[serde(flatten)]
    place: Place,
    /// Other places that are involved.
    related: Vec<Related>,
    /// The suggested correction.
    help: Option<String>,
}

/// A place in a file. All members are `null` if there is none. Lines and columns count from 1,
/// columns in characters. The end is one past the last character.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
struct Place {
    /// The file.
    file: Option<String>,
    /// The line.
    line: Option<usize>,
    /// The column.
    column: Option<usize>,
    /// The line of the end.
    end_line: Option<usize>,
    /// The column of the end.
    end_column: Option<usize>,
}

/// Another place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Related {
    #[serde(flatten)]
    place: Place,
    /// A description.
    text: String,
}

/// The findings in a spec that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Findings {
    format: u32,
    kind: &'static str,
    diagnostics: Vec<Diagnostic>,
}

/// The result of a check without errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Validation {
    format: u32,
    kind: &'static str,
    valid: bool,
    files: usize,
    zones: usize,
    records: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Diagnostic {
    /// Converts a finding and resolves its places in these texts.
    #[must_use]
    pub fn of(found: &Found, sources: &Sources) -> Self {
        let Found {
            finding,
            severity,
            detail,
            address,
            primary,
            related,
            help,
            names: _,
            more: _,
            is_known: _,
        } = found;
        Self {
            code: finding.code,
            severity: Keyword(*severity),
            summary: finding.summary,
            detail: detail.clone(),
            address: address.clone(),
            place: primary
                .as_ref()
                .map_or_else(Place::default, |label| Place::of(label.place, sources)),
            related: related.iter().map(|label| Related::of(label, sources)).collect(),
            help: help.clone(),
        }
    }

    /// Converts all findings, in their order.
    #[must_use]
    pub fn all(found: &Diagnostics, sources: &Sources) -> Vec<Self> {
        found.iter().map(|found| Self::of(found, sources)).collect()
    }
}

impl Findings {
    /// Converts these findings.
    #[must_use]
    pub fn of(found: &Diagnostics, sources: &Sources) -> Self {
        Self { format: FORMAT, kind: "diagnostics", diagnostics: Diagnostic::all(found, sources) }
    }
}

impl Validation {
    /// Returns the numbers of files, zones and records, with these warnings and notes.
    #[must_use]
    pub fn of(
        (files, zones, records): (usize, usize, usize),
        found: &Diagnostics,
        sources: &Sources,
    ) -> Self {
        let diagnostics = Diagnostic::all(found, sources);
        Self { format: FORMAT, kind: "validation", valid: true, files, zones, records, diagnostics }
    }
}

impl Place {
    /// Resolves a place in these texts.
    fn of(place: PlaceOf, sources: &Sources) -> Self {
        let start = sources.line_column(place);
        let end = sources
            .line_column(PlaceOf { span: Span { start: place.span.end, ..place.span }, ..place });
        Self {
            file: Some(sources.name(place.source).to_owned()),
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }
}

impl Related {
    /// Resolves a label in these texts.
    fn of(label: &Label, sources: &Sources) -> Self {
        Self { place: Place::of(label.place, sources), text: label.text.clone() }
    }
}
