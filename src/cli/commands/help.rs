//! Implements `help`: shows the help of a command, or a page about a topic of all commands.

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::options_in_help::{self, Matters};
use crate::model::Danger;

/// Show the help of a command, or a page about all of them
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright help plan\n  zonewright help waf rules\n  zonewright help exit-codes"
)]
pub(in crate::cli) struct HelpArgs {
    /// A command; or exit-codes, consents, connection, environment
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
        let program = options_in_help::complete((session.program)());
        subcommand(&program, &self.words).map_err(|Unknown(word)| {
            Ended::usage(format!(
                "there is no command {word:?}; `zonewright help` lists all of them"
            ))
        })?;
        // clap treats the text of `--help` as an error.
        let words = self.words.iter().map(String::as_str);
        let arguments = std::iter::once("zonewright").chain(words).chain(["--help"]);
        if let Err(help) = program.clone().try_get_matches_from(arguments) {
            let help = help.render();
            output.result(|out| {
                if output.colour { write!(out, "{}", help.ansi()) } else { write!(out, "{help}") }
            })?;
        }
        Ok(Exit::Success)
    }
}

/// A word that is no command.
pub(in crate::cli) struct Unknown<'a>(pub(in crate::cli) &'a str);

/// Finds a command of the program by its words.
///
/// # Errors
/// The first word that is no command.
pub(in crate::cli) fn subcommand<'a, 'w>(
    program: &'a clap::Command,
    words: &'w [String],
) -> Result<&'a clap::Command, Unknown<'w>> {
    words
        .iter()
        .try_fold(program, |command, word| command.find_subcommand(word).ok_or(Unknown(word)))
}

/// A page of `help` about all commands.
pub(in crate::cli) struct Topic {
    pub(in crate::cli) name: &'static str,
    /// Subject of the page.
    pub(in crate::cli) about: &'static str,
    pub(in crate::cli) text: fn() -> String,
}

/// All pages.
pub(in crate::cli) const TOPICS: [Topic; 4] = [
    Topic { name: "exit-codes", about: "what each exit code means", text: exit_codes },
    Topic { name: "consents", about: "the dangers, and how each is allowed", text: consents },
    Topic {
        name: "connection",
        about: "options for limits, timeouts and directories",
        text: options_in_help::about_connection,
    },
    Topic { name: "environment", about: "variables that the program reads", text: environment },
];

/// Returns the text below the list of commands.
pub(in crate::cli) fn after_help() -> String {
    let topics: String = TOPICS
        .iter()
        .map(|topic| format!("\n  zonewright help {:<13} {}", topic.name, topic.about))
        .collect();
    format!(
        "\
Examples:
  zonewright init                              a first spec: of your zones, or an example
  zonewright plan                              what would change
  zonewright apply                             shows the plan, asks, applies, verifies
  zonewright drift --base HEAD                 what changed outside of the spec

More help:
  zonewright help COMMAND       all options of a command{topics}"
    )
}

/// Returns the page about exit codes.
fn exit_codes() -> String {
    let codes = Exit::ALL.iter().map(|exit| format!("  {:<3} {}\n", exit.code(), exit.meaning()));
    format!("Exit codes:\n{}", codes.collect::<String>())
}

/// Returns the page about consents.
fn consents() -> String {
    let flag = |danger: &Danger| danger.flag("N");
    let longest = Danger::ALL.iter().map(|danger| flag(danger).len()).max().unwrap_or_default();
    let consents = Danger::ALL
        .iter()
        .map(|danger| format!("  {:<longest$}  {}\n", flag(danger), danger.consent()));
    let consents: String = consents.collect();
    format!(
        "Consents, each also possible in the spec (allow: {{ CODE: reason }}) and in the policy \
        file:\n{consents}"
    )
}

/// Returns the page about variables of the environment.
fn environment() -> String {
    "\
Environment:
  CLOUDFLARE_API_TOKEN                        an API token, or
  CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY     the e-mail address of the account and its global key
  CLOUDFLARE_ACCOUNT_ID                       use the zones of this account only
  CLOUDFLARE_BASE_URL                         another base URL of the API
  ZONEWRIGHT_WEBHOOK                          URL to which drift and watch send their report
  Each can be given as NAME_FILE, the name of a file with the value.
  JOB_COMPLETION_INDEX                        used by --shard auto/N only
  TF_VAR_NAME                                 value of Terraform's variable NAME, used by import \
  only
"
    .to_owned()
}
