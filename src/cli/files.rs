//! Writes the files of the program.
//!
//! | what is at the path | a file that the user named | a file that the program found by itself |
//! |---|---|---|
//! | nothing, or a regular file | whole or not at all: written beside its place and moved there | the same |
//! | a link | followed; not if the path is relative and the link leads out of the current directory | replaced |
//! | a device, a FIFO, a descriptor (`/dev/fd/N`) | written into | refused |
//!
//! A tree that someone else wrote may contain links, so a relative path never leads out of the
//! current directory. To write to the target of such a link, the user names the target.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

use super::output::Output;
use super::paths::is_below;

/// Number of attempts to write to a named pipe without a reader, and the time between them.
#[cfg(unix)]
const PIPE_ATTEMPTS: u32 = 60;
#[cfg(unix)]
const PIPE_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// Maximum number of links to follow from one path, as in Linux.
const MOST_LINKS: usize = 40;

/// Users who may read a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Readers {
    /// The owner only, whatever the umask is.
    Owner,
    /// All users that the umask permits.
    Everyone,
}

/// Writes a file that the user named; `-` is standard output.
///
/// # Errors
/// The file system refuses. An existing regular file then stays unchanged, and no partial file
/// remains.
pub(super) fn write_file(
    path: &Path,
    bytes: &[u8],
    readers: Readers,
    output: &Output,
) -> io::Result<()> {
    match resolve_target(path)? {
        PathTarget::Results => output.result(|out| out.write_all(bytes)),
        PathTarget::Messages => output.raw_message(bytes),
        PathTarget::Stream(path) => open_stream(&path)?.write_all(bytes),
        PathTarget::File(file) => {
            check_target(path, &file)?;
            move_there(&file, bytes, readers)
        }
    }
}

/// Opens a device or a named pipe for writing. Refuses a pipe that no program reads from within a
/// few seconds: opening it would wait for one without end.
fn open_stream(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        if fs::metadata(path)?.file_type().is_fifo() {
            for _ in 0..PIPE_ATTEMPTS {
                let mut probe = OpenOptions::new();
                match probe.append(true).custom_flags(libc::O_NONBLOCK).open(path) {
                    Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
                        std::thread::sleep(PIPE_PAUSE);
                    }
                    // The probe stays open until the pipe is open, so that the reader does not see
                    // the end of the data.
                    probe => return probe.and_then(|_probe| options.open(path)),
                }
            }
            return Err(io::Error::other(
                "it is a named pipe, and no program reads from it; start the reader first",
            ));
        }
    }
    options.open(path)
}

/// Refuses a relative path that leads out of the current directory.
fn check_target(path: &Path, target: &Path) -> io::Result<()> {
    let directory = directory_of(target);
    if !directory.exists() {
        let missing = format!("there is no directory {}; create it first", directory.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    if !is_relative_inside(path) || is_below(directory, Path::new(".")) {
        return Ok(());
    }
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let real = real.join(target.file_name().unwrap_or_default());
    Err(io::Error::other(format!(
        "it is a link that leads out of the current directory; name {} itself if that is meant",
        real.display()
    )))
}

/// Writes a file that the user did not name. Replaces a regular file or a link.
///
/// # Errors
/// The file system refuses, or the name belongs to something that is not a file. An existing file
/// then stays unchanged.
pub(super) fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() && !there.is_symlink() => {
            Err(io::Error::other("it is not a regular file"))
        }
        _ => move_there(path, bytes, readers),
    }
}

/// Writes new files into a directory that the user named. Writes nothing if one of them exists.
///
/// # Errors
/// One of the files exists, or the file system refuses.
pub(super) fn write_new(
    directory: &Path,
    files: &[(PathBuf, String)],
    output: &Output,
) -> anyhow::Result<()> {
    for path in files.iter().map(|(path, _)| directory_of(path)).chain([directory]) {
        check_directory(path, "--out")?;
    }
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        bail!("{} exists; name another directory with --out, or remove the file", path.display());
    }
    fs::create_dir_all(directory)
        .with_context(|| format!("failed to make {}", directory.display()))?;
    for (path, text) in files {
        replace(path, text.as_bytes(), Readers::Everyone)
            .with_context(|| format!("failed to write {}", path.display()))?;
        output.news(&format!("wrote {}", path.display()));
    }
    Ok(())
}

/// Writes a file that the user did not name, unless its name is taken. Creates missing directories.
/// Returns true if the file was written.
///
/// # Errors
/// The file system refuses, or a link leads out of the current directory.
pub(super) fn create(path: &Path, text: &str) -> anyhow::Result<bool> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(false);
    }
    let directory = directory_of(path);
    if let Some(link) = link_out_of_tree(directory) {
        bail!(
            "{} is a link that leads out of the current directory; nothing is written there",
            link.display()
        );
    }
    let write = || -> io::Result<bool> {
        fs::create_dir_all(directory)?;
        let mut beside = create_beside(directory, Readers::Everyone)?;
        beside.write_all(text.as_bytes())?;
        beside.as_file().sync_all()?;
        match beside.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    };
    write().with_context(|| format!("failed to write {}", path.display()))
}

/// A replacement for the text of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rewrite<'a> {
    pub(super) path: &'a Path,
    /// Text that the file is expected to have.
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

/// Replaces the texts of files that were read earlier. All new texts are first written beside their
/// files, so that either all files are replaced or none. Permissions are kept.
///
/// # Errors
/// The file system refuses, or a file is a link, is read-only, or has another text than expected.
pub(super) fn rewrite(files: &[Rewrite<'_>]) -> anyhow::Result<()> {
    let mut ready = Vec::new();
    for Rewrite { path, before, after } in files {
        let shown = path.display();
        let metadata =
            fs::symlink_metadata(path).with_context(|| format!("failed to read {shown}"))?;
        if metadata.is_symlink() {
            let target = fs::read_link(path).unwrap_or_default();
            bail!(
                "{shown} is a link to {}; nothing was written. Give that file itself",
                target.display()
            );
        }
        if !metadata.is_file() {
            bail!("{shown} is not a regular file; nothing was written");
        }
        if metadata.permissions().readonly() {
            bail!("{shown} is read-only; nothing was written. Make it writable and run this again");
        }
        if fs::read(path).with_context(|| format!("failed to read {shown}"))? != before.as_bytes() {
            bail!(
                "{shown} changed while it was being worked on; nothing was written. Run this again"
            );
        }
        let write = || -> io::Result<NamedTempFile> {
            let mut beside = create_beside(directory_of(path), Readers::Owner)?;
            beside.write_all(after.as_bytes())?;
            beside.as_file().set_permissions(metadata.permissions())?;
            beside.as_file().sync_all()?;
            Ok(beside)
        };
        ready.push((
            path,
            write()
                .with_context(|| format!("failed to write beside {shown}; nothing was written"))?,
        ));
    }
    for (path, beside) in ready {
        beside
            .persist(path)
            .map_err(|error| error.error)
            .with_context(|| format!("failed to write {}", path.display()))?;
    }
    Ok(())
}

/// Creates a directory and its parents for their owner only. An existing directory stays as it is.
///
/// # Errors
/// The file system refuses.
pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Refuses a relative directory that a link leads out of the current directory, because its files
/// would be read and written elsewhere. `flag` is the option that names another directory.
///
/// # Errors
/// The path contains such a link, or is that of something else than a directory.
pub(super) fn check_directory(directory: &Path, flag: &str) -> anyhow::Result<()> {
    if let Some(link) = link_out_of_tree(directory) {
        bail!(
            "{} is a link that leads out of the current directory; remove it, or name the \
            directory that it leads to with \
             {flag} if that is meant",
            link.display()
        );
    }
    if directory.exists() && !directory.is_dir() {
        bail!("{} is not a directory; name one with {flag}", directory.display());
    }
    Ok(())
}

/// Returns the first component of a relative path that is a link out of the current directory, or a
/// dangling link. An absolute path, or one whose `..` lead out of the current
/// directory, is explicit about its target.
fn link_out_of_tree(path: &Path) -> Option<PathBuf> {
    let mut above = PathBuf::new();
    let mut parts = path.components().map(|part| {
        above.push(part);
        above.clone()
    });
    parts.find(|above| {
        is_relative_inside(path) && above.is_symlink() && !is_below(above, Path::new("."))
    })
}

/// Target of a path.
#[derive(Debug, PartialEq, Eq)]
enum PathTarget {
    /// Standard output of the process.
    Results,
    /// Standard error of the process.
    Messages,
    /// A pipe or device, which keeps no bytes.
    Stream(PathBuf),
    /// A regular file that is no link, or a name that does not exist yet.
    File(PathBuf),
}

/// Resolves a path.
fn resolve_target(path: &Path) -> io::Result<PathTarget> {
    if path.as_os_str() == "-" {
        return Ok(PathTarget::Results);
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Some(target) = descriptor(&path) {
            return Ok(target);
        }
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => {
                path = directory_of(&path).join(fs::read_link(&path)?)
            }
            Ok(there) if there.is_file() => return Ok(PathTarget::File(path)),
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => return Ok(PathTarget::Stream(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(PathTarget::File(path));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("more than {MOST_LINKS} links lead on from it")))
}

/// Returns the descriptor that a path such as `/dev/fd/1` names. The descriptor is open, and its
/// file may have no name.
fn descriptor(path: &Path) -> Option<PathTarget> {
    let number: u32 = path.file_name()?.to_str()?.parse().ok()?;
    let directory = directory_of(path).canonicalize().ok()?;
    let own_descriptors = Path::new("/proc").join(std::process::id().to_string());
    let is_own = directory == Path::new("/dev/fd") || directory.starts_with(own_descriptors);
    match number {
        _ if !is_own && !directory.starts_with("/proc") => None,
        _ if directory.file_name() != Some("fd".as_ref()) => None,
        // Opening the file again would overwrite what the stream has written.
        1 if is_own => Some(PathTarget::Results),
        2 if is_own => Some(PathTarget::Messages),
        _ => Some(PathTarget::Stream(path.to_owned())),
    }
}

/// Returns true for a relative path that names a place in the current directory, as `a/../b` does.
fn is_relative_inside(path: &Path) -> bool {
    let depth = path.components().try_fold(0_usize, |depth, part| match part {
        Component::Normal(_) => Some(depth + 1),
        Component::CurDir => Some(depth),
        Component::ParentDir => depth.checked_sub(1),
        Component::RootDir | Component::Prefix(_) => None,
    });
    depth.is_some()
}

/// Returns the directory that contains a path.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file beside its place and moves it there, so that no reader sees a partial file.
fn move_there(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut beside = create_beside(directory_of(path), readers)?;
    beside.write_all(bytes)?;
    beside.as_file().sync_all()?;
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Creates a file with an unpredictable, unused name. The file is deleted unless it is moved.
fn create_beside(directory: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".zonewright-").suffix(".part");
    #[cfg(unix)]
    {
        let mode = match readers {
            Readers::Owner => 0o600,
            Readers::Everyone => 0o666,
        };
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(directory)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_followed_to_what_it_leads_to() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("file"), "").unwrap();
        fs::create_dir(at("directory")).unwrap();
        for (link, to) in [
            ("to-file", "file"),
            ("to-link", "to-file"),
            ("to-nothing", "nothing"),
            ("to-null", "/dev/null"),
            ("to-stdout", "/dev/stdout"),
            ("to-stderr", "/dev/fd/2"),
            ("circle", "circle"),
        ] {
            symlink(to, at(link)).unwrap();
        }
        for (path, wanted) in [
            (at("file"), PathTarget::File(at("file"))),
            (at("new"), PathTarget::File(at("new"))),
            (at("7"), PathTarget::File(at("7"))),
            (at("to-link"), PathTarget::File(at("file"))),
            (at("to-nothing"), PathTarget::File(at("nothing"))),
            (at("to-null"), PathTarget::Stream("/dev/null".into())),
            (at("to-stdout"), PathTarget::Results),
            (at("to-stderr"), PathTarget::Messages),
            ("/dev/stdout".into(), PathTarget::Results),
            ("/proc/self/fd/1".into(), PathTarget::Results),
            ("/dev/fd/77".into(), PathTarget::Stream("/dev/fd/77".into())),
            ("-".into(), PathTarget::Results),
        ] {
            assert_eq!(resolve_target(&path).unwrap(), wanted, "{}", path.display());
        }
        assert!(
            resolve_target(&at("directory")).is_err() && resolve_target(&at("circle")).is_err()
        );
    }

    #[test]
    fn what_nobody_named_is_replaced_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("precious"), "precious").unwrap();
        symlink("precious", at("link")).unwrap();
        replace(&at("link"), b"new", Readers::Everyone).unwrap();
        fs::create_dir(at("directory")).unwrap();
        assert!(replace(&at("directory"), b"new", Readers::Owner).is_err());
        assert_eq!(fs::read_to_string(at("precious")).unwrap(), "precious");
        assert_eq!(fs::read_to_string(at("link")).unwrap(), "new");
        assert!(!at("link").is_symlink());
    }
}
