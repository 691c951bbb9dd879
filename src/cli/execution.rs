//! Applies a plan: reports its progress and its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::args::Format;
use super::exit::Exit;
use super::output::Output;
use super::settings::Settings;
use crate::api::{ReadClient, Stop, WriteClient};
use crate::apply::{ApplyEvent, Journal, Observer, Outcome, Verified, ZoneDone};
use crate::diagnostic::{Severity, count};
use crate::document::apply::Applied;
use crate::document::plan::Plan as PlanDocument;
use crate::model::time::rfc3339_micros;
use crate::plan::{Consents, Verdict};
use crate::reconcile::{ApplyContext, Conclusion, Planned, Report, Source, apply};
use crate::render::safe::safe;
use crate::render::text::{ZoneResult, write_result};

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
    if let Some(words) = next_step(report, &planned.goal.source) {
        output.say(&words);
    }
    Ok(())
}

/// What to do about operations that did not succeed, if there are any.
fn next_step(report: &Report<'_>, source: &Source) -> Option<String> {
    let outcomes = || report.zones.iter().flat_map(|zone| &zone.applied.outcomes);
    let number = |is: fn(&Outcome) -> bool| outcomes().filter(|outcome| is(outcome)).count();
    let refused = number(|o| matches!(o, Outcome::Refused(_)));
    let stale = number(|o| matches!(o, Outcome::Stale(_)));
    let left = outcomes().filter(|o| !matches!(o, Outcome::Done)).count();
    if left == 0 {
        return None;
    }
    let again = match source {
        Source::SavedPlan { .. } if stale > 0 => "plan again, and apply the new plan".to_owned(),
        Source::SavedPlan { .. } => "run the same command with --resume: it sends only what is left".to_owned(),
        Source::Journal(_) | Source::Spec(_) | Source::Snapshot(..) => {
            "run the same command again: it plans again and sends only what is left".to_owned()
        }
    };
    let left = format!("{} left", count(left, "operation"));
    Some(match refused {
        0 => format!("{left}. To finish, {again}."),
        n => format!("{left}, {n} of them refused. Correct what was refused; then {again}."),
    })
}

/// Shows what is happening, with how much of it is done.
struct ApplyProgress {
    output: Arc<Output>,
    /// Operations of the plan.
    total: usize,
    /// Operations that took effect, as far as they were told.
    told: AtomicUsize,
    /// Operations that took effect.
    done: AtomicUsize,
}

impl ApplyProgress {
    /// Nothing done yet.
    fn new(output: &Arc<Output>, total: usize) -> Self {
        Self { output: Arc::clone(output), total, told: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }
}

impl Observer for ApplyProgress {
    /// The bar shows what is happening now.
    fn now(&self, event: &ApplyEvent) {
        if let ApplyEvent::Done { operations, .. } = event {
            self.done.fetch_add(*operations, Ordering::Relaxed);
        }
        let (zone, done) = (event.zone(), self.done.load(Ordering::Relaxed));
        let words = match event {
            ApplyEvent::Sending { operations, .. } => format!("{zone}: sending {operations}"),
            ApplyEvent::Verifying { .. } => format!("{zone}: reading back"),
            ApplyEvent::ZoneStarted { .. }
            | ApplyEvent::Done { .. }
            | ApplyEvent::Refused { .. }
            | ApplyEvent::NoBatches { .. }
            | ApplyEvent::Settling { .. }
            | ApplyEvent::LookingAgain { .. }
            | ApplyEvent::Waiting { .. } => zone.to_string(),
        };
        self.output.count(done, self.total, &words);
    }

    /// What stays to be read.
    fn event(&self, event: &ApplyEvent) {
        let (output, total) = (&self.output, self.total);
        match event {
            ApplyEvent::Done { zone, operations } => {
                let told = self.told.fetch_add(*operations, Ordering::Relaxed) + operations;
                output.log(&format!("{zone}: {told} of {total} done"));
            }
            ApplyEvent::Refused { zone, operations, reason, narrowing } => {
                let next = if *narrowing { "; trying smaller parts" } else { "" };
                output.news(&format!("{zone}: {operations} refused: {reason}{next}"));
            }
            ApplyEvent::NoBatches { zone } => {
                output
                    .news(&format!("{zone}: batch requests are not available; sending one request for each operation"));
            }
            ApplyEvent::Settling { zone, reason } => {
                output.news(&format!("{zone}: {reason}; reading the zone to see what took effect"));
            }
            ApplyEvent::LookingAgain { zone } => {
                output.log(&format!("{zone}: reading the zone again, because it may have changed"));
            }
            ApplyEvent::Waiting { zone, duration } if duration.as_secs() >= 1 => {
                output.news(&format!("{zone}: waiting {:.0} s", duration.as_secs_f64()));
            }
            ApplyEvent::Waiting { .. }
            | ApplyEvent::ZoneStarted { .. }
            | ApplyEvent::Sending { .. }
            | ApplyEvent::Verifying { .. } => {}
        }
    }
}
