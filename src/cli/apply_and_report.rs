//! Applies a plan, and reports its result.

use std::sync::Arc;

use super::args::Format;
use super::exit_codes::Exit;
use super::output::Output;
use super::progress::ApplyProgress;
use super::settings::Settings;
use crate::api::{ReadClient, Stop, WriteClient};
use crate::apply::{Journal, Verified, ZoneDone};
use crate::diagnostic::Severity;
use crate::document::apply::Applied;
use crate::document::plan::Plan as PlanDocument;
use crate::model::time::rfc3339_micros;
use crate::plan::{Consents, Verdict};
use crate::reconcile::{ApplyContext, Conclusion, Planned, Report, Source, apply};
use crate::render::safe::safe;
use crate::render::text::{ZoneResult, next_step, write_result};

/// Sends a plan, reads back, reports.
///
/// # Errors
/// Before anything is sent. After that, failures are reported and end in an exit code.
pub(super) async fn execute(
    (planned, consents): (&Planned<'_>, &Consents),
    (reader, writer, stop): (&ReadClient, &WriteClient, &Stop),
    requests_to_apply: usize,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let time = settings.flags.surroundings.clock();
    let clock = move || rfc3339_micros(time());
    let journal = &Journal::begin(&settings.flags.journal, &planned.goal.digest, clock)?;
    let observer = &ApplyProgress::new(output, planned.plan.summary().operations());
    let mut report = apply(planned, consents, ApplyContext { reader, writer, journal, observer, stop }).await?;
    output.hide();
    for error in report.zones.iter_mut().filter_map(|zone| zone.unread.take()) {
        output.error(&error.into());
    }
    let mut conclusion = report.conclusion();
    if let Some(failure) = report.journal.take() {
        output.error(&failure.into());
    }
    if let Err(error) = show(&report, planned, journal, requests_to_apply, output) {
        output.error(&error.context("failed to print the result"));
        if conclusion == Conclusion::Converged {
            conclusion = report.conclusion_of_failure();
        }
    }
    Ok(match conclusion {
        Conclusion::Converged => Exit::Success,
        Conclusion::Partial => Exit::Partial,
        Conclusion::Stale => Exit::Stale,
        Conclusion::Failed => Exit::Error,
    })
}

/// Prints the result.
fn show(
    report: &Report<'_>,
    planned: &Planned<'_>,
    journal: &Journal,
    requests_to_apply: usize,
    output: &Output,
) -> anyhow::Result<()> {
    let zones: Vec<_> = report
        .zones
        .iter()
        .map(|ZoneDone { plan, applied, verified, unread: _, is_confirmed, notes: _ }| ZoneResult {
            plan,
            applied,
            verified: verified.as_ref(),
            is_confirmed: *is_confirmed,
        })
        .collect();
    let path = journal.path().display().to_string();
    let sources = &planned.goal.sources;
    if output.format == Format::Json {
        let plan = PlanDocument::of(&planned.plan, &Verdict::Ready, requests_to_apply, sources);
        output.json(&plan.applied(Applied::of(&report.zones, Some(path.clone()))))?;
    } else {
        output.report(|out| write_result(out, &zones, output.colour))?;
    }
    for ZoneDone { plan, verified, notes, .. } in &report.zones {
        if let Some(Verified { diagnostics, .. }) = verified {
            let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
            output.diagnostics(&errors, sources);
        }
        for note in notes {
            output.say(&format!("{}: {}", plan.name, safe(note)));
        }
    }
    output.say(&format!("journal: {path}"));
    let is_saved_plan = matches!(planned.goal.source, Source::SavedPlan { .. });
    if let Some(words) = next_step(&zones, is_saved_plan) {
        output.say(&words);
    }
    Ok(())
}
