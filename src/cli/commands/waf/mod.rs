//! `waf`: what a setting of the protection means. Holds no means of writing to the service.

mod diff;
mod effective;
mod hits;
mod lock;
mod protection;
mod rules;

use std::sync::Arc;

use crate::cli::args::WafCommand;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::settings::Settings;

/// Runs one of them.
pub(in crate::cli) async fn run(
    command: &WafCommand,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    match command {
        WafCommand::Rules(args) => rules::run(args, settings, output).await,
        WafCommand::Effective(args) => effective::run(args, settings, output).await,
        WafCommand::Diff(args) => diff::run(args, settings, output).await,
        WafCommand::Lock(args) => lock::run(args, settings, output).await,
        WafCommand::Hits(args) => hits::run(args, output),
    }
}
