//! A command without SPEC uses the spec of the working directory, and says so.

use std::collections::BTreeSet;

use crate::support::workspace::{Workspace, options};

const ZONE: &str = "version: 1\nzones: { example.com: { records: [ { name: www, type: A, content: 192.0.2.1 } ] } }\n";

/// Commands that also work without any spec, so they look for none.
const WITHOUT_SPEC: &[&str] = &["doctor", "waf explain"];

/// Returns the commands with an optional SPEC.
fn taking_a_spec(command: &clap::Command, before: &str) -> Vec<String> {
    let mut all = Vec::new();
    for own in command.get_subcommands() {
        let name = format!("{before}{}", own.get_name());
        if own
            .get_arguments()
            .any(|argument| argument.get_id() == "spec" && !argument.is_required_set())
        {
            all.push(name.clone());
        }
        all.extend(taking_a_spec(own, &format!("{name} ")));
    }
    all
}

#[test]
fn every_command_that_takes_a_spec_finds_it() {
    let workspace = Workspace::new(options());
    workspace.file("zones/example.com.yaml", ZONE);
    let cases: &[&[&str]] = &[
        &["plan"],
        &["apply", "--yes"],
        &["drift"],
        &["validate"],
        &["fmt", "--check"],
        &["test"],
        &["snapshot"],
        &["pull", "--dry-run"],
        &["rehearse"],
        &["resolve", "www.example.com"],
        &["export", "--to", "bind", "--name-server", "ns.example.net"],
        &["watch", "--count", "1"],
        &["waf", "rules"],
        &["waf", "rules", "--changes"],
        &["waf", "rules", "--lock"],
        &["waf", "replay", "--requests", "requests.jsonl"],
        &["waf", "tune", "--benign", "requests.jsonl", "--attacks", "requests.jsonl"],
        &["waf", "trace", "GET https://www.example.com/"],
    ];
    let mut left: BTreeSet<String> =
        taking_a_spec(&zonewright::cli::command(), "").into_iter().collect();
    for arguments in cases {
        let words = arguments.iter().take_while(|word| !word.starts_with('-')).copied();
        let full = words.collect::<Vec<_>>().join(" ");
        left.retain(|command| full != *command && !full.starts_with(&format!("{command} ")));
    }
    assert_eq!(left.into_iter().collect::<Vec<_>>(), WITHOUT_SPEC, "these have no case");
    for arguments in cases {
        let ran = workspace.run(arguments);
        let said = ran.stderr.lines().next();
        assert_eq!(said, Some("No SPEC is given: using zones/"), "{arguments:?}: {ran:?}");
        assert_ne!(ran.code, Some(64), "{arguments:?}: {ran:?}");
    }
    assert_eq!(workspace.records("example.com").len(), 1);
    // Standard output stays valid JSON, and `--quiet` omits the message.
    assert_eq!(workspace.run(&["plan", "--format", "json"]).exits(0).json()["verdict"], "in-sync");
    assert!(workspace.run(&["validate", "--quiet"]).exits(0).stderr.is_empty());
    // A spec on the command line takes precedence.
    workspace.file("other.yaml", ZONE.replace("192.0.2.1", "192.0.2.2"));
    let ran = workspace.run(&["plan", "other.yaml", "--detailed-exitcode"]).exits(2);
    assert!(!ran.stderr.contains("No SPEC"), "{}", ran.stderr);
    // The base uses the same paths.
    let with_base =
        workspace.run(&["plan", "--base", "./other.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(with_base["base"]["kind"], "path", "{with_base}");
}

#[test]
fn a_file_comes_before_directories_and_two_directories_are_refused() {
    let workspace = Workspace::new(options());
    workspace.file("zones/a.yaml", ZONE);
    workspace.file("dns/b.yaml", ZONE);
    let ran = workspace.run(&["plan", "--format", "json"]).exits(64);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("zones/ and dns/ both exist here"),
        "{ran:?}"
    );
    workspace.file("zonewright.yaml", "version: 1\ninclude: [zones/*.yaml]\n");
    let ran = workspace.run(&["validate"]).exits(0);
    let said = "No SPEC is given: using zonewright.yaml; zones/ or dns/ is read as far as zonewright.yaml includes it\n";
    assert_eq!(
        (ran.stderr.as_str(), ran.stdout.as_str()),
        (said, "Valid: 2 files, 1 zone, 1 record.\n")
    );
    assert!(workspace.requests().is_empty());
}

#[test]
fn without_any_spec_both_ways_are_explained() {
    let workspace = Workspace::new(options());
    for arguments in [
        &["plan"][..],
        &["apply", "--yes"],
        &["waf", "rules", "--lock"],
        &["resolve", "example.com"],
    ] {
        let ran = workspace.run(arguments).exits(64);
        assert!(ran.stdout.is_empty() && ran.stderr.lines().count() == 1, "{ran:?}");
        for words in [
            "error: no SPEC is given",
            "zonewright.yaml, zones/ or dns/",
            "name the files",
            "or begin with one: zonewright init",
        ] {
            assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        }
    }
    // An empty file is a spec with a mistake, not a missing spec.
    workspace.file("zonewright.yaml", "");
    assert!(workspace.run(&["plan"]).exits(1).stderr.contains("1 error in the spec"));
    assert!(workspace.requests().is_empty());
}

#[cfg(unix)]
#[test]
fn what_is_behind_a_link_is_not_shown() {
    let workspace = Workspace::new(options());
    let other = tempfile::TempDir::new().unwrap();
    std::fs::write(other.path().join("secret.yaml"), "a secret").unwrap();
    std::os::unix::fs::symlink(other.path(), workspace.path().join("zones")).unwrap();
    let ran = workspace.run(&["validate"]).exits(64);
    assert!(
        ran.stderr.contains("zones is a link that leads out of this directory"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("a secret"), "{}", ran.stderr);
}
