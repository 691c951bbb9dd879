//! `import`: a spec of the live zone. A plan of it is empty, and applied to an empty zone it
//! creates the same state.

use crate::support::workspace::{Workspace, options, options_on};
use serde_json::{Value, json};

const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const CLOUDFLARE: &str = "efb7b8c949ac4650a09736fc376e9aee";
const EXPOSED: &str = "c2e184081120413c86c3ab7e14069605";
const ANOMALY: &str = "6179ae15870a4bb7b2d480d4843b323c";

fn with_zone(records: Value, rulesets: Value) -> Workspace {
    let workspace = Workspace::empty(options_on("business"));
    workspace.plant(
        &json!({ "zones": [{ "name": "example.com", "plan": "business", "records": records, "rulesets": rulesets }] }),
    );
    workspace
}

fn entry_point(phase: &str, rules: Value) -> Value {
    json!({ "phase": phase, "kind": "zone", "name": "default", "rules": rules })
}

/// Imports into `spec.yaml`, and returns the text.
fn import(workspace: &Workspace) -> String {
    let ran = workspace.run(&["import", "example.com"]).exits(0);
    workspace.file("spec.yaml", &ran.stdout);
    ran.stdout
}

/// Imports, and requires that a plan of the import is empty. Applied to an empty zone and imported
/// again, the import is the same spec.
#[track_caller]
fn survives(records: Value, rulesets: Value) -> String {
    let workspace = with_zone(records, rulesets);
    let spec = import(&workspace);
    let plan = workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]);
    assert_eq!(plan.code, Some(0), "{spec}\n{}\n{}", plan.stdout, plan.stderr);
    assert_eq!(workspace.writes().len(), 0);
    let empty = with_zone(json!([]), json!([]));
    empty.file("spec.yaml", &spec);
    empty.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(0);
    assert_eq!(import(&empty), spec);
    spec
}

#[test]
fn records_survive() {
    let spec = survives(
        json!([
            { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "proxied": true },
            { "type": "A", "name": "www.example.com", "content": "192.0.2.2", "proxied": true },
            { "type": "MX", "name": "example.com", "content": "mx.example.net", "priority": 10, "ttl": 3600, "comment": "mail" },
            { "type": "TXT", "name": "example.com", "content": "\"v=spf1 -all\"" },
            { "type": "SRV", "name": "_sip._tcp.example.com", "data": { "priority": 1, "weight": 2, "port": 5060, "target": "sip.example.com" } },
        ]),
        json!([]),
    );
    assert!(!spec.contains("waf:"), "{spec}");
}

/// A zone that was tuned in the dashboard: level 2, threshold 25, some rules off. (Complaint 18.)
#[test]
fn b18_a_tuned_zone_comes_back_in_words() {
    let off = |id: &str| json!({ "id": id, "enabled": false });
    let spec = survives(
        json!([]),
        json!([entry_point(
            "http_request_firewall_managed",
            json!([
                { "action": "execute", "expression": "true", "enabled": true, "action_parameters": { "id": OWASP, "version": "latest", "overrides": {
                    "categories": [{ "category": "paranoia-level-4", "enabled": false }, { "category": "paranoia-level-3", "enabled": false }],
                    "rules": [off("5e4903d6afa841c9b88b96203297003f"), { "id": ANOMALY, "score_threshold": 25, "action": "managed_challenge" }, off("8ac8bc2a661e475d940980f9317f28e1"), off("d12ad6d1bc0c42b3affe0cee682bb405")] } } }
            ])
        )]),
    );
    for part in [
        "paranoia: 2",
        "threshold: high",
        "action: managed_challenge",
        "rule: 942430",
        "rule: 911100",
        "rule: 942440",
    ] {
        assert!(spec.contains(part), "{part}\n{spec}");
    }
    assert!(!spec.contains("raw"), "{spec}");
}

/// Settings for which the spec has no key are kept verbatim, with an explanation.
#[test]
fn unusual_overrides_come_back_verbatim() {
    let strange = [
        // Level 1 off and 2 on: no paranoia level.
        json!({ "categories": [{ "category": "paranoia-level-1", "enabled": false }, { "category": "paranoia-level-3", "enabled": false }] }),
        json!({ "action": "log" }),
        json!({ "enabled": false }),
        json!({ "categories": [{ "category": "paranoia-level-2", "action": "log" }] }),
        json!({ "rules": [{ "id": "5e4903d6afa841c9b88b96203297003f", "action": "log" }] }),
    ];
    for overrides in strange {
        let rule = json!({ "ref": "hand-made", "action": "execute", "expression": "http.host eq \"a.example.com\"", "enabled": true, "action_parameters": { "id": OWASP, "overrides": overrides } });
        let workspace = with_zone(
            json!([]),
            json!([entry_point("http_request_firewall_managed", json!([rule]))]),
        );
        let spec = import(&workspace);
        assert!(spec.contains("raw:"), "{spec}");
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    }
}

#[test]
fn every_kind_of_rule_survives() {
    survives(
        json!([]),
        json!([
            entry_point(
                "http_request_firewall_managed",
                json!([
                    { "ref": "admin", "description": "HTML editor", "action": "skip", "expression": "http.request.uri.path eq \"/admin\"", "action_parameters": { "rules": { OWASP: ["00000000000000000000000000941320", "00000000000000000000000000941160"] } }, "logging": { "enabled": false } },
                    { "ref": "office", "description": "office", "action": "skip", "expression": "ip.src in {192.0.2.0/24}", "action_parameters": { "ruleset": "current" }, "enabled": false },
                    { "ref": "static", "description": "static files", "action": "skip", "expression": "ends_with(http.request.uri.path, \".css\")", "action_parameters": { "rulesets": [OWASP, CLOUDFLARE, EXPOSED] } },
                    { "ref": "cloudflare", "description": "Cloudflare Managed Ruleset", "action": "execute", "expression": "true", "action_parameters": { "id": CLOUDFLARE, "overrides": { "categories": [{ "category": "wordpress", "action": "block" }, { "category": "php", "enabled": false }], "rules": [{ "id": "d9e350f1b72d4730899c8a420e48a85d", "enabled": false, "action": "log" }] } } },
                    { "ref": "owasp", "description": "Cloudflare OWASP Core Ruleset", "action": "execute", "expression": "not http.host eq \"x.example.com\"", "action_parameters": { "id": OWASP } },
                ])
            ),
            entry_point(
                "http_request_firewall_custom",
                json!([
                    { "ref": "scan", "description": "scanners", "action": "block", "expression": "lower(http.user_agent) contains \"sqlmap\"", "action_parameters": { "response": { "status_code": 451, "content": "no", "content_type": "text/plain" } } },
                    { "ref": "pass", "description": "partners", "action": "skip", "expression": "ip.src eq 192.0.2.9", "action_parameters": { "phases": ["http_ratelimit", "http_request_firewall_managed"], "products": ["bic"] } },
                    { "ref": "cred", "action": "managed_challenge", "expression": "http.request.uri.path eq \"/login\"", "exposed_credential_check": { "username_expression": "url_decode(http.request.body.form[\"u\"][0])", "password_expression": "url_decode(http.request.body.form[\"p\"][0])" } },
                ])
            ),
            entry_point(
                "http_ratelimit",
                json!([
                    { "ref": "login", "description": "login", "action": "block", "expression": "http.request.uri.path eq \"/login\"", "ratelimit": { "characteristics": ["ip.src", "cf.colo.id"], "period": 60, "requests_per_period": 5, "mitigation_timeout": 600 } },
                ])
            ),
        ]),
    );
}

/// Rules without a `ref` are recognised by their content.
#[test]
fn rules_without_a_name_are_recognised() {
    let workspace = with_zone(
        json!([]),
        json!([entry_point(
            "http_request_firewall_custom",
            json!([
                { "description": "Block Scanners!", "action": "block", "expression": "lower(http.user_agent) contains \"sqlmap\"" },
                { "action": "block", "expression": "ip.src eq 192.0.2.1" },
            ])
        )]),
    );
    let spec = import(&workspace);
    assert!(spec.contains("name: block-scanners"), "{spec}");
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert_eq!(workspace.writes().len(), 0);
}

/// A zone that does not exist, and credentials that may not read.
#[test]
fn what_cannot_be_read_is_an_error() {
    let workspace = with_zone(json!([]), json!([]));
    let ran = workspace.run(&["import", "example.net"]).exits(1);
    assert!(ran.stderr.contains("the zone example.net does not exist") && ran.stdout.is_empty());
    workspace.run(&["import", "not a zone"]).exits(1);
    let only = workspace.run(&["import", "example.com", "--only-dns"]).exits(0);
    assert!(only.stdout.contains("records: []"), "{}", only.stdout);
}

/// Values that the parser does not know yet, or that have no effect, do not break an import.
#[test]
fn what_is_not_understood_is_kept_or_left_alone() {
    let workspace = with_zone(
        json!([]),
        json!([
            entry_point(
                "http_request_firewall_managed",
                json!([
                    { "ref": "owasp", "action": "execute", "expression": "http.host resembles \"x\"", "action_parameters": { "id": OWASP } },
                    { "ref": "late", "action": "skip", "expression": "ssl", "action_parameters": { "ruleset": "current" } },
                ])
            ),
            entry_point(
                "http_request_firewall_custom",
                json!([
                    { "ref": "new", "action": "block", "expression": "http.host resembles \"y\"" },
                    { "ref": "numbers", "action": "block", "expression": "ssl", "x_unknown": { "a": 2.5, "b": 1e30, "c": [0.1] } },
                ])
            ),
        ]),
    );
    let ran = workspace.run(&["import", "example.com"]).exits(0);
    assert!(
        ran.stderr.contains("late comes after what it bypasses")
            && ran.stdout.contains("expression: http.host resembles \"x\""),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(ran.stdout.contains("raw:") && !ran.stdout.contains("late"), "{}", ran.stdout);
    workspace.file("spec.yaml", &ran.stdout);
    let plan = workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]);
    assert_eq!(plan.code, Some(0), "{}\n{}\n{}", ran.stdout, plan.stdout, plan.stderr);
}

/// A zone for a part of a network has a slash in its name (RFC 2317); a path begins with `./`,
/// `../` or `/`, or exists.
#[test]
fn a_zone_with_a_slash_is_live_unless_it_is_a_file() {
    let name = "0/25.2.0.192.in-addr.arpa";
    let workspace = Workspace::empty(options());
    let pointer =
        json!({ "type": "PTR", "name": format!("1.{name}"), "content": "www.example.com" });
    workspace.plant(&json!({ "zones": [{ "name": name, "records": [pointer] }] }));
    let ran = workspace.run(&["import", name]).exits(0);
    assert!(
        ran.stdout.contains(&format!("  \"{name}\":")) && ran.stdout.contains("type: PTR"),
        "{ran:?}"
    );
    for path in ["./0/25", "../0/25", "/0/25"] {
        let ran = workspace.run(&["import", path, "--offline"]).exits(1);
        assert!(ran.stderr.contains("IMPORT0001"), "{}", ran.stderr);
    }
    // In other names, a slash makes a path, whether it exists or not.
    for path in ["zones/absent.yaml", "dns/example.com"] {
        let ran = workspace.run(&["import", path]).exits(1);
        let words = "a source with a slash is a path; name a live zone as `example.com`";
        assert!(
            ran.stderr.contains(&format!("{path}: ")) && ran.stderr.contains(words),
            "{}",
            ran.stderr
        );
    }
    // Without credentials, too.
    workspace.file("terraform.tfstate", "{}");
    let ran = crate::support::workspace::binary(workspace.path())
        .args(["import", "terraform.tfstate"])
        .output()
        .unwrap();
    let ran = crate::support::workspace::Ran::from(ran).exits(1);
    assert!(
        ran.stderr.contains("write ./terraform.tfstate to import the file of this name"),
        "{}",
        ran.stderr
    );
    workspace.file("zones/example.com.yaml", "www: { type: A, value: 192.0.2.1 }\n");
    let ran = workspace.run(&["import", "zones/example.com.yaml", "--offline"]).exits(0);
    assert!(ran.stdout.contains("name: www"), "{}", ran.stdout);
}
