//! `completions`: completion scripts for shells.

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit::Exit;

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// Shell
    shell: clap_complete::Shell,
}

impl Run for CompletionsArgs {
    fn facts(&self) -> Facts<'_> {
        Facts::offline("completions")
    }

    /// Prints a completion script.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut (session.program)(), "zonewright", &mut script);
        session.output.result(|out| out.write_all(&script))?;
        Ok(Exit::Success)
    }
}
