//! What a command does not have is refused before anything else happens.

use super::args::{Format, Global};
use super::commands::{Command, Facts, Run};
use super::own_files;

/// Refuses formats, flags and files that a command does not take.
///
/// # Errors
/// What to write instead.
pub(super) fn check(command: &Command, global: &Global) -> Result<(), String> {
    let Facts { name, formats, has_shards, files, .. } = command.facts();
    check_format(name, formats, global.format)?;
    command.check(global)?;
    // The flag would be without effect.
    if global.shard.is_some() && !has_shards {
        return Err(format!("`{name}` has no --shard"));
    }
    files.into_iter().try_for_each(|(path, takes)| own_files::check(path, takes))
}

/// Refuses a format that a command does not have.
fn check_format(name: &str, possible: &[Format], format: Format) -> Result<(), String> {
    if possible.contains(&format) {
        return Ok(());
    }
    let possible: Vec<_> = possible.iter().map(|f| f.word()).collect();
    Err(format!("`{name}` has no --format {}; possible are: {}", format.word(), possible.join(", ")))
}
