//! Findings: in the comments about plans and drift, and as a comment of their own.

use super::budget::{Budget, Piece};
use super::comment::marker;
use crate::diagnostic::{Diagnostic, Severity, Sources, count};
use crate::model::sort_by_key;
use crate::render::document::Comment;
use crate::render::escape::{code, prose};
use crate::render::findings::{Findings, Region, detail, known_findings};

/// Returns the comment about the findings in a spec.
#[must_use]
pub fn report(found: &Findings<'_>, comment: Comment<'_>) -> String {
    let mut out = marker(found.command, comment);
    out.push_str(&format!("### zonewright {}: {}\n\n", found.command, found.verdict_words()));
    match found.holds {
        Some(holds) => out.push_str(&format!("{holds}: {}.\n", found.words())),
        None => out.push_str(&format!("{}. No request was made.\n", found.words())),
    }
    let mut budget = Budget::new(comment.limit, &out);
    budget.give_all();
    findings(&mut out, found.diagnostics.iter(), found.sources, &mut budget);
    out
}

/// Adds findings, worst first.
pub(super) fn findings<'d>(
    out: &mut String,
    all: impl Iterator<Item = &'d Diagnostic>,
    sources: &Sources,
    budget: &mut Budget,
) {
    let (known, mut all): (Vec<_>, Vec<_>) = all.partition(|d| d.is_known);
    let known_line = known_findings(known.into_iter());
    if all.is_empty() {
        if let Some(known) = known_line {
            out.push_str(&format!("\n{known}.\n"));
        }
        return;
    }
    sort_by_key(&mut all, |d| d.severity);
    let of = |severity| all.iter().filter(|d| d.severity == severity).count();
    let counts: Vec<_> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|s| (of(s), s))
        .filter(|(n, _)| *n > 0)
        .map(|(n, s)| count(n, s.as_str()))
        .collect();
    let heading = Piece::new(format!("\n#### Findings: {}\n\n", counts.join(", ")));
    let omitted =
        budget.list(out, heading, all.iter().map(|d| Piece::new(finding(d, sources))), (1, 3));
    if omitted > 0 {
        out.push_str(&format!("- and {omitted} more\n"));
    }
    if let Some(known) = known_line {
        out.push_str(&format!("- {known}\n"));
    }
}

fn finding(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let Diagnostic {
        finding,
        severity,
        detail: _,
        address,
        primary: _,
        related,
        help,
        names: _,
        more: _,
        is_known: _,
    } = diagnostic;
    let place =
        Region::of_finding(diagnostic, sources).map(|r| r.shown()).or_else(|| address.clone());
    let place = place.map(|p| format!(" ({})", code(&p))).unwrap_or_default();
    let mut piece = format!(
        "- **{}** {}{place}: {}: {}\n",
        severity.as_str(),
        code(finding.code),
        prose(finding.summary),
        prose(&detail(diagnostic))
    );
    for label in related.iter().filter(|l| !l.text.is_empty()) {
        if let Some(region) = Region::of(label.place, sources) {
            piece.push_str(&format!("  - {}: {}\n", code(&region.shown()), prose(&label.text)));
        }
    }
    if let Some(help) = help {
        piece.push_str(&format!("  - help: {}\n", prose(help)));
    }
    piece
}
