//! The outcomes of recorded requests, as text.

use std::io::{self, Write};

use super::super::safe::safe;
use super::{caveats, cells, doubt, listed, meaning, setting, threshold};
use crate::diagnostic::count;
use crate::insight::traffic::{Counts, Group, Matrix, Report};

/// Writes a report.
///
/// # Errors
/// The errors of the writer.
pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.sets.iter().all(|outcomes| outcomes.requests == 0) {
        writeln!(out, "No request was evaluated.")?;
    }
    for outcomes in &report.sets {
        writeln!(out, "{}: {} evaluated", outcomes.set.words(), outcomes.requests)?;
        for caveat in caveats(outcomes) {
            writeln!(out, "  note: {caveat}")?;
        }
        for (when, Counts { pass, block, challenge, unknown }) in
            [("now", outcomes.before), ("planned", outcomes.after)]
        {
            writeln!(
                out,
                "  {when:<8} {pass} pass, {block} blocked, {challenge} challenged, {unknown} \
                unknown"
            )?;
        }
        if let Some(matrix) = &outcomes.matrix {
            writeln!(out, "\n  {}", meaning(outcomes.set))?;
            write_matrix(out, matrix, report)?;
        }
        writeln!(out)?;
    }
    for zone in &report.zones {
        writeln!(
            out,
            "{}: OWASP ruleset now: {}; planned: {}",
            safe(&zone.name),
            setting(zone.before),
            setting(zone.after)
        )?;
    }
    if report.changes.is_empty() && report.sets.iter().any(|outcomes| outcomes.requests > 0) {
        writeln!(out, "No request has another outcome after the plan.")?;
    }
    for group in &report.changes {
        write_group(out, group)?;
    }
    for (what, names) in [
        ("unknown outcomes depend on", &report.depends_on),
        ("not evaluated", &report.not_evaluated),
    ] {
        for named in names {
            writeln!(out, "{what}: {} ({})", safe(&named.name), count(named.requests, "request"))?;
        }
    }
    Ok(())
}

/// Writes the number of requests on which the ruleset acts, for each level and threshold.
fn write_matrix(out: &mut dyn Write, matrix: &Matrix, report: &Report) -> io::Result<()> {
    write!(out, "  {:<9}", "threshold")?;
    for number in matrix.thresholds {
        write!(out, " {:>15}", threshold(number))?;
    }
    writeln!(out)?;
    let rows = cells(matrix, report);
    for (level, row) in (1..).zip(&rows) {
        write!(out, "  level {level:<3}")?;
        for cell in row {
            write!(out, " {:>15}", format!("{}{} {:>6}", cell.mark(), cell.number, cell.share))?;
        }
        writeln!(out)?;
    }
    let has = |mark: &str| rows.iter().flatten().any(|cell| cell.mark() == mark);
    for (mark, words) in [
        ("*", "the setting now and after the plan"),
        ("<", "the setting now"),
        (">", "the setting after the plan"),
    ] {
        if has(mark) {
            writeln!(out, "  {mark} {words}")?;
        }
    }
    if let Some(words) = doubt(matrix) {
        writeln!(out, "  {words}")?;
    }
    let (scored, not_scored) = (matrix.scored, matrix.not_scored);
    let (reach, do_not) = (
        if scored == 1 { "reaches" } else { "reach" },
        if not_scored == 1 { "does" } else { "do" },
    );
    writeln!(
        out,
        "  of {} that {reach} the ruleset; {not_scored} {do_not} not",
        count(scored, "request")
    )
}

/// Writes requests whose outcome changes.
fn write_group(out: &mut dyn Write, group: &Group) -> io::Result<()> {
    let requests = count(group.requests, "request");
    writeln!(
        out,
        "\n{}: {requests} ({}), by {}",
        group.change.words(),
        group.set.words(),
        safe(&group.rule)
    )?;
    for (what, names) in
        [("OWASP rules", &group.owasp_rules), ("hosts", &group.hosts), ("paths", &group.paths)]
    {
        if !names.is_empty() {
            writeln!(out, "  {what}: {}", safe(&listed(names).join(", ")))?;
        }
    }
    for example in &group.examples {
        let id = example.id.as_deref().map_or_else(String::new, |id| format!("{id} "));
        let score = example.score.map_or_else(String::new, |score| format!(", score {score}"));
        let words = format!("{id}{} ({}{score})", example.request, example.place);
        writeln!(out, "  → {}", safe(&words))?;
    }
    Ok(())
}
