//! Reads files of bounded size. A file must be named by the user or be below a directory that the
//! user named.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::read_bytes;

/// Maximum size of a file.
///
/// # Units
/// Bytes.
const LARGEST: u64 = 64 << 20;

/// Reads a file below a directory.
///
/// # Errors
/// The file cannot be read.
pub(super) fn read_below(directory: &Path, name: &str) -> Result<String, String> {
    read(&path_below(directory, name)?).map_err(|why| format!("`{name}`: {why}"))
}

/// Returns the path of a file below a directory, with links followed. A source must not name files
/// elsewhere.
///
/// # Errors
/// The file is not below the directory or cannot be accessed.
pub(super) fn path_below(directory: &Path, name: &str) -> Result<PathBuf, String> {
    let path = Path::new(name);
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("`{name}` is not below the directory of the file that names it"));
    }
    let file = within(directory, &directory.join(path), name)?;
    file.ok_or_else(|| format!("`{name}` leads out of the directory of the file that names it"))
}

/// Returns the path of a file with links followed; `None` if it is not below a directory. Errors
/// call the file `name`.
///
/// # Errors
/// The file does not exist or cannot be accessed.
pub(super) fn within(directory: &Path, path: &Path, name: &str) -> Result<Option<PathBuf>, String> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let real = |path: &Path| path.canonicalize().map_err(|error| format!("`{name}`: {error}"));
    let file = real(path)?;
    Ok(file.starts_with(real(directory)?).then_some(file))
}

/// Reads a file of bounded size.
pub(super) fn read(path: &Path) -> Result<String, String> {
    // Opening a FIFO would wait for a writer.
    if !path.metadata().map_err(|error| error.to_string())?.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    read_named(path)
}

/// Reads a file of bounded size that the user names. The file may be a pipe, such as `/dev/fd/63`.
pub(super) fn read_named(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let bytes = read_bytes(file, LARGEST).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => format!("it is larger than {} MiB", LARGEST >> 20),
        _ => error.to_string(),
    })?;
    let is_wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    String::from_utf8(bytes).map_err(|_| {
        let why = "it is not text in UTF-8, but in UTF-16, as PowerShell writes it; write it with \
            `| Out-File -Encoding utf8`";
        if is_wide { why } else { "it is not text in UTF-8" }.to_owned()
    })
}
