//! `man`: the manual page.

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit::Exit;

/// Print the manual page
#[derive(Debug, Args)]
pub(in crate::cli) struct ManArgs {}

impl Run for ManArgs {
    fn facts(&self) -> Facts<'_> {
        Facts::offline("man")
    }

    /// Prints the manual page.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let mut page = Vec::new();
        clap_mangen::Man::new((session.program)()).render(&mut page)?;
        session.output.result(|out| out.write_all(&page))?;
        Ok(Exit::Success)
    }
}
