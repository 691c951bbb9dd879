//! Implements `apply`: shows the plan, asks for confirmation, applies the plan, and verifies the
//! result.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::apply_lock;
use crate::cli::default_spec::in_help;
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::file_kinds::Takes;
use crate::cli::load_spec::load_with_consents;
use crate::cli::output::Output;
use crate::cli::plan_and_apply::{How, plan_and_apply};
use crate::cli::recordings::RequestArgs;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{
    ConsentArgs, DefaultBaseArgs, Global, PartArgs, SpecArgs, VerifyArg, parse_duration,
};
use crate::model::Only;
use crate::plan::Consents;
use crate::reconcile::{Base, Goal, saved_plan};
use crate::render::safe::safe;

/// Help of the argument.
const SPEC: &str = "Files, directories (every *.yaml and *.yml below), `-` for standard input, or \
    one plan that `plan --out` saved";

/// Show the plan, ask for confirmation, apply it, verify the result
#[derive(Debug, Args)]
#[command(
    mut_arg("spec", |spec| spec.value_names(["SPEC|PLAN"]).help(in_help(SPEC))),
    after_help = "Examples:\n  zonewright apply zones/\n  zonewright apply plan.zwplan --yes \
        --allow-deletes 2\n  zonewright apply zones/ --dry-run"
)]
pub(in crate::cli) struct ApplyArgs {
    /// The spec, or a saved plan.
    #[command(flatten)]
    spec: SpecArgs,
    /// A part.
    #[command(flatten)]
    part: PartArgs,
    /// The base.
    #[command(flatten)]
    default_base: DefaultBaseArgs,
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
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = parse_duration)]
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
                "--resume is for a saved plan that was applied in part, and this is a spec; run it \
                without --resume, \
                        which applies what is left"
                    .to_owned(),
            );
        }
        if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given)
            && is_saved
        {
            return Err(format!(
                "a saved plan is applied as a whole; give {flag} to `plan --out`, which then holds \
                that part only"
            ));
        }
        if is_saved && self.default_base.no_base {
            return Err(
                "a saved plan has the base that it was made with; give --no-base to `plan --out` \
                instead"
                    .to_owned(),
            );
        }
        // With `--base`, the variables are for reading the base.
        if is_saved && global.base.is_none() && !global.variables.is_empty() {
            return Err(
                "a saved plan was made with its own values; give --var to `plan --out` instead"
                    .to_owned(),
            );
        }
        Ok(())
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let how = How {
            yes: self.yes,
            dry_run: self.dry_run,
            resume: self.resume,
            verify: self.verify.into(),
        };
        how.check(output)?;
        let foresight = self.requests.open(output)?;
        // The lock lasts to the end. A dry run writes nothing and needs no lock.
        let _lock =
            if self.dry_run { None } else { Some(apply_lock::take(&settings.flags.journal)?) };
        let (goal, consents) =
            match self.spec.single().filter(|path| saved_plan::is_saved_plan(path)) {
                Some(path) => self.open(path, settings, output)?,
                None => {
                    let base = self.default_base.choice();
                    let (goal, consents) =
                        load_with_consents(&self.spec, &self.consents, base, settings, output)?;
                    (goal.with_only(Only::new(self.part.only.clone())), consents)
                }
            };
        plan_and_apply(how, (&goal, &consents), foresight, session).await
    }
}

impl ApplyArgs {
    /// Opens a saved plan.
    fn open(
        &self,
        path: &Path,
        settings: &Settings<'_>,
        output: &Output,
    ) -> anyhow::Result<(Goal, Consents)> {
        let consents = settings.consents(&self.consents)?;
        let opened = saved_plan::open(path, self.max_age, settings.now()?, consents)?;
        if let (Some(day), Some(planned)) = (&settings.flags.today, opened.0.saved_day())
            && day != planned
        {
            return Err(Ended::usage(format!(
                "the saved plan was made for {planned}; give --today {day} to `plan --out` instead"
            )));
        }
        if let Some(named) = settings.flags.base.as_deref()
            && let Some(how) = Base::differs(
                named,
                opened.0.base(),
                opened.0.saved_day(),
                &settings.base_options()?,
            )?
        {
            let what = "error: the saved plan has another base";
            output.message(&format!("{what}: {}; nothing was sent. Plan again.", safe(&how)));
            return Err(Ended::Reported(Exit::Stale).into());
        }
        Ok(opened)
    }
}
