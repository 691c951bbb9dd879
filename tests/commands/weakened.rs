//! The protection is weaker than the spec promises, although nothing that the spec names differs:
//! `drift` reports it, `plan` and `apply` show it, and the spec can accept or fix it.

use crate::support::workspace::{Ran, Workspace, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

const MANAGED: &str = "http_request_firewall_managed";
const CUSTOM: &str = "http_request_firewall_custom";
const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const ANOMALY: &str = "6179ae15870a4bb7b2d480d4843b323c";
const CLOUDFLARE: &str = "efb7b8c949ac4650a09736fc376e9aee";

/// Returns a zone with these rules, and a spec with this section.
fn zone(rulesets: &[(&str, Value)], section: &str) -> Workspace {
    let workspace = Workspace::empty(options_on("business"));
    let entry_point = |(phase, rules): &(&str, Value)| json!({ "phase": phase, "kind": "zone", "name": "default", "rules": rules });
    let rulesets: Vec<Value> = rulesets.iter().map(entry_point).collect();
    workspace.plant(
        &json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [], "rulesets": rulesets }] }),
    );
    spec(&workspace, section);
    workspace
}

/// Writes a spec with this section.
fn spec(workspace: &Workspace, section: &str) {
    let lines: Vec<String> = section.lines().map(|line| format!("      {line}\n")).collect();
    workspace.file(
        "spec.yaml",
        format!("version: 1\nzones:\n  example.com:\n    waf:\n{}", lines.concat()),
    );
}

/// Returns a deployment of the OWASP ruleset.
fn owasp(overrides: Value) -> Value {
    let mut parameters = json!({ "id": OWASP });
    if !overrides.is_null() {
        parameters["overrides"] = overrides;
    }
    let action = "execute";
    json!({ "ref": "owasp", "action": action, "expression": "true", "enabled": true, "action_parameters": parameters })
}

/// Returns the Cloudflare Managed Ruleset, deployed as it is.
fn cloudflare() -> Value {
    json!({ "ref": "cloudflare", "action": "execute", "expression": "true", "enabled": true, "action_parameters": { "id": CLOUDFLARE } })
}

/// Returns an override of the threshold.
fn threshold(value: u32) -> Value {
    json!({ "rules": [{ "id": ANOMALY, "score_threshold": value }] })
}

/// Returns a rule that skips others.
fn skip(name: &str, expression: &str, parameters: Value) -> Value {
    json!({ "ref": name, "action": "skip", "expression": expression, "action_parameters": parameters, "enabled": true })
}

#[track_caller]
fn drift(workspace: &Workspace, code: i32) -> Value {
    workspace.run(&["drift", "spec.yaml", "--format", "json"]).exits(code).json()
}

/// Requires that the plan and `apply` have nothing to do and end with their usual codes.
#[track_caller]
fn keeps_its_codes(workspace: &Workspace) -> Ran {
    let plan =
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode", "--format", "json"]).exits(0);
    assert_eq!(plan.json()["verdict"], "in-sync");
    let shown = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(shown.stderr.contains("PLAN0052"), "{shown:?}");
    let applied = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(applied.stderr.contains("PLAN0052"), "{applied:?}");
    shown
}

#[test]
fn a_loosened_threshold_is_drift() {
    let workspace = zone(&[(MANAGED, json!([owasp(threshold(100))]))], "owasp: on");
    let report = drift(&workspace, 2);
    let [finding] = &report["findings"].as_array().unwrap()[..] else { panic!("{report:#}") };
    assert_eq!(
        (&finding["state"], &finding["kind"], &finding["name"]),
        (&json!("weakened"), &json!("waf_rule"), &json!("owasp"))
    );
    assert_eq!(
        (&finding["promised"], &finding["live"]),
        (&json!("the threshold is at most 60"), &json!("it is 100"))
    );
    assert_eq!((&finding["cause"], &finding["rules"]["lost"]), (&json!([ANOMALY]), &json!(0)));
    assert_eq!(
        finding["shortfalls"][0]["accept"],
        "{ key: threshold, is: 100, ruleset: owasp, reason: … }"
    );
    assert_eq!(finding.get("action"), None, "there is no operation");
    assert_eq!(
        (&report["summary"]["weakened"], &report["summary"]["in-sync"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(report["verdict"], "drift");
    let text = workspace.run(&["drift", "spec.yaml"]).exits(2).stdout;
    assert!(text.contains("  weakened     weaker than the spec says: waf owasp\n"), "{text}");
    assert!(
        text.contains("the threshold is at most 60") && text.contains("Drift: 1 weakened"),
        "{text}"
    );
    let markdown = workspace.run(&["drift", "spec.yaml", "--format", "markdown"]).exits(2).stdout;
    assert!(markdown.contains("#### 1 weakened") && markdown.contains("at most 60"), "{markdown}");
    let tolerated = workspace
        .run(&["drift", "spec.yaml", "--fail-on", "drifted", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(tolerated["verdict"], "tolerated");
    keeps_its_codes(&workspace);
    let metrics = workspace.run(&["drift", "spec.yaml", "--metrics", "m.prom"]).exits(2);
    let metrics = (metrics, std::fs::read_to_string(workspace.path().join("m.prom")).unwrap()).1;
    assert!(
        metrics.contains("zonewright_drift_objects{zone=\"example.com\",state=\"weakened\"} 1"),
        "{metrics}"
    );
    let diff = workspace.run(&["waf", "rules", "--changes", "spec.yaml"]).exits(0).stdout;
    assert!(!diff.contains("in effect as wanted") && diff.contains("at most 60"), "{diff}");
}

/// A base that had the same section does not make it known.
#[test]
fn a_base_does_not_hide_it() {
    let workspace = zone(&[(MANAGED, json!([owasp(threshold(100))]))], "owasp: on");
    workspace
        .file("before.yaml", std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap());
    let ran = workspace.run(&["plan", "spec.yaml", "--base", "./before.yaml"]).exits(0);
    assert!(ran.stderr.contains("PLAN0052"), "{ran:?}");
    workspace.run(&["drift", "spec.yaml", "--base", "./before.yaml"]).exits(2);
}

#[test]
fn each_way_out_ends_it() {
    let live = || zone(&[(MANAGED, json!([owasp(threshold(100))]))], "owasp: on");
    let clean = |workspace: &Workspace| {
        let report = drift(workspace, 0);
        assert_eq!((&report["verdict"], &report["findings"]), (&json!("in-sync"), &json!([])));
    };
    // Stated.
    let workspace = live();
    spec(&workspace, "owasp: { threshold: 100 }");
    clean(&workspace);
    // Taken over.
    let workspace = live();
    workspace.run(&["pull", "spec.yaml", "--yes"]).exits(0);
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    assert!(text.contains("threshold: 100"), "{text}");
    clean(&workspace);
    // Pruned.
    let workspace = live();
    spec(&workspace, "unmanaged: prune\nowasp: on");
    let report = drift(&workspace, 2);
    assert_eq!(
        (&report["summary"]["weakened"], &report["summary"]["unknown"]),
        (&json!(0), &json!(1))
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    clean(&workspace);
    // Accepted, until another value or the last day.
    let workspace = live();
    spec(
        &workspace,
        "owasp: on\naccept: [{ key: threshold, is: 100, reason: load test, expires: 2999-01-01 }]",
    );
    clean(&workspace);
    spec(&workspace, "owasp: on\naccept: [{ key: threshold, is: 90, reason: load test }]");
    drift(&workspace, 2);
    spec(
        &workspace,
        "owasp: on\naccept: [{ key: threshold, is: 100, reason: load test, expires: 2001-01-01 }]",
    );
    let report = drift(&workspace, 2);
    assert!(
        report["diagnostics"].as_array().unwrap().iter().any(|d| d["code"] == "WAF0022"),
        "{report:#}"
    );
    // Undone.
    let workspace = zone(&[(MANAGED, json!([owasp(threshold(60))]))], "owasp: on");
    clean(&workspace);
}

#[test]
fn pull_writes_rules_and_exceptions() {
    let rules = json!([
        skip("gate", "true", json!({ "ruleset": "current" })),
        owasp(
            json!({ "categories": [{ "category": "paranoia-level-3", "enabled": false }, { "category": "paranoia-level-4", "enabled": false }],
                      "rules": [{ "id": ANOMALY, "score_threshold": 40, "action": "log" }] })
        ),
    ]);
    let workspace = zone(&[(MANAGED, rules)], "owasp: on   # the ruleset");
    assert_eq!(drift(&workspace, 2)["summary"]["weakened"], 1);
    let ran = workspace.run(&["pull", "spec.yaml", "--yes"]).exits(0);
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    for words in [
        "paranoia: 2",
        "action: log",
        "exceptions:",
        "name: gate",
        "skip: everything",
        "reason:",
        "# the ruleset",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}\n{ran:?}");
    }
    drift(&workspace, 0);
    let again = workspace.run(&["pull", "spec.yaml", "--yes"]).exits(0);
    assert!(again.stdout.contains("Nothing to take over"), "{again:?}");
}

/// A rule in front of two rulesets is written once; one between them, whose place an exception
/// cannot have, is left.
#[test]
fn pull_writes_a_skip_of_two_rulesets_once() {
    let gate = || skip("gate", "true", json!({ "ruleset": "current" }));
    let both = "owasp: on\ncloudflare: on";
    let workspace = zone(&[(MANAGED, json!([gate(), cloudflare(), owasp(Value::Null)]))], both);
    workspace.run(&["pull", "spec.yaml", "--yes"]).exits(0);
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    assert_eq!(text.matches("name: gate").count(), 1, "{text}");
    drift(&workspace, 0);

    let workspace = zone(&[(MANAGED, json!([cloudflare(), gate(), owasp(Value::Null)]))], both);
    let ran = workspace.run(&["pull", "spec.yaml", "--yes"]);
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    assert!(!text.contains("gate"), "{text}");
    assert!(ran.stderr.contains("it would free requests from the rulesets before it"), "{ran:?}");
}

/// The last tag of a rule decides, and a new entry is after those of the spec. An entry that has to
/// be first is not written; the message has its text.
#[test]
fn pull_says_where_a_tag_has_to_stand() {
    let with = |tags: Value| {
        let mut rule = cloudflare();
        rule["action_parameters"]["overrides"] = json!({ "categories": tags });
        let section = "cloudflare:\n  tags:\n    - { tag: wordpress, action: block }";
        zone(&[(MANAGED, json!([rule]))], section)
    };
    let php = || json!({ "category": "php", "enabled": false });
    let wordpress = || json!({ "category": "wordpress", "action": "block" });
    let text = |workspace: &Workspace| {
        std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap()
    };
    let workspace = with(json!([php(), wordpress()]));
    assert_eq!(drift(&workspace, 2)["summary"]["weakened"], 1);
    let ran = workspace.run(&["pull", "spec.yaml", "--yes"]);
    assert!(!text(&workspace).contains("php"), "{ran:?}");
    let words = "in front of wordpress below `cloudflare`: { ";
    assert!(ran.stderr.contains(words) && ran.stderr.contains("tag: php"), "{ran:?}");
    let own = "- { tag: php, enabled: false, reason: x }\n    - { tag: wordpress, action: block }";
    spec(&workspace, &format!("cloudflare:\n  tags:\n    {own}"));
    drift(&workspace, 0);

    let workspace = with(json!([wordpress(), php()]));
    assert_eq!(drift(&workspace, 2)["summary"]["weakened"], 1);
    workspace.run(&["pull", "spec.yaml", "--yes"]).exits(0);
    assert!(text(&workspace).contains("php"));
    drift(&workspace, 0);
}

/// The parts that an exception bypasses are accepted in the words of the spec as well; other words
/// are refused.
#[test]
fn a_skip_is_accepted_by_the_names_of_rulesets() {
    let gate = skip("gate", "true", json!({ "rulesets": [OWASP] }));
    let workspace = zone(&[(MANAGED, json!([gate, owasp(Value::Null)]))], "owasp: on");
    drift(&workspace, 2);
    let accept = |skip: &str| {
        let entry = format!("{{ rule: gate, is: {{ when: all, skip: {skip} }}, reason: x }}");
        spec(&workspace, &format!("owasp: on\naccept: [{entry}]"));
    };
    let by_id = format!("{{ rulesets: [{OWASP}] }}");
    for words in ["{ ruleset: owasp }", "{ rulesets: [owasp] }", &by_id] {
        accept(words);
        drift(&workspace, 0);
    }
    for words in ["{ owasp: [942100] }", "{ ruleset: cloudflare }"] {
        accept(words);
        let code = if words.contains("cloudflare") { 0 } else { 1 };
        workspace.run(&["validate", "spec.yaml"]).exits(code);
    }
    drift(&workspace, 2);
}

/// The custom rules are read where the list of rulesets, which is read anyway, has them, and not
/// otherwise.
#[test]
fn a_skip_among_the_custom_rules_is_found_with_one_request() {
    let managed = || {
        (MANAGED, json!([owasp(json!({ "rules": [{ "id": ANOMALY, "score_threshold": 40 }] }))]))
    };
    let made =
        |workspace: &Workspace, code| drift(workspace, code)["requests"]["made"].as_u64().unwrap();
    let without = zone(&[managed()], "owasp: on");
    let phases = json!({ "phases": [MANAGED] });
    let gate = skip("gate", "true", phases.clone());
    let with = zone(&[managed(), (CUSTOM, json!([gate]))], "owasp: on");
    assert_eq!(made(&with, 2), made(&without, 0) + 1);
    let report = drift(&with, 2);
    assert_eq!(report["findings"][0]["state"], "weakened");
    assert!(
        report["findings"][0]["live"].as_str().unwrap().contains("all requests bypass"),
        "{report:#}"
    );
    let office = skip("office", "ip.src in {192.0.2.0/24}", phases);
    drift(&zone(&[managed(), (CUSTOM, json!([office]))], "owasp: on"), 0);
    workspace_pull(&with);
}

/// Requires that custom rules which let requests skip the ruleset are taken over with it.
fn workspace_pull(workspace: &Workspace) {
    workspace.run(&["pull", "spec.yaml", "--yes"]).exits(0);
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    assert!(text.contains("custom:") && text.contains("name: gate"), "{text}");
    drift(workspace, 0);
}

/// An unreadable part is reported. It is neither an error nor a confirmation.
#[test]
fn what_cannot_be_read_is_not_known() {
    let gate = skip("gate", "true", json!({ "phases": [MANAGED] }));
    let managed = json!([owasp(Value::Null)]);
    let workspace = zone(&[(MANAGED, managed), (CUSTOM, json!([gate]))], "owasp: on");
    let refuse = || {
        let body = json!({ "success": false, "errors": [{ "message": "request is not authorized" }], "result": null });
        let path_suffix = format!("/phases/{CUSTOM}/entrypoint");
        let when = When::Matching { method: Some("GET".into()), path_suffix, nth: 1 };
        workspace.fault(Fault { when, what: What::Answer { code: 403, body }, times: 1 });
    };
    refuse();
    let report = drift(&workspace, 0);
    let not_known = report["zones"][0]["not_known"][0].as_str().unwrap();
    assert!(not_known.contains("could not be read") && not_known.contains("403"), "{not_known}");
    refuse();
    let text = workspace.run(&["drift", "spec.yaml"]).exits(0).stdout;
    assert!(text.contains("not known of owasp"), "{text}");
    refuse();
    let plan = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(plan.stderr.contains("WAF0035"), "{plan:?}");
}

#[test]
fn accept_is_checked_with_its_place() {
    let workspace = zone(&[], "owasp: on");
    for (entry, code, words) in [
        ("{ key: threshold, is: 100 }", "WAF0012", "nothing says why"),
        ("{ key: threshold, reason: x }", "SPEC0021", "`is` is missing"),
        ("{ key: threshold, is: high-ish, reason: x }", "WAF0032", "no value of `threshold`"),
        ("{ key: paranoia, is: 1, reason: x }", "WAF0032", "no key that can be accepted"),
        (
            "{ key: threshold, override: 942100, is: 100, reason: x }",
            "WAF0032",
            "accepts one thing",
        ),
        ("{ is: 100, reason: x }", "WAF0032", "accepts one thing"),
        ("{ rule: gate, is: 'true', reason: x }", "WAF0032", "what it matches and skips"),
        ("{ rule: gate, is: { when: all }, reason: x }", "WAF0032", "what it matches and skips"),
        ("{ override: 942100, is: maybe, reason: x }", "WAF0032", "no value of an override"),
        (
            "{ key: threshold, is: 100, ruleset: nginx, reason: x }",
            "WAF0032",
            "no ruleset of this section",
        ),
        (
            "{ key: threshold, is: 100, reason: x }, { key: threshold, is: 90, reason: y }",
            "WAF0033",
            "accepted already",
        ),
        ("{ keys: threshold, is: 100, reason: x }", "SPEC", "keys"),
    ] {
        spec(&workspace, &format!("owasp: on\naccept: [{entry}]"));
        let ran = workspace.run(&["validate", "spec.yaml"]).exits(1);
        assert!(ran.stderr.contains(code) && ran.stderr.contains(words), "{entry}: {}", ran.stderr);
        assert!(ran.stderr.contains("spec.yaml:6"), "{entry}: {}", ran.stderr);
    }
}

/// Returns two zones of one account with the same rules, and a spec with this section for both.
fn two_zones(custom: Option<Value>, section: &str) -> Workspace {
    let workspace = Workspace::empty(options_on("business"));
    let entry_point = |phase: &str, rules: Value| json!({ "phase": phase, "kind": "zone", "name": "default", "rules": rules });
    let mut rulesets = vec![entry_point(MANAGED, json!([owasp(Value::Null)]))];
    rulesets.extend(custom.map(|rules| entry_point(CUSTOM, rules)));
    let zone = |name: &str| json!({ "name": name, "plan": "business", "records": [], "rulesets": rulesets });
    workspace.plant(&json!({ "zones": [zone("example.com"), zone("example.net")] }));
    let lines: Vec<String> = section.lines().map(|line| format!("      {line}\n")).collect();
    let one = |name: &str| format!("  {name}:\n    waf:\n{}", lines.concat());
    let text = format!("version: 1\nzones:\n{}{}", one("example.com"), one("example.net"));
    workspace.file("spec.yaml", text);
    workspace
}

fn codes(report: &Value) -> Vec<&str> {
    report["diagnostics"].as_array().unwrap().iter().filter_map(|d| d["code"].as_str()).collect()
}

/// A run over several zones reads the list of the account, which does not name the zones with
/// custom rules. The run reads nothing more, and both the plan and the drift report have a note. A
/// single zone is read.
#[test]
fn custom_rules_of_several_zones_are_not_read_and_every_command_says_so() {
    let gate = json!([skip("gate", "true", json!({ "phases": [MANAGED] }))]);
    let (with, without) = (two_zones(Some(gate), "owasp: on"), two_zones(None, "owasp: on"));
    let made = |workspace: &Workspace, command: &str| {
        let report = workspace.run(&[command, "spec.yaml", "--format", "json"]).exits(0).json();
        let notes: Vec<&str> =
            codes(&report).into_iter().filter(|code| *code == "WAF0038").collect();
        assert_eq!(notes, ["WAF0038"], "{report:#}");
        report["requests"]["made"].as_u64().unwrap()
    };
    for command in ["plan", "drift"] {
        assert_eq!(made(&with, command), made(&without, command));
    }
    let note = with.run(&["plan", "spec.yaml", "-v"]).exits(0).stderr;
    assert!(
        note.contains("the custom rules of 2 zones were not read: example.com, example.net"),
        "{note}"
    );
    assert!(with.run(&["drift", "spec.yaml"]).exits(0).stdout.contains("were not read in 2 zones"));
    for command in ["plan", "drift"] {
        let code = i32::from(command == "drift") * 2;
        let one = with
            .run(&[command, "spec.yaml", "--zone", "example.com", "--format", "json"])
            .exits(code)
            .json();
        let is_weakened = codes(&one).contains(&"PLAN0052") || one["summary"]["weakened"] == 1;
        assert!(is_weakened && !codes(&one).contains(&"WAF0038"), "{one:#}");
    }
    // The phases that the section names are always read.
    let named = two_zones(None, "owasp: on\ncustom: []");
    let plan = named.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert!(!codes(&plan).contains(&"WAF0038"), "{plan:#}");
}

/// `waf status` knows no spec, and compares with the floor of `on`.
#[test]
fn the_live_protection_is_compared_with_the_floor() {
    let workspace = zone(&[(MANAGED, json!([owasp(threshold(100))]))], "owasp: on");
    let shown =
        |workspace: &Workspace| workspace.run(&["waf", "status", "example.com"]).exits(0).stdout;
    let text = shown(&workspace);
    assert!(
        text.contains("below floor promised: the threshold is at most 60; live: it is 100"),
        "{text}"
    );
    let json = workspace.run(&["waf", "status", "example.com", "--format", "json"]).exits(0).json();
    let below: Vec<&Value> = json["zones"][0]["rulesets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ruleset| &ruleset["below_floor"])
        .collect();
    assert_eq!(
        below.iter().map(|list| list.as_array().unwrap().len()).sum::<usize>(),
        1,
        "{json:#}"
    );
    let workspace = zone(&[(MANAGED, json!([owasp(threshold(60))]))], "owasp: on");
    assert!(!shown(&workspace).contains("below floor"));
}

/// `validate` finds entries that can match nothing, with their place.
#[test]
fn entries_that_can_match_nothing_are_found_offline() {
    let workspace = zone(&[], "owasp: on");
    let found = |section: &str| {
        spec(&workspace, section);
        let json = workspace.run(&["validate", "spec.yaml", "--format", "json"]).exits(0).json();
        let all = json["diagnostics"].as_array().unwrap().clone();
        all.into_iter().filter(|d| d["code"] == "LINT0023").collect::<Vec<_>>()
    };
    for (section, entry, words) in [
        ("owasp: on", "key: threshold, is: 60", "never reported"),
        ("owasp: on", "key: threshold, is: high", "never reported"),
        ("owasp: { threshold: 40 }", "key: threshold, is: 100", "states `threshold`"),
        ("cloudflare: on", "key: threshold, is: 100", "no threshold"),
        (
            "owasp: on",
            "key: threshold, is: 100, ruleset: cloudflare",
            "promises nothing of `cloudflare`",
        ),
        ("owasp: off", "key: threshold, is: 100", "promises nothing"),
        ("custom: []", "key: enabled, is: false", "promises nothing"),
        ("owasp: on", "key: action, is: block", "never reported"),
        ("owasp: { action: block }", "key: action, is: log", "states `action`"),
        ("cloudflare: on", "key: action, is: js_challenge", "never reported"),
        ("owasp: on", "key: when, is: 'true'", "matches all requests"),
        ("owasp: on", "key: when, is: 'http.host whatever ('", "cannot be compared"),
        ("owasp: on", "override: paranoia-level-3, is: off", "paranoia level 3"),
        ("owasp: on", "override: 942100, is: log", "only `off`"),
        ("owasp: on", "override: 949110, is: block", "never reported"),
        (
            "owasp: { disable: [{ rule: 942100, reason: x }] }",
            "override: 942100, is: off",
            "states `942100`",
        ),
        ("cloudflare: on", "override: wordpress, is: block", "never reported"),
        (
            "owasp: on",
            "rule: gate, is: { when: 'ip.src in {192.0.2.1}', skip: everything }",
            "certain clients",
        ),
        ("owasp: on", "rule: gate, is: { when: 'false', skip: everything }", "matches no request"),
        (
            "owasp: on",
            "rule: gate, is: { when: 'http.host whatever (', skip: everything }",
            "cannot be compared",
        ),
        (
            "owasp: on",
            "rule: gate, is: { when: all, skip: { phases: [http_ratelimit] } }",
            "skip `owasp`",
        ),
        ("owasp: on", "rule: gate, is: { when: all, skip: { products: [waf] } }", "skip `owasp`"),
        (
            "owasp: on\nexceptions: [{ name: gate, when: all, skip: everything, reason: x }]",
            "rule: gate, is: { when: all, skip: everything }",
            "the rule `gate` itself",
        ),
    ] {
        let found = found(&format!("{section}\naccept:\n  - {{ {entry}, reason: x }}"));
        let [finding] = &found[..] else { panic!("{section} {entry}: {found:#?}") };
        let text = finding.to_string();
        assert!(text.contains(words), "{entry}: {text}");
        let line = 6 + section.lines().count();
        assert!(finding["line"] == line && finding["column"].as_u64() > Some(1), "{finding:#}");
    }
    for (section, entry) in [
        ("owasp: on", "key: threshold, is: 61"),
        ("owasp: on\ncloudflare: on", "key: threshold, is: 100"),
        ("owasp: on", "key: action, is: log"),
        ("owasp: { action: block }\ncloudflare: on", "key: action, is: log"),
        ("owasp: on", "key: enabled, is: false"),
        ("owasp: on", "key: when, is: 'http.host eq \"a.example.com\"'"),
        ("owasp: { paranoia: 3 }", "override: paranoia-level-3, is: off"),
        ("owasp: on", "override: owasp-sqli, is: off"),
        ("owasp: on", "override: 949110, is: log"),
        ("owasp: { disable: [{ rule: 942100, reason: x }] }", "override: 942110, is: off"),
        (
            "cloudflare: { tags: [{ tag: drupal, action: block }] }",
            "override: wordpress, is: js_challenge",
        ),
        ("cloudflare: on", "override: wordpress, is: log"),
        ("owasp: on", "rule: gate, is: { when: all, skip: everything }"),
        (
            "owasp: on",
            "rule: gate, is: { when: ssl, skip: { phases: [http_request_firewall_managed] } }",
        ),
    ] {
        let found = found(&format!("{section}\naccept:\n  - {{ {entry}, reason: x }}"));
        assert!(found.is_empty(), "{section} {entry}: {found:#?}");
    }
    // The last day is over.
    spec(
        &workspace,
        "owasp: on\naccept: [{ key: threshold, is: 100, reason: x, expires: 2001-01-01 }]",
    );
    let ran = workspace.run(&["validate", "spec.yaml"]).exits(0);
    assert!(
        ran.stderr.contains("WAF0022") && ran.stderr.contains("is reported again"),
        "{}",
        ran.stderr
    );
}

/// With `waf.lock`, `validate` knows which rules exist.
#[test]
fn rules_that_are_not_in_the_lock_are_found_offline() {
    let workspace = zone(&[(MANAGED, json!([owasp(Value::Null)]))], "owasp: on");
    let entry =
        |rule: &str| format!("owasp: on\naccept: [{{ override: {rule}, is: off, reason: x }}]");
    let validated = |rule: &str| {
        spec(&workspace, &entry(rule));
        workspace.run(&["validate", "spec.yaml"]).exits(0).stderr
    };
    assert!(!validated("942999").contains("WAF0037"), "without the file, nothing is known");
    workspace.run(&["waf", "rules", "--lock", "spec.yaml"]).exits(0);
    let words = validated("942999");
    assert!(
        words.contains("WAF0037")
            && words.contains("is `942999`")
            && words.contains("spec.yaml:6:"),
        "{words}"
    );
    assert!(validated(&"f".repeat(32)).contains("WAF0037"));
    for known in ["942100", "949110", ANOMALY, &ANOMALY[..8], "owasp-sqli", "a description"] {
        assert!(!validated(known).contains("WAF0037"), "{known}");
    }
    // A plan reports it once.
    spec(&workspace, &entry("942999"));
    let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    let about_it: Vec<&str> = codes(&plan)
        .into_iter()
        .filter(|code| ["WAF0034", "WAF0037", "LINT0023"].contains(code))
        .collect();
    assert_eq!(about_it, ["WAF0037"], "{plan:#}");
}

/// An entry of a profile is for every zone that uses it: it is idle if no zone needs it.
#[test]
fn an_entry_of_a_profile_is_needed_if_one_zone_needs_it() {
    let workspace = Workspace::empty(options_on("business"));
    let zone = |name: &str, overrides: Value| {
        let ruleset = json!({ "phase": MANAGED, "kind": "zone", "name": "default", "rules": [owasp(overrides)] });
        let custom = json!({ "phase": CUSTOM, "kind": "zone", "name": "default", "rules": [] });
        json!({ "name": name, "plan": "business", "records": [], "rulesets": [ruleset, custom] })
    };
    workspace.plant(&json!({ "zones": [zone("example.com", threshold(100)), zone("example.net", threshold(40))] }));
    let spec = |is: u32| {
        let profile = format!(
            "version: 1\nprofiles:\n  shared:\n    waf:\n      owasp: on\n      custom: []\n      accept: \
             [{{ key: threshold, is: {is}, reason: x }}]\n"
        );
        let zones = "zones:\n  example.com: { use: [shared] }\n  example.net: { use: [shared] }\n";
        workspace.file("spec.yaml", format!("{profile}{zones}"));
    };
    let idle = |selected: &[&str]| {
        let arguments =
            [&["drift", "spec.yaml", "--format", "json", "--drift-exit-code", "0"], selected]
                .concat();
        let report = workspace.run(&arguments).exits(0).json();
        codes(&report).into_iter().filter(|code| *code == "WAF0034").count()
    };
    spec(100);
    assert_eq!(
        (idle(&[]), idle(&["--zone", "example.com"]), idle(&["--zone", "example.net"])),
        (0, 0, 0)
    );
    // Another value alarms, and is not idle. One that nothing has is.
    spec(90);
    assert_eq!(idle(&[]), 0);
    workspace.run(&["drift", "spec.yaml"]).exits(2);
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    workspace
        .file("spec.yaml", text.replace("key: threshold, is: 90", "override: 942100, is: off"));
    assert_eq!(idle(&[]), 1);
}
