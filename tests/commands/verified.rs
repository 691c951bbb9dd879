//! Verification of an apply: the program reads the zone again, or the responses confirm every
//! change.

use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

use crate::support::virtual_time::Stage;
use crate::support::workspace::{Ran, Workspace, options};

/// Returns a zone with a changed, a deleted and a created record.
fn workspace() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "a.example.com", "content": "192.0.2.1", "ttl": 300 },
        { "type": "A", "name": "b.example.com", "content": "192.0.2.2", "ttl": 300, "comment": "theirs" },
    ]));
    workspace.records_spec(
        "      - { name: a, type: A, content: 192.0.2.1, ttl: 600 }
      - { name: b, type: A, content: 192.0.2.2, state: absent }
      - { name: b, type: TXT, content: words }",
    );
    workspace
}

/// Applies it, and gives the zone's result and the number of listings.
fn applied(workspace: &Workspace, flags: &[&str]) -> (Value, usize) {
    let apply =
        ["apply", "spec.yaml", "--yes", "--format", "json", "--allow-deletes", "1", "--allow"];
    let ran: Ran = workspace.run(&[&apply[..], &["removes-last-address"], flags].concat()).exits(0);
    let listings = workspace
        .requests()
        .iter()
        .filter(|request| request.path.contains("/dns_records?"))
        .count();
    (ran.json()["result"]["zones"][0].clone(), listings)
}

#[test]
fn answers_confirm_what_they_say_in_full() {
    for (flags, by, listings) in [
        (&["--verify", "answers"][..], "answers", 1),
        (&["--verify", "answers", "--batch-size", "1"], "answers", 1),
        (&["--verify", "read"], "read", 2),
        // Reading again does not have to wait for the rate limit here.
        (&[], "read", 2),
    ] {
        let workspace = workspace();
        let (zone, seen) = applied(&workspace, flags);
        assert_eq!(
            (&zone["confirmed_by"], &zone["in_sync"], seen),
            (&json!(by), &json!(true), listings),
            "{zone:#}"
        );
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    }
    let ran = workspace().run(&[
        "apply",
        "spec.yaml",
        "--yes",
        "--verify",
        "answers",
        "--allow-deletes",
        "1",
        "--allow",
        "removes-last-address",
    ]);
    assert!(
        ran.exits(0).stdout.contains("3 of 3 operations done; in sync, confirmed by the responses")
    );
}

#[test]
fn a_zone_is_read_again_where_anything_was_unusual() {
    let batch =
        When::Matching { method: Some("POST".into()), path_suffix: "/batch".into(), nth: 1 };
    let silent = json!({ "success": true, "errors": [], "messages": [], "result": {} });
    for what in [
        What::ResetAfterEffect,
        What::ResetBeforeEffect,
        What::Status { code: 503, html: true, retry_after: None },
    ] {
        let workspace = workspace();
        workspace.fault(Fault { when: batch.clone(), what: what.clone(), times: 1 });
        let (zone, _) = applied(&workspace, &["--verify", "answers"]);
        assert_eq!(zone["confirmed_by"], "read", "{what:?}: {zone:#}");
    }
    // A sandbox that reports success and does nothing.
    let workspace = workspace();
    workspace.fault(Fault {
        when: batch,
        what: What::Answer { code: 200, body: silent },
        times: 1,
    });
    let apply = [
        "apply",
        "spec.yaml",
        "--yes",
        "--verify",
        "answers",
        "--format",
        "json",
        "--allow-deletes",
        "1",
        "--allow",
        "removes-last-address",
    ];
    let zone = workspace.run(&apply).exits(5).json()["result"]["zones"][0].clone();
    assert_eq!(
        (&zone["confirmed_by"], &zone["in_sync"]),
        (&json!("read"), &json!(false)),
        "{zone:#}"
    );
}

/// With many zones, reading each of them again would have to wait for the rate limit.
#[tokio::test(start_paused = true)]
async fn an_estate_is_read_again_as_far_as_that_costs_no_waiting() {
    let zones = 350;
    let name = |n: usize| format!("z{n}.example");
    let spec = |n| {
        format!(
            "  {}: {{ create: true, records: [{{ name: a, type: A, content: 192.0.2.1 }}] }}\n",
            name(n)
        )
    };
    let spec: String = (0..zones).map(spec).collect();
    let mut needed = Vec::new();
    for verify in ["auto", "read"] {
        let stage = Stage::new(sandbox(), &json!({ "zones": [] })).await;
        stage.file("spec.yaml", &format!("version: 1\nzones:\n{spec}"));
        let ran = stage.run("apply", &["--yes", &format!("--verify={verify}")]).await;
        assert_eq!(ran.exit, 0, "{}", ran.messages);
        let count = |words: &str| ran.results.lines().filter(|line| line.contains(words)).count();
        let (read, answered) =
            (count("in sync, read back"), count("in sync, confirmed by the responses"));
        assert_eq!(read + answered, zones);
        assert!(
            if verify == "read" { answered == 0 } else { answered > zones / 2 },
            "{verify}: {read} and {answered}"
        );
        needed.push((ran.requests, ran.took));
    }
    assert!(needed[0].0 + 175 < needed[1].0 && needed[0].1 < needed[1].1, "{needed:?}");
}

/// Returns a service with the documented limit.
fn sandbox() -> zonewright::sandbox::SandboxOptions {
    use zonewright::sandbox::{Profile, RateLimit, SandboxOptions};
    let limit = RateLimit { requests: 1200, window_seconds: 300 };
    SandboxOptions {
        profile: Profile { rate_limit: Some(limit), ..Profile::default() },
        ..SandboxOptions::default()
    }
}
