//! Without `--base`, `plan`, `apply` and `diff` compare a spec that has uncommitted changes with
//! the last commit.

use std::fs;
use std::process::Command;

use crate::support::workspace::{Ran, Workspace, options};
use serde_json::{Value, json};

/// Two records of one zone.
const BOTH: &str = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: a, type: A, content: 192.0.2.1 }\n      - { name: b, type: A, content: 192.0.2.2 }\n";
/// One of them.
const ONE: &str = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: a, type: A, content: 192.0.2.1 }\n";

/// Runs git in a directory of the workspace, independent of the user's own configuration.
#[track_caller]
pub(crate) fn git(workspace: &Workspace, directory: &str, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(workspace.path().join(directory)).args([
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "protocol.file.allow=always",
    ]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let ran = command.args(arguments).output().expect("git runs");
    assert!(ran.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Returns a repository with one commit of two records, applied.
fn committed() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.file("spec/zone.yaml", BOTH);
    git(&workspace, ".", &["init", "-q", "-b", "main"]);
    git(&workspace, ".", &["add", "spec"]);
    git(&workspace, ".", &["commit", "-qm", "spec"]);
    workspace.run(&["apply", "spec", "--yes"]).exits(0);
    workspace
}

/// Returns the base of a plan, and the number of its deletes.
#[track_caller]
fn planned(ran: Ran) -> (Value, Value) {
    let plan = ran.exits(0).json();
    (plan["base"]["name"].clone(), plan["summary"]["delete"].clone())
}

const JSON: [&str; 2] = ["--format", "json"];

#[test]
fn a_removed_line_is_a_removed_record() {
    let workspace = committed();
    workspace.file("spec/zone.yaml", ONE);
    let ran = workspace.run(&["plan", "spec"]).exits(0);
    let line = "The spec has uncommitted changes: its base is revision HEAD (commit ";
    assert_eq!(ran.stderr.matches(line).count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("--no-base"), "{}", ran.stderr);
    assert!(ran.stdout.contains("removed from the spec"), "{}", ran.stdout);
    let plan = |more: &[&str]| workspace.run(&[&["plan", "spec"], &JSON[..], more].concat());
    assert_eq!(planned(plan(&[])), (json!("HEAD"), json!(1)));
    assert_eq!(planned(plan(&["--no-base"])), (Value::Null, json!(0)));
    workspace.run(&["plan", "spec", "--no-base", "--base", "HEAD"]).exits(64);
    // The deletion needs its consent as ever.
    workspace.run(&["apply", "spec", "--yes"]).exits(3);
    let allowed = ["--yes", "--allow-deletes", "1", "--allow", "removes-last-address"];
    let ran = workspace.run(&[&["apply", "spec"], &allowed[..]].concat()).exits(0);
    assert_eq!(ran.stderr.matches(line).count(), 1, "{}", ran.stderr);
    assert_eq!(workspace.records("example.com").len(), 1);
}

#[test]
fn committed_files_have_no_base_and_no_message() {
    let workspace = committed();
    let ran = workspace.run(&["plan", "spec"]).exits(0);
    assert!(!ran.stderr.contains("base"), "{}", ran.stderr);
    // Another file than the spec's, or other line breaks, are no change of the spec.
    workspace.file("spec/README.md", "about\n");
    workspace.file("spec/zone.yaml", BOTH.replace('\n', "\r\n"));
    let ran = workspace.run(&["plan", "spec"]).exits(0);
    assert!(!ran.stderr.contains("base"), "{}", ran.stderr);
}

/// A removed file is a removal if it belonged to the spec.
#[test]
fn a_removed_file_counts_if_the_spec_had_it() {
    let workspace = Workspace::new(options());
    git(&workspace, ".", &["init", "-q", "-b", "main"]);
    workspace.file("zonewright.yaml", "version: 1\ninclude: [\"zones/*.yaml\"]\n");
    workspace.file("zones/a.yaml", ONE);
    workspace.file(
        "zones/b.yaml",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: b, type: A, content: 192.0.2.2 }\n",
    );
    workspace.file("beside.yaml", "version: 1\nzones: { example.net: { records: [] } }\n");
    git(&workspace, ".", &["add", "-A"]);
    git(&workspace, ".", &["commit", "-qm", "spec"]);
    workspace.run(&["apply", "--yes"]).exits(0);
    fs::remove_file(workspace.path().join("beside.yaml")).unwrap();
    let ran = workspace.run(&[&["plan"], &JSON[..]].concat());
    assert!(!ran.stderr.contains("base"), "{}", ran.stderr);
    assert_eq!(planned(ran), (Value::Null, json!(0)));
    fs::remove_file(workspace.path().join("zones/b.yaml")).unwrap();
    assert_eq!(planned(workspace.run(&[&["plan"], &JSON[..]].concat())), (json!("HEAD"), json!(1)));
    // A new file beside a change is new.
    workspace.file("zones/c.yaml", "version: 1\nzones:\n  example.com:\n    records:\n      - { name: c, type: A, content: 192.0.2.3 }\n");
    let ran = workspace.run(&[&["plan", "-v"], &JSON[..]].concat()).exits(0).json();
    assert_eq!(ran["summary"]["create"], json!(1), "{ran:#}");
}

/// Only the commands about a change have the default, and a saved plan has its own base.
#[test]
fn other_commands_and_saved_plans_have_no_default() {
    let workspace = committed();
    workspace.file("spec/zone.yaml", ONE);
    workspace.run(&["plan", "spec", "--no-base", "--out", "plan.json"]).exits(0);
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
    assert!(!ran.stderr.contains("HEAD"), "{}", ran.stderr);
    assert_eq!(workspace.records("example.com").len(), 2);
    let ran = workspace.run(&["apply", "plan.json", "--yes", "--no-base"]).exits(64);
    assert!(ran.stderr.contains("--no-base to `plan --out`"), "{}", ran.stderr);
    for command in ["drift", "pull", "test", "validate", "rehearse"] {
        let ran = workspace.run(&[command, "spec", "--format", "json"]);
        assert!(!ran.stderr.contains("uncommitted"), "{command}: {}", ran.stderr);
        assert!(!ran.stdout.contains("\"HEAD\""), "{command}: {}", ran.stdout);
        assert_eq!(workspace.run(&[command, "spec", "--no-base"]).code, Some(64), "{command}");
    }
    // The plan is saved with the base that it shows.
    workspace.run(&["plan", "spec", "--out", "plan.json"]).exits(0);
    workspace.run(&["apply", "plan.json", "--yes", "--base", "main"]).exits(3);
}

/// If the last commit cannot be the base, the plan has no base, and one line has the reason.
#[test]
fn without_a_usable_commit_one_line_says_why() {
    #[track_caller]
    fn says(ran: Ran, reason: &str) {
        let lines: Vec<_> = ran
            .stderr
            .lines()
            .filter(|line| line.starts_with("Planned without a base: "))
            .collect();
        assert!(lines.len() == 1 && lines[0].contains(reason), "{reason}: {}", ran.stderr);
        assert_eq!(planned(ran).0, Value::Null);
    }
    let plan =
        |workspace: &Workspace, spec: &str| workspace.run(&[&["plan", spec], &JSON[..]].concat());
    let workspace = committed();
    // A file that was never committed, with and without others.
    workspace.file("new/zone.yaml", ONE);
    says(plan(&workspace, "new"), "new/zone.yaml is not in the last commit");
    says(plan(&workspace, "new/zone.yaml"), "new/zone.yaml is not in the last commit");
    workspace.file("spec/more.yaml", "version: 1\n");
    says(plan(&workspace, "spec"), "spec/more.yaml is not in the last commit");
    fs::remove_file(workspace.path().join("spec/more.yaml")).unwrap();
    // No git.
    workspace.file("spec/zone.yaml", ONE);
    workspace.file("empty/file", "");
    let mut command = workspace.command();
    command.args([&["plan", "spec"], &JSON[..]].concat());
    command.env("PATH", workspace.path().join("empty"));
    says(command.output().unwrap().into(), "failed to run git");
    // A commit whose spec has mistakes.
    workspace.file("spec/zone.yaml", BOTH.replace("records", "recrods"));
    git(&workspace, ".", &["commit", "-qam", "wrong"]);
    workspace.file("spec/zone.yaml", ONE);
    says(plan(&workspace, "spec"), "has mistakes");
    git(&workspace, ".", &["reset", "-q", "--soft", "HEAD~1"]);
    // A partial clone.
    git(&workspace, ".", &["config", "uploadpack.allowFilter", "true"]);
    let origin = format!("file://{}", workspace.path().display());
    git(
        &workspace,
        ".",
        &["clone", "-q", "--no-checkout", "--filter", "blob:none", &origin, "partial"],
    );
    workspace.file("partial/spec/zone.yaml", ONE);
    says(plan(&workspace, "partial/spec"), "partial clone");
    // Two repositories.
    workspace.file("other/zone.yaml", "version: 1\n");
    git(&workspace, "other", &["init", "-q"]);
    git(&workspace, "other", &["add", "-A"]);
    git(&workspace, "other", &["commit", "-qm", "other"]);
    says(workspace.run(&[&["plan", "spec", "other"], &JSON[..]].concat()), "two git repositories");
    // A spec that is outside the work tree of the working directory.
    let outside = tempfile::TempDir::new().unwrap();
    let spec = outside.path().join("zone.yaml");
    fs::write(&spec, ONE).unwrap();
    says(plan(&workspace, &spec.display().to_string()), "is in no Git work tree");
    // No commit yet.
    let fresh = Workspace::new(options());
    fresh.file("spec/zone.yaml", ONE);
    git(&fresh, ".", &["init", "-q"]);
    says(plan(&fresh, "spec"), "has no commit yet");
    // Standard input, and a directory without Git: nothing to say.
    let plain = Workspace::new(options());
    plain.file("spec/zone.yaml", ONE);
    let ran = plan(&plain, "spec");
    assert!(!ran.stderr.contains("base"), "{}", ran.stderr);
    let mut command = workspace.command();
    command.args(["plan", "-"]).stdin(fs::File::open(&spec).unwrap());
    let ran = Ran::from(command.output().unwrap()).exits(0);
    assert!(!ran.stderr.contains("base"), "{}", ran.stderr);
}

#[test]
fn a_diff_of_one_spec_compares_with_the_last_commit() {
    let workspace = committed();
    let ran = workspace.run(&["diff", "spec", "--exit-code"]).exits(0);
    assert!(ran.stderr.contains("The old spec is that of revision HEAD (commit "), "{ran:?}");
    workspace.file("spec/zone.yaml", ONE);
    let ran = workspace.run(&[&["diff", "spec", "--exit-code"], &JSON[..]].concat()).exits(2);
    let change = &ran.json()["zones"][0]["changes"][0];
    assert_eq!(
        (&change["action"], &change["source"]["file"], &change["source"]["line"]),
        (&json!("remove"), &json!("HEAD:spec/zone.yaml"), &json!(6)),
        "{change:#}"
    );
    git(&workspace, ".", &["commit", "-qam", "one"]);
    workspace.run(&["diff", "spec", "--exit-code"]).exits(0);
    workspace.run(&["diff", "spec/zone.yaml", "--base", "main~1", "--exit-code"]).exits(2);
    let ran = workspace.run(&["diff", "spec", "spec", "--base", "main"]).exits(64);
    assert!(ran.stderr.contains("--base"), "{}", ran.stderr);
    let plain = Workspace::new(options());
    plain.file("spec.yaml", ONE);
    let ran = plain.run(&["diff", "spec.yaml"]).exits(64);
    assert!(
        ran.stderr.contains("not a git repository") && ran.stderr.contains("diff OLD NEW"),
        "{}",
        ran.stderr
    );
}
