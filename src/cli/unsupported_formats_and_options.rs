//! Refuses formats and options that a command does not have, before anything else happens.

use super::commands::{Command, Facts, Run};
use super::file_kinds;
use super::shared_arguments::{Format, Global};

/// Refuses formats, flags and files that a command does not take.
///
/// # Errors
/// What to write instead.
pub(super) fn check_options(command: &Command, global: &Global) -> Result<(), String> {
    let Facts { name, files, .. } = command.facts();
    check_format(name, global.format)?;
    command.matters().check(name, global)?;
    command.check(global)?;
    files.into_iter().try_for_each(|(path, takes)| file_kinds::check_kind(path, takes))
}

/// Refuses a format that a command does not have.
fn check_format(name: &str, format: Format) -> Result<(), String> {
    if Format::of(name).any(|possible| possible == format) {
        return Ok(());
    }
    let possible: Vec<_> = Format::of(name).map(Format::keyword).collect();
    Err(format!(
        "`{name}` has no --format {}; possible are: {}",
        format.keyword(),
        possible.join(", ")
    ))
}
