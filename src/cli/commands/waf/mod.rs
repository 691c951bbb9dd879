//! Implements `waf`: shows the meaning of protection settings. The connection cannot write.

mod changes;
mod lock;
mod proposed_spec;
mod protection;
mod request_argument;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use futures_util::future::LocalBoxFuture;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::{self, Matters};
use crate::cli::shared_arguments::Global;

/// Show what the settings of the managed WAF mean
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf status example.com\n  zonewright waf rules zones/ --state off\n  zonewright waf trace 'GET https://www.example.com/wp-login.php' --spec zones/"
)]
pub(in crate::cli) struct WafArgs {
    /// What to show.
    #[command(subcommand)]
    command: WafCommand,
}

impl Run for WafArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn tailored(command: clap::Command) -> clap::Command {
        options_in_help::tailored(WafCommand::tailored(command), Self::MATTERS)
    }

    fn matters(&self) -> Matters {
        self.command.matters()
    }

    fn facts(&self) -> Facts<'_> {
        self.command.facts()
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.command.missing_spec()
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        self.command.check(global)
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        self.command.run(session).await
    }
}

commands! {
    /// What to show, in the order of `--help`.
    enum WafCommand {
        Status(status::WafStatusArgs),
        Rules(rules::WafRulesArgs),
        Trace(trace::WafTraceArgs),
        Score(score::WafScoreArgs),
        Explain(explain::WafExplainArgs),
        Tune(tune::WafTuneArgs),
        Replay(replay::WafReplayArgs),
    }
}
