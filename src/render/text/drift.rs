//! Drift as text: the changes and their authors.

use std::io::{self, Write};

use super::layout::{FIELDS, pad};
use super::style::{BOLD, CREATE, DELETE, DIM, UPDATE, styled};
use crate::diagnostic::Sources;
use crate::drift::{CheckedExpectation, Finding, State, Verdict, ZoneReport};
use crate::plan::ZonePlan;
use crate::render::drift::{
    DriftView, aside, expectations, findings, how, remarks, sides, weakened, weaker, words,
};
use crate::render::names_in_words::in_both_forms;
use crate::render::operation_view::OperationView;
use crate::render::safe::safe;

/// Width of the longest state that is shown in a column.
const STATES: usize = "conflicting".len();

/// Writes a report: each zone with something to report, and a line of counts.
///
/// # Errors
/// The errors of the writer.
pub fn write_drift(
    out: &mut dyn Write,
    view: &DriftView<'_>,
    colour: bool,
    verbose: bool,
) -> io::Result<()> {
    let names_unmanaged = verbose || view.asked.contains(&State::Unmanaged);
    for (report, plan) in view.zones() {
        let is_failed = report.expectations.iter().any(CheckedExpectation::is_failed);
        let is_weak = !report.weakened.is_empty() || !report.not_known.is_empty();
        if verbose
            || is_failed
            || is_weak
            || !report.findings.is_empty()
            || !report.unmanaged.is_empty()
        {
            write_zone(out, report, plan, view.sources, (colour, names_unmanaged))?;
        }
    }
    let line = match view.verdict() {
        Verdict::InSync => format!("In sync: {}.", view.counts()),
        Verdict::Tolerated => {
            format!("Differences that --fail-on does not name: {}.", view.counts())
        }
        Verdict::Found => format!("Drift: {}{}.", view.counts(), view.failed()),
        Verdict::Incomplete => {
            format!("There are errors, so this report may be incomplete: {}.", view.counts())
        }
    };
    let circumstances = format!("({})", safe(&view.circumstances()));
    writeln!(out, "{}  {}", styled(&line, BOLD, colour), styled(&circumstances, DIM, colour))
}

/// Writes one zone: its findings and its other objects.
fn write_zone(
    out: &mut dyn Write,
    report: &ZoneReport,
    plan: &ZonePlan,
    sources: &Sources,
    (colour, names_unmanaged): (bool, bool),
) -> io::Result<()> {
    writeln!(out, "{}", styled(&in_both_forms(report.name.as_str()), BOLD, colour))?;
    let findings_and_views = findings(report, plan);
    let (urgent, others): (Vec<_>, Vec<_>) =
        findings_and_views.iter().partition(|(finding, _)| finding.state < State::Weakened);
    for (finding, operation) in urgent {
        write_finding(out, finding, operation, colour)?;
    }
    for found in &report.weakened {
        let state = styled(&pad(State::Weakened.as_str(), STATES), DELETE, colour);
        let (what, lines) = weakened(found);
        writeln!(out, "  {state}  {}", safe(&what))?;
        for line in lines {
            writeln!(out, "{}{}", " ".repeat(2 + STATES + 4), styled(&safe(&line), DIM, colour))?;
        }
    }
    for (finding, operation) in others {
        write_finding(out, finding, operation, colour)?;
    }
    for line in &report.not_known {
        writeln!(out, "  {}", safe(&format!("not known of {line}")))?;
    }
    for line in expectations(report, sources) {
        writeln!(out, "  {}", safe(&line))?;
    }
    let counts = words(|state| report.count(state));
    writeln!(out, "  {}", styled(&counts, DIM, colour))?;
    for left in report.unmanaged.iter().chain(&report.spared) {
        writeln!(out, "  {}", styled(&format!("left alone: {}", safe(&aside(left))), DIM, colour))?;
        let shown = if names_unmanaged { &left.examples[..] } else { &[] };
        for example in shown {
            writeln!(out, "    {}", styled(&safe(example), DIM, colour))?;
        }
        let omitted = left.count().saturating_sub(shown.len());
        if names_unmanaged && omitted > 0 {
            writeln!(out, "    {}", styled(&format!("and {omitted} more"), DIM, colour))?;
        }
    }
    writeln!(out)
}

/// Writes one object: its state, the operation of a plan, and the time of its change.
fn write_finding(
    out: &mut dyn Write,
    finding: &Finding,
    operation: &OperationView<'_>,
    colour: bool,
) -> io::Result<()> {
    let style = match finding.state {
        State::Conflicting | State::Drifted | State::Weakened => DELETE,
        State::Unknown => UPDATE,
        State::Pending => CREATE,
        State::Unmanaged | State::InSync => DIM,
    };
    let state = styled(&pad(finding.state.as_str(), STATES), style, colour);
    let shown = |value: &str| safe(value).into_owned();
    let value = match (operation.before.as_deref(), operation.after.as_deref()) {
        (Some(before), Some(after)) if before != after => {
            format!("  {}", sides(Some(before), Some(after), shown))
        }
        (Some(value), _) | (None, Some(value)) => format!("  {}", safe(value)),
        (None, None) => String::new(),
    };
    writeln!(out, "  {state}  {}: {}{value}", how(operation.action), safe(&operation.what()))?;
    let indent = " ".repeat(2 + STATES + 4);
    for field in operation.fields.iter().take(FIELDS) {
        let sides = sides(field.before.words(), Some(&field.after), shown);
        writeln!(out, "{indent}{}: {sides}", safe(&field.name))?;
    }
    if operation.fields.len() > FIELDS {
        writeln!(out, "{indent}and {} more", operation.fields.len() - FIELDS)?;
    }
    let loud = weaker(operation).map(|words| format!("! {words}"));
    for remark in loud.into_iter().chain(remarks(finding, operation)) {
        writeln!(out, "{indent}{}", styled(&safe(&remark), DIM, colour))?;
    }
    Ok(())
}
