//! Records with a last day: they are removed afterwards.

use std::fs;

use crate::default_base::git;
use crate::support::workspace::{Workspace, options};

const DATED: &str = "version: 1
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.1 }
      - { name: token, type: TXT, content: for a while, expires: 2027-03-01 }
";

/// Applies the dated record and another one while both are needed.
fn applied(spec: &str) -> Workspace {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", spec);
    git(&workspace, ".", &["init", "-q", "-b", "main"]);
    git(&workspace, ".", &["add", "spec.yaml"]);
    git(&workspace, ".", &["commit", "-qm", "spec"]);
    workspace.run(&["apply", "spec.yaml", "--yes", "--today", "2027-01-01"]).exits(0);
    assert_eq!(workspace.records("example.com").len(), 2);
    workspace
}

#[test]
fn a_record_goes_after_its_last_day_and_not_before() {
    let workspace = applied(DATED);
    for (day, code, finding) in
        [("2027-02-01", 0, ""), ("2027-03-01", 0, "the last day of `token TXT` is today")]
    {
        let plan = ["plan", "spec.yaml", "--detailed-exitcode", "--today", day];
        let ran = workspace.run(&plan).exits(code);
        assert!(ran.stderr.contains(finding), "{day}: {ran:?}");
    }
    let later = ["--today", "2027-03-02"];
    let ran = workspace.run(&[&["plan", "spec.yaml", "--detailed-exitcode"], &later[..]].concat());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("its last day is over"), "{ran:?}");
    assert!(ran.stderr.contains("`token TXT` held until 2027-03-01"), "{ran:?}");
    workspace.run(&[&["drift", "spec.yaml"], &later[..]].concat()).exits(2);
    // Without a previous spec, the day has no accepted review.
    let apply = [&["apply", "spec.yaml", "--yes"], &later[..]].concat();
    workspace.run(&apply).exits(3);
    workspace.run(&[&apply[..], &["--allow-deletes", "1"]].concat()).exits(0);
    assert_eq!(workspace.records("example.com").len(), 1);
    workspace.run(&[&["plan", "spec.yaml", "--detailed-exitcode"], &later[..]].concat()).exits(0);
}

/// The spec as it is in force has the last day of each record, over or not.
#[test]
fn the_resolved_spec_has_the_last_days() {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", DATED.replace("expires:", "protect: true, expires:"));
    for day in ["2027-02-01", "2027-03-02"] {
        let print = |file: &str| workspace.run(&["validate", file, "--print", "--today", day]);
        let printed = print("spec.yaml").exits(0).stdout;
        assert!(printed.contains("expires: 2027-03-01"), "{day}: {printed}");
        assert!(printed.contains("protect: true") && !printed.contains("absent"), "{printed}");
        workspace.file("printed.yaml", &printed);
        assert_eq!(print("printed.yaml").exits(0).stdout, printed);
    }
}

/// The day was reviewed if the previous spec had it. A record that needs a consent still needs it.
#[test]
fn a_day_of_the_base_is_agreed() {
    let apply = ["apply", "spec.yaml", "--yes", "--today", "2027-03-02", "--base", "HEAD"];
    let workspace = applied(DATED);
    let ran = workspace.run(&apply).exits(0);
    assert!(ran.stdout.contains("1 to delete (none counts for --allow-deletes)"), "{ran:?}");
    assert_eq!(workspace.records("example.com").len(), 1);

    let workspace = applied(&DATED.replace(", expires: 2027-03-01", ""));
    workspace.file("spec.yaml", DATED);
    workspace.run(&apply).exits(3);
    workspace.run(&[&apply[..], &["--allow-deletes", "1"]].concat()).exits(0);

    let protected = DATED.replace("expires:", "protect: true, expires:");
    let workspace = applied(&protected);
    let ran = workspace.run(&apply).exits(3);
    assert!(ran.stdout.contains("changes-protected"), "{ran:?}");
}

/// `pull` keeps the day, and a record that must not exist has none.
#[test]
fn a_day_is_neither_lost_nor_ignored() {
    let workspace = applied(DATED);
    let ran = workspace.run(&["pull", "spec.yaml", "--yes", "--today", "2027-03-02"]);
    assert!(ran.stderr.contains("its last day in the spec is over"), "{ran:?}");
    assert_eq!(fs::read_to_string(workspace.path().join("spec.yaml")).unwrap(), DATED);
    workspace.records_spec(
        "      - { name: a, type: A, content: 192.0.2.1, state: absent, expires: 2027-03-01 }",
    );
    let ran = workspace.run(&["validate", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("`expires` has no meaning"), "{ran:?}");
}
