//! Limits a machine to one apply at a time by locking a file in the directory of the journals.
//!
//! The operating system holds the lock and releases it when the process ends, however it ends. The
//! lock has no time limit. Across machines, the expectations of each operation prevent what the
//! lock prevents on one machine.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::files;

#[derive(Debug)]
pub(super) struct Lock {
    /// Open lock file. The lock lasts until the file is unlocked or closed.
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that another thread is about to start has
        // a copy of the descriptor until its program begins, and would keep the lock for that time.
        // If unlocking fails, closing the file releases the lock.
        let _ = self.file.unlock();
    }
}

/// Acquires the lock.
///
/// # Errors
/// Another process holds the lock, or the file cannot be created.
pub(super) fn take(directory: &Path) -> anyhow::Result<Lock> {
    let path = directory.join("apply.lock");
    let fail = || format!("failed to lock {}", path.display());
    files::make_directory(directory).with_context(fail)?;
    // Other users who can write to this directory must not be able to have another file emptied.
    anyhow::ensure!(!path.is_symlink(), "{} is a link; remove it", path.display());
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).with_context(fail)?;
    anyhow::ensure!(
        is_of_its_own(&file),
        "{} has another name as well (a hard link), or is not a regular file; remove it",
        path.display()
    );
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            let holder: String = holder.chars().filter(char::is_ascii_digit).take(10).collect();
            let who =
                if holder.is_empty() { String::new() } else { format!(" (process {holder})") };
            bail!(
                "another apply is running{who}; it holds {}. Wait for it, or check why it does not \
                end",
                path.display()
            );
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(fail),
    }
    // The process id is shown to a process that is refused; the lock itself does not need it.
    let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(Lock { file })
}

/// Returns true for a regular file without hard links. Writing to it changes no other file.
fn is_of_its_own(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.nlink() == 1)
    }
    #[cfg(not(unix))]
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_written_through() {
        let directory = tempfile::tempdir().unwrap();
        let other = directory.path().join("other");
        std::fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, directory.path().join("apply.lock")).unwrap();
        assert!(take(directory.path()).unwrap_err().to_string().contains("is a link"));
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    }

    #[cfg(unix)]
    #[test]
    fn another_name_of_a_file_is_no_lock() {
        let directory = tempfile::tempdir().unwrap();
        let other = directory.path().join("other");
        std::fs::write(&other, "precious").unwrap();
        std::fs::hard_link(&other, directory.path().join("apply.lock")).unwrap();
        assert!(
            take(directory.path()).unwrap_err().to_string().contains("has another name as well")
        );
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_hold_it() {
        let directory = tempfile::tempdir().unwrap();
        let first = take(directory.path()).unwrap();
        // A child process has such a copy before its program starts.
        let _copy = first.file.try_clone().unwrap();
        drop(first);
        assert!(take(directory.path()).is_ok());
    }

    #[test]
    fn one_holder_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let first = take(directory.path()).unwrap();
        let error = take(directory.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(first);
        assert!(take(directory.path()).is_ok());
    }
}
