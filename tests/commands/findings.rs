//! Findings that no other test raises by their code, each with the part of its words that depends
//! on the input.

use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

use crate::support::workspace::{Ran, Workspace, options_on};

const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const CLOUDFLARE: &str = "efb7b8c949ac4650a09736fc376e9aee";

/// Returns a zone on the business plan with these records and rulesets.
fn zone(records: Value, rulesets: Value) -> Workspace {
    let workspace = Workspace::empty(options_on("business"));
    let zone = json!({ "name": "example.com", "plan": "business", "records": records, "rulesets": rulesets });
    workspace.plant(&json!({ "zones": [zone] }));
    workspace
}

/// Returns an entry point with these rules.
fn entry_point(phase: &str, rules: Value) -> Value {
    json!([{ "phase": phase, "kind": "zone", "name": "default", "rules": rules }])
}

/// Asserts that a command reports a finding with these words.
#[track_caller]
fn reports(ran: &Ran, code: &str, words: &str) {
    let shown = format!("{}{}", ran.stdout, ran.stderr);
    let begin = format!("[{code}]");
    // An empty line ends a finding.
    let mut own = shown.split(&begin).skip(1).filter_map(|rest| rest.split("\n\n").next());
    assert!(own.any(|own| own.contains(words)), "{code} {words}\n{shown}");
}

/// Returns a spec of example.com, with these lines below it.
fn spec(lines: &str) -> String {
    format!("version: 1\nzones:\n  example.com:\n{lines}\n")
}

#[test]
fn of_specs() {
    let workspace = zone(json!([]), json!([]));
    let tags: Vec<String> = (0..25).map(|n| format!("t{n}:x")).collect();
    let cases = [
        (
            "DNS0019",
            "25 tags",
            spec(&format!(
                "    records: [{{ name: a, type: A, content: 192.0.2.1, tags: [{}] }}]",
                tags.join(", ")
            )),
        ),
        ("SPEC0041", "`co.uk`", "version: 1\nzones: { co.uk: { records: [] } }\n".to_owned()),
        (
            "SPEC0044",
            "not allowed in a name",
            spec("    expect: [{ resolve: www A }]\n    records: []"),
        ),
    ];
    for (code, words, text) in cases {
        workspace.file("spec.yaml", text);
        reports(&workspace.run(&["validate", "spec.yaml"]), code, words);
    }
    workspace.file("a.yaml", "version: 1\nvariables: { X: a }\nzones: { example.com: { records: [{ name: '${X}', type: TXT, content: b }] } }\n");
    workspace.file("b.yaml", "version: 1\nvariables: { X: c }\nzones: {}\n");
    reports(
        &workspace.run(&["validate", "a.yaml", "b.yaml"]),
        "SPEC0026",
        "`X` has another value here",
    );
}

#[test]
fn of_other_tools_and_snapshots() {
    let workspace = zone(json!([]), json!([]));
    let resource = r#"resource "cloudflare_record" "a" {
  zone_id = "0123456789abcdef0123456789abcdef"
  name    = var.name
  type    = "A"
  value   = "192.0.2.1"
}
variable "name" {}
"#;
    workspace.file("tf/main.tf", resource);
    let named = "0123456789abcdef0123456789abcdef=example.com";
    reports(&workspace.run(&["import", "tf/", "--zone-name", named]), "IMPORT0003", "var.name");
    workspace.file("spec.yaml", spec("    records: []"));
    workspace.run(&["snapshot", "spec.yaml", "--out", "live.jsonl"]).exits(0);
    let plan = workspace
        .run(&["plan", "spec.yaml", "--against", "live.jsonl", "--format", "github"])
        .exits(0);
    assert!(plan.stdout.contains("SNAP0003"), "{}", plan.stdout);
}

#[test]
fn of_the_choice_of_zones() {
    let workspace = zone(json!([]), json!([]));
    workspace.file("spec.yaml", spec("    records: []"));
    let run = |more: &[&str]| workspace.run(&[&["plan", "spec.yaml"], more].concat());
    reports(
        &run(&["--zone", "example.net"]).exits(1),
        "PLAN0006",
        "no zone matches \"example.net\"",
    );
    reports(&run(&["--zone", "a[b"]).exits(1), "PLAN0031", "a[b");
    reports(&run(&["--shard", "1/1"]).exits(0), "PLAN0020", "shard 1/1 has 1 of 1 zone");
    workspace.file(
        "old.yaml",
        "version: 1\nzones: { example.com: { records: [] }, example.net: { records: [] } }\n",
    );
    reports(
        &run(&["--base", "./old.yaml"]).exits(0),
        "PLAN0023",
        "example.net was in the previous spec",
    );
    workspace.file("other.yaml", "version: 1\nzones: { example.org: { records: [] } }\n");
    reports(
        &workspace.run(&["plan", "other.yaml"]).exits(1),
        "PLAN0005",
        "example.org does not exist",
    );
    workspace.file("spec.yaml", spec("    records: [{ name: a, type: A, content: 192.0.2.1 }]"));
    let part = run(&["--only", "example.com/dns/a/A", "--format", "github"]).exits(0);
    assert!(part.stdout.contains("PLAN0045"), "{}", part.stdout);
    let none = run(&["--only", "example.com/dns/b/A", "--format", "github"]);
    assert!(none.stdout.contains("PLAN0047"), "{}", none.stdout);
}

#[test]
fn of_the_limits_of_a_zone() {
    let mut options = options_on("free");
    options.profile.record_quota = Some(1);
    let workspace = Workspace::new(options);
    let records: Vec<String> = (0..300)
        .map(|n| format!("      - {{ name: a{n}, type: A, content: 192.0.2.1 }}"))
        .collect();
    workspace.records_spec(&records.join("\n"));
    reports(&workspace.run(&["plan", "spec.yaml"]).exits(1), "PLAN0001", "its quota is 1");
    let when = When::Chance {
        seed: 0,
        per_mille: 1000,
        method: None,
        path_suffix: "/dns_records/usage".into(),
    };
    let what = What::Status { code: 404, html: false, retry_after: None };
    workspace.fault(Fault { when, what, times: u64::MAX });
    let uncertain = workspace.run(&["plan", "spec.yaml"]).exits(0);
    reports(
        &uncertain,
        "PLAN0030",
        "would hold 300 records; zones on the free plan usually hold 200",
    );
    workspace.file("spec.yaml", spec("    settings: { no_such_thing: on }\n    records: []"));
    reports(&workspace.run(&["plan", "spec.yaml"]).exits(1), "PLAN0007", "no_such_thing");
    workspace.file("spec.yaml", spec("    settings: { waf: on }\n    records: []"));
    reports(&workspace.run(&["plan", "spec.yaml"]).exits(1), "PLAN0008", "on the free plan");
}

#[test]
fn of_rules() {
    let managed = "http_request_firewall_managed";
    let deployed = |ruleset: &str, overrides: Value| {
        entry_point(
            managed,
            json!([{ "action": "execute", "expression": "true",
                "action_parameters": { "id": ruleset, "overrides": overrides } }]),
        )
    };
    let tuned = |tuning: &str| {
        spec(&format!("    waf:\n      cloudflare:\n        rules:\n          - {tuning}"))
    };
    let workspace = zone(json!([]), deployed(CLOUDFLARE, json!({})));
    let plan = |text: String| {
        workspace.file("spec.yaml", text);
        workspace.run(&["plan", "spec.yaml", "-v"])
    };
    reports(
        &plan(tuned("{ rule: nonsense of no rule, enabled: false, reason: r }")),
        "PLAN0011",
        "nonsense of no rule",
    );
    let tagged =
        "    waf: { cloudflare: { tags: [{ tag: no-such-tag, enabled: false, reason: r }] } }";
    reports(&plan(spec(tagged)), "PLAN0034", "`no-such-tag`");
    let several =
        "    waf: { owasp: { disable: [{ rule: '0000000000000000000000000094', reason: r }] } }";
    reports(&plan(spec(several)), "PLAN0033", "means more than one rule");
    let idle = "    waf: { owasp: { paranoia: 1, enable: [{ rule: 942100, reason: r }] } }";
    reports(&plan(spec(idle)), "PLAN0014", "`942100` already has the state");

    let strange = zone(json!([]), deployed(OWASP, json!({ "action": "log" })));
    let when = When::Chance {
        seed: 0,
        per_mille: 1000,
        method: Some("GET".into()),
        path_suffix: String::new(),
    };
    let what = What::Replace { member: "overrides".into(), value: json!("all of them") };
    strange.fault(Fault { when, what, times: u64::MAX });
    strange.file("spec.yaml", spec("    waf: { owasp: { threshold: 25 } }"));
    reports(
        &strange.run(&["plan", "spec.yaml"]),
        "PLAN0013",
        "have a form that this version does not know",
    );

    let rule =
        json!([{ "action": "block", "expression": "ip.src eq 192.0.2.1", "description": "a" }]);
    let unnamed = zone(json!([]), entry_point("http_request_firewall_custom", rule));
    unnamed.file(
        "spec.yaml",
        spec("    waf: { custom: [{ name: a, when: ip.src eq 192.0.2.1, action: block, description: a }] }"),
    );
    reports(
        &unnamed.run(&["plan", "spec.yaml", "-v"]),
        "PLAN0016",
        "the rule a has no `ref` at Cloudflare",
    );
}
