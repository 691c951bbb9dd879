//! The outcomes of recorded requests, as Markdown for a comment.

use super::super::escape::{code, prose};
use super::{caveats, cells, doubt, meaning, setting, threshold};
use crate::diagnostic::count;
use crate::insight::traffic::{Counts, Group, Named, Report};

/// Returns the comment about a report.
pub(in crate::render) fn markdown(report: &Report) -> String {
    let mut out = "### zonewright waf replay\n".to_owned();
    for outcomes in &report.sets {
        let (words, requests) = (outcomes.set.words(), outcomes.requests);
        out.push_str(&format!("\n#### {words}: {requests} evaluated\n\n"));
        out.push_str("| | pass | blocked | challenged | unknown |\n|---|---:|---:|---:|---:|\n");
        for (when, Counts { pass, block, challenge, unknown }) in
            [("now", outcomes.before), ("planned", outcomes.after)]
        {
            out.push_str(&format!("| {when} | {pass} | {block} | {challenge} | {unknown} |\n"));
        }
        for caveat in caveats(outcomes) {
            out.push_str(&format!("\n{caveat}.\n"));
        }
        let Some(matrix) = &outcomes.matrix else { continue };
        out.push_str(&format!(
            "\n{}, of {}:\n\n| level |",
            meaning(outcomes.set),
            count(matrix.scored, "request")
        ));
        for number in matrix.thresholds {
            out.push_str(&format!(" {} |", threshold(number)));
        }
        out.push_str("\n|---|---:|---:|---:|---:|---:|---:|\n");
        for (level, row) in (1..).zip(cells(matrix, report)) {
            out.push_str(&format!("| {level} |"));
            for cell in row {
                let mark = match (cell.is_now, cell.is_planned) {
                    (true, true) => " (now, planned)",
                    (true, false) => " (now)",
                    (false, true) => " (planned)",
                    (false, false) => "",
                };
                let bold = if mark.is_empty() { "" } else { "**" };
                out.push_str(&format!(" {bold}{} {}{mark}{bold} |", cell.number, cell.share));
            }
            out.push('\n');
        }
        if let Some(words) = doubt(matrix) {
            out.push_str(&format!("\n{words}.\n"));
        }
    }
    out.push('\n');
    for zone in &report.zones {
        let (before, after) = (setting(zone.before), setting(zone.after));
        out.push_str(&format!(
            "- {}: OWASP ruleset now: {before}; planned: {after}\n",
            code(&zone.name)
        ));
    }
    if report.changes.is_empty() {
        out.push_str("\nNo request has another outcome after the plan.\n");
    }
    for group in &report.changes {
        add_group(&mut out, group);
    }
    for (what, names) in [
        ("Unknown outcomes depend on", &report.depends_on),
        ("Not evaluated", &report.not_evaluated),
    ] {
        for named in names {
            out.push_str(&format!(
                "\n{what}: {} ({}).\n",
                prose(&named.name),
                count(named.requests, "request")
            ));
        }
    }
    out
}

/// Adds requests whose outcome changes.
fn add_group(out: &mut String, group: &Group) {
    let (change, requests) = (group.change.words(), count(group.requests, "request"));
    out.push_str(&format!(
        "\n**{change}: {requests}** ({}), by {}\n\n",
        group.set.words(),
        code(&group.rule)
    ));
    for (what, names) in
        [("OWASP rules", &group.owasp_rules), ("hosts", &group.hosts), ("paths", &group.paths)]
    {
        let name_and_count = |named: &Named| format!("{} ({})", code(&named.name), named.requests);
        let names: Vec<_> = names.iter().take(5).map(name_and_count).collect();
        if !names.is_empty() {
            out.push_str(&format!("- {what}: {}\n", names.join(", ")));
        }
    }
    for example in &group.examples {
        let id = example.id.as_deref().map_or_else(String::new, |id| format!("{} ", code(id)));
        let score = example.score.map_or_else(String::new, |score| format!(", score {score}"));
        out.push_str(&format!(
            "- {id}{} ({}{score})\n",
            code(&example.request),
            code(&example.place)
        ));
    }
}
