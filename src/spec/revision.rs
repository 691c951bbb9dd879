//! Reads a spec as it was at a git revision, from the repository and without touching the work
//! tree.
//!
//! [`Git`] does the work (`rev-parse`, `ls-tree`, `cat-file`), because it knows worktrees,
//! alternates, abbreviated ids and trusted owners. Its output is bounded and written to files as it
//! arrives.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::{Component, Path, PathBuf};

use super::git::{Git, GitEnvironment};
use super::limits::LARGEST_FILE;
use super::load::is_yaml;
use super::repository::path_of;
use super::revision_error::RevisionError;

/// Maximum total size of the files of a revision, in bytes.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum number of files that are read from a revision.
const MOST_FILES: usize = 100_000;

/// Maximum size of a listing, in bytes. It names every file below a directory, including those that
/// do not belong to the spec.
const LARGEST_LISTING: u64 = 256 * 1024 * 1024;

/// Maximum length of a line of the output, in bytes: a path and the columns before it.
const LONGEST_LINE: u64 = 8 * 1024;

/// Maximum length of a revision, in bytes.
const LONGEST_REVISION: usize = 1024;

/// The inputs of a spec at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revision {
    /// The full id of the commit.
    pub commit: String,
    /// Copies of the inputs that existed, to be loaded instead of them.
    pub inputs: Vec<PathBuf>,
    /// The top of the submodule's work tree, if the revision is one of a submodule.
    pub submodule: Option<PathBuf>,
}

/// Copies the YAML files of a spec's inputs, as they were at a revision, to a directory.
///
/// An input that did not exist at that revision is left out.
///
/// # Errors
/// Fails if there is no git, no trusted repository or no such revision, or if a limit is exceeded.
pub fn at_revision(
    inputs: &[PathBuf],
    revision: &str,
    into: &Path,
    environment: &GitEnvironment,
) -> Result<Revision, RevisionError> {
    let mut result = Revision::default();
    let mut first: Option<Git> = None;
    let mut budget = Budget { bytes: MOST_BYTES, files: MOST_FILES };
    for (number, input) in inputs.iter().enumerate() {
        let is_directory = input.is_dir();
        let parent = input.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = if is_directory { input.as_path() } else { parent };
        let git = Git::open(directory, environment)?;
        match &first {
            None => {
                result.commit = commit(&git, revision)?;
                let repository = git.repository();
                result.submodule = repository.is_submodule().then(|| repository.top.clone());
                first = Some(git.clone());
            }
            Some(first) if first.repository() == git.repository() => {}
            Some(first) => {
                let (one, other) = (first.repository().top.clone(), git.repository().top.clone());
                return Err(RevisionError::Several(one, other));
            }
        }
        let broken =
            |error: io::Error| RevisionError::Unusable(directory.to_owned(), error.to_string());
        let directory = directory.canonicalize().map_err(broken)?;
        let prefix = directory.strip_prefix(&git.repository().top).unwrap_or(Path::new(""));
        let entries = listed_files(&git, &result.commit, prefix, &mut budget)?;
        let target = into.join(number.to_string());
        let name = input.file_name().filter(|_| !is_directory).map(Path::new);
        let is_left_out = copy(&git, &entries, &target, &mut budget)?;
        if let Some(name) = name.filter(|name| is_left_out.iter().any(|left_out| left_out == name))
        {
            return Err(RevisionError::Link(prefix.join(name)));
        }
        let copied = name.map_or_else(|| target.clone(), |name| target.join(name));
        if copied.exists() {
            result.inputs.push(copied);
        }
    }
    Ok(result)
}

/// Resolves a revision in the repository of a directory and returns the full id of its commit.
///
/// # Errors
/// Fails if there is no git, no trusted repository or no such revision.
pub fn resolve_revision(
    directory: &Path,
    revision: &str,
    environment: &GitEnvironment,
) -> Result<String, RevisionError> {
    commit(&Git::open(directory, environment)?, revision)
}

/// Returns true if a revision is the full id of an object, which cannot be a name.
#[must_use]
pub fn is_object_id(revision: &str) -> bool {
    matches!(revision.len(), 40 | 64) && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Resolves a revision to a commit.
fn commit(git: &Git, revision: &str) -> Result<String, RevisionError> {
    let is_text = !revision.trim().is_empty() && !revision.chars().any(char::is_control);
    if !is_text || revision.starts_with('-') || revision.len() > LONGEST_REVISION {
        return Err(RevisionError::NotOne(revision.to_owned()));
    }
    let object = format!("{revision}^{{commit}}");
    let (answer, ended) = git.text(&["rev-parse", "--verify", "--end-of-options", &object])?;
    let commit = String::from_utf8_lossy(&answer).trim().to_owned();
    if ended.is_success && is_object_id(&commit) {
        let is_ambiguous = ended.complaint.contains("is ambiguous") && !is_object_id(revision);
        return if is_ambiguous {
            Err(RevisionError::Ambiguous(revision.to_owned()))
        } else {
            Ok(commit)
        };
    }
    let (shallow, _) = git.text(&["rev-parse", "--is-shallow-repository"])?;
    let hint = if shallow.trim_ascii() == b"true" {
        ", which is a shallow clone; fetch more of its history (fetch-depth: 0, or git fetch \
        --unshallow)"
    } else {
        "; fetch it first, or correct its name"
    };
    Err(RevisionError::Unknown(revision.to_owned(), hint))
}

/// The remaining limits.
struct Budget {
    bytes: u64,
    files: usize,
}

/// A file or link below a directory of a revision.
struct Entry {
    /// Relative to the directory.
    path: PathBuf,
    /// The id of its content.
    id: String,
    /// True if it is a symbolic link. Its content is then the target.
    is_link: bool,
}

/// Returns the YAML files below a directory, and the links, because these may lead to YAML files.
fn listed_files(
    git: &Git,
    commit: &str,
    prefix: &Path,
    budget: &mut Budget,
) -> Result<Vec<Entry>, RevisionError> {
    let mut arguments: Vec<OsString> =
        ["ls-tree", "-r", "-z", "--full-tree", commit].map(OsString::from).into();
    if !prefix.as_os_str().is_empty() {
        // With the separator, because the content of the directory is meant.
        arguments.extend(["--".into(), prefix.join("").into_os_string()]);
    }
    let (entries, ended) = git.run(&arguments, Vec::new(), |answer| {
        let mut answer = answer.take(LARGEST_LISTING);
        let mut entries = Vec::new();
        let mut line = Vec::new();
        while answer.limit() > 0 && until(&mut answer, 0, &mut line)? {
            if let Some(entry) = parse_listing_line(&line, prefix)? {
                budget.files = budget
                    .files
                    .checked_sub(1)
                    .ok_or_else(|| RevisionError::TooMuch(format!("over {MOST_FILES} files")))?;
                entries.push(entry);
            }
        }
        if answer.limit() == 0 {
            Err(RevisionError::TooMuch(format!(
                "its listing is over {} MiB",
                LARGEST_LISTING >> 20
            )))
        } else {
            Ok(entries)
        }
    })?;
    if ended.is_success { Ok(entries) } else { Err(RevisionError::Refused(ended.complaint)) }
}

/// Reads up to a delimiter, which is left out. Returns false at the end.
fn until(
    answer: &mut (impl BufRead + ?Sized),
    delimiter: u8,
    line: &mut Vec<u8>,
) -> Result<bool, RevisionError> {
    line.clear();
    answer.take(LONGEST_LINE).read_until(delimiter, line).map_err(RevisionError::Git)?;
    match line.pop() {
        None => Ok(false),
        Some(last) if last == delimiter => Ok(true),
        Some(_) => Err(RevisionError::Answer("ls-tree")),
    }
}

/// Parses one line of a listing: mode, type, id, a tab, the path. Returns `None` for anything
/// except a YAML file or a link.
fn parse_listing_line(line: &[u8], prefix: &Path) -> Result<Option<Entry>, RevisionError> {
    let missing = || RevisionError::Answer("ls-tree");
    let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(missing)?;
    let head = std::str::from_utf8(&line[..tab]).map_err(|_| missing())?;
    let mut head = head.split(' ');
    let (Some(mode), Some(_), Some(id)) = (head.next(), head.next(), head.next()) else {
        return Err(missing());
    };
    let Ok(path) = path_of(&line[tab + 1..]).map(PathBuf::from) else { return Ok(None) };
    let Ok(path) = path.strip_prefix(prefix).map(Path::to_owned) else { return Ok(None) };
    let is_plain = path.components().all(|c| matches!(c, Component::Normal(_)))
        && path.components().next().is_some();
    let is_link = mode == "120000";
    let is_wanted =
        is_plain && is_object_id(id) && (is_link || mode.starts_with("100") && is_yaml(&path));
    Ok(is_wanted.then(|| Entry { path, id: id.to_owned(), is_link }))
}

/// Writes files and links below a directory with one run of git. Leaves out links that lead out of
/// the directory and returns them.
fn copy(
    git: &Git,
    entries: &[Entry],
    target: &Path,
    budget: &mut Budget,
) -> Result<Vec<PathBuf>, RevisionError> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let ids: String = entries.iter().map(|entry| format!("{}\n", entry.id)).collect();
    let arguments = ["cat-file", "--batch"].map(OsString::from);
    let (links, ended) = git.run(&arguments, ids.into_bytes(), |answer| {
        let mut links = Vec::new();
        let mut line = Vec::new();
        for Entry { path, id, is_link } in entries {
            let size = size(answer, &mut line, id, path)?;
            let largest = if *is_link { LONGEST_LINE } else { LARGEST_FILE };
            budget.bytes = budget.bytes.checked_sub(size).ok_or_else(|| {
                RevisionError::TooMuch(format!("over {} MiB of YAML", MOST_BYTES >> 20))
            })?;
            if size > largest {
                let what = match is_link {
                    true => format!("a link leads to a path of over {} KiB", LONGEST_LINE >> 10),
                    false => format!("a file is over {} MiB", LARGEST_FILE >> 20),
                };
                return Err(RevisionError::TooMuch(what));
            }
            let copied = if *is_link {
                let mut leads_to = Vec::new();
                let read = answer.take(size).read_to_end(&mut leads_to);
                read.map(|read| {
                    links.push((path, leads_to));
                    read as u64
                })
            } else {
                let file = target.join(path);
                let written = file
                    .parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .and_then(|()| File::create(&file));
                written.and_then(|mut file| io::copy(&mut answer.take(size), &mut file))
            };
            let copied = copied.map_err(|error| RevisionError::Copy(path.clone(), error))?;
            let mut end = [0];
            if copied != size || answer.read_exact(&mut end).is_err() || end != *b"\n" {
                return Err(RevisionError::Answer("cat-file"));
            }
        }
        Ok(links)
    })?;
    if !ended.is_success {
        return Err(RevisionError::Refused(ended.complaint));
    }
    let mut left_out = Vec::new();
    // After all files, so that no file is written through a link.
    for (path, leads_to) in links {
        let leads_to = path_of(&leads_to).map(PathBuf::from).unwrap_or_default();
        if cfg!(not(unix)) || !stays_below(path, &leads_to) {
            left_out.push(path.clone());
            continue;
        }
        let link = target.join(path);
        let linked = link
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| make_link(&leads_to, &link));
        linked.map_err(|error| RevisionError::Copy(path.clone(), error))?;
    }
    Ok(left_out)
}

/// Reads the size of the next content.
fn size(
    answer: &mut (impl BufRead + ?Sized),
    line: &mut Vec<u8>,
    id: &str,
    path: &Path,
) -> Result<u64, RevisionError> {
    if !until(answer, b'\n', line)? {
        return Err(RevisionError::Answer("cat-file"));
    }
    let head = std::str::from_utf8(line).unwrap_or_default();
    match head.strip_prefix(id).map(|rest| rest.trim_start()) {
        Some("missing") => Err(RevisionError::Lost(path.to_owned())),
        Some(rest) => {
            let size = rest.strip_prefix("blob ").and_then(|size| size.parse().ok());
            size.ok_or(RevisionError::Answer("cat-file"))
        }
        None => Err(RevisionError::Answer("cat-file")),
    }
}

/// Returns true if the target of a link is below the directory that its path is relative to.
fn stays_below(path: &Path, leads_to: &Path) -> bool {
    let mut depth = path.components().count() - 1;
    !leads_to.as_os_str().is_empty()
        && leads_to.components().all(|component| match component {
            Component::Normal(_) => {
                depth += 1;
                true
            }
            Component::CurDir => true,
            Component::ParentDir if depth > 0 => {
                depth -= 1;
                true
            }
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
        })
}

#[cfg(unix)]
fn make_link(leads_to: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(leads_to, link)
}

#[cfg(not(unix))]
fn make_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_held_against_what_was_asked_for() {
        let id = "a".repeat(40);
        let size = |text: &str| size(&mut text.as_bytes(), &mut Vec::new(), &id, Path::new("x"));
        assert_eq!(size(&format!("{id} blob 4\na\nb\n\n")).unwrap(), 4);
        assert!(matches!(size(&format!("{id} missing\n")), Err(RevisionError::Lost(_))));
        for wrong in [
            "",
            "blob 4\n",
            &format!("{id} tree 4\n"),
            &format!("{id} blob -1\n"),
            &format!("{id} blob 4"),
        ] {
            assert!(matches!(size(wrong), Err(RevisionError::Answer(_))), "{wrong:?}");
        }
        assert!(until(&mut "x".repeat(100_000).as_bytes(), 0, &mut Vec::new()).is_err());
    }

    #[test]
    fn listings_name_files_below_the_directory_only() {
        let id = "b".repeat(40);
        let path = |mode: &str, path: &str| {
            let line = format!("{mode} blob {id}\t{path}");
            parse_listing_line(line.as_bytes(), Path::new("spec"))
                .unwrap()
                .map(|entry| entry.path.display().to_string())
        };
        assert_eq!(path("100644", "spec/a/b.yaml"), Some("a/b.yaml".to_owned()));
        assert_eq!(path("120000", "spec/a"), Some("a".to_owned()));
        for (mode, other) in [
            ("100644", "spec/a.txt"),
            ("100644", "specs/a.yaml"),
            ("100644", "spec"),
            ("100644", "spec/../a.yaml"),
            ("100644", "/spec/a.yaml"),
            ("160000", "spec/a.yaml"),
        ] {
            assert_eq!(path(mode, other), None, "{mode} {other}");
        }
        assert!(parse_listing_line(b"100644 blob", Path::new("")).is_err());
    }

    #[test]
    fn links_stay_below() {
        for (path, leads_to, stays) in [
            ("a", "b", true),
            ("a/b", "../c", true),
            ("a/b", "../../c", false),
            ("a", "../a", false),
            ("a", "b/../../c", false),
            ("a", "/etc/passwd", false),
            ("a", "", false),
        ] {
            assert_eq!(
                stays_below(Path::new(path), Path::new(leads_to)),
                stays,
                "{path} -> {leads_to}"
            );
        }
    }
}
