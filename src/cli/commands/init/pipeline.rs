//! The files of a pipeline: those of `examples/pipelines`, at the places where a host expects them.

use std::fs::File;
use std::path::Path;

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

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Wanted {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// None
    None,
}

/// What is left to do by hand.
pub(super) const TO_DO: &str = "before the pipeline runs: replace the names with `example` in its files by yours, and store the tokens (docs/pipelines.md)";

/// Largest configuration of Git that is looked at, in bytes.
const LARGEST_CONFIGURATION: u64 = 1024 * 1024;

/// A file of the examples, with the place where it goes.
macro_rules! example {
    ($from:literal => $to:literal) => {
        ($to, include_str!(concat!("../../../../examples/pipelines/", $from)))
    };
}

/// Files of GitHub.
const GITHUB: [(&str, &str); 5] = [
    example!("github/plan.yml" => ".github/workflows/plan.yml"),
    example!("github/apply.yml" => ".github/workflows/apply.yml"),
    example!("github/drift.yml" => ".github/workflows/drift.yml"),
    example!("scripts/comment-github.sh" => "ci/zonewright/comment-github.sh"),
    example!("scripts/issue-github.sh" => "ci/zonewright/issue-github.sh"),
];

/// Files of GitLab.
const GITLAB: [(&str, &str); 3] = [
    example!("gitlab/.gitlab-ci.yml" => ".gitlab-ci.yml"),
    example!("scripts/comment-gitlab.sh" => "ci/zonewright/comment-gitlab.sh"),
    example!("scripts/propose.sh" => "ci/zonewright/propose.sh"),
];

/// Files of both.
const SHARED: [(&str, &str); 5] = [
    example!("scripts/plan.sh" => "ci/zonewright/plan.sh"),
    example!("scripts/apply.sh" => "ci/zonewright/apply.sh"),
    example!("scripts/drift.sh" => "ci/zonewright/drift.sh"),
    example!("scripts/consents.sh" => "ci/zonewright/consents.sh"),
    example!("scripts/same-plan.sh" => "ci/zonewright/same-plan.sh"),
];

/// The files for a host.
pub(super) fn files(host: Option<Host>) -> Vec<(String, String)> {
    let own: &[(&str, &str)] = match host {
        None => return Vec::new(),
        Some(Host::Github) => &GITHUB,
        Some(Host::Gitlab) => &GITLAB,
    };
    own.iter().chain(&SHARED).map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// The host of the repository in a directory: that of its remotes, or the one whose files are there.
pub(super) fn detected(directory: &Path) -> Option<Host> {
    let path = directory.join(".git/config");
    // Opening a FIFO would wait for whoever writes into it.
    let configuration =
        path.is_file().then(|| File::open(&path).and_then(|file| read_text(file, LARGEST_CONFIGURATION)));
    let of_remote = configuration.and_then(Result::ok).and_then(|text| text.lines().find_map(of_line));
    let is_there = |name: &str| directory.join(name).exists();
    of_remote.or_else(|| match (is_there(".github"), is_there(".gitlab-ci.yml") || is_there(".gitlab")) {
        (true, false) => Some(Host::Github),
        (false, true) => Some(Host::Gitlab),
        _ => None,
    })
}

/// The host in a line of a configuration: `url = git@github.com:team/repository.git`, `url = https://gitlab.example.com/…`.
fn of_line(line: &str) -> Option<Host> {
    let (key, url) = line.split_once('=')?;
    if !key.trim().eq_ignore_ascii_case("url") {
        return None;
    }
    let rest = url.trim().split_once("://").map_or(url.trim(), |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit('@').next().and_then(|host| host.split(':').next()).unwrap_or_default();
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
