//! Drift as a comment or an issue: the changes and their authors.

use super::budget::{Budget, Piece};
use super::comment::{marker, short};
use super::findings::findings as diagnostics;
use crate::diagnostic::count;
use crate::drift::{Finding, State, Verdict};
use crate::render::DriftView;
use crate::render::document::Comment;
use crate::render::drift::{
    aside, expectations, findings, how, remarks, sides, weakened, weaker, words,
};
use crate::render::escape::{code, prose};
use crate::render::names_in_words::in_both_forms;
use crate::render::operation_view::OperationView;

/// Maximum number of unmanaged names that are shown for one reason; the JSON has more.
const SHOWN_NAMES: usize = 20;

/// Returns the comment about a drift report.
#[must_use]
pub fn drift(view: &DriftView<'_>, comment: Comment<'_>) -> String {
    let mut out = marker("drift", comment);
    out.push_str(&format!("### zonewright drift: {}\n\n", view.verdict_words()));
    out.push_str(&format!(
        "**{}{}** · {}\n",
        view.counts(),
        view.failed(),
        prose(&short(&view.circumstances()))
    ));
    if view.verdict() == Verdict::Incomplete {
        out.push_str("\n> [!CAUTION]\n> There are errors, so this report may be incomplete: see the findings.\n");
    }
    let mut budget = Budget::new(comment.limit, &out);
    diagnostics(&mut out, view.plan.diagnostics.iter(), view.sources, &mut budget);
    budget.give_all();
    let mut left_out = 0;
    let expected: Vec<_> =
        view.zones().flat_map(|(report, _)| expectations(report, view.sources)).collect();
    if !expected.is_empty() {
        let heading = Piece::new("\n#### Expectations that fail, or are unknown\n\n".to_owned());
        let pieces = expected.iter().map(|line| Piece::new(format!("- {}\n", prose(line))));
        left_out += budget.list(&mut out, heading, pieces, (1, 1));
    }
    for state in State::ALL.iter().copied() {
        if state == State::Weakened {
            left_out += weakened_deployments(&mut out, view, &mut budget);
            continue;
        }
        let findings_of_state: Vec<_> = view
            .zones()
            .flat_map(|(report, plan)| {
                findings(report, plan).into_iter().map(|found| (report.name.as_str(), found))
            })
            .filter(|(_, (finding, _))| finding.state == state)
            .collect();
        if findings_of_state.is_empty() {
            continue;
        }
        let heading = Piece::new(format!(
            "\n#### {} {}: {}\n\n",
            findings_of_state.len(),
            state.as_str(),
            state.about()
        ));
        if heading.size > budget.free() {
            left_out += findings_of_state.len();
            continue;
        }
        let pieces = findings_of_state
            .iter()
            .map(|(zone, (finding, operation))| Piece::new(item(zone, finding, operation)));
        left_out += budget.list(&mut out, heading, pieces, (1, 1));
    }
    left_out += zones(&mut out, view, &mut budget);
    if left_out > 0 {
        out.push_str(&format!(
            "\n**Shortened** to fit a comment: {} left out. The whole report: `--format text` or `json`.\n",
            count(left_out, "line")
        ));
    }
    out
}

/// Adds deployments that are weaker than in the spec, and comparisons without a result. Returns the
/// number of items that did not fit.
fn weakened_deployments(out: &mut String, view: &DriftView<'_>, budget: &mut Budget) -> usize {
    let mut pieces = Vec::new();
    for (report, _) in view.zones() {
        let zone = code(&in_both_forms(report.name.as_str()));
        for found in &report.weakened {
            let (what, lines) = weakened(found);
            let lines: Vec<String> =
                lines.iter().map(|line| format!("  - {}\n", prose(line))).collect();
            pieces.push(Piece::new(format!("- {} in {zone}\n{}", prose(&what), lines.concat())));
        }
        for line in &report.not_known {
            pieces.push(Piece::new(format!("- not known of {} in {zone}\n", prose(line))));
        }
    }
    if pieces.is_empty() {
        return 0;
    }
    let count = view.report.count(State::Weakened);
    let state = State::Weakened;
    let heading = Piece::new(format!("\n#### {count} {}: {}\n\n", state.as_str(), state.about()));
    if heading.size > budget.free() {
        return pieces.len();
    }
    budget.list(out, heading, pieces.into_iter(), (1, 1))
}

/// Returns the item of one object.
fn item(zone: &str, finding: &Finding, operation: &OperationView<'_>) -> String {
    let value = match (operation.before.as_deref(), operation.after.as_deref()) {
        (Some(before), Some(after)) if before != after => {
            format!(", {}", sides(Some(before), Some(after), code))
        }
        (Some(value), _) | (None, Some(value)) => format!(", {}", code(value)),
        (None, None) => String::new(),
    };
    let name = if operation.name.is_empty() {
        String::new()
    } else {
        format!(" {}", code(&operation.name))
    };
    let type_name = if operation.type_name.is_empty() {
        String::new()
    } else {
        format!(" {}", prose(operation.type_name))
    };
    let how = how(operation.action);
    let mut piece = format!(
        "- {how}: {}{name}{type_name} in {}{value}\n",
        operation.kind,
        code(&in_both_forms(zone))
    );
    for field in &operation.fields {
        let sides = sides(field.before.words(), Some(&field.after), code);
        piece.push_str(&format!("  - {}: {sides}\n", prose(&field.name)));
    }
    if let Some(loud) = weaker(operation) {
        piece.push_str(&format!("  - **{}**\n", prose(loud)));
    }
    for remark in remarks(finding, operation) {
        piece.push_str(&format!("  - {}\n", prose(&remark)));
    }
    piece
}

/// Adds the zones as a folded list, with their unmanaged objects. Returns the number of zones that
/// did not fit.
fn zones(out: &mut String, view: &DriftView<'_>, budget: &mut Budget) -> usize {
    const END: &str = "\n</details>\n";
    let heading = Piece::new(format!(
        "\n<details><summary>{} checked</summary>\n\n",
        count(view.report.zones.len(), "zone")
    ));
    if !budget.take(END.len()) || heading.size > budget.free() {
        return view.report.zones.len();
    }
    let pieces = view.report.zones.iter().map(|zone| {
        let mut piece = format!(
            "- {}: {}\n",
            code(&in_both_forms(zone.name.as_str())),
            words(|state| zone.count(state))
        );
        for left in zone.unmanaged.iter().chain(&zone.spared) {
            let names: Vec<_> =
                left.examples.iter().take(SHOWN_NAMES).map(|name| code(name)).collect();
            let names =
                if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
            let omitted = left.count().saturating_sub(left.examples.len().min(SHOWN_NAMES));
            let omission = if omitted > 0 { format!(" and {omitted} more") } else { String::new() };
            piece.push_str(&format!("  - left alone: {}{names}{omission}\n", prose(&aside(left))));
        }
        Piece::new(piece)
    });
    let zones_omitted = budget.list(out, heading, pieces, (1, 1));
    out.push_str(END);
    zones_omitted
}
