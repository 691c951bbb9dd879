//! `undo`: the plan that takes an apply back, carried out like any other.

use std::sync::Arc;

use super::apply::{How, plan_and_apply};
use crate::cli::args::{Global, UndoArgs};
use crate::cli::exit::Exit;
use crate::cli::lock;
use crate::cli::output::Output;
use crate::cli::service::{Access, Service};
use crate::cli::settings;
use crate::cli::signals::Interrupt;
use crate::cli::undoing;

/// Plans, asks and undoes.
pub(in crate::cli) async fn run(
    args: &UndoArgs,
    global: &Global,
    output: &Arc<Output>,
    interrupt: &Interrupt,
) -> anyhow::Result<Exit> {
    let how = How { yes: args.yes, dry_run: args.dry_run, resume: false };
    if let Some(exit) = how.refused(output) {
        return Ok(exit);
    }
    if global.base.is_some() {
        output.message("error: undo knows what was before from the journal; leave --base out");
        return Ok(Exit::Usage);
    }
    let consents = match settings::consents(&args.consents, global)? {
        Ok(consents) => consents,
        Err(message) => {
            output.message(&format!("error: {message}"));
            return Ok(Exit::Usage);
        }
    };
    // The journal of an apply that is still under way is not read: its end is not known.
    let _lock = if args.dry_run { None } else { Some(lock::take(&global.journal)?) };
    let loaded = undoing::load(&args.journal_file, args.skip_conflicts, global)?;
    let access = if args.dry_run { Access::Read } else { Access::Write(interrupt.stop().clone()) };
    let service = Service::open(global, access, output, loaded.rehearsed()).await?;
    let exit = plan_and_apply(how, global, output, &loaded, (&consents, None), (&service, interrupt)).await;
    service.close().await;
    exit
}
