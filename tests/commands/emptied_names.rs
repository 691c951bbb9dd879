//! A name that has records before and after a plan always has records, whatever the reason for the
//! deletes, and whatever happens between two requests. If only single requests are possible and a
//! create is refused, the deleted record is created again. If even that fails, the name is reported
//! until it has records.

use crate::support::concurrently::concurrently;
use crate::support::interrupt::UnderWay;
use crate::support::journals::journals;
use crate::support::workspace::{Ran, Workspace, options};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

const ALIAS: &str = "type: CNAME, content: new.example.net";
const ADDRESS: &str = "type: A, content: 192.0.2.1";

/// Why the old record is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// It cannot be beside the new one.
    InTheWay,
    /// The base had it.
    Base,
    /// The zone is pruned.
    Pruned,
    /// An apply is undone.
    Undo,
}

/// The fate of the request that creates the new record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// It is refused.
    Refused,
    /// A signal arrives before it is sent.
    Signal,
    /// No response to it, ever.
    Lost,
    /// The rest of the run is refused for its credentials.
    Token,
}

/// One run of the matrix.
#[derive(Debug, Clone, Copy)]
struct Case {
    has_batch: bool,
    reason: Reason,
    is_to_alias: bool,
    trouble: Trouble,
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for has_batch in [true, false] {
        for reason in [Reason::InTheWay, Reason::Base, Reason::Pruned, Reason::Undo] {
            for is_to_alias in [true, false] {
                for trouble in [Trouble::Refused, Trouble::Signal, Trouble::Lost, Trouble::Token] {
                    all.push(Case { has_batch, reason, is_to_alias, trouble });
                }
            }
        }
    }
    all
}

impl Case {
    fn workspace(self) -> Workspace {
        let mut options = options();
        options.profile.batch = self.has_batch;
        let workspace = Workspace::new(options);
        let (old, new) = if self.is_to_alias { (ADDRESS, ALIAS) } else { (ALIAS, ADDRESS) };
        let spec = |record: &str, rest: &str| {
            format!(
                "version: 1\nzones:\n  example.com:\n{rest}    records:\n      - {{ name: www, {record} }}\n"
            )
        };
        let prune = if self.reason == Reason::Pruned { "    unmanaged: prune\n" } else { "" };
        workspace.file("old.yaml", spec(old, ""));
        workspace.file("spec.yaml", spec(new, prune));
        workspace.run(&["apply", "old.yaml", "--yes"]).exits(0);
        workspace
    }

    /// Returns the type of the record that the failing run creates.
    fn new_type(self) -> &'static str {
        if self.is_to_alias == (self.reason == Reason::Undo) { "A" } else { "CNAME" }
    }

    /// Returns the arguments of the failing run.
    fn arguments(self, workspace: &Workspace) -> Vec<String> {
        let all_dangers = zonewright::model::Danger::ALL.iter().map(|danger| danger.code());
        let allowed: Vec<&str> = all_dangers.filter(|code| *code != "delete").collect();
        let mut words: Vec<String> = match self.reason {
            Reason::Undo => {
                // There and back: the apply is the change in the other direction.
                workspace.run(&[
                    "apply",
                    "spec.yaml",
                    "--yes",
                    "--allow",
                    &allowed.join(","),
                    "--allow-deletes",
                    "1",
                ]);
                let newest = journals(workspace).pop().unwrap();
                vec!["undo".into(), newest.to_str().unwrap().into()]
            }
            Reason::Base => {
                vec!["apply".into(), "spec.yaml".into(), "--base".into(), "./old.yaml".into()]
            }
            Reason::InTheWay | Reason::Pruned => vec!["apply".into(), "spec.yaml".into()],
        };
        words.extend(
            ["--yes", "--batch-size", "1", "--timeout", "20", "--allow"].map(str::to_owned),
        );
        words.push(allowed.join(","));
        words
    }
}

/// Returns the records at the name, by type.
fn types(workspace: &Workspace) -> Vec<String> {
    let records =
        workspace.records("example.com").into_iter().filter(|r| r["name"] == "www.example.com");
    records.map(|record| record["type"].as_str().unwrap().to_owned()).collect()
}

/// Returns the arguments, with a consent for a delete if it is asked for.
fn with_consent<'a>(workspace: &Workspace, arguments: &'a [String]) -> Vec<&'a str> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let dry = workspace.run(&[&words[..], &["--dry-run"]].concat());
    if dry.code == Some(3) { [&words[..], &["--allow-deletes", "1"]].concat() } else { words }
}

/// Returns a refusal of a record.
fn refusal_body() -> Value {
    json!({ "success": false, "errors": [{ "code": 9003, "message": "no" }], "messages": [], "result": null })
}

fn fault(workspace: &Workspace, case: Case) {
    // The endpoint that carries the create: with batches, it is in one request with the delete.
    let suffix = if case.has_batch { "/dns_records/batch" } else { "/dns_records" };
    let when =
        |nth| When::Matching { method: Some("POST".into()), path_suffix: suffix.into(), nth };
    let refusal = || What::Answer { code: 400, body: refusal_body() };
    match case.trouble {
        Trouble::Refused => workspace.fault(Fault { when: when(1), what: refusal(), times: 1 }),
        Trouble::Lost => {
            workspace.fault(Fault { when: when(1), what: What::ResetBeforeEffect, times: 1 })
        }
        Trouble::Token => workspace.fault(Fault {
            when: when(1),
            what: What::Status { code: 403, html: false, retry_after: None },
            times: 1,
        }),
        // Held at the delete. If the same request creates the record, nothing can happen in
        // between.
        Trouble::Signal => {
            let method = if case.has_batch { "POST" } else { "DELETE" };
            let suffix = if case.has_batch { "/dns_records/batch" } else { "" };
            let when =
                When::Matching { method: Some(method.into()), path_suffix: suffix.into(), nth: 1 };
            workspace.fault(Fault { when, what: What::Held, times: 1 });
        }
    }
}

#[test]
fn no_name_is_left_without_records() {
    concurrently(cases(), |case| {
        let workspace = case.workspace();
        let arguments = case.arguments(&workspace);
        assert_eq!(types(&workspace).len(), 1, "{case:?}");
        let all = with_consent(&workspace, &arguments);
        fault(&workspace, case);
        let ran = match case.trouble {
            Trouble::Signal => {
                let mut run = UnderWay::start(&workspace, &all);
                workspace.until_held(1);
                run.signal("TERM");
                run.says("stopping: finishing the requests in flight");
                workspace.release();
                run.ends()
            }
            Trouble::Refused | Trouble::Lost | Trouble::Token => workspace.run(&all),
        };
        let what = format!("{case:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(types(&workspace).len(), 1, "the name has no records: {what}");
        if case.has_batch {
            assert!(workspace.writes().iter().all(|write| write.method != "DELETE"), "{what}");
        }
        assert!(!ran.stdout.contains("may be empty"), "{what}");
        // Run again, it converges.
        let again = workspace.run(&with_consent(&workspace, &arguments));
        assert_eq!(again.code, Some(0), "{what}: {again:?}");
        assert_eq!(types(&workspace), [case.new_type()], "{what}: {again:?}");
    });
}

/// Records that can be beside each other: the new one is created first, and if it is refused, the
/// old one stays.
#[test]
fn a_value_is_created_before_the_one_that_it_replaces_is_deleted() {
    for has_batch in [true, false] {
        let mut options = options();
        options.profile.batch = has_batch;
        let workspace = Workspace::new(options);
        workspace.plant_records(json!([
            { "type": "A", "name": "www.example.com", "content": "192.0.2.9" },
            { "type": "A", "name": "www.example.com", "content": "192.0.2.8" },
        ]));
        let spec =
            |records: &str| format!("version: 1\nzones:\n  example.com:\n    records:\n{records}");
        let gone =
            "      - { name: www, type: A, content: [192.0.2.8, 192.0.2.9], state: absent }\n";
        workspace.file(
            "spec.yaml",
            spec(&format!("{gone}      - {{ name: www, type: AAAA, content: '2001:db8::1' }}\n")),
        );
        let when = When::Matching {
            method: Some("POST".into()),
            path_suffix: "/dns_records".into(),
            nth: 1,
        };
        workspace.fault(Fault {
            when,
            what: What::Answer { code: 400, body: refusal_body() },
            times: 1,
        });
        let all: Vec<&str> = zonewright::model::Danger::ALL
            .iter()
            .map(|d| d.code())
            .filter(|c| *c != "delete")
            .collect();
        let allow = all.join(",");
        let apply = [
            "apply",
            "spec.yaml",
            "--yes",
            "--batch-size",
            "1",
            "--allow",
            &allow,
            "--allow-deletes",
            "1",
        ];
        let ran = workspace.run(&apply);
        assert!(types(&workspace).contains(&"A".to_owned()), "{ran:?}");
        assert!(ran.stdout.contains("it stays"), "{ran:?}");
        let again = workspace.run(&apply[..7]);
        let again = if again.code == Some(3) { workspace.run(&apply) } else { again };
        again.exits(0);
        assert_eq!(types(&workspace), ["AAAA"]);
    }
}

/// Killed between the delete and the create, the next plan says that the name is empty, and until
/// when it was not; the next apply fills it, and so does an undo.
#[test]
fn a_name_that_a_killed_run_left_empty_is_reported_until_it_is_filled() {
    for is_undone in [false, true] {
        let mut options = options();
        options.profile.batch = false;
        let workspace = Workspace::new(options);
        workspace.plant_records(
            json!([{ "type": "CNAME", "name": "www.example.com", "content": "old.example.net" }]),
        );
        workspace.records_spec(&format!("      - {{ name: www, {ADDRESS} }}"));
        let when = When::Matching {
            method: Some("POST".into()),
            path_suffix: "/dns_records".into(),
            nth: 1,
        };
        workspace.fault(Fault { when, what: What::Held, times: 1 });
        let run = UnderWay::start(
            &workspace,
            &["apply", "spec.yaml", "--yes", "--batch-size", "1", "--allow-deletes", "1"],
        );
        workspace.until_held(1);
        run.signal("KILL");
        run.ends();
        assert_eq!(types(&workspace), Vec::<String>::new());
        let told = |ran: &Ran| {
            ran.stderr.contains("PLAN0050")
                && ran.stderr.contains("www.example.com has no records since")
        };
        let planned = workspace.run(&["plan", "spec.yaml"]).exits(0);
        assert!(told(&planned), "{planned:?}");
        if is_undone {
            let journal = journals(&workspace)[0].to_str().unwrap().to_owned();
            workspace.run(&["undo", &journal, "--yes"]).exits(0);
            assert_eq!(types(&workspace), ["CNAME"]);
        } else {
            let applied = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
            assert!(told(&applied), "{applied:?}");
            assert_eq!(types(&workspace), ["A"]);
        }
        assert!(!told(&workspace.run(&["plan", "spec.yaml"])));
    }
}

/// The deleted record cannot be created again either: the report, the journal and the next plan
/// report it.
#[test]
fn a_name_that_stays_empty_is_reported() {
    let mut options = options();
    options.profile.batch = false;
    let workspace = Workspace::new(options);
    workspace.plant_records(
        json!([{ "type": "CNAME", "name": "www.example.com", "content": "old.example.net" }]),
    );
    workspace.records_spec(&format!("      - {{ name: www, {ADDRESS} }}"));
    let when =
        When::Matching { method: Some("POST".into()), path_suffix: "/dns_records".into(), nth: 1 };
    workspace.fault(Fault {
        when,
        what: What::Answer { code: 400, body: refusal_body() },
        times: 2,
    });
    let ran = workspace
        .run(&["apply", "spec.yaml", "--yes", "--batch-size", "1", "--allow-deletes", "1"])
        .exits(5);
    assert!(ran.stdout.contains("this name may be empty"), "{ran:?}");
    let journal = std::fs::read_to_string(&journals(&workspace)[0]).unwrap();
    assert!(journal.contains("this name may be empty"), "{journal}");
    let planned = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(planned.stderr.contains("PLAN0050"), "{planned:?}");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(types(&workspace), ["A"]);
    assert!(!workspace.run(&["plan", "spec.yaml"]).stderr.contains("PLAN0050"));
}
