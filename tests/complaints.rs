//! What users of other tools suffered from, each as a test named after its number in our list of complaints.
//!
//! Those about plans alone are cases below tests/cases/plan (`b01-…`, `s1-…`); here are those that need a service.
#![cfg(feature = "sandbox")]

mod support;

use serde_json::json;
use support::workspace::{Workspace, options};
use zonewright::sandbox::{Fault, What, When};

fn fault(what: What, method: &str, path: &str, times: u64) -> Fault {
    Fault { when: When::Matching { method: Some(method.into()), path_suffix: path.into(), nth: 1 }, what, times }
}

/// The same update every minute: eight values in whatever order, a hundred plans, all empty.
#[test]
fn b04_a_set_of_eight_is_never_an_update() {
    let mut options = options();
    options.profile.list_order = zonewright::sandbox::ListOrder::Hostile;
    let workspace = Workspace::new(options);
    let values: Vec<_> = (1..=8).rev().map(|n| format!("192.0.2.{n}")).collect();
    workspace.records_spec(&format!("      - {{ name: www, type: A, content: [{}] }}", values.join(", ")));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    for _ in 0..100 {
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode", "--quiet"]).exits(0);
    }
    assert_eq!(workspace.writes().len(), 1);
}

/// An object of another product among the records must not make the plan fail.
#[test]
fn b07_objects_of_other_products_are_left_alone() {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "CNAME", "name": "rule", "content": "x.example.net", "meta": { "read_only": true } }]),
    );
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    workspace.settles("spec.yaml");
    assert_eq!(workspace.records("example.com").len(), 2);
}

/// Escapes, quotes and semicolons survive the way there and back; quotes that do not match are refused with a place.
#[test]
fn b21_texts_survive_whole() {
    let workspace = Workspace::new(options());
    let texts =
        ["v=DMARC1; p=none", r"back\slash", r#"say "hi""#, "café", r#""a" "" "b""#, r#""\034\059\092""#, "tab\tinside"];
    let records: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(n, t)| format!("      - {{ name: t{n}, type: TXT, content: {} }}", json!(t)))
        .collect();
    workspace.records_spec(&records.join("\n"));
    workspace.settles("spec.yaml");
    for bad in [r#""abc"#, r#"abc""#, r#""a"b"#, r#""a" b"#] {
        workspace.records_spec(&format!("      - {{ name: t, type: TXT, content: '{bad}' }}"));
        let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
        assert!(ran.stderr.contains("spec.yaml:5:") && ran.stderr.contains("quotes"), "{}", ran.stderr);
    }
}

/// An empty text is refused before anything is written.
#[test]
fn b22_an_empty_text_is_refused_offline() {
    let workspace = Workspace::new(options());
    for empty in ["''", "'\"\"'"] {
        workspace.records_spec(&format!("      - {{ name: t, type: TXT, content: {empty} }}"));
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    }
    assert_eq!(workspace.requests().len(), 0);
}

/// A create whose answer got lost after it took effect is seen, counted as done, and not repeated.
#[test]
fn b24_a_create_whose_answer_got_lost_is_done() {
    for batch in [true, false] {
        let mut options = options();
        options.profile.batch = batch;
        let workspace = Workspace::new(options);
        workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
        let path = if batch { "/batch" } else { "/dns_records" };
        workspace.fault(fault(What::ResetAfterEffect, "POST", path, 1));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        assert!(ran.stdout.contains("1 of 1 operation done"), "{}", ran.stdout);
        assert_eq!(workspace.writes().iter().filter(|r| r.path.ends_with(path)).count(), 1);
        assert_eq!(workspace.records("example.com").len(), 1);
    }
}

/// NS comes before the DS that needs it, and goes after it.
#[test]
fn b25_ns_before_ds_and_the_reverse() {
    let workspace = Workspace::new(options());
    let digest = "AB".repeat(32);
    workspace.records_spec(&format!("      - {{ name: sub, type: DS, content: 2371 13 2 {digest} }}\n      - {{ name: sub, type: NS, content: ns1.example.net }}"));
    workspace.settles("spec.yaml");
    let types = |list: &str| {
        let body = workspace.writes().last().and_then(|r| r.body.clone()).unwrap_or_default();
        body[list]
            .as_array()
            .into_iter()
            .flatten()
            .map(|r| r["type"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(types("posts"), ["NS", "DS"]);
    let ids: Vec<_> = workspace.records("example.com").iter().map(|r| (r["type"].clone(), r["id"].clone())).collect();
    workspace
        .records_spec("      - { name: sub, type: DS, state: absent }\n      - { name: sub, type: NS, state: absent }");
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "2", "--allow", "changes-dnssec"]).exits(0);
    let body = workspace.writes().last().and_then(|r| r.body.clone()).unwrap_or_default();
    let first = &body["deletes"][0]["id"];
    assert!(ids.contains(&(json!("DS"), first.clone())), "{body}");
}

/// A proxied record to an address that the service does not proxy to: an error with a place, before anything is sent.
#[test]
fn b27_a_target_that_cannot_be_proxied_is_refused_offline() {
    let workspace = Workspace::new(options());
    for address in ["1.1.1.1", "192.168.1.10", "10.0.0.1", "104.16.1.1"] {
        workspace.records_spec(&format!("      - {{ name: x, type: A, content: {address}, proxied: true }}"));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(ran.stderr.contains("spec.yaml:5:"), "{address}: {}", ran.stderr);
    }
    assert_eq!(workspace.requests().len(), 0);
}

/// A proxied record is created proxied, in one write: its address is never published in between.
#[test]
fn b28_a_proxied_record_is_one_write() {
    for batch in [true, false] {
        let mut options = options();
        options.profile.batch = batch;
        let workspace = Workspace::new(options);
        workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1, ttl: 300, proxied: true }");
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        let effective: Vec<_> = workspace.writes().into_iter().filter(|r| r.status == Some(200)).collect();
        assert_eq!(effective.len(), 1);
        let body = effective[0].body.clone().unwrap_or_default();
        let record = if batch { body["posts"][0].clone() } else { body };
        assert_eq!((&record["proxied"], &record["ttl"]), (&json!(true), &json!(1)));
    }
}

/// New address: body with exactly what the spec says, with either kind of credentials.
#[test]
fn s1_a_new_record_says_what_the_spec_says() {
    let mut options = options();
    options.profile.batch = false;
    let workspace = Workspace::new(options);
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.10, ttl: 3600, proxied: false }");
    let mut command = workspace.command();
    command.env_remove("CLOUDFLARE_API_TOKEN");
    command.env("CLOUDFLARE_EMAIL", zonewright::sandbox::EMAIL).env("CLOUDFLARE_API_KEY", zonewright::sandbox::KEY);
    let output = command.args(["apply", "spec.yaml", "--yes"]).output();
    assert!(output.is_ok_and(|o| o.status.success()));
    let post = workspace.writes().into_iter().find(|r| r.path.ends_with("/dns_records"));
    let body = post.and_then(|r| r.body).unwrap_or_default();
    assert_eq!(
        body,
        json!({ "type": "A", "name": "www.example.com", "content": "192.0.2.10", "ttl": 3600, "proxied": false })
    );
}

/// A second run writes nothing.
#[test]
fn s5_a_second_run_writes_nothing() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: _sip._tcp, type: SRV, data: { priority: 10, weight: 5, port: 5060, target: sip.example.com } }");
    workspace.settles("spec.yaml");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(workspace.writes().len(), 1);
}

/// Offline mistakes have a line and a column, and cost no request.
#[test]
fn s7_mistakes_are_found_offline() {
    let workspace = Workspace::new(options());
    let long = "a".repeat(64);
    for record in [
        format!("{{ name: {long}, type: A, content: 192.0.2.1 }}"),
        "{ name: x, type: TXT, content: words, proxied: true }".to_owned(),
        "{ name: x, type: A, content: 192.0.2.1, ttl: 5 }".to_owned(),
        "{ name: x, type: MX, content: mx.example.net, priority: 70000 }".to_owned(),
    ] {
        workspace.records_spec(&format!("      - {record}"));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(ran.stderr.contains("spec.yaml:5:"), "{}", ran.stderr);
    }
    assert_eq!(workspace.requests().len(), 0);
}

/// A listing that the service refuses is not an empty zone: nothing is created beside what may be there.
#[test]
fn s8_a_refused_listing_stops_everything() {
    for code in [404, 405, 400, 403] {
        let workspace = Workspace::new(options());
        workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
        workspace.fault(fault(What::Status { code, html: false, retry_after: None }, "GET", "/dns_records", 100));
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert_eq!(workspace.writes().len(), 0, "{code}");
    }
}

/// `success: false` under status 200 and bodies that are no JSON are errors in the service's words, never an empty result.
#[test]
fn s9_failure_under_200_is_failure() {
    for what in [What::SuccessFalse200, What::NotJson200] {
        let workspace = Workspace::new(options());
        workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
        workspace.fault(fault(what.clone(), "GET", "/zones", 100));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(ran.stderr.contains("error: failed to"), "{what:?}: {}", ran.stderr);
        assert_eq!(workspace.writes().len(), 0);
    }
}
