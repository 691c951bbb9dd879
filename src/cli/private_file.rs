//! Files that are there whole or not at all; only their owner may read them, unless they are for others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and moves it there, so that nobody ever reads half of it.
///
/// # Errors
/// Those of the file system; nothing is left behind then, and what was there before stays.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_for(path, bytes, 0o600)
}

/// The same for a file that other users read, as far as the process lets them.
///
/// # Errors
/// As [`write`].
pub(super) fn write_public(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_for(path, bytes, 0o666)
}

/// Writes a file with these permissions, less what the process masks.
fn write_for(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let beside = beside(path)?;
    let written = create(&beside, mode)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It may not have been made at all.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Where a file is made before it is moved to its place.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Makes a file with these permissions, which only some systems know.
fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}
