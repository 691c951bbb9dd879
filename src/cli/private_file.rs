//! Files that are there whole or not at all; only their owner may read them, unless they are for others.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file beside its place and moves it there, so that nobody ever reads half of it.
///
/// # Errors
/// Those of the file system; nothing is left behind then, and what was there before stays.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_for(path, bytes, 0o600)
}

/// Makes a directory, and those above it, for its owner only; one that is there stays as it is.
///
/// # Errors
/// Those of the file system.
pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// As [`write`], for a file that other users read, as far as the process lets them.
///
/// # Errors
/// The same.
pub(super) fn write_public(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_for(path, bytes, 0o666)
}

/// Writes a file with these permissions, less what the process masks.
fn write_for(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = create(directory, mode)?;
    beside.write_all(bytes)?;
    beside.as_file().sync_all()?;
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a file with these permissions, which only some systems know, under a name that nobody else has or can foresee; it goes
/// with its value unless it is moved.
fn create(directory: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".zonewright-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder.tempfile_in(directory)
}
