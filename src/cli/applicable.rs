//! Which command has which format and which flags: what a command does not have is refused before anything else happens.

use super::args::{ApplyArgs, Cli, Command, Format};
use crate::reconcile::saved::is_saved_plan;

/// What `plan` prints.
const PLAN: &[Format] = &[Format::Text, Format::Json, Format::Markdown, Format::Github, Format::Sarif, Format::Html];
/// What `validate` prints.
const VALIDATE: &[Format] =
    &[Format::Text, Format::Json, Format::Markdown, Format::Github, Format::Sarif, Format::Junit];
/// What `drift` prints.
const DRIFT: &[Format] = &[Format::Text, Format::Json, Format::Markdown];
/// What `test` prints.
const TEST: &[Format] = &[Format::Text, Format::Json, Format::Junit];
/// What everything else prints.
const OTHERS: &[Format] = &[Format::Text, Format::Json];

/// Refuses what a command does not have.
///
/// # Errors
/// What to write instead.
pub(super) fn check(cli: &Cli) -> Result<(), String> {
    let Cli { command, global } = cli;
    check_format(command, global.format)?;
    check_selection(command, global.shard.is_some(), !global.zone.is_empty())
}

/// Refuses a format that a command does not have.
fn check_format(command: &Command, format: Format) -> Result<(), String> {
    let (name, possible) = match command {
        Command::Plan(_) => ("plan", PLAN),
        Command::Validate(args) if args.print => ("validate --print", OTHERS),
        Command::Validate(_) => ("validate", VALIDATE),
        Command::Test(_) => ("test", TEST),
        Command::Apply(_) => ("apply", OTHERS),
        Command::Undo(_) => ("undo", OTHERS),
        Command::Snapshot(_) => ("snapshot", OTHERS),
        Command::Diff(_) => ("diff", OTHERS),
        Command::Resolve(_) => ("resolve", OTHERS),
        Command::Drift(_) => ("drift", DRIFT),
        Command::Watch(_) => ("watch", OTHERS),
        Command::Waf(_) => ("waf", OTHERS),
        Command::Import(_) => ("import", OTHERS),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => ("sandbox", OTHERS),
        Command::Schema(_) => ("schema", OTHERS),
        Command::Completions { .. } => ("completions", OTHERS),
        Command::Man => ("man", OTHERS),
    };
    if possible.contains(&format) {
        return Ok(());
    }
    let possible: Vec<_> = possible.iter().map(|f| f.word()).collect();
    Err(format!("`{name}` has no --format {}; possible are: {}", format.word(), possible.join(", ")))
}

/// Refuses to choose zones where there is nothing to choose from, as the flag would be without effect.
fn check_selection(command: &Command, has_shard: bool, has_zones: bool) -> Result<(), String> {
    if let Command::Apply(ApplyArgs { spec, .. }) = command
        && (has_shard || has_zones)
        && spec.single().is_some_and(is_saved_plan)
    {
        let flag = if has_shard { "--shard" } else { "--zone" };
        return Err(format!(
            "a saved plan is applied as a whole; give {flag} to `plan --out`, which then holds those zones only"
        ));
    }
    let name = match command {
        _ if !has_shard => return Ok(()),
        Command::Import(_) => "import",
        Command::Diff(_) => "diff",
        Command::Resolve(_) => "resolve",
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => "sandbox",
        Command::Schema(_) => "schema",
        Command::Completions { .. } => "completions",
        Command::Man => "man",
        _ => return Ok(()),
    };
    Err(format!("`{name}` has no --shard"))
}
