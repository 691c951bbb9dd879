//! `zonewright waf …` against the sandbox.

use crate::support::workspace::{Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, Profile, SandboxOptions, What, When};

/// Returns a zone on a plan that has the managed rulesets.
fn workspace() -> Workspace {
    let base = options();
    Workspace::new(SandboxOptions {
        profile: Profile { tier: "business".to_owned(), ..base.profile },
        ..base
    })
}

/// Writes a spec with the section `waf` of example.com.
fn spec(workspace: &Workspace, waf: &str) {
    let indented: Vec<_> = waf.lines().map(|l| format!("      {l}")).collect();
    workspace.file(
        "zone.yaml",
        format!("version: 1\nzones:\n  example.com:\n    waf:\n{}\n", indented.join("\n")),
    );
}

/// A tuned zone.
const TUNED: &str = "\
owasp:
  paranoia: 2
  threshold: high
  action: managed_challenge
  disable:
    - {rule: 942430, reason: the search takes punctuation}
exceptions:
  - name: editor
    when: http.host eq \"www.example.com\"
    skip: {owasp: [941160]}
    reason: the editor sends HTML
custom:
  - name: scanners
    when: lower(http.user_agent) contains \"sqlmap\"
    action: block";

/// Returns the rows of `waf rules` with these flags.
fn rules(workspace: &Workspace, flags: &[&str]) -> Vec<Value> {
    let arguments = [&["waf", "rules", "zone.yaml", "--format", "json"], flags].concat();
    let json = workspace.run(&arguments).exits(0).json();
    assert_eq!((&json["format"], &json["kind"]), (&json!(1), &json!("waf_rules")));
    json["zones"][0]["rules"].as_array().expect("a list").clone()
}

#[test]
fn rules_are_listed_with_their_state_under_the_spec() {
    let workspace = workspace();
    spec(&workspace, TUNED);
    let one = |number: u32| {
        let all = rules(&workspace, &[]);
        all.into_iter().find(|r| r["number"] == number).expect("the rule is there")
    };
    let off = one(942_430);
    assert_eq!(
        (&off["enabled"], &off["why"], &off["family"]),
        (&json!(false), &json!("rule"), &json!("sqli"))
    );
    let above = one(942_431);
    assert_eq!(
        (&above["enabled"], &above["why"], &above["why_tag"]),
        (&json!(false), &json!("level"), &json!("paranoia-level-3"))
    );
    assert_eq!(one(941_160)["exceptions"], json!(["editor"]));
    let anomaly = one(949_110);
    assert_eq!(
        (&anomaly["action"], &anomaly["why"]),
        (&json!("managed_challenge"), &json!("rule"))
    );
    let filtered = rules(&workspace, &["--family", "sqli", "--level", "2", "--state", "on"]);
    assert!(
        filtered.len() > 10
            && filtered
                .iter()
                .all(|r| r["level"] == 2 && r["enabled"] == true && r["family"] == "sqli")
    );
    assert!(
        rules(&workspace, &["--ruleset", "cloudflare"]).iter().all(|r| r["why"] == "not deployed")
    );
    let text = workspace
        .run(&[
            "waf",
            "rules",
            "zone.yaml",
            "--family",
            "sqli",
            "--state",
            "off",
            "--color",
            "never",
        ])
        .exits(0);
    assert!(
        text.stdout.contains("942430") && text.stdout.contains("(override of this rule)"),
        "{}",
        text.stdout
    );
    workspace.run(&["waf", "rules", "zone.yaml", "--family", "nonsense"]).exits(64);
    assert!(workspace.writes().is_empty());
}

#[test]
fn what_is_in_effect_is_shown_without_a_spec() {
    let workspace = workspace();
    let before = workspace.run(&["waf", "status", "example.com", "--color", "never"]).exits(0);
    assert!(
        before.stdout.contains("Cloudflare OWASP Core Ruleset, version 35 (not deployed)"),
        "{}",
        before.stdout
    );
    spec(&workspace, TUNED);
    workspace.run(&["apply", "--yes", "zone.yaml"]).exits(0);
    let text = workspace.run(&["waf", "status", "example.com", "--color", "never"]).exits(0).stdout;
    for line in [
        "paranoia    2",
        "threshold   25 (high): 5 critical hits of +5",
        "action      managed_challenge",
        "rules       183 of 210 on: IP reputation 6/6",
        "overrides   942430 off: SQL injection",
        "exceptions  editor: `http.host eq \"www.example.com\"` bypasses rule 941160 of the OWASP ruleset",
        "local file inclusion 20",
        "scanners: `lower(http.user_agent) contains \"sqlmap\"`: block",
        "rate limits  none",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    let json = workspace
        .run(&["waf", "status", "example.com", "--rules", "--format", "json"])
        .exits(0)
        .json();
    let owasp = json["zones"][0]["rulesets"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|r| r["key"] == "owasp")
        .expect("it is there")
        .clone();
    assert_eq!(
        (&owasp["paranoia"], &owasp["threshold_word"], &owasp["rules_on"]),
        (&json!(2), &json!("high"), &json!(183))
    );
    assert_eq!(owasp["rules"].as_array().map(Vec::len), Some(211));
    let nobody = workspace.run(&["waf", "status", "example.org"]).exits(1);
    assert!(
        nobody
            .stderr
            .contains("the zone example.org does not exist, or these credentials cannot see it"),
        "{}",
        nobody.stderr
    );
}

/// Rules of the account are listed first. Without the permission to read them, the output has a
/// note.
#[test]
fn rules_of_the_account_are_shown_first() {
    let workspace = workspace();
    let shown =
        || workspace.run(&["waf", "status", "example.com", "--color", "never"]).exits(0).stdout;
    assert!(shown().contains("  account rules  none"), "{}", shown());
    let account =
        workspace.dump()["zones"][0]["account"]["id"].as_str().expect("an account").to_owned();
    let rule = |name: &str, expression: &str| {
        json!({ "ref": name, "action": "execute", "expression": format!("({expression}) and cf.zone.plan eq \"ENT\""),
            "action_parameters": { "id": "4814384a9e5d4991b9815dcfc25d2f1f" } })
    };
    let path =
        format!("/accounts/{account}/rulesets/phases/http_request_firewall_managed/entrypoint");
    workspace.write(
        "PUT",
        &path,
        &json!({ "rules": [rule("all", "true"), rule("shop", "http.host eq \"shop.example.com\"")] }),
    );
    let text = shown();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part:?} is not in\n{text}"));
    assert!(
        at("managed rules: all:") < at("managed rules: shop:")
            && at("managed rules: shop:") < at("not deployed")
    );
    assert!(text.contains("executes the OWASP ruleset"), "{text}");
    let json = workspace.run(&["waf", "status", "example.com", "--format", "json"]).exits(0).json();
    assert_eq!(json["zones"][0]["account_rules"][0]["rules"][1]["name"], "shop");
    let refused = json!({ "success": false, "errors": [{ "message": "request is not authorized" }], "messages": [], "result": null });
    let path_suffix =
        format!("/accounts/{account}/rulesets/phases/http_request_firewall_custom/entrypoint");
    let when = When::Matching { method: Some("GET".into()), path_suffix, nth: 1 };
    workspace.fault(Fault { when, what: What::Answer { code: 403, body: refused }, times: 9 });
    let text = shown();
    let said = "account rules  unknown: these credentials cannot read them (request is not authorized; the API token needs";
    assert!(text.contains(said) && text.contains("`Account Rulesets Read`"), "{text}");
}

#[test]
fn a_plan_says_that_it_does_not_know_the_rules_of_the_account() {
    let of_waf = "version: 1\nzones:\n  example.com:\n    waf:\n      owasp: { paranoia: 2 }\n";
    let of_records = "version: 1\nzones:\n  example.com:\n    records: [{ name: w, type: A, content: 192.0.2.1 }]\n";
    for (tier, spec, times) in
        [("enterprise", of_waf, 1), ("enterprise", of_records, 0), ("business", of_waf, 0)]
    {
        let workspace = Workspace::new(options_on(tier));
        workspace.file("spec.yaml", spec);
        let ran = workspace.run(&["plan", "spec.yaml"]).exits(0);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(said.matches("PLAN0044").count(), times, "{tier}: {said}");
        assert!(workspace.requests().iter().all(|request| !request.path.contains("/accounts/")
            || times == 0
            || request.path.ends_with("/rulesets")));
    }
}

#[test]
fn text_from_cloudflare_cannot_control_the_terminal() {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{
        "name": "hostile.example", "plan": "business", "records": [],
        "rulesets": [{
            "kind": "zone", "phase": "http_request_firewall_custom", "name": "default",
            "rules": [{
                "action": "block", "expression": "http.host eq \"a\u{1b}[2Jb\"",
                "description": "quiet\u{1b}[2J\nfake: all is well",
            }],
        }],
    }] }));
    let text =
        workspace.run(&["waf", "status", "hostile.example", "--color", "never"]).exits(0).stdout;
    assert!(!text.contains('\u{1b}') && text.contains(r"quiet\u{1b}[2J\u{a}fake"), "{text}");
}

#[test]
fn what_a_spec_changes_is_shown_rule_by_rule() {
    let workspace = workspace();
    spec(&workspace, TUNED);
    let first = workspace
        .run(&["waf", "rules", "--changes", "zone.yaml", "--detailed-exitcode", "--format", "json"])
        .exits(2)
        .json();
    assert_eq!(first["kind"], "waf_diff");
    workspace.run(&["apply", "--yes", "zone.yaml"]).exits(0);
    let none = workspace
        .run(&["waf", "rules", "--changes", "zone.yaml", "--detailed-exitcode", "--color", "never"])
        .exits(0);
    assert_eq!(none.stdout, "example.com  in effect as wanted\n");
    spec(&workspace, &TUNED.replace("paranoia: 2", "paranoia: 1").replace("high", "low"));
    let weaker = workspace
        .run(&["waf", "rules", "--changes", "zone.yaml", "--color", "never"])
        .exits(0)
        .stdout;
    for line in [
        "example.com  weakens",
        "paranoia 2 → 1 switches off 48 rules",
        "threshold 25 → 60",
        "942440",
        "score → off",
    ] {
        assert!(weaker.contains(line), "{line:?} is not in\n{weaker}");
    }
    assert!(
        workspace.run(&["waf", "rules", "--changes", "missing.yaml"]).exits(1).stdout.is_empty()
    );
}

#[test]
fn the_lock_shows_what_cloudflare_changed() {
    let workspace = workspace();
    spec(&workspace, TUNED);
    workspace.run(&["waf", "rules", "zone.yaml", "--check"]).exits(1);
    let wrote = workspace.run(&["waf", "rules", "--lock", "zone.yaml"]).exits(0);
    assert_eq!(wrote.stdout, "Wrote waf.lock: 1 ruleset.\n");
    let path = workspace.path().join("waf.lock");
    let text = std::fs::read_to_string(&path).expect("it was written");
    assert!(text.contains("942430 level-2 on score") && !text.contains("wordpress"));
    let same = workspace.run(&["waf", "rules", "zone.yaml", "--check"]).exits(0);
    assert!(same.stdout.ends_with("waf.lock is up to date.\n"), "{}", same.stdout);
    std::fs::write(
        &path,
        text.replace("942430 level-2", "942430 level-1")
            .replace(" 35 Cloudflare", " 34 Cloudflare"),
    )
    .expect("it can be written");
    let moved = workspace.run(&["waf", "rules", "zone.yaml", "--check"]).exits(2);
    assert!(
        moved.stdout.contains("34 → 35 since waf.lock: 1 re-levelled (942430 1 → 2)"),
        "{}",
        moved.stdout
    );
    let json = workspace
        .run(&["waf", "rules", "zone.yaml", "--check", "--format", "json"])
        .exits(2)
        .json();
    assert_eq!(
        (&json["same"], &json["rulesets"][0]["relevelled"][0]["after"]["level"]),
        (&json!(false), &json!(2))
    );
    std::fs::write(&path, "<<<<<<< HEAD\n").expect("it can be written");
    let broken = workspace.run(&["waf", "rules", "zone.yaml", "--check"]).exits(1);
    assert!(broken.stderr.contains("line 1: this is not a waf.lock"), "{}", broken.stderr);
    workspace.run(&["waf", "rules", "--lock", "zone.yaml"]).exits(0);
    assert_eq!(std::fs::read_to_string(&path).expect("it was written again"), text);
    workspace.run(&["waf", "rules", "--lock", "zone.yaml", "--lock-file", "other.lock"]).exits(0);
    assert!(workspace.path().join("other.lock").is_file());
}
