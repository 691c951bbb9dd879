//! `waf`: what a setting of the protection means. Holds no means of writing to the service.

mod diff;
mod effective;
mod lock;
mod rules;

use std::sync::Arc;

use crate::cli::args::{Global, WafCommand};
use crate::cli::exit::Exit;
use crate::cli::output::Output;

/// Runs one of them.
pub(in crate::cli) async fn run(command: &WafCommand, global: &Global, output: &Arc<Output>) -> anyhow::Result<Exit> {
    match command {
        WafCommand::Rules(args) => rules::run(args, global, output).await,
        WafCommand::Effective(args) => effective::run(args, global, output).await,
        WafCommand::Diff(args) => diff::run(args, global, output).await,
        WafCommand::Lock(args) => lock::run(args, global, output).await,
    }
}
