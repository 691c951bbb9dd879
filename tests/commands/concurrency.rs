//! Concurrent requests: zones are read, written and read back in parallel, up to a limit; writes to
//! one zone are sequential. The sandbox holds requests at its gate until all have arrived, which
//! proves that they are concurrent.

use crate::support::interrupt::UnderWay;
use crate::support::workspace::{Ran, Workspace, options, options_on};
use serde_json::json;
use zonewright::sandbox::{Fault, Traffic, What, When};

/// Returns a sandbox with this number of zones, and a spec with two records in each.
fn workspace(zones: usize) -> Workspace {
    let workspace = Workspace::empty(options());
    let names: Vec<_> = (0..zones).map(|n| format!("z{n:02}.example")).collect();
    workspace.plant(
        &json!({ "zones": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() }),
    );
    let records = "records: [{ name: a, type: A, content: 192.0.2.1 }, { name: b, type: A, content: 192.0.2.2 }]";
    let spec: String = names.iter().map(|name| format!("  {name}: {{ {records} }}\n")).collect();
    workspace.file("spec.yaml", format!("version: 1\nzones:\n{spec}"));
    workspace
}

/// Holds requests with this method and this end of the path, from the nth on.
fn hold(workspace: &Workspace, method: &str, suffix: &str, nth: u64) {
    let when = When::Matching { method: Some(method.into()), path_suffix: suffix.into(), nth };
    workspace.fault(Fault { when, what: What::Held, times: u64::MAX });
}

/// Runs while this number of requests arrives at the gate, in groups of this size.
#[track_caller]
fn run_held(workspace: &Workspace, arguments: &[&str], all: u64, together: u64) -> Ran {
    let run = UnderWay::start(workspace, arguments);
    for came in (together..=all).step_by(usize::try_from(together).expect("it is small")) {
        workspace.until_held(came);
        workspace.release();
    }
    run.ends().exits(0)
}

#[test]
fn zones_are_read_at_once_within_the_bound() {
    let workspace = workspace(12);
    hold(&workspace, "GET", "/dns_records", 1);
    run_held(&workspace, &["plan", "spec.yaml", "--concurrency", "4"], 12, 4);
    assert_eq!(workspace.traffic().most_at_once, 4);
}

#[test]
fn zones_are_written_at_once_within_the_bound_and_each_in_its_order() {
    let workspace = workspace(9);
    hold(&workspace, "POST", "/dns_records", 1);
    let arguments = ["apply", "spec.yaml", "--yes", "--batch-size", "1", "--concurrency", "3"];
    run_held(&workspace, &arguments, 18, 3);
    let Traffic { most_at_once, most_writes_to_a_zone, .. } = workspace.traffic();
    assert_eq!((most_at_once, most_writes_to_a_zone), (3, 1));
}

#[test]
fn zones_are_read_back_at_once() {
    let workspace = workspace(5);
    // The first five are for the plan.
    hold(&workspace, "GET", "/dns_records", 6);
    run_held(&workspace, &["apply", "spec.yaml", "--yes"], 5, 5);
    assert_eq!(workspace.writes().len(), 5);
}

/// The rules of a zone depend on one another, and so do its records: each request is sent after the
/// response to the previous one.
#[test]
fn one_zone_is_written_one_request_after_the_other() {
    let workspace = Workspace::new(options_on("enterprise"));
    let spec = |actions: [&str; 3]| {
        let rule = |(n, action): (usize, &&str)| {
            format!(
                "          - {{ name: r{n}, when: 'http.host eq \"{n}.example.com\"', action: {action} }}\n"
            )
        };
        let rules: String = actions.iter().enumerate().map(rule).collect();
        let record = |(n, action): (usize, &&str)| {
            format!(
                "      - {{ name: h{n}, type: A, proxied: true, content: 192.0.2.{} }}\n",
                action.len()
            )
        };
        let records: String = actions.iter().enumerate().map(record).collect();
        format!(
            "version: 1\nzones:\n  example.com:\n    waf:\n      custom:\n{rules}    records:\n{records}"
        )
    };
    workspace.file("spec.yaml", spec(["log", "log", "log"]));
    workspace.settles("spec.yaml");
    workspace.file("spec.yaml", spec(["block", "managed_challenge", "block"]));
    let before = workspace.writes().len();
    hold(&workspace, "PATCH", "", 1);
    run_held(&workspace, &["apply", "spec.yaml", "--yes", "--batch-size", "1"], 6, 1);
    assert_eq!(workspace.writes().len(), before + 6);
    assert_eq!(workspace.traffic().most_writes_to_a_zone, 1);
}

/// A connection that has just served a request may not be back in the pool when the next request is
/// made; then another one is opened and kept. How often that happens depends on the scheduling of
/// threads. Without any reuse there would be one connection for each request.
#[test]
fn connections_are_kept() {
    let workspace = workspace(30);
    let mut requests = 0;
    let mut connections = 0;
    for arguments in
        [&["apply", "--yes", "--concurrency", "1"][..], &["plan", "--concurrency", "4"]]
    {
        workspace.run(&[arguments, &["spec.yaml"]].concat()).exits(0);
        let now = (workspace.requests().len() as u64, workspace.traffic().connections);
        let (made, opened) = (now.0 - requests, now.1 - connections);
        assert!(made >= 30 && opened * 3 <= made, "{opened} connections for {made} requests");
        (requests, connections) = now;
    }
}

#[test]
fn what_is_told_does_not_depend_on_how_many_there_are_at_a_time() {
    let told = ["1", "2", "8"].map(|concurrency| {
        let workspace = workspace(10);
        // In the fourth zone, every request fails.
        let zones = workspace.dump()["zones"].clone();
        let id = zones
            .as_array()
            .expect("a list")
            .iter()
            .find(|z| z["name"] == "z03.example")
            .expect("it is there")["id"]
            .clone();
        let path_suffix = format!("{}/dns_records/batch", id.as_str().expect("a text"));
        let when = When::Matching { method: Some("POST".into()), path_suffix, nth: 1 };
        workspace.fault(Fault {
            when,
            what: What::Status { code: 403, html: false, retry_after: None },
            times: 9,
        });
        let ran =
            workspace.run(&["apply", "spec.yaml", "--yes", "--concurrency", concurrency]).exits(5);
        let stderr: Vec<_> = ran
            .stderr
            .lines()
            .filter(|line| !line.starts_with("journal: "))
            .map(str::to_owned)
            .collect();
        (ran.stdout, stderr)
    });
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0], told[2]);
    assert!(
        told[0].0.contains("z03.example  0 of 2") && told[0].0.contains("z04.example  2 of 2"),
        "{}",
        told[0].0
    );
}
