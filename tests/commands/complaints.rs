//! Problems that users of other tools reported, each as a test that is named after its number in
//! our list of complaints.
//!
//! Complaints that only need a plan are cases in tests/cases/plan (`b01-…`, `s1-…`); the tests here
//! need a sandbox.

use crate::support::concurrently::concurrently;
use crate::support::workspace::{Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

fn fault(what: What, method: &str, path: &str, times: u64) -> Fault {
    Fault {
        when: When::Matching { method: Some(method.into()), path_suffix: path.into(), nth: 1 },
        what,
        times,
    }
}

/// The same update every minute: eight values in any order, a hundred plans, all of them empty.
#[test]
fn b04_a_set_of_eight_is_never_an_update() {
    let mut options = options();
    options.profile.list_order = zonewright::sandbox::ListOrder::Hostile;
    let workspace = Workspace::new(options);
    let values: Vec<_> = (1..=8).rev().map(|n| format!("192.0.2.{n}")).collect();
    workspace.records_spec(&format!(
        "      - {{ name: www, type: A, content: [{}] }}",
        values.join(", ")
    ));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    for _ in 0..40 {
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

/// Escapes, quotes and semicolons survive the way there and back; quotes that do not match are
/// refused with a place.
#[test]
fn b21_texts_survive_whole() {
    let workspace = Workspace::new(options());
    let texts = [
        "v=DMARC1; p=none",
        r"back\slash",
        r#"say "hi""#,
        "café",
        r#""a" "" "b""#,
        r#""\034\059\092""#,
        "tab\tinside",
    ];
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
        assert!(
            ran.stderr.contains("spec.yaml:5:") && ran.stderr.contains("quotes"),
            "{}",
            ran.stderr
        );
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

/// A create whose response was lost after it took effect is seen, counted as done, and not
/// repeated.
#[test]
fn b24_a_create_whose_response_was_lost_is_done() {
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

/// An NS record is created before the DS record that needs it, and deleted after it.
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
    let ids: Vec<_> = workspace
        .records("example.com")
        .iter()
        .map(|r| (r["type"].clone(), r["id"].clone()))
        .collect();
    workspace
        .records_spec("      - { name: sub, type: DS, state: absent }\n      - { name: sub, type: NS, state: absent }");
    workspace
        .run(&[
            "apply",
            "spec.yaml",
            "--yes",
            "--allow-deletes",
            "2",
            "--allow",
            "changes-dnssec,breaks-delegation",
        ])
        .exits(0);
    let body = workspace.writes().last().and_then(|r| r.body.clone()).unwrap_or_default();
    let first = &body["deletes"][0]["id"];
    assert!(ids.contains(&(json!("DS"), first.clone())), "{body}");
}

/// A proxied record to an address that Cloudflare does not proxy to: an error with a place, before
/// anything is sent.
#[test]
fn b27_a_target_that_cannot_be_proxied_is_refused_offline() {
    let workspace = Workspace::new(options());
    for address in ["1.1.1.1", "192.168.1.10", "10.0.0.1", "104.16.1.1"] {
        workspace.records_spec(&format!(
            "      - {{ name: x, type: A, content: {address}, proxied: true }}"
        ));
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
        workspace.records_spec(
            "      - { name: www, type: A, content: 192.0.2.1, ttl: 300, proxied: true }",
        );
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        let effective: Vec<_> =
            workspace.writes().into_iter().filter(|r| r.status == Some(200)).collect();
        assert_eq!(effective.len(), 1);
        let body = effective[0].body.clone().unwrap_or_default();
        let record = if batch { body["posts"][0].clone() } else { body };
        assert_eq!((&record["proxied"], &record["ttl"]), (&json!(true), &json!(1)));
    }
}

/// New address: the body has exactly the members of the spec, with either kind of credentials.
#[test]
fn s1_a_new_record_says_what_the_spec_says() {
    let mut options = options();
    options.profile.batch = false;
    let workspace = Workspace::new(options);
    workspace.records_spec(
        "      - { name: www, type: A, content: 192.0.2.10, ttl: 3600, proxied: false }",
    );
    let mut command = workspace.command();
    command.env_remove("CLOUDFLARE_API_TOKEN");
    command
        .env("CLOUDFLARE_EMAIL", zonewright::sandbox::EMAIL)
        .env("CLOUDFLARE_API_KEY", zonewright::sandbox::KEY);
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

/// A listing that Cloudflare refuses is not an empty zone: nothing is created beside what may be
/// there.
#[test]
fn s8_a_refused_listing_stops_everything() {
    for code in [404, 405, 400, 403] {
        let workspace = Workspace::new(options());
        workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
        workspace.fault(fault(
            What::Status { code, html: false, retry_after: None },
            "GET",
            "/dns_records",
            100,
        ));
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert_eq!(workspace.writes().len(), 0, "{code}");
    }
}

/// `success: false` under status 200 and bodies that are no JSON are errors in Cloudflare's words,
/// never an empty result.
#[test]
fn s9_failure_under_200_is_failure() {
    concurrently([What::SuccessFalse200, What::NotJson200], |what| {
        let workspace = Workspace::new(options());
        workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
        workspace.fault(fault(what.clone(), "GET", "/zones", 100));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(ran.stderr.contains("error: failed to"), "{what:?}: {}", ran.stderr);
        assert_eq!(workspace.writes().len(), 0);
    });
}

const MANAGED: &str = "http_request_firewall_managed";
const CUSTOM: &str = "http_request_firewall_custom";
const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const ANOMALY: &str = "6179ae15870a4bb7b2d480d4843b323c";

/// Business zones, and in example.com an entry point of the phase with these rules.
fn with_rules(phase: &str, rules: Option<Value>) -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    if let Some(rules) = rules {
        let entry_point =
            json!({ "phase": phase, "kind": "zone", "name": "default", "rules": rules });
        workspace
            .plant(&json!({ "zones": [{ "name": "example.com", "rulesets": [entry_point] }] }));
    }
    workspace
}

/// Writes a spec of example.com with this `waf` section in flow style.
fn waf_spec(workspace: &Workspace, waf: &Value) {
    let spec = json!({ "version": 1, "zones": { "example.com": { "waf": waf } } });
    workspace.file("spec.yaml", spec.to_string());
}

/// Returns the rules of an entry point, as Cloudflare would dump them.
fn rules(workspace: &Workspace, phase: &str) -> Vec<Value> {
    let rulesets = workspace.dump()["zones"][0]["rulesets"].as_array().cloned().unwrap_or_default();
    let found = rulesets.into_iter().find(|r| r["phase"] == phase).unwrap_or_default();
    found["rules"].as_array().cloned().unwrap_or_default()
}

/// Returns a custom rule as a spec says it.
fn wanted(name: &str) -> Value {
    json!({ "name": name, "when": format!("http.host eq \"{name}.example.com\""), "action": "block" })
}

/// Returns the same rule as Cloudflare has it.
fn live(name: &str) -> Value {
    json!({ "ref": name, "expression": format!("http.host eq \"{name}.example.com\""), "action": "block", "enabled": true })
}

/// Applies, and returns the number of writes. Requires that a second run has nothing to do.
#[track_caller]
fn apply(workspace: &Workspace, arguments: &[&str]) -> usize {
    let before = workspace.writes().len();
    let consent = ["--yes", "--allow", "weakens-protection"];
    workspace.run(&[&["apply", "spec.yaml"], consent.as_slice(), arguments].concat()).exits(0);
    let after = workspace.writes().len();
    let today = arguments
        .iter()
        .position(|a| *a == "--today")
        .map_or(&[] as &[&str], |n| &arguments[n..n + 2]);
    workspace.run(&[&["plan", "spec.yaml", "--detailed-exitcode"], today].concat()).exits(0);
    after - before
}

/// One of five rules is removed, or expires. The others keep their ids, versions and times of
/// change.
#[test]
fn b13_a_rule_in_the_middle_goes_alone() {
    for expires in [false, true] {
        let workspace =
            with_rules(CUSTOM, Some("abcde".chars().map(|c| live(&c.to_string())).collect()));
        let before = rules(&workspace, CUSTOM);
        let mut left = vec![before[0].clone()];
        left.extend_from_slice(&before[2..]);
        let mut list: Vec<Value> = ["a", "c", "d", "e"].map(wanted).to_vec();
        if expires {
            let mut gone = wanted("b");
            gone["expires"] = json!("2029-03-01");
            list.insert(1, gone);
            waf_spec(&workspace, &json!({ "custom": list }));
            assert_eq!(apply(&workspace, &["--today", "2029-03-01"]), 0, "its last day");
            assert_eq!(apply(&workspace, &["--today", "2029-03-02"]), 1);
        } else {
            waf_spec(&workspace, &json!({ "unmanaged": "prune", "custom": list }));
            assert_eq!(apply(&workspace, &["--allow-deletes", "1"]), 1);
        }
        assert_eq!(workspace.writes()[0].method, "DELETE");
        assert_eq!(rules(&workspace, CUSTOM), left);
        // The same for a new rule in the middle: one create.
        list = ["a", "b", "c", "d", "e"].map(wanted).to_vec();
        waf_spec(&workspace, &json!({ "custom": list }));
        assert_eq!(apply(&workspace, &[]), 1);
        let after = rules(&workspace, CUSTOM);
        assert_eq!((&after[0], &after[2..]), (&before[0], &before[2..]));
        assert_eq!(after[1]["ref"], "b");
    }
}

/// A new description keeps the id and `ref` of the rule, which other programs use to find it.
#[test]
fn b14_a_description_keeps_id_and_ref() {
    let workspace = with_rules(CUSTOM, Some(json!([live("a"), live("b")])));
    let before = rules(&workspace, CUSTOM);
    let mut described = wanted("a");
    described["description"] = json!("see the runbook");
    waf_spec(&workspace, &json!({ "custom": [described, wanted("b")] }));
    assert_eq!(apply(&workspace, &[]), 1);
    let after = rules(&workspace, CUSTOM);
    assert_eq!((&after[0]["id"], &after[0]["ref"]), (&before[0]["id"], &before[0]["ref"]));
    assert_eq!((&after[0]["description"], &after[1]), (&json!("see the runbook"), &before[1]));
}

/// Entry points of dashboards, empty or with rules, are no obstacle, and neither is a missing one.
#[test]
fn b15_entry_points_of_others_are_used() {
    for there in [None, Some(json!([])), Some(json!([live("theirs")]))] {
        let workspace = with_rules(CUSTOM, there);
        let before = rules(&workspace, CUSTOM);
        waf_spec(&workspace, &json!({ "custom": [wanted("a")] }));
        assert_eq!(apply(&workspace, &[]), 1);
        assert_eq!(workspace.writes()[0].method, "POST");
        let after = rules(&workspace, CUSTOM);
        assert_eq!((&after[..before.len()], after.len()), (&before[..], before.len() + 1));
    }
}

/// Two teams and a dashboard in one phase: rules that one of them adds between two plans of another
/// stay.
#[test]
fn b16_two_teams_share_a_phase() {
    let workspace = with_rules(CUSTOM, None);
    for team in ["one", "two"] {
        waf_spec(
            &workspace,
            &json!({ "custom": [wanted(&format!("{team}-a")), wanted(&format!("{team}-b"))] }),
        );
        assert_eq!(apply(&workspace, &[]), if team == "one" { 1 } else { 2 });
    }
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "rulesets": [
        { "phase": MANAGED, "kind": "zone", "name": "default", "rules": [
            { "action": "execute", "expression": "true", "action_parameters": { "id": OWASP } } ] } ] }] }));
    let before = rules(&workspace, CUSTOM);
    waf_spec(
        &workspace,
        &json!({ "owasp": { "paranoia": 3 }, "custom": [wanted("one-a"), wanted("one-b"), wanted("one-c")] }),
    );
    assert_eq!(apply(&workspace, &[]), 2);
    let after = rules(&workspace, CUSTOM);
    let names: Vec<_> = after.iter().map(|r| r["ref"].as_str().unwrap_or_default()).collect();
    assert_eq!(names, ["one-a", "one-b", "one-c", "two-a", "two-b"]);
    assert!(before.iter().all(|rule| after.contains(rule)));
}

/// If someone moves a rule below a foreign rule that it must precede, it is moved back, and nothing
/// else is sent.
#[test]
fn b17_an_order_with_foreign_rules_is_kept() {
    let workspace = with_rules(CUSTOM, Some(json!([live("theirs"), live("a")])));
    let before = rules(&workspace, CUSTOM);
    let mut first = wanted("a");
    first["before"] = json!("theirs");
    waf_spec(&workspace, &json!({ "custom": [first] }));
    let plan = workspace
        .run(&["plan", "spec.yaml", "--detailed-exitcode", "--format", "json"])
        .exits(2)
        .json();
    assert_eq!(
        (plan["operations"].as_array().map(Vec::len), &plan["operations"][0]["action"]),
        (Some(1), &json!("move"))
    );
    assert_eq!(apply(&workspace, &[]), 1);
    assert_eq!(
        workspace.writes()[0].body,
        Some(json!({ "position": { "before": before[0]["id"] } }))
    );
    assert_eq!(rules(&workspace, CUSTOM), [before[1].clone(), before[0].clone()]);
}

/// The import of a tuned zone uses the keys of the spec, and a plan of it is empty.
#[test]
fn b18_a_tuned_zone_is_imported() {
    let off = |id: &str| json!({ "id": id, "enabled": false });
    let deployment = json!({ "action": "execute", "expression": "true", "enabled": true, "action_parameters": { "id": OWASP, "overrides": {
        "categories": [{ "category": "paranoia-level-3", "enabled": false }, { "category": "paranoia-level-4", "enabled": false }],
        "rules": [
            off("8ac8bc2a661e475d940980f9317f28e1"), off("5e4903d6afa841c9b88b96203297003f"), off("d12ad6d1bc0c42b3affe0cee682bb405"),
            { "id": ANOMALY, "score_threshold": 25 } ] } } });
    let workspace = with_rules(MANAGED, Some(json!([deployment])));
    let imported = workspace.run(&["import", "example.com"]).exits(0).stdout;
    for words in ["paranoia: 2", "threshold: high", "rule: 911100", "rule: 942430", "rule: 942440"]
    {
        assert!(imported.contains(words), "{words}: {imported}");
    }
    assert!(!imported.contains("raw"), "{imported}");
    workspace.file("spec.yaml", imported);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// Other tools also write that levels and the rule for the score are enabled: no difference, and no
/// obstacle to an import.
#[test]
fn b18_what_is_on_anyway_may_be_said() {
    let category = |n: u8| json!({ "category": format!("paranoia-level-{n}"), "enabled": n < 3 });
    let deployment = json!({ "action": "execute", "expression": "true", "enabled": true, "action_parameters": { "id": OWASP, "overrides": {
        "categories": (1..=4).map(category).collect::<Vec<_>>(),
        "rules": [{ "id": ANOMALY, "enabled": true, "action": "block", "score_threshold": 25 }] } } });
    let workspace = with_rules(MANAGED, Some(json!([deployment])));
    let imported = workspace.run(&["import", "example.com"]).exits(0).stdout;
    for words in ["paranoia: 2", "threshold: high", "action: block"] {
        assert!(imported.contains(words), "{words}: {imported}");
    }
    workspace.file("spec.yaml", imported);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    waf_spec(
        &workspace,
        &json!({ "owasp": { "paranoia": 2, "threshold": "high", "action": "block" } }),
    );
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// A refusal to deploy is shown in Cloudflare's words; a run with records alone is not affected.
#[test]
fn s6_a_refusal_to_deploy_is_shown_as_it_is() {
    let workspace = with_rules(MANAGED, None);
    waf_spec(&workspace, &json!({ "owasp": { "paranoia": 2 } }));
    let answer = json!({ "success": false, "errors": [{ "code": 7001, "message": "Method PUT not available for that URI." }], "messages": [], "result": null });
    for (method, suffix) in [("POST", "/rulesets"), ("PUT", "/entrypoint")] {
        workspace.fault(fault(What::Answer { code: 405, body: answer.clone() }, method, suffix, 9));
    }
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(ran.stdout.contains("Method PUT not available"), "{}\n{}", ran.stdout, ran.stderr);
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    workspace.settles("spec.yaml");
}
