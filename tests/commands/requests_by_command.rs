//! The number of requests that reading a zone takes, by command: the table of `docs/limits.md`.

use serde_json::{Value, json};

use crate::support::workspace::{Workspace, options_on};

const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";

/// Returns a workspace with zones that deploy the OWASP ruleset and have custom rules, and a spec
/// that names the ruleset alone.
fn zones(names: &[&str]) -> Workspace {
    let workspace = Workspace::empty(options_on("business"));
    let deployment = json!({
        "ref": "owasp", "action": "execute", "expression": "true", "enabled": true,
        "action_parameters": { "id": OWASP },
    });
    let rule = json!({ "ref": "a", "action": "block", "expression": "ssl", "enabled": true });
    let entry_point = |phase: &str, rule: &Value| json!({ "phase": phase, "kind": "zone", "name": "default", "rules": [rule] });
    let rulesets = json!([
        entry_point("http_request_firewall_managed", &deployment),
        entry_point("http_request_firewall_custom", &rule),
    ]);
    let zone = |name: &&str| json!({ "name": name, "plan": "business", "records": [], "rulesets": rulesets });
    workspace.plant(&json!({ "zones": names.iter().map(zone).collect::<Vec<_>>() }));
    let zones: Vec<String> =
        names.iter().map(|name| format!("  {name}: {{ waf: {{ owasp: on }} }}\n")).collect();
    workspace.file("spec.yaml", format!("version: 1\nzones:\n{}", zones.concat()));
    workspace
}

/// Returns the paths that a command requests, sorted, with `ID` for every id.
fn paths(workspace: &Workspace, arguments: &[&str]) -> Vec<String> {
    let number = workspace.requests().len();
    workspace.run(arguments).exits(0);
    let is_id = |part: &str| part.len() == 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let shown = |path: &str| {
        let path = path.split('?').next().unwrap_or_default();
        let parts = path.split('/').map(|part| if is_id(part) { "ID" } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    let mut paths: Vec<String> =
        workspace.requests()[number..].iter().map(|request| shown(&request.path)).collect();
    paths.sort();
    paths
}

const LOOKUP: &str = "/zones";
const RECORDS: &str = "/zones/ID/dns_records";
const LIST: &str = "/zones/ID/rulesets";
const RULES: &str = "/zones/ID/rulesets/ID";
const MANAGED: &str = "/zones/ID/rulesets/phases/http_request_firewall_managed/entrypoint";
const CUSTOM: &str = "/zones/ID/rulesets/phases/http_request_firewall_custom/entrypoint";

#[test]
fn one_zone_takes_the_requests_that_the_limits_page_lists() {
    let workspace = zones(&["example.com"]);
    let plan = ["plan", "spec.yaml"];
    assert_eq!(paths(&workspace, &plan), [LOOKUP, RECORDS, LIST, RULES, CUSTOM, MANAGED]);
    // The rules of this version of the ruleset are in the cache.
    let cached = [LOOKUP, RECORDS, LIST, CUSTOM, MANAGED];
    assert_eq!(paths(&workspace, &plan), cached);
    assert_eq!(paths(&workspace, &["drift", "spec.yaml"]), cached);
    let status = paths(&workspace, &["waf", "status", "example.com"]);
    let of_account = "/accounts/ID/rulesets/phases/http_ratelimit/entrypoint";
    assert!(status.contains(&of_account.to_owned()) && status.len() == 8, "{status:?}");
    // The other managed ruleset is in the cache, too.
    assert_eq!(paths(&workspace, &["waf", "status", "example.com"]).len(), 7);
}

#[test]
fn several_zones_share_the_lookup_of_managed_rulesets() {
    let workspace = zones(&["example.com", "example.net", "example.org"]);
    // One page lists all zones.
    let of_all = ["/accounts/ID/rulesets", "/accounts/ID/rulesets/ID", LOOKUP];
    let of_zones = |path: &'static str| [path; 3];
    let plan = paths(&workspace, &["plan", "spec.yaml"]);
    let each = [of_zones(RECORDS), of_zones(MANAGED)].concat();
    assert_eq!(plan, [&of_all[..], &each].concat());
    assert_eq!(paths(&workspace, &["drift", "spec.yaml"]).len(), plan.len() - 1);
}
