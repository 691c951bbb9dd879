//! `undo`: the plan that takes an apply back, carried out like any other.

use std::sync::Arc;

use super::apply::{How, plan_and_apply};
use crate::cli::args::UndoArgs;
use crate::cli::exit::Exit;
use crate::cli::load::consents;
use crate::cli::lock;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::signals::Interrupt;
use crate::reconcile::Goal;

/// Plans, asks and undoes.
pub(in crate::cli) async fn run(
    args: &UndoArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
    interrupt: &Interrupt,
) -> anyhow::Result<Exit> {
    let how = How { yes: args.yes, dry_run: args.dry_run, resume: false, verify: args.verify.into() };
    if let Some(exit) = how.refused(output) {
        return Ok(exit);
    }
    if settings.flags.base.is_some() {
        output.message("error: undo knows what was before from the journal; leave --base out");
        return Ok(Exit::Usage);
    }
    let consents = match consents(&args.consents, settings, output)? {
        Ok(consents) => consents,
        Err(exit) => return Ok(exit),
    };
    // The journal of an apply that is still under way is not read: its end is not known.
    let _lock = if args.dry_run { None } else { Some(lock::take(&settings.flags.journal)?) };
    let goal = Goal::from_journal(&args.journal_file, args.skip_conflicts, settings.flags.zone.clone())?;
    plan_and_apply(how, (&goal, &consents), settings, output, interrupt).await
}
