//! Two binaries that must behave the same: an older one and this one play the same histories, and
//! run the same commands on the examples, each against a sandbox of its own.
//!
//! | variable | |
//! |---|---|
//! | `ZONEWRIGHT_OLD` | the older binary; without it, nothing is compared |
//! | `ZONEWRIGHT_PROSE` | if it is set, sentences are compared as well |
//! | `ZONEWRIGHT_HISTORIES`, `ZONEWRIGHT_HISTORY_FIRST` | as for the histories |
//!
//! Compared are the requests (method, path, body, status), the exit code, the journal, and the
//! document on standard output. Times are left out, because they differ. The waits of a binary take
//! their time, so these histories have no faults.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use regex::Regex;
use serde_json::{Value as Json, json};
use zonewright::spec::{Input, Options as SpecOptions, load};

use super::history::{History, Strike};
use super::play::{Program, play_with, run_binary};
use super::{draw, number, transcript};
use crate::support::workspace::{Workspace, options};

/// Number of histories that are compared by default.
const USUAL: u64 = 100;

/// The number of differences that are shown; one says more than a hundred.
const MOST_SHOWN: usize = 3;

/// Members that hold sentences.
const PROSE: &[&str] = &["detail", "help", "lines", "messages", "reason", "text"];

/// Returns a history without anything that makes a binary wait.
fn without_waits(mut history: History) -> History {
    history.script.retain(|strike| matches!(strike, Strike::Foreign { .. }));
    history.interrupt = None;
    history
}

/// Returns a document without what differs from run to run; sentences only if they are compared.
fn comparable(value: &Json, has_prose: bool, time: &Regex) -> Json {
    match value {
        Json::String(text) => time.replace_all(text, "TIME").into(),
        Json::Array(items) => items.iter().map(|item| comparable(item, has_prose, time)).collect(),
        Json::Object(members) => {
            let kept =
                members.iter().filter(|(name, _)| has_prose || !PROSE.contains(&name.as_str()));
            Json::Object(
                kept.map(|(name, value)| (name.clone(), comparable(value, has_prose, time)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Returns the first place at which two documents differ, with both values.
fn difference(path: &str, old: &Json, new: &Json) -> Option<String> {
    match (old, new) {
        (Json::Object(before), Json::Object(after)) => {
            let names: std::collections::BTreeSet<&String> =
                before.keys().chain(after.keys()).collect();
            names.into_iter().find_map(|name| {
                let value = |all: &serde_json::Map<String, Json>| {
                    all.get(name).cloned().unwrap_or_default()
                };
                difference(&format!("{path}/{name}"), &value(before), &value(after))
            })
        }
        (Json::Array(before), Json::Array(after)) if before.len() == after.len() => {
            let pairs = before.iter().zip(after).enumerate();
            pairs
                .into_iter()
                .find_map(|(n, (old, new))| difference(&format!("{path}/{n}"), old, new))
        }
        _ => (old != new).then(|| format!("{path}:\n  old {old}\n  new {new}")),
    }
}

/// The two binaries.
struct Pair {
    old: PathBuf,
    new: PathBuf,
    has_prose: bool,
    time: Regex,
}

impl Pair {
    /// Returns an older binary and this one.
    fn new(old: impl Into<PathBuf>, has_prose: bool) -> Self {
        // Also within the names of journals, with the number of the process behind them.
        let time =
            Regex::new(r"\d{4}-\d{2}-\d{2}T[\d:.-]+Z(-\d+)?").expect("the expression is right");
        Self {
            old: old.into(),
            new: PathBuf::from(env!("CARGO_BIN_EXE_zonewright")),
            has_prose,
            time,
        }
    }

    /// Returns what differs between two things that the binaries left behind.
    fn differs(&self, of: impl Fn(&Path) -> Json) -> Option<String> {
        let [old, new] = [&self.old, &self.new]
            .map(|binary| comparable(&of(binary), self.has_prose, &self.time));
        difference("", &old, &new)
    }

    /// Returns what differs in a history.
    fn history(&self, seed: u64) -> Option<String> {
        let history = without_waits(draw::history(seed));
        let found = self.differs(|binary| {
            transcript::record(&history, &play_with(&history, Program::Binary(binary.to_owned())))
        })?;
        Some(format!("history {seed}{found}"))
    }

    /// Returns what differs in some histories.
    fn histories(&self, first: u64, count: u64) -> Vec<String> {
        let (next, found) = (AtomicU64::new(first), Mutex::new(Vec::new()));
        let some = || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= first + count || found.lock().expect("nobody panics").len() >= MOST_SHOWN
                {
                    break;
                }
                found.lock().expect("nobody panics").extend(self.history(seed));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(some);
            }
        });
        found.into_inner().expect("nobody panics")
    }

    /// Returns what differs in the commands on an example.
    fn example(&self, spec: &Path) -> Option<String> {
        self.differs(|binary| commands(binary, spec))
            .map(|found| format!("{}{found}", spec.display()))
    }
}

/// Runs every command that takes a spec on an example, against a sandbox that has its zones and
/// nothing in them.
fn commands(binary: &Path, spec: &Path) -> Json {
    let loaded =
        load(&[Input::Path(spec.to_owned())], &SpecOptions::default(), &mut Default::default());
    let zones: Vec<String> = loaded
        .desired
        .iter()
        .flat_map(|desired| desired.zones.keys())
        .map(ToString::to_string)
        .collect();
    let planted: Vec<Json> = zones
        .iter()
        .map(|name| json!({ "name": name, "plan": "enterprise", "records": [] }))
        .collect();
    let workspace = Workspace::empty(options());
    workspace.plant(&json!({ "zones": planted }));
    let (spec, journal) =
        (spec.display().to_string(), workspace.path().join("journal").display().to_string());
    let cache = workspace.path().join("cache").display().to_string();
    let url = workspace.base_url();
    let codes: Vec<&str> = zonewright::model::Danger::ALL
        .iter()
        .map(|danger| danger.code())
        .filter(|c| *c != "delete")
        .collect();
    let allowed = format!("--allow={}", codes.join(","));
    let online = [
        "--base-url",
        &url,
        "--cache",
        &cache,
        "--today",
        "2026-11-20",
        "--concurrency",
        "1",
        "--format",
        "json",
    ];
    let offline = ["--format", "json"];
    let runs: Vec<Vec<&str>> = vec![
        [["validate", &spec].as_slice(), &offline].concat(),
        [["test", &spec].as_slice(), &offline].concat(),
        [["fmt", "--check", &spec].as_slice(), &offline].concat(),
        vec!["validate", "--print", &spec],
        vec!["export", "--to", "octodns", &spec],
        [["plan", &spec].as_slice(), &online].concat(),
        [
            ["plan", &spec, "--detailed-exitcode"].as_slice(),
            &online[..online.len() - 1],
            &["markdown"],
        ]
        .concat(),
        [["waf", "rules", &spec].as_slice(), &online].concat(),
        [["apply", &spec, "--dry-run"].as_slice(), &online].concat(),
        [["apply", &spec, "--yes", &allowed, "--journal", &journal].as_slice(), &online].concat(),
        [["drift", &spec].as_slice(), &online].concat(),
        [["plan", &spec].as_slice(), &online].concat(),
    ];
    let run = |arguments: &Vec<&str>| {
        let requests = workspace.requests().len();
        let arguments: Vec<String> =
            arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let ran = run_binary(binary, workspace.path(), &arguments);
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).replace(&url, "SERVICE");
            text.replace(&workspace.path().display().to_string(), "DIRECTORY")
        };
        let results = text(&ran.results);
        let sent = workspace.requests().split_off(requests);
        json!({
            "command": arguments[..2], "exit": ran.exit, "messages": text(&ran.messages),
            // Markdown is sentences.
            (if arguments.iter().any(|argument| argument == "markdown") { "text" } else { "results" }): serde_json::from_str::<Json>(&results).unwrap_or_else(|_| Json::from(results)),
            "requests": sent.iter().map(|r| json!([r.method, r.path, r.body, r.status])).collect::<Vec<_>>(),
        })
    };
    let ran: Vec<Json> = runs.iter().map(run).collect();
    json!({ "runs": ran, "journals": journal_lines(&workspace.path().join("journal")) })
}

/// Returns the lines of all journals of a directory.
fn journal_lines(directory: &Path) -> Vec<Json> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("the directory can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .flat_map(|path| super::intents::lines(&path))
        .collect()
}

/// Returns the specs of the examples.
fn examples() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(directory).expect("there are examples");
    let paths = entries.map(|entry| entry.expect("the directory can be read").path());
    let mut specs: Vec<PathBuf> = paths
        .flat_map(|path| ["zone.yaml", "main.yaml"].map(|name| path.join(name)))
        .filter(|spec| spec.exists())
        .collect();
    specs.sort();
    specs
}

#[test]
fn an_older_binary_does_the_same() {
    let Some(old) = std::env::var_os("ZONEWRIGHT_OLD") else {
        println!("SKIPPED: ZONEWRIGHT_OLD names no older binary to compare with");
        return;
    };
    let pair = Pair::new(old, std::env::var_os("ZONEWRIGHT_PROSE").is_some());
    let (first, count) = (
        number("ZONEWRIGHT_HISTORY_FIRST").unwrap_or(1),
        number("ZONEWRIGHT_HISTORIES").unwrap_or(USUAL),
    );
    let examples = examples();
    assert!(!examples.is_empty(), "there are no examples");
    let mut found: Vec<String> = examples.iter().filter_map(|spec| pair.example(spec)).collect();
    found.extend(pair.histories(first, count));
    println!("compared: {} examples, {count} histories from seed {first}", examples.len());
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// Returns a program that calls this one with other flags, and is thus another version of it.
#[cfg(unix)]
fn altered(directory: &Path, change: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = directory.join("altered");
    let text = format!("#!/bin/sh\nexec '{}' \"$@\" {change}\n", env!("CARGO_BIN_EXE_zonewright"));
    std::fs::write(&path, text).expect("the directory can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    path
}

#[cfg(unix)]
#[test]
fn a_binary_that_does_something_else_is_found_out() {
    let directory = tempfile::TempDir::new().expect("a directory can be made");
    let same = Pair::new(altered(directory.path(), ""), true);
    assert_eq!(same.histories(1, 2), Vec::<String>::new());
    assert_eq!(same.example(&examples()[0]), None);
    // Other requests with the same result, and another document.
    let other = Pair::new(altered(directory.path(), "--page-size=7"), false);
    assert!(!other.histories(1, 1).is_empty(), "other requests are not noticed in a history");
    let other = Pair::new(altered(directory.path(), "--format=text"), false);
    assert!(
        other.example(&examples()[0]).is_some(),
        "another document is not noticed in an example"
    );
}
