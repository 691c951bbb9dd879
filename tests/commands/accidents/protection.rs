//! Accidents with rules of the firewall.

use serde_json::json;

use super::{on_plan, plan, refused_without, zone_spec};
use crate::support::workspace::{Workspace, options_on};

/// C8: one rule for all zones at once. The plan shows the effect once and names the zones, `-v` for
/// each zone, and `--zone` limits an apply to the first zones.
#[test]
fn c8_one_rule_everywhere_at_once() {
    let workspace = Workspace::empty(options_on("business"));
    let names = ["canary.example", "one.example", "two.example", "three.example"];
    let zones = names.map(|name| json!({ "name": name, "plan": "business", "records": [] }));
    workspace.plant(&json!({ "zones": zones }));
    let spec = |action: &str| {
        let uses: String = names.map(|name| format!("  {name}: {{ use: [shared] }}\n")).concat();
        workspace.file(
            "spec.yaml",
            format!("version: 1\nprofiles:\n  shared:\n    waf:\n      owasp: {{ paranoia: 2, action: {action} }}\nzones:\n{uses}"),
        );
    };
    spec("log");
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(0);
    spec("block");
    let once = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert_eq!(once.stdout.matches("action: log → block").count(), 1, "{}", once.stdout);
    let zones = "the same in 4 zones: canary.example, one.example, three.example, two.example";
    assert!(once.stdout.contains(zones), "{}", once.stdout);
    let all = workspace.run(&["plan", "spec.yaml", "-v"]).exits(0);
    assert_eq!(all.stdout.matches("action: log → block").count(), 4, "{}", all.stdout);
    assert_eq!(all.stdout.matches("  → ").count(), 4, "{}", all.stdout);
    for plan in [once, all] {
        assert!(plan.stdout.contains("4 to update"), "{}", plan.stdout);
    }
    // The first step is one zone; the others are not even read.
    let before = workspace.requests().len();
    workspace.run(&["apply", "spec.yaml", "--yes", "--zone", "canary.*"]).exits(0);
    let sent = workspace.requests()[before..].to_vec();
    assert_eq!(sent.iter().filter(|r| r.method != "GET").count(), 1);
    let rest = plan(&workspace, &["spec.yaml"]);
    assert_eq!(rest["summary"]["update"], 3);
    assert!(rest["operations"].as_array().unwrap().iter().all(|o| o["zone"] != "canary.example"));
}

/// C15: a spec that names one override sends one. Everything else stays as it is, and the plan says
/// how many rules change.
#[test]
fn c15_one_override_switches_others_off() {
    let workspace = on_plan("business");
    zone_spec(&workspace, "spec.yaml", "waf:\n  owasp: on");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    zone_spec(
        &workspace,
        "spec.yaml",
        "waf:\n  owasp:\n    disable: [{ rule: 942430, reason: the search box }]",
    );
    refused_without(
        &workspace,
        &["spec.yaml"],
        &["WEAKENS", "→ 1 of 210 rules change", "the protection gets weaker"],
        &[&["--allow", "weakens-protection"]],
    );
    let overrides =
        workspace.rules("http_request_firewall_managed")[0]["action_parameters"]["overrides"]
            .clone();
    assert_eq!(overrides["rules"].as_array().map(Vec::len), Some(1), "{overrides}");
    assert!(
        overrides.get("enabled").is_none() && overrides.get("categories").is_none(),
        "{overrides}"
    );
}

/// C16: the order of rules is part of their meaning, so it is compared, and corrected as an
/// operation of its own.
#[test]
fn c16_the_rule_that_lets_through_slides_below() {
    let workspace = on_plan("business");
    let spec = "waf:\n  custom:\n    - { name: partner, when: 'ip.src eq 192.0.2.7', action: skip, skip: everything, reason: our partner }\n    - { name: others, when: 'http.request.uri.path eq \"/api\"', action: block }";
    zone_spec(&workspace, "spec.yaml", spec);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(0);
    let phase = "http_request_firewall_custom";
    let order = |workspace: &Workspace| {
        workspace.rules(phase).iter().map(|r| r["ref"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(order(&workspace), ["partner", "others"]);
    // Someone moves it.
    let dump = workspace.dump();
    let ruleset = dump["zones"][0]["rulesets"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["phase"] == phase)
        .unwrap()
        .clone();
    let mut first = ruleset["rules"][0].clone();
    first["position"] = json!({ "after": ruleset["rules"][1]["id"] });
    let path = format!(
        "/zones/{}/rulesets/{}/rules/{}",
        super::zone_id(&workspace),
        ruleset["id"].as_str().unwrap(),
        ruleset["rules"][0]["id"].as_str().unwrap()
    );
    workspace.write("PATCH", &path, &first);
    assert_eq!(order(&workspace), ["others", "partner"]);
    // A changed order is drift like any other, and the plan explains its effect.
    let arguments = ["spec.yaml", "--base", "./spec.yaml"];
    let moved = &plan(&workspace, &arguments)["operations"][0];
    assert_eq!((&moved["action"], &moved["cause"]), (&json!("move"), &json!("drift")), "{moved}");
    let words = [
        "partner",
        "moved",
        "reverts a change made outside the spec",
        "WEAKENS",
        "is before the rule others now",
    ];
    refused_without(&workspace, &arguments, &words, &[&["--allow", "weakens-protection"]]);
    assert_eq!(order(&workspace), ["partner", "others"]);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// C18: a threshold is raised, a level lowered, blocking becomes logging: each is called weaker, in
/// numbers.
#[test]
fn c18_a_threshold_is_quietly_raised() {
    let workspace = on_plan("business");
    let spec = |tuning: &str| {
        zone_spec(&workspace, "spec.yaml", &format!("waf:\n  owasp: {{ {tuning} }}"))
    };
    spec("paranoia: 2, threshold: high, action: block");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    for (tuning, words) in [
        ("paranoia: 2, threshold: low, action: block", "threshold: high (25) → low (60)"),
        ("paranoia: 1, threshold: low, action: block", "paranoia: 2 → 1"),
        ("paranoia: 1, threshold: low, action: log", "action: block → log"),
    ] {
        spec(tuning);
        refused_without(
            &workspace,
            &["spec.yaml"],
            &["WEAKENS", words, "the protection gets weaker"],
            &[&["--allow", "weakens-protection"]],
        );
    }
    // The way back, to stronger protection, needs no consent.
    spec("paranoia: 2, threshold: high, action: block");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
}
