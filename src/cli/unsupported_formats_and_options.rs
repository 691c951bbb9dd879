//! Refuses formats and options that a command does not have, before anything else happens.

use clap::ValueEnum;

use super::commands::{Command, Facts, Run};
use super::file_kinds;
use super::shared_arguments::{Format, Global};
use crate::render::Document;

/// Refuses formats, flags and files that a command does not take.
///
/// # Errors
/// What to write instead.
pub(super) fn check(command: &Command, global: &Global) -> Result<(), String> {
    let Facts { name, has_document, files, .. } = command.facts();
    check_format(name, has_document, global.format)?;
    command.matters().check(name, global)?;
    command.check(global)?;
    files.into_iter().try_for_each(|(path, takes)| file_kinds::check(path, takes))
}

/// Refuses a format that a command does not have.
fn check_format(
    name: &str,
    has_document: fn(&Document) -> bool,
    format: Format,
) -> Result<(), String> {
    let has = |format: &&Format| match format {
        Format::Text | Format::Json => true,
        Format::Document(document) => has_document(document),
    };
    if has(&&format) {
        return Ok(());
    }
    let possible: Vec<_> =
        Format::value_variants().iter().filter(has).map(|format| format.keyword()).collect();
    Err(format!(
        "`{name}` has no --format {}; possible are: {}",
        format.keyword(),
        possible.join(", ")
    ))
}
