//! Implements `undo`: applies the plan that reverts an earlier apply.

use std::path::PathBuf;

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::apply_lock;
use crate::cli::exit_codes::Exit;
use crate::cli::file_kinds::Takes;
use crate::cli::options_in_help::Matters;
use crate::cli::plan_and_apply::{How, plan_and_apply};
use crate::cli::recordings::Foresight;
use crate::cli::shared_arguments::{ConsentArgs, VerifyArg};
use crate::reconcile::Goal;

/// Restore what an apply changed, from its journal
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright undo .zonewright/journal/FILE.jsonl --dry-run\n  zonewright undo .zonewright/journal/FILE.jsonl --allow-deletes 3"
)]
pub(in crate::cli) struct UndoArgs {
    /// Journal of the apply; the apply prints its path
    #[arg(value_name = "JOURNAL")]
    journal_file: PathBuf,
    /// Permissions.
    #[command(flatten)]
    consents: ConsentArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Print the exact requests instead of sending them
    #[arg(long)]
    dry_run: bool,
    /// Keep what someone changed since, and undo the rest
    #[arg(long)]
    skip_conflicts: bool,
    /// How to know that a zone is in sync afterwards
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    verify: VerifyArg,
}

impl Run for UndoArgs {
    const MATTERS: Matters = Matters { policy: true, ..Matters::ONLINE };

    fn facts(&self) -> Facts<'_> {
        Facts { files: vec![(&self.journal_file, Takes::Journal)], ..Facts::online("undo") }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let how =
            How { yes: self.yes, dry_run: self.dry_run, resume: false, verify: self.verify.into() };
        how.check(output)?;
        let consents = settings.consents(&self.consents)?;
        // The journal of an apply in progress is not read, because it is incomplete.
        let _lock =
            if self.dry_run { None } else { Some(apply_lock::take(&settings.flags.journal)?) };
        let zones = settings.flags.zone.clone();
        let goal = Goal::from_journal(
            &self.journal_file,
            &settings.flags.journal,
            self.skip_conflicts,
            zones,
        )?;
        plan_and_apply(how, (&goal, &consents), Foresight::default(), session).await
    }
}
