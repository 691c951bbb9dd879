//! Connects, plans, asks, applies a plan, and reports its result, for `apply` and `undo`.

use std::sync::Arc;

use super::commands::Session;
use super::confirmation::{NOTHING_APPLIED, ask_consents, ask_to_apply};
use super::connection::{Access, OpenConnection};
use super::exit_codes::{Ended, Exit};
use super::output::Output;
use super::progress::ApplyProgress;
use super::recordings::Foresight;
use super::settings::Settings;
use super::shared_arguments::Format;
use super::show_plan::show_plan;
use super::signals::Interrupt;
use crate::api::{ReadClient, Stop, WriteClient};
use crate::apply::{Journal, Verified, Verify, ZoneDone};
use crate::diagnostic::{MOST_OF_A_KIND, Severity};
use crate::document::apply::Applied;
use crate::document::plan::{Plan as PlanDocument, Requests};
use crate::document::stale::StaleOperation;
use crate::plan::{Consents, Verdict};
use crate::reconcile::{
    self, ApplyContext, Conclusion, Goal, Planned, Report, Source, apply, changed_since,
    changed_since_saved, resume,
};
use crate::render::safe::safe;
use crate::render::text::{Extent, ZoneResult, next_step, write_requests, write_result};

/// Mode of an apply.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    /// Applies without asking.
    pub(super) yes: bool,
    /// Prints the requests and sends none.
    pub(super) dry_run: bool,
    /// Skips operations that are already done.
    pub(super) resume: bool,
    /// Evidence that a zone is in sync.
    pub(super) verify: Verify,
}

impl How {
    /// Returns true if the run can ask for missing consents.
    fn asks(self, output: &Output) -> bool {
        !self.yes && !self.dry_run && output.format == Format::Text && output.can_ask()
    }

    /// Returns the exit code if the run ends after the plan.
    fn stop(self, verdict: &Verdict, planned: &Planned<'_>) -> Option<Exit> {
        match verdict {
            Verdict::Incomplete if planned.is_stale() => Some(Exit::Stale),
            Verdict::Incomplete => Some(Exit::Error),
            Verdict::NeedsConsent(_) => Some(Exit::Refused),
            Verdict::InSync => Some(Exit::Success),
            Verdict::Ready => self.dry_run.then_some(Exit::Success),
        }
    }

    /// Refuses output options that hide the plan if the run asks for confirmation.
    pub(super) fn check(self, output: &Output) -> Result<(), Ended> {
        if output.format == Format::Json && !self.yes && !self.dry_run {
            return Err(Ended::Usage(
                "--format json shows no plan to confirm; add --yes or --dry-run".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Connects, plans, asks and applies. The connection of a dry run cannot write.
pub(super) async fn plan_and_apply(
    how: How,
    goal: (&Goal, &Consents),
    foresight: Foresight,
    session: &Session<'_>,
) -> anyhow::Result<Exit> {
    let Session { settings, output, interrupt, .. } = *session;
    let access = if how.dry_run { Access::Read } else { Access::Write(interrupt.stop().clone()) };
    let connection = OpenConnection::open(settings, access, output, goal.0.needed_zones()).await?;
    let exit = connected(&connection, how, goal, foresight, session).await;
    connection.close().await;
    exit
}

/// Runs everything between opening and closing the connection.
async fn connected(
    connection: &OpenConnection,
    how: How,
    (goal, consents): (&Goal, &Consents),
    foresight: Foresight,
    session: &Session<'_>,
) -> anyhow::Result<Exit> {
    let Session { settings, output, interrupt, .. } = *session;
    let options = foresight.options(connection.options(settings, output));
    let options = reconcile::Options { verify: how.verify, ..options };
    let mut planned = reconcile::plan(goal, &connection.reader, &options).await?;
    foresight.add_to(&mut planned, &connection.reader, output).await?;
    output.hide();
    let mut consents = consents.clone();
    let stale = match how.resume {
        true => resume(&mut planned, &mut consents).err().unwrap_or_default(),
        false => changed_since_saved(&planned),
    };
    if !stale.is_empty() {
        let error = "error: the live state has changed since the plan was saved; nothing was sent. \
            Plan again.";
        return Err(report_stale(error, &stale, output).into());
    }
    planned.warn_of_applied_before(&settings.flags.journal, settings.now()?);
    let mut verdict = planned.judge(&consents);
    let requests = planned.requests();
    let mut stop = how.stop(&verdict, &planned);
    // JSON output is one document: the requests of a dry run, the plan if the run ends with it, or
    // the plan with its result. A quiet run that does not ask prints only the result.
    let extent =
        if output.is_quiet() && (how.yes || how.dry_run) { Extent::Summary } else { Extent::Whole };
    let is_result_enough = extent == Extent::Summary && matches!(verdict, Verdict::Ready);
    if (output.format == Format::Text && !is_result_enough) || (stop.is_some() && !how.dry_run) {
        show_plan(&planned, &verdict, requests.len(), extent, settings, output)?;
    }
    if let Verdict::NeedsConsent(missing) = &verdict
        && how.asks(output)
    {
        if !interrupt
            .while_asking(NOTHING_APPLIED, || ask_consents(missing, &mut consents, output))?
        {
            return Ok(Exit::Refused);
        }
        verdict = planned.judge(&consents);
        stop = how.stop(&verdict, &planned);
    }
    if how.dry_run {
        match (verdict == Verdict::Incomplete, output.format) {
            (true, Format::Json) => {
                show_plan(&planned, &verdict, requests.len(), extent, settings, output)?
            }
            (true, _) => {}
            (false, Format::Json) => output.json(&Requests::of(&requests))?,
            (false, _) => output.result(|out| write_requests(out, &requests, output.colour))?,
        }
    }
    let (None, Some(writer)) = (stop, &connection.writer) else {
        return Ok(stop.unwrap_or(Exit::Success));
    };
    if !how.yes {
        confirm(&planned, connection, output, interrupt).await?;
    }
    let handles = (&connection.reader, writer, interrupt.stop());
    interrupt
        .while_writing(execute((&planned, &consents), handles, requests.len(), settings, output))
        .await
}

/// Asks for confirmation, and then checks that the plan is still current, because time has passed.
async fn confirm(
    planned: &Planned<'_>,
    connection: &OpenConnection,
    output: &Output,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    if !interrupt.while_asking(NOTHING_APPLIED, || ask_to_apply(planned, output))? {
        return Err(Ended::Reported(Exit::Refused).into());
    }
    let stale = changed_since(planned, &connection.reader).await?;
    if !stale.is_empty() {
        let error = "error: the live state has changed since this plan was made; nothing was \
            written. Plan again.";
        return Err(report_stale(error, &stale, output).into());
    }
    Ok(())
}

/// Reports the changes since the plan was made.
fn report_stale(error: &str, stale: &[StaleOperation], output: &Output) -> Ended {
    output.message(error);
    for StaleOperation { address, what } in stale.iter().take(MOST_OF_A_KIND) {
        output.message(&format!("  {}: {}", safe(address), safe(what)));
    }
    if stale.len() > MOST_OF_A_KIND {
        output.message(&format!("  … and {} more", stale.len() - MOST_OF_A_KIND));
    }
    Ended::Reported(Exit::Stale)
}

/// Applies a plan, verifies the zones, and reports the result.
///
/// # Errors
/// A failure before the first write. Later failures are reported and determine the exit code.
async fn execute(
    (planned, consents): (&Planned<'_>, &Consents),
    (reader, writer, stop): (&ReadClient, &WriteClient, &Stop),
    requests_to_apply: usize,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let clock = settings.flags.surroundings.clock();
    let journal = &Journal::begin(&settings.flags.journal, &planned.goal.digest, move || clock())?;
    let observer = &ApplyProgress::new(output, planned.plan.summary().operations());
    let context = ApplyContext::new(reader, writer)
        .with_journal(journal)
        .with_observer(observer)
        .with_stop(stop.clone());
    let mut report = apply(planned, consents, context).await?;
    output.hide();
    for error in report.zones.iter_mut().filter_map(|zone| zone.unread.take()) {
        output.error(&error.into());
    }
    let mut conclusion = report.conclusion();
    if let Some(failure) = report.journal.take() {
        output.error(&failure.into());
    }
    if let Err(error) = show_result(&report, planned, journal, requests_to_apply, output) {
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
fn show_result(
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
            let errors =
                diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
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
