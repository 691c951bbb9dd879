//! A plan as a comment.
//!
//! The first line is a marker by which a pipeline finds its earlier comment. The parts follow by
//! their importance for a reviewer: the verdict, missing consents with the flag to add, dangers in
//! full, findings, the zones folded.

use super::budget::{Budget, Piece};
use super::comment::{marker, short};
use super::findings::findings;
use super::zone;
use crate::api::time_at_limit;
use crate::diagnostic::{Sources, count};
use crate::plan::{GivenConsent, MissingConsent, Verdict};
use crate::render::document::Comment;
use crate::render::entries::ZoneEntries;
use crate::render::escape::{code, prose};
use crate::render::names_in_words::in_both_forms;
use crate::render::operation_view::{OperationView, Review, zone_dangers};
use crate::render::same_in_zones::entries_of_zones;

/// Maximum number of consents that are listed; further ones are counted.
const CONSENTS: usize = 10;

/// Returns the comment about a plan.
#[must_use]
pub fn plan(review: &Review<'_>, comment: Comment<'_>) -> String {
    let mut out = marker("plan", comment);
    out.push_str(&head(review));
    let mut budget = Budget::new(comment.limit, &out);
    let zones = entries_of_zones(review.plan);
    let is_told = dangers(&mut out, review, &zones, &mut budget);
    let mut left_out = Vec::new();
    findings(&mut out, review.plan.diagnostics.iter(), review.sources, &mut budget);
    zone::write(&mut out, &zones, review.sources, &mut budget, is_told, &mut left_out);
    if !left_out.is_empty() {
        out.push_str(&format!(
            "\n**Shortened** to fit a comment. Left out: {}. The whole plan: `--format text`, `json` or `html`.\n",
            left_out.join("; ")
        ));
    }
    out
}

/// Returns verdict, counts and consents.
fn head(review: &Review<'_>) -> String {
    let Review { plan, verdict, requests_to_apply, sources: _ } = review;
    let summary = plan.summary();
    let made = count(usize::try_from(plan.requests_made).unwrap_or(usize::MAX), "request");
    let mut head = format!("### zonewright plan: {}\n\n", review.verdict_words());
    if summary.operations() == 0 {
        head.push_str(&format!(
            "Nothing to do: {} as wanted ({made} made).\n",
            count(summary.unchanged, "object")
        ));
    } else {
        let time = time_at_limit::after_comma(plan.requests_made, *requests_to_apply);
        head.push_str(&format!(
            "**{} to create, {} to update, {}** · {} unchanged · {made} made, {requests_to_apply} to apply{time}\n",
            summary.create,
            summary.update,
            summary.deletes(),
            summary.unchanged
        ));
    }
    if let Some(part) = plan.part() {
        head.push_str(&format!(
            "\n> [!WARNING]\n> Only a part of the plan: {}.\n",
            code(&short(&part.to_string()))
        ));
    }
    if **verdict == Verdict::Incomplete {
        head.push_str(
            "\n> [!CAUTION]\n> The plan is incomplete and cannot be applied: see the findings.\n",
        );
    }
    if let Some(outside) = review.outside() {
        head.push_str(&format!("\n**{outside}.**\n"));
    }
    if let Some(base) = &plan.base {
        head.push_str(&format!("\nCompared with {}.\n", code(&short(&base.to_string()))));
    }
    let missing = review.missing();
    if !missing.is_empty() {
        head.push_str("\n> [!CAUTION]\n");
        for consent in missing {
            let words = consent.before_flag();
            head.push_str(&format!("> - **Needs consent:** {words}{}\n", code(&consent.flag)));
        }
        if missing.len() > 1 {
            head.push_str(&format!(
                "> - To allow all of them: {}\n",
                code(&MissingConsent::flags(missing))
            ));
        }
    }
    if !plan.consents_given.is_empty() {
        head.push('\n');
    }
    for GivenConsent { danger, by } in plan.consents_given.iter().take(CONSENTS) {
        head.push_str(&format!("- Consent given: {} ({})\n", danger.about(), prose(&short(by))));
    }
    if let Some(more) = plan.consents_given.len().checked_sub(CONSENTS).filter(|n| *n > 0) {
        head.push_str(&format!("- and {}\n", count(more, "more consent")));
    }
    head
}

/// Adds every entry that needs attention, most dangerous first. Returns true if all of them fit
/// below the size limit of the comment.
fn dangers(
    out: &mut String,
    review: &Review<'_>,
    zones: &[ZoneEntries<'_>],
    budget: &mut Budget,
) -> bool {
    let entries = zones
        .iter()
        .flat_map(|zone| zone.all().map(|entry| (zone.zone.name.as_str(), &entry.view)));
    let mut all: Vec<(&str, &OperationView<'_>)> =
        entries.filter(|(_, view)| view.is_loud()).collect();
    all.sort_by_key(|(_, view)| view.by_weight());
    let of_zones: Vec<_> = review.plan.zones.iter().flat_map(zone_dangers).collect();
    let total = all.iter().map(|(_, view)| view.number).sum::<usize>() + of_zones.len();
    if total == 0 {
        return true;
    }
    let of_zones = of_zones.into_iter().map(|(zone, danger, words)| {
        Piece::new(format!("- **{danger}**: {} in {}\n", prose(&words), code(&in_both_forms(zone))))
    });
    let pieces = of_zones
        .chain(all.iter().map(|(zone, view)| Piece::new(danger(zone, view, review.sources))));
    let heading = Piece::new(format!("\n#### {}\n\n", count(total, "danger")));
    let left = budget.list(out, heading, pieces, (1, 2));
    if left > 0 {
        out.push_str(&format!("- and {left} more\n"));
    }
    left == 0
}

/// Describes an operation that needs attention: one line, and its effect.
fn danger(zone: &str, view: &OperationView<'_>, sources: &Sources) -> String {
    let mut loud: Vec<String> = Vec::new();
    if view.weakens() {
        loud.push("WEAKENS PROTECTION".to_owned());
    }
    loud.extend(
        view.dangers
            .iter()
            .map(|d| d.code().to_owned())
            .filter(|d| !view.weakens() || d != "weakens-protection"),
    );
    let place = view.place(sources).map(|p| format!(", {}", code(&p))).unwrap_or_default();
    let change = view.change();
    let value = if change.is_empty() { String::new() } else { format!(", {}", code(&change)) };
    let name = if view.name.is_empty() { String::new() } else { format!(" {}", code(&view.name)) };
    let type_name = match (view.type_name, view.direction) {
        ("", _) => String::new(),
        (words, Some(_)) => format!(" ({})", prose(words)),
        (words, None) => format!(" {}", prose(words)),
    };
    let why = if view.why.about.is_empty() {
        String::new()
    } else {
        format!(" ({})", prose(&view.why.about))
    };
    let mut piece = format!(
        "- **{}**: {} {}{name}{type_name} in {}{value}{why}{place}\n",
        loud.join(", "),
        view.verb,
        view.kinds(),
        code(&in_both_forms(zone))
    );
    for line in view.explanations() {
        piece.push_str(&format!("  - {}\n", prose(&line)));
    }
    if let Some(cause) = &view.cause {
        piece.push_str(&format!("  - {}\n", prose(cause)));
    }
    for (danger, reason) in view.accepted.iter().filter(|(danger, _)| view.dangers.contains(danger))
    {
        piece.push_str(&format!(
            "  - {} is accepted in the spec: {}\n",
            danger.code(),
            prose(reason)
        ));
    }
    piece
}
