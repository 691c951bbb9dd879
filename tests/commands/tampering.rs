//! Manipulated files and responses.

use std::fs;

use crate::support::saved_plans::sealed;
use crate::support::workspace::{Workspace, options};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

/// Returns a workspace with one record, and a saved plan that changes it.
fn planned() -> (Workspace, Value) {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "A", "name": "www.example.com", "content": "192.0.2.1", "ttl": 300 }]),
    );
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }");
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    let text = fs::read_to_string(workspace.path().join("plan.json")).unwrap();
    (workspace, serde_json::from_str(&text).unwrap())
}

/// Requests in a plan file are for readers. The program derives the requests to send from the spec
/// and the live state.
#[test]
fn a_plan_file_cannot_say_what_is_sent() {
    let (workspace, mut plan) = planned();
    let evil = json!({ "method": "DELETE", "path": "/zones/1bb9e8ced726ff0734d94e313f738376", "body": null });
    plan["saved"]["requests"] = json!([evil]);
    workspace.file("plan.json", sealed(plan));
    workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
    let sent: Vec<_> = workspace.writes().iter().map(|r| r.method.clone()).collect();
    assert_eq!(sent, ["POST"], "one batch with one patch");
    assert_eq!(workspace.records("example.com")[0]["ttl"], 600);
}

/// Operations in a plan file are compared one by one with those that its spec gives now.
#[test]
fn a_plan_file_cannot_hide_an_operation_or_add_one() {
    let (workspace, plan) = planned();
    let forgeries: [fn(&mut Value); 3] = [
        |plan| plan["operations"] = json!([]),
        |plan| plan["operations"][0]["after"]["content"] = json!("203.0.113.66"),
        |plan| {
            let mut more = plan["operations"][0].clone();
            more["address"] = json!("example.com/dns/evil/A");
            plan["operations"].as_array_mut().unwrap().push(more);
        },
    ];
    for forge in forgeries {
        let mut forged = plan.clone();
        forge(&mut forged);
        workspace.file("plan.json", sealed(forged));
        workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    }
    assert_eq!(workspace.writes().len(), 0);
}

/// A partly applied plan may have a delete whose successor the plan created. A file that claims
/// this of another delete is refused.
#[test]
fn a_plan_file_cannot_hide_a_delete_behind_its_progress() {
    let workspace = Workspace::new(options());
    workspace
        .plant_records(json!([{ "type": "TXT", "name": "old.example.com", "content": "a text" }]));
    workspace.records_spec(
        "      - { name: old, type: TXT, content: a text, state: absent }\n      - { name: new, type: TXT, content: a text }",
    );
    let plan = ["plan", "spec.yaml", "--out", "plan.json", "--allow-deletes", "1"];
    workspace.run(&plan).exits(0);
    let text = fs::read_to_string(workspace.path().join("plan.json")).unwrap();
    let mut plan: Value = serde_json::from_str(&text).unwrap();
    plan["saved"]["consents"]["deletes"] = Value::Null;
    for operation in plan["operations"].as_array_mut().unwrap() {
        operation["dangers"] = json!([]);
    }
    workspace.file("plan.json", sealed(plan));
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    let created =
        json!({ "type": "TXT", "name": "new.example.com", "content": "a text", "ttl": 1 });
    workspace.write("POST", &format!("/zones/{zone}/dns_records"), &created);
    let ran = workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(4);
    assert!(ran.stderr.contains("it now has a danger that it did not have: delete"), "{ran:?}");
    assert_eq!(workspace.records("example.com").len(), 2);
}

/// A plan file from someone else contains that person's consents: each is named before anything is
/// sent.
#[test]
fn consents_of_a_plan_file_are_named() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1" },
        { "type": "TXT", "name": "www.example.com", "content": "\"in use\"" },
    ]));
    workspace.records_spec("      - { name: www, type: A, state: absent }");
    let consents = ["--allow-deletes", "1", "--allow", "removes-last-address"];
    workspace.run(&[&["plan", "spec.yaml", "--out", "plan.json"], &consents[..]].concat()).exits(0);
    let applied =
        workspace.run(&["apply", "plan.json", "--yes", "--format", "json"]).exits(0).json();
    let codes: Vec<_> =
        applied["consents_given"].as_array().unwrap().iter().map(|c| c["danger"].clone()).collect();
    assert_eq!(codes, ["delete", "removes-last-address"], "{applied}");
}

/// A plan against a snapshot is for reading: it cannot be saved, so it cannot be applied.
#[test]
fn a_snapshot_cannot_become_an_apply() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    workspace
        .run(&[
            "plan",
            "spec.yaml",
            "--against",
            "zonewright.snapshot.json.gz",
            "--out",
            "plan.json",
        ])
        .exits(64);
    workspace.run(&["apply", "zonewright.snapshot.json.gz", "--yes"]).exits(64);
    assert_eq!(workspace.writes().len(), 0);
}

/// A consent in the spec covers only the entry that contains it.
#[test]
fn a_consent_beside_one_record_does_not_cover_another() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "a.example.com", "content": "192.0.2.1", "proxied": true },
        { "type": "A", "name": "b.example.com", "content": "192.0.2.2", "proxied": true },
    ]));
    let spec = |of_b: &str| {
        workspace.records_spec(&format!(
            "      - {{ name: a, type: A, content: 192.0.2.1, proxied: false, allow: {{ exposes-origin: moving }} }}\n      - {{ name: b, type: A, content: 192.0.2.2, proxied: false{of_b} }}"
        ))
    };
    spec("");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    assert!(ran.stdout.contains("public: 1 operation."), "{}", ran.stdout);
    assert_eq!(workspace.writes().len(), 0);
    spec(", allow: { exposes-origin: moving }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
}

/// A policy for one zone does not cover another, and it cannot allow deletes.
#[test]
fn a_policy_covers_what_it_names() {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "A", "name": "a.example.com", "content": "192.0.2.1", "proxied": true }]),
    );
    workspace.records_spec("      - { name: a, type: A, content: 192.0.2.1, proxied: false }");
    let policy = |zones: &str, code: &str| {
        workspace.file(
            ".zonewright-policy.yaml",
            format!("version: 1\nzones:\n  \"{zones}\":\n    allow: {{ {code}: moving }}\n"),
        );
    };
    policy("*.net", "exposes-origin");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    policy("*.com", "delete");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert_eq!(workspace.writes().len(), 0);
    policy("*.com", "exposes-origin");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
}

/// An id in a response is one segment of a path, whatever it contains.
#[test]
fn an_id_in_an_answer_cannot_lead_elsewhere() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    let zone = json!({ "id": "../accounts/x?y=1#", "name": "example.com", "status": "active", "plan": { "legacy_id": "free" },
                       "name_servers": [], "account": { "id": "../../user/tokens" } });
    workspace.fault(Fault {
        when: When::Matching { method: Some("GET".into()), path_suffix: "/zones".into(), nth: 1 },
        what: What::Answer {
            code: 200,
            body: json!({ "success": true, "errors": [], "messages": [], "result": [zone],
                          "result_info": { "page": 1, "per_page": 50, "count": 1, "total_count": 1, "total_pages": 1 } }),
        },
        times: 1,
    });
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    for request in workspace.requests() {
        assert!(request.path.starts_with("/zones") && !request.path.contains(".."), "{request:?}");
    }
    assert_eq!(workspace.writes().len(), 0);
}

/// A file can claim that the plan has already done something that it never contained. Such a claim
/// removes no danger from the remaining operations.
#[test]
fn a_plan_file_cannot_hide_a_danger_behind_progress_that_was_never_planned() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "proxied": true },
        { "type": "TXT", "name": "old.example.com", "content": "a text" },
    ]));
    let plan_of = |records: &str| -> Value {
        workspace.records_spec(records);
        workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
        let text = fs::read_to_string(workspace.path().join("plan.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let exposing = plan_of("      - { name: www, type: A, content: 192.0.2.1, proxied: false }");
    let deleting = plan_of("      - { name: old, type: TXT, content: a text, state: absent }");
    let claims = [
        (
            "exposes-origin",
            &exposing,
            json!({ "address": "example.com/dns/www/A/00000000", "dangers": ["exposes-origin"] }),
        ),
        (
            "delete",
            &deleting,
            json!({ "address": "example.com/dns/old/TXT/00000000", "action": "create", "before": null }),
        ),
        (
            "delete",
            &deleting,
            json!({ "address": "example.com", "kind": "zone", "action": "create", "before": null }),
        ),
    ];
    for (danger, plan, claim) in claims {
        let mut forged = plan.clone();
        let operations = forged["operations"].as_array_mut().unwrap();
        operations[0]["dangers"] = json!([]);
        let mut claimed = operations[0].clone();
        for (name, value) in claim.as_object().unwrap() {
            claimed[name] = value.clone();
        }
        operations.push(claimed);
        workspace.file("plan.json", sealed(forged));
        let ran = workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(4);
        let words = format!("it now has a danger that it did not have: {danger}");
        assert!(ran.stderr.contains(&words), "{claim}: {ran:?}");
    }
    assert_eq!(workspace.writes().len(), 0);
}

/// A claim about a rule of the same phase excuses a weaker rule only where weakening is allowed.
#[test]
fn a_plan_file_cannot_hide_weaker_protection_behind_rules_that_were_never_planned() {
    let workspace = Workspace::new(options());
    let spec = |action: &str| {
        format!(
            "version: 1
zones:
  example.com:
    waf:
      custom:
        - {{ name: a, when: 'http.host eq \"a.example.com\"', action: {action} }}
        - {{ name: b, when: 'http.host eq \"b.example.com\"', action: block }}
"
        )
    };
    workspace.file("spec.yaml", spec("block"));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let before = workspace.writes().len();
    workspace.file("spec.yaml", spec("js_challenge"));
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    let text = fs::read_to_string(workspace.path().join("plan.json")).unwrap();
    let mut forged: Value = serde_json::from_str(&text).unwrap();
    let operations = forged["operations"].as_array_mut().unwrap();
    assert_eq!(operations[0]["dangers"], json!(["weakens-protection"]), "{text}");
    operations[0]["dangers"] = json!([]);
    let mut claimed = operations[0].clone();
    claimed["address"] = json!(claimed["address"].as_str().unwrap().replace("/a", "/b"));
    operations.push(claimed);
    workspace.file("plan.json", sealed(forged));
    let ran = workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(4);
    let words = "it now has a danger that it did not have: weakens-protection";
    assert!(ran.stderr.contains(words), "{ran:?}");
    assert_eq!(workspace.writes().len(), before);
}
