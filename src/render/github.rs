//! Findings and dangers as workflow commands, which GitHub Actions shows next to the lines of a
//! pull request.
//!
//! ```text
//! ::error file=zones/example.com.yaml,line=4,col=48,endLine=4,endColumn=54,title=SPEC0016 the key is unknown::there is …
//! ```
//!
//! GitHub shows only a few annotations of each step, so the worst come first.
//!
//! # Sources
//! docs.github.com/actions/reference/workflows-and-actions/workflow-commands; the escaping is that
//! of the command library of actions/toolkit; both read 2026-11-20.

use std::io::{self, Write};

use super::document::Document;
use super::findings::{Findings, Region, detail};
use super::operation_view::{OperationView, Review, views, zone_dangers};
use super::safe::safe;
use crate::diagnostic::{Diagnostic, Severity, Sources};
use crate::model::{Danger, sort_by_key};

pub(super) const DOCUMENT: Document = Document {
    name: "github",
    findings: |out, found, _| report(out, found),
    is_for_validate: true,
    plan: Some(|out, review, _| plan(out, review)),
    drift: None,
    expectations: None,
    patch: None,
    requests: None,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    /// Returns the name of the command.
    fn keyword(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Notice,
        }
    }
}

/// Writes findings.
///
/// # Errors
/// The errors of the writer.
pub fn report(out: &mut dyn Write, found: &Findings<'_>) -> io::Result<()> {
    findings(out, found.diagnostics.iter(), found.sources)?;
    let words = match found.holds {
        Some(holds) => format!("{holds}: {}", found.words()),
        None => found.words(),
    };
    let title = format!("zonewright {}: {}", found.command, found.verdict_words());
    command(out, Level::Notice, None, &title, &words)
}

/// Writes everything that a reviewer of a plan must see: missing consents, findings, dangers, the
/// counts.
///
/// # Errors
/// The errors of the writer.
pub fn plan(out: &mut dyn Write, review: &Review<'_>) -> io::Result<()> {
    for consent in review.missing() {
        let title = format!("zonewright: needs consent for {}", consent.danger.code());
        let words = format!("{}{}", consent.before_flag(), consent.flag);
        command(out, Level::Error, None, &title, &words)?;
    }
    findings(out, review.plan.diagnostics.iter().filter(|d| !d.is_known), review.sources)?;
    for (zone, code, words) in review.plan.zones.iter().flat_map(zone_dangers) {
        command(out, Level::Warning, None, &format!("danger {code}: {zone}"), &words)?;
    }
    let mut dangers: Vec<OperationView<'_>> =
        review.plan.zones.iter().flat_map(views).filter(OperationView::is_loud).collect();
    dangers.sort_by_key(OperationView::by_weight);
    for view in &dangers {
        danger(out, review, view)?;
    }
    let s = review.plan.summary();
    let words = format!("{} to create, {} to update, {}", s.create, s.update, s.deletes());
    let part = review
        .plan
        .part()
        .map(|part| format!(". Only a part of the plan: {part}"))
        .unwrap_or_default();
    let words = format!("{words}{part}");
    command(
        out,
        Level::Notice,
        None,
        &format!("zonewright plan: {}", review.verdict_words()),
        &words,
    )
}

/// Writes a dangerous operation: an error if a consent is missing, otherwise a warning.
fn danger(out: &mut dyn Write, review: &Review<'_>, view: &OperationView<'_>) -> io::Result<()> {
    let open =
        |danger: &Danger| view.dangers.contains(danger) && !view.accepted.contains_key(danger);
    let lacks = review.missing().iter().any(|missing| open(&missing.danger));
    let codes: Vec<_> = view.dangers.iter().map(|d| d.code()).collect();
    let codes = if codes.is_empty() { "accepted weakening".to_owned() } else { codes.join(", ") };
    let mut words = vec![format!("{} {}", view.action.as_str(), view.what())];
    words.extend(Some(view.change()).filter(|change| !change.is_empty()));
    let mut text = words.join(", ");
    for line in view.explanations() {
        text.push_str("; ");
        text.push_str(&line);
    }
    if let Some(cause) = &view.cause {
        text.push_str("; ");
        text.push_str(cause);
    }
    let region = view.place.and_then(|place| Region::of(place, review.sources));
    let level = if lacks { Level::Error } else { Level::Warning };
    command(out, level, region, &format!("danger {codes}: {}", view.address), &text)
}

/// Writes findings, worst first.
fn findings<'d>(
    out: &mut dyn Write,
    all: impl Iterator<Item = &'d Diagnostic>,
    sources: &Sources,
) -> io::Result<()> {
    let mut diagnostics: Vec<_> = all.collect();
    sort_by_key(&mut diagnostics, |d| d.severity);
    for diagnostic in diagnostics {
        let mut text = detail(diagnostic);
        if let Some(help) = &diagnostic.help {
            text.push_str("\nhelp: ");
            text.push_str(help);
        }
        let title = format!("{} {}", diagnostic.code(), diagnostic.summary());
        command(
            out,
            diagnostic.severity.into(),
            Region::of_finding(diagnostic, sources),
            &title,
            &text,
        )?;
    }
    Ok(())
}

/// Writes one command.
fn command(
    out: &mut dyn Write,
    level: Level,
    region: Option<Region<'_>>,
    title: &str,
    text: &str,
) -> io::Result<()> {
    write!(out, "::{} ", level.keyword())?;
    if let Some(region) = region.filter(|r| r.is_file) {
        let Region { file, is_file: _, line, column, end_line, end_column } = region;
        let file = file.strip_prefix("./").unwrap_or(file);
        write!(out, "file={},line={line},col={column},endLine={end_line},", property(file))?;
        // Columns are valid only within one line.
        if end_line == line {
            write!(out, "endColumn={},", end_column.max(column))?;
        }
    }
    writeln!(out, "title={}::{}", property(title), message(text))
}

/// Escapes the text after the second `::`.
fn message(text: &str) -> String {
    // These line breaks belong to the message; line breaks in the data are already escaped.
    let lines: Vec<_> = text.split('\n').map(|line| safe(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

/// Escapes the text of a property.
fn property(text: &str) -> String {
    safe(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(
            property("a:b,c%d\r\n::error::x"),
            "a%3Ab%2Cc%25d\\u{d}\\u{a}%3A%3Aerror%3A%3Ax"
        );
        assert_eq!(message("50%\n::error::x"), "50%25%0A::error::x");
        let mut out = Vec::new();
        command(&mut out, Level::Error, None, "t", "a\r\n::set-output name=x::y")
            .unwrap_or_default();
        assert_eq!(
            String::from_utf8_lossy(&out),
            "::error title=t::a\\u{d}%0A::set-output name=x::y\n"
        );
    }
}
