//! `kill -9` at every request of an apply: a second run, or a resume of the saved plan, converges;
//! no record is duplicated, and the journal says what happened.

use std::time::{Duration, Instant};

use crate::support::concurrently::concurrently;
use crate::support::workspace::{Workspace, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

/// Requests that the apply takes: a rule, a setting, and eight records one by one.
const WRITES: u64 = 10;

/// The spec of ten operations.
const SPEC: &str = "version: 1
zones:
  example.com:
    settings: { always_use_https: on }
    waf:
      custom: [{ name: a, when: 'http.host eq \"a.example.com\"', action: block }]
    records:
      - { name: w, type: A, content: [192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6] }
      - { name: changed, type: A, content: 192.0.2.7, ttl: 600 }
      - { name: gone, type: A, state: absent }
";

/// Consents for the deleted record.
const CONSENTS: [&str; 4] = ["--allow-deletes", "1", "--allow", "removes-last-address"];

fn workspace() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.plant_records(json!([
        { "type": "A", "name": "changed.example.com", "content": "192.0.2.7", "ttl": 300 },
        { "type": "A", "name": "gone.example.com", "content": "192.0.2.8", "ttl": 300 },
        { "type": "A", "name": "foreign.example.com", "content": "192.0.2.9", "ttl": 300 },
    ]));
    workspace.file("spec.yaml", SPEC);
    workspace
}

/// Returns a fault at the n-th write, counted from 1.
fn at_write(n: u64, what: What) -> Vec<Fault> {
    // Faults count requests of one method and path, so each kind of write has its own number.
    let kinds: [(&str, &str); 5] = [
        ("POST", "/rulesets"),
        ("PATCH", "/settings/always_use_https"),
        ("PATCH", ""),
        // Deletes are sent as batches, whatever their size.
        ("POST", "/dns_records/batch"),
        ("POST", "/dns_records"),
    ];
    let fault = |(method, suffix): (&str, &str), nth: u64| Fault {
        when: When::Matching { method: Some(method.into()), path_suffix: suffix.into(), nth },
        what: what.clone(),
        times: 1,
    };
    match n {
        1 => vec![fault(kinds[0], 1)],
        2 => vec![fault(kinds[1], 1)],
        // In the order of names: changed, gone, then the six of w. The setting is a PATCH as well.
        3 => vec![fault(kinds[2], 2)],
        4 => vec![fault(kinds[3], 1)],
        n => vec![fault(kinds[4], n - 4)],
    }
}

/// Starts an apply, lets it come to its n-th write, and kills it there.
fn kill_at(workspace: &Workspace, arguments: &[&str], n: u64, what: &What) {
    at_write(n, what.clone()).into_iter().for_each(|fault| workspace.fault(fault));
    let mut child = workspace.start(arguments);
    let took_effect = matches!(what, What::Stall { .. });
    // Writes that were answered are logged; the one that is held is not, unless it had its effect.
    let begun = Instant::now();
    loop {
        let answered = workspace.writes().len() as u64;
        let journal = journal(workspace);
        let intents = journal.iter().filter(|line| line["event"] == "intent").count() as u64;
        if intents >= n && (answered >= n - 1) && (!took_effect || has_effect(workspace, n)) {
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it never came to write {n}: {answered} answered, {intents} intended"
        );
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended before write {n}");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// Returns true if the n-th write can be seen at the sandbox.
fn has_effect(workspace: &Workspace, n: u64) -> bool {
    let dump = workspace.dump();
    let zone = &dump["zones"][0];
    let records = zone["records"].as_array().map_or(0, Vec::len) as u64;
    match n {
        1 => !zone["rulesets"].is_null(),
        2 => zone["settings"].to_string().contains("always_use_https"),
        3 => workspace
            .records("example.com")
            .iter()
            .any(|r| r["name"] == "changed.example.com" && r["ttl"] == 600),
        4 => records == 2,
        n => records == 2 + (n - 4),
    }
}

/// Returns the lines of the only journal so far; a cut last line is left out.
fn journal(workspace: &Workspace) -> Vec<Value> {
    let directory = workspace.path().join(".zonewright/journal");
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let files = entries
        .filter_map(Result::ok)
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"));
    let mut files: Vec<_> = files.collect();
    files.sort();
    let text =
        files.first().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Checks the state after the second run.
fn check(workspace: &Workspace, what: &str) {
    let mut contents: Vec<_> = workspace
        .records("example.com")
        .iter()
        .map(|r| r["content"].as_str().unwrap_or_default().to_owned())
        .collect();
    contents.sort();
    let wanted: Vec<_> = (1..=7).chain([9]).map(|n| format!("192.0.2.{n}")).collect();
    assert_eq!(contents, wanted, "{what}");
    let before = workspace.writes().len();
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert_eq!(workspace.writes().len(), before);
    // The journal of the killed run: intents are numbered, each outcome has its intent, and the
    // last intent may lack one.
    let lines = journal(workspace);
    let steps = |event: &str| -> Vec<u64> {
        lines.iter().filter(|l| l["event"] == event).filter_map(|l| l["step"].as_u64()).collect()
    };
    let (intents, outcomes) = (steps("intent"), steps("outcome"));
    assert_eq!(intents, (1..=intents.len() as u64).collect::<Vec<_>>(), "{what}");
    assert!(
        intents.starts_with(&outcomes) && intents.len() <= outcomes.len() + 1,
        "{what}: {intents:?} {outcomes:?}"
    );
    assert!(lines.iter().all(|l| l["event"] != "end"), "{what}");
}

#[test]
fn the_apply_has_ten_writes() {
    let workspace = workspace();
    workspace
        .run(&[&["apply", "spec.yaml", "--yes", "--batch-size", "1"][..], &CONSENTS].concat())
        .exits(0);
    assert_eq!(workspace.writes().len() as u64, WRITES);
}

#[test]
fn killed_anywhere_it_converges_when_run_again() {
    // The kill may come before the request does; then the delay meets the second run, which must
    // not wait long.
    let whats = [What::Delay { milliseconds: 2000 }, What::Stall { milliseconds: 120_000 }];
    concurrently((1..=WRITES).flat_map(|n| whats.clone().map(|what| (n, what))), |(n, what)| {
        let workspace = workspace();
        let arguments =
            [&["apply", "spec.yaml", "--yes", "--batch-size", "1"][..], &CONSENTS].concat();
        kill_at(&workspace, &arguments, n, &what);
        let again = workspace.run(&arguments);
        let name = format!("write {n}, {what:?}");
        // If the delete was done already, its consent is for a plan without one.
        let again = if again.code == Some(3) {
            workspace.run(&["apply", "spec.yaml", "--yes"])
        } else {
            again
        };
        again.exits(0);
        check(&workspace, &name);
    });
}

#[test]
fn killed_anywhere_a_saved_plan_can_be_resumed() {
    for n in 1..=WRITES {
        let what = What::Stall { milliseconds: 120_000 };
        let workspace = workspace();
        workspace
            .run(&[&["plan", "spec.yaml", "--out", "plan.json"][..], &CONSENTS].concat())
            .exits(0);
        kill_at(&workspace, &["apply", "plan.json", "--yes", "--batch-size", "1"], n, &what);
        workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
        workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(0);
        check(&workspace, &format!("write {n}"));
    }
}
