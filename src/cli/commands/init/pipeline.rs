//! Provides the files of a pipeline from `examples/pipelines`, with the paths that a host expects.

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::diagnostic::read_text;

/// A host of repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
}

/// Choice of a host on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Wanted {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// None
    None,
}

/// Steps that remain for the user.
pub(super) const TO_DO: &str = "before the pipeline runs: in its files, replace every name that \
    contains `example` with yours, and store the tokens (docs/pipelines.md)";

/// Maximum size of a Git configuration that is read, in bytes.
const LARGEST_CONFIGURATION: u64 = 1024 * 1024;

/// Includes a file of the examples with its destination.
macro_rules! example {
    ($from:literal => $to:literal) => {
        ($to, include_str!(concat!("../../../../examples/pipelines/", $from)))
    };
}

/// Files for GitHub.
const GITHUB: [(&str, &str); 5] = [
    example!("github/plan.yml" => ".github/workflows/plan.yml"),
    example!("github/apply.yml" => ".github/workflows/apply.yml"),
    example!("github/drift.yml" => ".github/workflows/drift.yml"),
    example!("scripts/comment-github.sh" => "ci/zonewright/comment-github.sh"),
    example!("scripts/issue-github.sh" => "ci/zonewright/issue-github.sh"),
];

/// Files for GitLab.
const GITLAB: [(&str, &str); 3] = [
    example!("gitlab/.gitlab-ci.yml" => ".gitlab-ci.yml"),
    example!("scripts/comment-gitlab.sh" => "ci/zonewright/comment-gitlab.sh"),
    example!("scripts/propose.sh" => "ci/zonewright/propose.sh"),
];

/// Files for both hosts.
const SHARED: [(&str, &str); 5] = [
    example!("scripts/plan.sh" => "ci/zonewright/plan.sh"),
    example!("scripts/apply.sh" => "ci/zonewright/apply.sh"),
    example!("scripts/drift.sh" => "ci/zonewright/drift.sh"),
    example!("scripts/consents.sh" => "ci/zonewright/consents.sh"),
    example!("scripts/same-plan.sh" => "ci/zonewright/same-plan.sh"),
];

/// Returns the files for a host.
pub(super) fn files(host: Option<Host>) -> Vec<(String, String)> {
    let host_files: &[(&str, &str)] = match host {
        None => return Vec::new(),
        Some(Host::Github) => &GITHUB,
        Some(Host::Gitlab) => &GITLAB,
    };
    host_files
        .iter()
        .chain(&SHARED)
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// Detects the host of the repository that contains a directory: by its remotes, or else by the
/// files of a host in it.
pub(super) fn detected(directory: &Path) -> Option<Host> {
    let repository = repository(directory);
    let of_remote = repository.as_ref().and_then(|(_, git)| of_configuration(git));
    let top = repository.as_ref().map_or(directory, |(top, _)| top);
    let is_there = |name: &str| top.join(name).exists();
    of_remote.or_else(|| {
        match (is_there(".github"), is_there(".gitlab-ci.yml") || is_there(".gitlab")) {
            (true, false) => Some(Host::Github),
            (false, true) => Some(Host::Gitlab),
            _ => None,
        }
    })
}

/// Returns the advice for a pipeline in a directory that is not the top of its repository, because
/// hosts read only files at the top.
pub(super) fn to_move(directory: &Path) -> Option<String> {
    let directory_itself = directory.canonicalize().ok()?;
    let (top, _) = repository(directory).filter(|(top, _)| *top != directory_itself)?;
    Some(format!(
        "move the files of the pipeline to the top of the repository, {}, and change the paths in \
        them: hosts read them there only",
        top.display()
    ))
}

/// Returns the top of the working tree that contains a directory, and the directory of Git's own
/// files.
fn repository(directory: &Path) -> Option<(PathBuf, PathBuf)> {
    let start = directory.canonicalize().ok()?;
    start.ancestors().find_map(|top| Some((top.to_owned(), git_directory(top)?)))
}

/// Returns the directory of Git's own files; `None` if a directory is not the top of a working
/// tree. In a worktree or a submodule, `.git` is a file that names the directory
/// (gitrepository-layout, read 2026-11).
fn git_directory(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = small_text(&git)?;
    let path = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(directory.join(path)).filter(|git| git.is_dir())
}

/// Detects the host by the remotes of a repository. `commondir` leads from a worktree to the
/// configuration of the main working tree.
fn of_configuration(git: &Path) -> Option<Host> {
    let common = small_text(&git.join("commondir"))
        .and_then(|text| Some(git.join(text.lines().next()?.trim())));
    let text = small_text(&common.as_deref().unwrap_or(git).join("config"))?;
    text.lines().find_map(of_line)
}

/// Reads a small regular file. Opening a FIFO would wait for a writer.
fn small_text(path: &Path) -> Option<String> {
    path.is_file()
        .then(|| File::open(path).and_then(|file| read_text(file, LARGEST_CONFIGURATION)))?
        .ok()
}

/// Returns the host in a line of a configuration: `url = git@github.com:team/repository.git`, `url
/// = https://gitlab.example.com/…`.
fn of_line(line: &str) -> Option<Host> {
    let (key, url) = line.split_once('=')?;
    if !key.trim().eq_ignore_ascii_case("url") {
        return None;
    }
    let address = url.trim().split_once("://").map_or(url.trim(), |(_, address)| address);
    let authority = address.split('/').next().unwrap_or_default();
    let host =
        authority.rsplit('@').next().and_then(|host| host.split(':').next()).unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let has = |word: &str| host.split('.').any(|label| label == word);
    match (has("github"), has("gitlab")) {
        (true, false) => Some(Host::Github),
        (false, true) => Some(Host::Gitlab),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_told_by_the_remote() {
        for (line, host) in [
            ("\turl = git@github.com:team/dns.git", Some(Host::Github)),
            ("url=https://user:secret@gitlab.example.com/team/dns.git", Some(Host::Gitlab)),
            ("url=https://user@gitlab.example.com/team/dns.git", Some(Host::Gitlab)),
            ("  URL = ssh://git@github.example.com:22/dns", Some(Host::Github)),
            ("url = https://git.example.com/github/gitlab.git", None),
            ("url = /srv/github.com/dns.git", None),
            ("pushurl = git@github.com:team/dns.git", None),
            ("url", None),
            ("url = ", None),
            ("url = é@ü:ß", None),
        ] {
            assert_eq!(of_line(line), host, "{line}");
        }
    }
}
