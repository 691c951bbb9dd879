//! `help`: the help of a command, and pages that are about no command.

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit::{Ended, Exit};
use crate::cli::help::TOPICS;
use crate::cli::relevance::Matters;

/// Show the help of a command, or a page about all of them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright help plan\n  zonewright help waf diff\n  zonewright help exit-codes")]
pub(in crate::cli) struct HelpArgs {
    /// A command; or exit-codes, consents, environment
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

impl Run for HelpArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::offline("help")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let output = session.output;
        if let [word] = self.words.as_slice()
            && let Some(topic) = TOPICS.iter().find(|topic| topic.name == word)
        {
            let text = (topic.text)();
            output.report(|out| out.write_all(text.as_bytes()))?;
            return Ok(Exit::Success);
        }
        let program = (session.program)();
        let mut command = &program;
        for word in &self.words {
            let Some(below) = command.find_subcommand(word) else {
                return Err(Ended::usage(format!("there is no command {word:?}; `zonewright help` lists all of them")));
            };
            command = below;
        }
        // As clap shows it for `--help`, which is not an error.
        let words = self.words.iter().map(String::as_str);
        let arguments = std::iter::once("zonewright").chain(words).chain(["--help"]);
        if let Err(help) = program.clone().try_get_matches_from(arguments) {
            let help = help.render();
            output.result(|out| if output.colour { write!(out, "{}", help.ansi()) } else { write!(out, "{help}") })?;
        }
        Ok(Exit::Success)
    }
}
