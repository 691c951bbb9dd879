//! Parses the arguments of the program and reports mistakes in them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};

use super::commands::{Command, Run as _, after_help};
use super::options_in_help;
use super::shared_arguments::Global;
use crate::diagnostic::REDACTED;
use crate::render::safe::safe;

/// Declarative reconciler for Cloudflare zones, DNS records and managed-WAF tuning.
///
/// Write the desired state in YAML, review it with `plan`, and apply it with `apply`, which
/// verifies the result.
#[derive(Debug, Parser)]
#[command(name = "zonewright", version, about, long_about = None, after_help = after_help(), disable_help_subcommand = true)]
pub(super) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
    /// Flags of every command.
    #[command(flatten)]
    pub(super) global: Global,
}

/// Returns the command line as a clap command, for generated documentation.
#[must_use]
pub fn command() -> clap::Command {
    let program = options_in_help::with_formats(Command::tailored(Cli::command()), "");
    with_headings(options_in_help::hide_global_options(program))
}

/// Puts the commands below headings in the help of the program.
fn with_headings(program: clap::Command) -> clap::Command {
    let (literal, header) =
        (*program.get_styles().get_literal(), *program.get_styles().get_header());
    let list = program.clone().help_template("{subcommands}").render_help().ansi().to_string();
    let groups = Command::HEADINGS.iter().fold(list, |list, (heading, first)| {
        let entry = format!("  {literal}{first}{literal:#}");
        list.replacen(&entry, &format!("\n{header}{heading}:{header:#}\n{entry}"), 1)
    });
    program.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} \
        {{usage}}\n{groups}\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

/// Parses a command line.
pub(super) fn parse_arguments(
    arguments: impl Iterator<Item = OsString>,
) -> Result<Cli, clap::Error> {
    let arguments: Vec<OsString> = arguments.collect();
    let mut program = command();
    if arguments.iter().take_while(|argument| *argument != "--").any(|word| word == "--help") {
        program = options_in_help::complete(program);
    }
    let mut matches = program.try_get_matches_from_mut(arguments)?;
    let of_command = matches.subcommand().map(|(_, matches)| matches.clone());
    let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut program));
    cli.map(|mut cli| {
        if let (Command::Import(import), Some(matches)) = (&mut cli.command, of_command) {
            import.note_positions(&matches);
        }
        cli
    })
}

/// Returns the error with printable arguments, because a pipeline passes on values that others
/// chose.
///
/// The value of a variable of the spec is hidden: an argument without `NAME=` is the bare value,
/// which may be a secret.
pub(super) fn as_shown(
    error: clap::Error,
    arguments: impl Iterator<Item = OsString>,
) -> clap::Error {
    let arguments: Vec<OsString> = arguments.collect();
    let advice = advice(&error, &arguments);
    let mut error = printable(error, arguments.into_iter());
    if let Some(advice) = advice {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
    }
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    if argument.starts_with("--var ") {
        error.insert(ContextKind::InvalidValue, ContextValue::String(REDACTED.to_owned()));
    }
    error
}

/// Words of other tools and earlier names of commands, each with what to write instead.
const WORDS_OF_OTHERS: &[(&str, &str)] = &[
    (
        "--force",
        "there is no consent for everything: the plan names each danger and its flag, --allow CODE \
        or --allow-deletes N; \
         --yes applies without asking",
    ),
    ("-auto-approve", "--yes applies without asking"),
    ("--auto-approve", "--yes applies without asking"),
    ("preview", "`zonewright plan` shows what would change"),
    ("lint", "`zonewright validate` checks a spec offline, with all lints"),
    (
        "check",
        "`zonewright validate` checks a spec offline; `zonewright doctor` checks the credentials",
    ),
    ("version", "`zonewright --version` prints the version"),
    ("effective", "`waf effective` is called `waf status` now"),
    ("hits", "`waf hits` is called `waf score` now"),
    ("rehearse", "`waf rehearse` is called `waf replay` now"),
    ("diff", "`waf diff` is called `waf rules --changes` now"),
    (
        "lock",
        "`waf lock` is called `waf rules --lock` now, and `waf lock --check` `waf rules --check`",
    ),
    ("reset", "`sandbox reset` is called `sandbox seed --reset` now"),
    ("--leave", "`--leave` is called `--handover` now"),
];

/// Returns the advice for a word of another tool, or an earlier name, that an error is about.
fn advice(error: &clap::Error, arguments: &[OsString]) -> Option<&'static str> {
    if !matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand) {
        return None;
    }
    let is_given = |word: &str| arguments.iter().any(|argument| argument == word);
    // clap names a flag with one dash by its first letter.
    let is_meant = |word: &str| {
        [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].iter().any(|kind| {
            error.get(*kind).is_some_and(|value| {
                let value = value.to_string();
                value == word || (value.len() == 2 && word.starts_with(&value))
            })
        })
    };
    let word_and_advice = WORDS_OF_OTHERS.iter().find(|(word, _)| is_given(word) && is_meant(word));
    word_and_advice.map(|(_, advice)| *advice)
}

/// Creates the error anew from arguments without unprintable characters.
fn printable(error: clap::Error, arguments: impl Iterator<Item = OsString>) -> clap::Error {
    let texts: Vec<String> =
        arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    let shown: Vec<_> = texts.iter().map(|argument| safe(argument)).collect();
    if shown.iter().zip(&texts).all(|(shown, text)| shown == text) {
        return error;
    }
    let printable_error =
        parse_arguments(shown.iter().map(|shown| OsString::from(shown.as_ref()))).err();
    printable_error.unwrap_or_else(|| {
        command().error(error.kind(), "an argument holds characters that cannot be shown")
    })
}
