//! `apply`: show the plan, ask for confirmation, apply it, verify the result.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::plan::{begin, show};
use super::{Facts, Run, Session};
use crate::apply::Verify;
use crate::cli::apply_and_report::execute;
use crate::cli::apply_lock;
use crate::cli::args::{ConsentArgs, Format, Global, PartArgs, SpecArgs, VerifyArg, duration};
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::default_spec::in_help;
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::file_kinds::Takes;
use crate::cli::output::Output;
use crate::cli::recordings::{Foresight, RequestArgs};
use crate::cli::settings::Settings;
use crate::cli::signals::Interrupt;
use crate::diagnostic::MOST_OF_A_KIND;
use crate::document::plan::Requests;
use crate::document::stale::StaleOperation;
use crate::model::{Danger, Only};
use crate::plan::{Consents, MissingConsent, Verdict};
use crate::reconcile::{self, Base, Goal, Planned, changed_since, changed_since_saved, resume, saved_plan};
use crate::render::safe::safe;
use crate::render::text::{Extent, write_requests};

/// What the argument may be.
const SPEC: &str =
    "Files, directories (every *.yaml and *.yml below), `-` for standard input, or one plan that `plan --out` saved";

/// Show the plan, ask for confirmation, apply it, verify the result
#[derive(Debug, Args)]
#[command(
    mut_arg("spec", |spec| spec.value_names(["SPEC|PLAN"]).help(in_help(SPEC))),
    after_help = "Examples:\n  zonewright apply zones/\n  zonewright apply plan.zwplan --yes --allow-deletes 2\n  zonewright apply zones/ --dry-run"
)]
pub(in crate::cli) struct ApplyArgs {
    /// The spec, or a saved plan.
    #[command(flatten)]
    spec: SpecArgs,
    /// A part.
    #[command(flatten)]
    part: PartArgs,
    /// Permissions.
    #[command(flatten)]
    consents: ConsentArgs,
    /// What happens to requests.
    #[command(flatten)]
    requests: RequestArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Print the exact requests instead of sending them
    #[arg(long)]
    dry_run: bool,
    /// Refuse a saved plan that is older than DURATION
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration)]
    max_age: Duration,
    /// Finish a partly applied saved plan
    #[arg(long)]
    resume: bool,
    /// How to know that a zone is in sync afterwards
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    verify: VerifyArg,
}

impl Run for ApplyArgs {
    fn facts(&self) -> Facts<'_> {
        let files = match self.spec.single() {
            Some(path) => vec![(path, Takes::SpecOrPlan)],
            None => self.spec.files(),
        };
        Facts { is_writer: true, files, ..Facts::online("apply") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        self.requests.check(&self.spec)?;
        let flags = [
            ("--shard", global.shard.is_some()),
            ("--zone", !global.zone.is_empty()),
            ("--only", !self.part.only.is_empty()),
        ];
        let is_saved = self.spec.single().is_some_and(saved_plan::is_saved_plan);
        if self.resume && !is_saved {
            return Err(
                "--resume is for a saved plan that was applied in part, and this is a spec; run it without --resume, \
                        which applies what is left"
                    .to_owned(),
            );
        }
        if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given)
            && is_saved
        {
            return Err(format!(
                "a saved plan is applied as a whole; give {flag} to `plan --out`, which then holds that part only"
            ));
        }
        Ok(())
    }

    /// Plans, asks and applies.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let how = How { yes: self.yes, dry_run: self.dry_run, resume: self.resume, verify: self.verify.into() };
        how.check(output)?;
        let foresight = self.requests.open(output)?;
        // Held to the end; a dry run writes nothing and may run beside others.
        let _lock = if self.dry_run { None } else { Some(apply_lock::take(&settings.flags.journal)?) };
        let (goal, consents) = match self.spec.single().filter(|path| saved_plan::is_saved_plan(path)) {
            Some(path) => self.open(path, settings, output)?,
            None => {
                let (goal, consents) = begin(&self.spec, &self.consents, settings, output)?;
                (goal.with_only(Only::new(self.part.only.clone())), consents)
            }
        };
        plan_and_apply(how, (&goal, &consents), foresight, session).await
    }
}

impl ApplyArgs {
    /// Opens a saved plan.
    fn open(&self, path: &Path, settings: &Settings<'_>, output: &Output) -> anyhow::Result<(Goal, Consents)> {
        let given = settings.consents(&self.consents)?;
        let opened = saved_plan::open(path, self.max_age, settings.now()?, given)?;
        if let Some(named) = settings.flags.base.as_deref()
            && let Some(how) = Base::differs(named, &opened.0, &settings.base_options()?)?
        {
            let what = "error: the saved plan has another base";
            output.message(&format!("{what}: {}; nothing was sent. Plan again.", safe(&how)));
            return Err(Ended::Reported(Exit::Stale).into());
        }
        Ok(opened)
    }
}

/// How a plan is carried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    /// Without asking.
    pub(super) yes: bool,
    /// Not at all: its requests are printed.
    pub(super) dry_run: bool,
    /// Without what is done already.
    pub(super) resume: bool,
    /// What it takes to call a zone in sync.
    pub(super) verify: Verify,
}

impl How {
    /// Whether consents that are missing can be asked for.
    fn asks(self, output: &Output) -> bool {
        !self.yes && !self.dry_run && output.format == Format::Text && output.can_ask()
    }

    /// How a run ends that goes no further than the plan.
    fn stop(self, verdict: &Verdict, planned: &Planned<'_>) -> Option<Exit> {
        match verdict {
            Verdict::Incomplete if planned.is_stale() => Some(Exit::Stale),
            Verdict::Incomplete => Some(Exit::Error),
            Verdict::NeedsConsent(_) => Some(Exit::Refused),
            Verdict::InSync => Some(Exit::Success),
            Verdict::Ready => self.dry_run.then_some(Exit::Success),
        }
    }

    /// Refuses what asks for confirmation without showing the plan.
    pub(super) fn check(self, output: &Output) -> Result<(), Ended> {
        if output.format == Format::Json && !self.yes && !self.dry_run {
            return Err(Ended::Usage("--format json shows no plan to confirm; add --yes or --dry-run".to_owned()));
        }
        Ok(())
    }
}

/// Connects, plans, asks and applies. A dry run holds no means of writing.
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

/// Everything between opening and closing the connection.
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
        let error = "error: the live state has changed since the plan was saved; nothing was sent. Plan again.";
        return Err(report_stale(error, &stale, output).into());
    }
    planned.warn_of_applied_before(&settings.flags.journal, settings.now()?);
    let mut verdict = planned.judge(&consents);
    let requests = planned.requests();
    let mut stop = how.stop(&verdict, &planned);
    // In JSON there is one document: the requests of a dry run, the plan that goes no further, or the plan with its result.
    // Who wants quiet, and is not asked, gets the result alone.
    let extent = if output.is_quiet() && (how.yes || how.dry_run) { Extent::Summary } else { Extent::Whole };
    let is_result_enough = extent == Extent::Summary && matches!(verdict, Verdict::Ready);
    if (output.format == Format::Text && !is_result_enough) || (stop.is_some() && !how.dry_run) {
        show(&planned, &verdict, requests.len(), extent, settings, output)?;
    }
    if let Verdict::NeedsConsent(missing) = &verdict
        && how.asks(output)
    {
        if !interrupt.while_asking(|| ask_consents(missing, &mut consents, output))? {
            return Ok(Exit::Refused);
        }
        verdict = planned.judge(&consents);
        stop = how.stop(&verdict, &planned);
    }
    if how.dry_run {
        match (verdict == Verdict::Incomplete, output.format) {
            (true, Format::Json) => show(&planned, &verdict, requests.len(), extent, settings, output)?,
            (true, _) => {}
            (false, Format::Json) => output.json(&Requests::of(&requests))?,
            (false, _) => output.result(|out| write_requests(out, &requests, output.colour))?,
        }
    }
    let (None, Some(writer)) = (stop, &connection.writer) else { return Ok(stop.unwrap_or(Exit::Success)) };
    if !how.yes {
        confirm(&planned, connection, output, interrupt).await?;
    }
    let handles = (&connection.reader, writer, interrupt.stop());
    interrupt.while_writing(execute((&planned, &consents), handles, requests.len(), settings, output)).await
}

/// Asks whether to go on, and looks whether the plan still holds: someone thought about it, so time has passed.
async fn confirm(
    planned: &Planned<'_>,
    connection: &OpenConnection,
    output: &Output,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    if !interrupt.while_asking(|| ask(planned, output))? {
        return Err(Ended::Reported(Exit::Refused).into());
    }
    let stale = changed_since(planned, &connection.reader).await?;
    if !stale.is_empty() {
        let error = "error: the live state has changed since this plan was made; nothing was written. Plan again.";
        return Err(report_stale(error, &stale, output).into());
    }
    Ok(())
}

/// Asks for each missing consent; whether all were given. Deletes are allowed by typing their number, so that no one allows
/// them out of habit.
fn ask_consents(missing: &[MissingConsent], consents: &mut Consents, output: &Output) -> anyhow::Result<bool> {
    for consent in missing {
        let MissingConsent { danger, operations, .. } = consent;
        let what = format!("{}.", consent.about());
        let (question, key) = match danger {
            Danger::Delete => (format!("{what} To allow this, type their number:"), operations.to_string()),
            other => (format!("{what} To allow this, type {}:", other.code()), other.code().to_owned()),
        };
        if output.ask(&question)?.trim() != key {
            output.message("No consent. Nothing was applied.");
            return Ok(false);
        }
        consents.allow_typed(*danger, *operations);
    }
    Ok(true)
}

/// Asks whether to go on. Without a terminal it cannot ask.
fn ask(planned: &Planned<'_>, output: &Output) -> anyhow::Result<bool> {
    output.hide();
    if !output.can_ask() {
        output.message(
            "error: cannot ask for confirmation: standard input or standard error is not a terminal; use --yes",
        );
        return Ok(false);
    }
    let n = planned.plan.summary().operations();
    let question = if n == 1 { "Apply this operation?".to_owned() } else { format!("Apply these {n} operations?") };
    let answer = output.ask(&format!("{question} [y/N]"))?;
    let is_yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        output.message("Nothing was applied.");
    }
    Ok(is_yes)
}

/// Says what has changed since the plan was made.
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
