//! Someone else changes the rules at the same time: their changes are never lost unnoticed.

use crate::support::workspace::{Workspace, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

const CUSTOM: &str = "http_request_firewall_custom";
const SPEC: &str = "version: 1\nzones:\n  example.com:\n    waf:\n      custom:\n        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }\n";

/// Returns a rule of someone else.
fn block(name: &str) -> Value {
    json!({ "ref": name, "action": "block", "expression": format!("http.host eq \"{name}.org\""), "enabled": true })
}

/// Returns the zone's custom rules by `ref`, as the sandbox has them.
fn rules(workspace: &Workspace) -> Vec<Value> {
    let dump = workspace.dump();
    let rulesets = dump["zones"][0]["rulesets"].as_array().cloned().unwrap_or_default();
    let found = rulesets.into_iter().find(|ruleset| ruleset["phase"] == CUSTOM);
    found.and_then(|ruleset| ruleset["rules"].as_array().cloned()).unwrap_or_default()
}

fn refs(workspace: &Workspace) -> Vec<String> {
    rules(workspace).iter().map(|rule| rule["ref"].as_str().unwrap().to_owned()).collect()
}

/// Returns a zone with these custom rules, or without an entry point.
fn workspace(rules: Option<Value>) -> (Workspace, String) {
    let workspace = Workspace::empty(options_on("business"));
    let entry_point = rules.map(
        |rules| json!({ "id": "e".repeat(32), "phase": CUSTOM, "kind": "zone", "name": "default", "rules": rules }),
    );
    let rulesets: Vec<Value> = entry_point.into_iter().collect();
    workspace.plant(
        &json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [], "rulesets": rulesets }] }),
    );
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    workspace.file("spec.yaml", SPEC);
    (workspace, zone)
}

/// Lets someone else write before the first request of this kind.
fn before(
    workspace: &Workspace,
    (method, suffix): (&str, &str),
    (their, path): (&str, String),
    body: Value,
) {
    let when =
        When::Matching { method: Some(method.to_owned()), path_suffix: suffix.to_owned(), nth: 1 };
    let what = What::AnotherWriter { method: their.to_owned(), path, body };
    workspace.fault(Fault { when, what, times: 1 });
}

#[test]
fn a_change_that_one_request_overwrites_is_told() {
    let mut live = block("a");
    live["id"] = json!("1".repeat(32));
    let (workspace, zone) = workspace(Some(json!([live, block("b")])));
    let path = format!("/zones/{zone}/rulesets/{}/rules/{}", "e".repeat(32), "1".repeat(32));
    let mut theirs = block("a");
    theirs["description"] = json!("made in the meantime");
    before(&workspace, ("PATCH", ""), ("PATCH", path), theirs);
    let ran =
        workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(5);
    assert!(
        ran.stdout.contains("someone else changed the ruleset at the same time"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("the rule a was overwritten; it was")
            && ran.stdout.contains("made in the meantime"),
        "{}",
        ran.stdout
    );
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn a_change_of_another_rule_stays_and_is_told() {
    let mut live = block("a");
    live["id"] = json!("1".repeat(32));
    let (workspace, zone) = workspace(Some(json!([live])));
    let path = format!("/zones/{zone}/rulesets/{}/rules", "e".repeat(32));
    before(&workspace, ("PATCH", ""), ("POST", path), block("theirs"));
    let ran =
        workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(5);
    assert!(ran.stdout.contains("none of that was overwritten"), "{}", ran.stdout);
    assert_eq!(refs(&workspace), ["a", "theirs"]);
}

#[test]
fn an_entry_point_that_someone_makes_first_is_not_replaced() {
    let (workspace, zone) = workspace(None);
    let path = format!("/zones/{zone}/rulesets/phases/{CUSTOM}/entrypoint");
    before(&workspace, ("POST", "/rulesets"), ("PUT", path), json!({ "rules": [block("theirs")] }));
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(4);
    assert!(ran.stdout.contains("someone created the entry point"), "{}", ran.stdout);
    assert_eq!(refs(&workspace), ["theirs"]);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(refs(&workspace), ["theirs", "a"]);
}

/// Without POST of rulesets, PUT erases rules that someone else created at the same time. The rules
/// are restored and reported.
#[test]
fn what_a_put_erased_is_put_back() {
    for (erased, code) in [(false, 0), (true, 5)] {
        let (workspace, zone) = workspace(None);
        let path = format!("/zones/{zone}/rulesets/phases/{CUSTOM}/entrypoint");
        let no_post = json!({ "success": false, "errors": [{ "code": 7001, "message": "Method POST not available for that URI." }], "messages": [], "result": null });
        let when = When::Matching {
            method: Some("POST".to_owned()),
            path_suffix: "/rulesets".to_owned(),
            nth: 1,
        };
        workspace.fault(Fault { when, what: What::Answer { code: 405, body: no_post }, times: 1 });
        if erased {
            before(
                &workspace,
                ("PUT", "/entrypoint"),
                ("PUT", path),
                json!({ "rules": [block("theirs")] }),
            );
        }
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(code);
        assert_eq!(
            ran.stdout.contains("erased and restored, with new ids"),
            erased,
            "{}",
            ran.stdout
        );
        assert_eq!(refs(&workspace), if erased { vec!["theirs", "a"] } else { vec!["a"] });
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    }
}
