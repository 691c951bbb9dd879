//! A spec as it was at a git revision: its files, read from the repository without touching the work tree.
//!
//! git itself is asked (`rev-parse`, `ls-tree`, `cat-file`): it knows worktrees, alternates, partial clones and whom to trust.
//! None of these commands runs a hook or changes anything.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::load::is_yaml;

/// Largest file of a revision, in bytes; as for files of a work tree.
const LARGEST: usize = 64 * 1024 * 1024;

/// Why a spec of a revision cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// git cannot be run.
    #[error("failed to run git; is it installed?")]
    Git(#[source] io::Error),
    /// There is no such revision here.
    #[error("there is no revision {0:?} in this repository{1}")]
    Unknown(String, &'static str),
    /// git refuses.
    #[error("git says: {0}")]
    Refused(String),
    /// git's answer cannot be understood.
    #[error("git's answer to {0} cannot be understood")]
    Answer(&'static str),
    /// A file cannot be written for reading it.
    #[error("failed to write a copy of {}", .0.display())]
    Copy(PathBuf, #[source] io::Error),
}

/// The inputs of a spec at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revision {
    /// The commit, in full.
    pub commit: String,
    /// Copies of the inputs that existed, to be loaded in their place.
    pub inputs: Vec<PathBuf>,
}

/// Copies the YAML files of a spec's inputs, as they were at a revision, below a directory.
///
/// An input that did not exist then is left out.
///
/// # Errors
/// No git, no repository, no such revision.
pub fn at_revision(inputs: &[PathBuf], revision: &str, into: &Path) -> Result<Revision, RevisionError> {
    let mut result = Revision::default();
    for (number, input) in inputs.iter().enumerate() {
        let is_directory = input.is_dir();
        let parent = input.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = if is_directory { input.as_path() } else { parent };
        result.commit = commit(directory, revision)?;
        let prefix = text(git(directory, &["rev-parse", "--show-prefix"])?, "rev-parse")?;
        let prefix = prefix.trim_end_matches('\n');
        let target = into.join(number.to_string());
        let files = files(directory, &result.commit, prefix)?;
        copy(directory, &files, &target)?;
        let copied = if is_directory { target } else { target.join(input.file_name().unwrap_or_default()) };
        if copied.exists() {
            result.inputs.push(copied);
        }
    }
    Ok(result)
}

/// Runs git in a directory.
fn git(directory: &Path, arguments: &[&str]) -> Result<Output, RevisionError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments).stdin(Stdio::null());
    command.output().map_err(RevisionError::Git)
}

/// The text of a successful answer.
fn text(output: Output, what: &'static str) -> Result<String, RevisionError> {
    if !output.status.success() {
        return Err(RevisionError::Refused(words(&output)));
    }
    String::from_utf8(output.stdout).map_err(|_| RevisionError::Answer(what))
}

/// What git complains about, in one line.
fn words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The commit that a revision means.
fn commit(directory: &Path, revision: &str) -> Result<String, RevisionError> {
    let object = format!("{revision}^{{commit}}");
    let output = git(directory, &["rev-parse", "--verify", "--quiet", "--end-of-options", &object])?;
    let commit = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !commit.is_empty() {
        return Ok(commit);
    }
    // Without `--quiet` only a missing repository has something to say.
    let inside = git(directory, &["rev-parse", "--is-shallow-repository"])?;
    if !inside.status.success() {
        return Err(RevisionError::Refused(words(&inside)));
    }
    let is_shallow = String::from_utf8_lossy(&inside.stdout).trim() == "true";
    let hint = if is_shallow {
        ", which is a shallow clone; fetch more of its history (fetch-depth: 0, or git fetch --unshallow)"
    } else {
        "; fetch it first, or correct its name"
    };
    Err(RevisionError::Unknown(revision.to_owned(), hint))
}

/// The YAML files below a prefix: path relative to it, and the id of the content.
fn files(directory: &Path, commit: &str, prefix: &str) -> Result<Vec<(PathBuf, String)>, RevisionError> {
    let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", commit];
    if !prefix.is_empty() {
        arguments.extend(["--", prefix]);
    }
    let listing = text(git(directory, &arguments)?, "ls-tree")?;
    let mut files = Vec::new();
    for entry in listing.split('\0').filter(|e| !e.is_empty()) {
        let (head, path) = entry.split_once('\t').ok_or(RevisionError::Answer("ls-tree"))?;
        let mut head = head.split(' ');
        let (mode, _, id) = (head.next(), head.next(), head.next().ok_or(RevisionError::Answer("ls-tree"))?);
        let relative = Path::new(path.strip_prefix(prefix).unwrap_or(path));
        let is_plain = relative.components().all(|c| matches!(c, std::path::Component::Normal(_)));
        let is_file = mode.is_some_and(|m| m.starts_with("100"));
        if is_file && is_plain && is_yaml(relative) {
            files.push((relative.to_owned(), id.to_owned()));
        }
    }
    Ok(files)
}

/// Writes the files below a directory, all of them from one run of git.
fn copy(directory: &Path, files: &[(PathBuf, String)], target: &Path) -> Result<(), RevisionError> {
    if files.is_empty() {
        return Ok(());
    }
    let mut child = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(RevisionError::Git)?;
    let ids: String = files.iter().map(|(_, id)| format!("{id}\n")).collect();
    let mut stdin = child.stdin.take().ok_or(RevisionError::Answer("cat-file"))?;
    // Asked from beside, as git waits for its answers to be read.
    let asking = std::thread::spawn(move || stdin.write_all(ids.as_bytes()));
    let output = child.wait_with_output().map_err(RevisionError::Git)?;
    let asked = asking.join().is_ok_and(|written| written.is_ok());
    let mut rest = output.stdout.as_slice();
    for (path, _) in files {
        let (content, after) = blob(rest).filter(|_| asked).ok_or(RevisionError::Answer("cat-file"))?;
        rest = after;
        let file = target.join(path);
        let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, content));
        written.map_err(|error| RevisionError::Copy(path.clone(), error))?;
    }
    Ok(())
}

/// One answer of `cat-file --batch`: a head with the size, the content, a newline.
fn blob(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let size: usize = std::str::from_utf8(&bytes[..end]).ok()?.rsplit(' ').next()?.parse().ok()?;
    let from = end + 1;
    let to = from.checked_add(size).filter(|to| size <= LARGEST && *to < bytes.len())?;
    Some((&bytes[from..to], &bytes[to + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_cut_by_their_size() {
        let (first, rest) = blob(b"abc blob 4\na\nb\n\nabc blob 0\n\n").unwrap();
        assert_eq!(first, b"a\nb\n");
        assert_eq!(blob(rest).unwrap().0, b"");
        assert_eq!(blob(b"abc missing\n"), None);
        assert_eq!(blob(b"abc blob 9\nshort\n"), None);
    }
}
