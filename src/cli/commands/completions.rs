//! Implements `completions`: prints completion scripts for shells.

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright completions bash > /etc/bash_completion.d/zonewright\n  \
        zonewright completions fish > ~/.config/fish/completions/zonewright.fish"
)]
pub(in crate::cli) struct CompletionsArgs {
    /// Shell
    shell: clap_complete::Shell,
}

impl Run for CompletionsArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::offline("completions")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut (session.program)(), "zonewright", &mut script);
        session.output.result(|out| out.write_all(&script))?;
        Ok(Exit::Success)
    }
}
