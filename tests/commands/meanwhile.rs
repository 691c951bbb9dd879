//! Someone else writes during an apply: changes that were overwritten are reported, and operations
//! that would overwrite one are held back.

use std::time::Duration;

use serde_json::{Value, json};
use zonewright::sandbox::{Fault, Profile, SandboxOptions, What, When};

use crate::support::virtual_time::Stage;
use crate::support::workspace::{Ran, Workspace, options};

/// Names of the records, in the order of their operations.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Returns a record of a dump.
fn record(dump: &Value, name: &str) -> Option<Value> {
    let records = dump["zones"][0]["records"].as_array().cloned().unwrap_or_default();
    records.into_iter().find(|record| record["name"] == format!("{name}.example.com"))
}

/// Returns the path of a record.
fn path(dump: &Value, name: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let zone = text(&dump["zones"][0]["id"]);
    format!("/zones/{zone}/dns_records/{}", text(&record(dump, name).expect("it is there")["id"]))
}

/// Returns a zone with a record at each name.
fn planted() -> Value {
    NAMES
        .iter()
        .map(|name| json!({ "type": "A", "name": format!("{name}.example.com"), "content": "192.0.2.1", "ttl": 300 }))
        .collect()
}

/// Deletes the first record and changes the others, in batches of two; at the first batch someone
/// else changes these records.
fn during_the_first_batch(changes: &[(&str, Value)]) -> (Workspace, Ran) {
    let workspace = Workspace::new(options());
    workspace.plant_records(planted());
    workspace.records_spec(
        "      - { name: a, type: A, state: absent }
      - { name: b, type: A, content: 192.0.2.1, ttl: 600 }
      - { name: c, type: A, content: 192.0.2.1, ttl: 600 }
      - { name: d, type: A, content: 192.0.2.1, ttl: 600 }",
    );
    let batches =
        When::Matching { method: Some("POST".into()), path_suffix: "/batch".into(), nth: 1 };
    workspace.fault(Fault { when: batches, what: What::Held, times: 1 });
    let apply = [
        "apply",
        "spec.yaml",
        "--yes",
        "--format",
        "json",
        "--batch-size",
        "2",
        "--allow-deletes",
        "1",
    ];
    let mut command = workspace.command();
    command.args(apply).args(["--allow", "removes-last-address"]);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    workspace.until_held(1);
    let dump = workspace.dump();
    for (name, body) in changes {
        workspace.write("PATCH", &path(&dump, name), body);
    }
    workspace.release();
    let ran = Ran::from(child.wait_with_output().unwrap());
    (workspace, ran)
}

#[test]
fn a_record_changed_before_it_was_deleted_is_reported_and_what_follows_is_held_back() {
    let theirs = [("a", json!({ "comment": "theirs" })), ("c", json!({ "ttl": 900 }))];
    let (workspace, ran) = during_the_first_batch(&theirs);
    let zone = ran.exits(5).json()["result"]["zones"][0].clone();
    let noticed = &zone["changed_meanwhile"][0];
    assert!(noticed["address"].as_str().unwrap().starts_with("example.com/dns/a/A/"), "{zone:#}");
    assert!(noticed["what"].as_str().unwrap().contains("comment theirs"), "{zone:#}");
    // The changes of the other client stay, and all other operations are done.
    assert_eq!(zone["not_done"][0]["outcome"], "stale", "{zone:#}");
    let dump = workspace.dump();
    let ttl = |name: &str| record(&dump, name).unwrap()["ttl"].clone();
    assert_eq!((ttl("b"), ttl("c"), ttl("d")), (json!(600), json!(900), json!(600)));
}

#[test]
fn a_record_changed_before_it_was_updated_is_reported() {
    let (workspace, ran) = during_the_first_batch(&[
        ("b", json!({ "comment": "theirs" })),
        ("d", json!({ "comment": "theirs" })),
    ]);
    let zone = ran.exits(5).json()["result"]["zones"][0].clone();
    assert_eq!(zone["changed_meanwhile"][0]["address"], "example.com/dns/b/A", "{zone:#}");
    let dump = workspace.dump();
    let ttl = |name: &str| record(&dump, name).unwrap()["ttl"].clone();
    assert_eq!((ttl("b"), ttl("c"), ttl("d")), (json!(600), json!(600), json!(300)));
    // Unexpected results are reported, and expected ones are not.
    let (_, ran) = during_the_first_batch(&[]);
    let zone = ran.exits(0).json()["result"]["zones"][0].clone();
    assert_eq!(zone["changed_meanwhile"], json!([]));
}

/// Responses to single requests do not show what a delete removed. A long apply reads the zone
/// again once a minute.
#[tokio::test(start_paused = true)]
async fn a_long_apply_reads_the_zone_again() {
    let profile = Profile { rate_limit: None, ..Profile::default() };
    let options = SandboxOptions { profile, ..SandboxOptions::default() };
    let names: Vec<String> = (10..30).map(|n| format!("h{n}")).collect();
    let record_of = |name: &String| json!({ "type": "A", "name": format!("{name}.example.com"), "content": "192.0.2.1", "ttl": 300 });
    let records: Vec<Value> = names.iter().map(record_of).collect();
    let stage = Stage::new(
        options,
        &json!({ "zones": [{ "name": "example.com", "plan": "free", "records": records }] }),
    )
    .await;
    let line = |name: &String| {
        format!("      - {{ name: {name}, type: A, content: 192.0.2.1, ttl: 600 }}\n")
    };
    let lines: String = names.iter().map(line).collect();
    stage.file("spec.yaml", &format!("version: 1\nzones:\n  example.com:\n    records:\n{lines}"));
    let dump = stage.sandbox.dump().unwrap();
    let someone = async {
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert!(stage.sandbox.write_as_another(
            "PATCH",
            &path(&dump, "h29"),
            &json!({ "ttl": 900 })
        ));
    };
    let flags =
        ["--yes", "--batch-size=1", "--max-rps=0.25", "--allow=changes-much", "--format=json"];
    let (ran, ()) = tokio::join!(stage.run("apply", &flags), someone);
    assert_eq!(ran.exit, 5, "{}{}", ran.results, ran.messages);
    let dump = stage.sandbox.dump().unwrap();
    assert_eq!(record(&dump, "h29").unwrap()["ttl"], 900);
    assert_eq!(record(&dump, "h28").unwrap()["ttl"], 600);
    let listings =
        stage.sandbox.requests().iter().filter(|r| r.path.contains("dns_records?")).count();
    // The listing of the plan, one or two in between, and the last.
    assert!((3..=4).contains(&listings), "{listings}");
}
