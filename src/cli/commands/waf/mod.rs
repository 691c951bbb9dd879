//! `waf`: what a setting of the protection means. Holds no means of writing to Cloudflare.

mod protection;
mod requests;

use clap::{Args, Subcommand};

use super::{Facts, Run, Session};
use crate::cli::args::Global;
use crate::cli::exit::Exit;

/// Show what the settings of the managed WAF mean
#[derive(Debug, Args)]
pub(in crate::cli) struct WafArgs {
    /// What to show.
    #[command(subcommand)]
    command: WafCommand,
}

impl Run for WafArgs {
    fn facts(&self) -> Facts<'_> {
        self.command.facts()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        self.command.run(session).await
    }
}

commands! {
    /// What to show, in the order of `--help`.
    enum WafCommand {
        Rules(rules::WafRulesArgs),
        Effective(effective::WafEffectiveArgs),
        Diff(diff::WafDiffArgs),
        Lock(lock::WafLockArgs),
        Trace(trace::WafTraceArgs),
        Hits(hits::WafHitsArgs),
        Explain(explain::WafExplainArgs),
        Tune(tune::WafTuneArgs),
    }
}
