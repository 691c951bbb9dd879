//! Undo of settings, of protection, and of random changes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::support::journals::{newest, world};
use crate::support::workspace::{Workspace, options_on};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use zonewright::model::Danger;

const CUSTOM: &str = "http_request_firewall_custom";

/// Returns a zone on the business plan with these custom rules and records.
fn with(rules: &Value, records: &Value) -> Workspace {
    let workspace = Workspace::empty(options_on("business"));
    let mut zone = json!({ "name": "example.com", "plan": "business", "records": records });
    if rules != &json!([]) {
        zone["rulesets"] =
            json!([{ "phase": CUSTOM, "kind": "zone", "name": "default", "rules": rules }]);
    }
    workspace.plant(&json!({ "zones": [zone] }));
    workspace
}

/// Returns a rule as the sandbox has it.
fn rule(name: &str, action: &str) -> Value {
    let expression = format!("http.host eq \"{name}.example.com\"");
    json!({ "ref": name, "action": action, "expression": expression, "description": name })
}

/// Writes a spec of example.com with these lines, each indented by four.
fn spec(workspace: &Workspace, lines: &str) {
    let lines: Vec<String> = lines.lines().map(|line| format!("    {line}")).collect();
    workspace
        .file("spec.yaml", format!("version: 1\nzones:\n  example.com:\n{}\n", lines.join("\n")));
}

/// Returns an entry of the list of custom rules.
fn entry(name: &str, action: &str) -> String {
    format!(
        "    - {{ name: {name}, when: 'http.host eq \"{name}.example.com\"', action: {action} }}\n"
    )
}

/// Returns the commands with every consent except the one for deletes.
fn allowing(workspace: &Workspace, arguments: &[&str]) -> crate::support::workspace::Ran {
    let codes: Vec<&str> =
        Danger::ALL.iter().filter(|d| **d != Danger::Delete).map(|d| d.code()).collect();
    let allow = codes.join(",");
    let mut all = [arguments, &["--allow", &allow]].concat();
    let first = workspace.run(&[&all[..], &["--format", "json", "--dry-run"]].concat());
    let deletes = match first.code {
        // Only the consent to a number of deletes is missing.
        Some(3) => {
            let text = workspace.run(&[&all[..], &["--dry-run"]].concat()).stdout;
            let (_, rest) = text.split_once("--allow-deletes ").unwrap_or_else(|| panic!("{text}"));
            rest.chars().take_while(char::is_ascii_digit).collect::<String>()
        }
        _ => "0".to_owned(),
    };
    if deletes != "0" {
        all.extend(["--allow-deletes", &deletes]);
    }
    workspace.run(&[&all[..], &["--yes"]].concat())
}

/// Returns the rules of the phase, by their names.
fn names(workspace: &Workspace) -> Vec<String> {
    let zone = workspace.dump()["zones"][0].clone();
    let rules = zone["rulesets"][0]["rules"].as_array().cloned().unwrap_or_default();
    rules
        .iter()
        .map(|r| r["ref"].as_str().or(r["description"].as_str()).unwrap_or("?").to_owned())
        .collect()
}

/// Changes the rule with this name, as someone else would.
fn someone(workspace: &Workspace, method: &str, name: &str, body: &Value) {
    let zone = workspace.dump()["zones"][0].clone();
    let ruleset = &zone["rulesets"][0];
    let rule = ruleset["rules"].as_array().unwrap().iter().find(|r| r["ref"] == name).unwrap();
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    workspace.write(
        method,
        &format!("/zones/{}/rulesets/{}/rules/{}", id(&zone), id(ruleset), id(rule)),
        body,
    );
}

/// Returns five rules; the apply makes one, changes one, deletes one and moves one.
fn protected() -> Workspace {
    let foreign = json!({ "action": "block", "expression": "ip.src eq 192.0.2.66", "description": "foreign" });
    let rules = json!([
        rule("a", "block"),
        foreign,
        rule("b", "block"),
        rule("c", "managed_challenge"),
        rule("d", "block")
    ]);
    let workspace = with(&rules, &json!([]));
    let gone = "    - { name: b, state: absent }\n";
    let list = [
        entry("d", "block"),
        entry("a", "managed_challenge"),
        entry("c", "managed_challenge"),
        entry("e", "block"),
    ];
    spec(&workspace, &format!("waf:\n  custom:\n{}{gone}", list.concat()));
    workspace
}

#[test]
fn rules_come_back_at_their_places() {
    let workspace = protected();
    let before = world(&workspace);
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    let after = world(&workspace);
    assert_eq!(names(&workspace).iter().filter(|n| *n == "b").count(), 0);
    assert_ne!(names(&workspace)[0], "a");
    let journal = newest(&workspace);
    let shown = workspace.run(&["undo", &journal, "--yes"]).exits(3);
    assert!(shown.stdout.contains("created by the apply that is undone"), "{}", shown.stdout);
    assert!(shown.stdout.contains("moved"), "{}", shown.stdout);
    allowing(&workspace, &["undo", &journal]).exits(0);
    assert_eq!(world(&workspace), before);
    let writes = workspace.writes().len();
    workspace.run(&["undo", &journal, "--yes"]).exits(0);
    assert_eq!(workspace.writes().len(), writes);
    allowing(&workspace, &["undo", &newest(&workspace)]).exits(0);
    assert_eq!(world(&workspace), after);
}

#[test]
fn rules_that_someone_changed_since_stay() {
    let moved = json!({ "position": { "before": "" } });
    let changes: [(&str, &str, Value, &str); 4] = [
        ("PATCH", "a", rule("a", "js_challenge"), "someone else changed the rule a"),
        ("PATCH", "e", rule("e", "js_challenge"), "someone else changed the rule e"),
        ("DELETE", "a", Value::Null, "the rule is gone"),
        ("PATCH", "c", moved, "someone else changed the order"),
    ];
    for (method, name, body, words) in changes {
        let workspace = protected();
        allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
        let journal = newest(&workspace);
        someone(&workspace, method, name, &body);
        let theirs = |w: &Workspace| {
            let zone = w.dump()["zones"][0].clone();
            let rules = zone["rulesets"][0]["rules"].as_array().unwrap().clone();
            rules.into_iter().find(|r| r["ref"] == name).map(|r| r["action"].clone())
        };
        let seen = theirs(&workspace);
        let writes = workspace.writes().len();
        let ran = allowing(&workspace, &["undo", &journal]).exits(4);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("PLAN0019") && said.contains(words), "{words}: {said}");
        assert_eq!(workspace.writes().len(), writes);
        allowing(&workspace, &["undo", &journal, "--skip-conflicts"]).exits(0);
        assert_eq!(theirs(&workspace), seen, "{words}");
        assert!(names(&workspace).contains(&"b".to_owned()));
    }
}

#[test]
fn an_entry_point_that_was_made_is_emptied_and_stays() {
    let workspace = with(&json!([]), &json!([]));
    spec(
        &workspace,
        &format!(
            "waf:\n  owasp: {{ paranoia: 2 }}\n  custom:\n{}{}",
            entry("a", "block"),
            entry("b", "block")
        ),
    );
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    let journal = newest(&workspace);
    let plan = workspace.run(&["undo", &journal, "--yes"]).exits(3);
    assert!(
        plan.stdout.contains("owasp") && plan.stdout.contains("weakens-protection"),
        "{}",
        plan.stdout
    );
    allowing(&workspace, &["undo", &journal]).exits(0);
    let zone = workspace.dump()["zones"][0].clone();
    let rulesets = zone["rulesets"].as_array().unwrap();
    assert_eq!(rulesets.len(), 2);
    assert!(rulesets.iter().all(|r| r["rules"].as_array().is_none_or(Vec::is_empty)), "{zone}");
    // And created again by undoing the undo.
    allowing(&workspace, &["undo", &newest(&workspace)]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn a_level_goes_back_and_a_newer_one_is_a_conflict() {
    let workspace = with(&json!([]), &json!([]));
    let level = |n: u8| spec(&workspace, &format!("waf:\n  owasp: {{ paranoia: {n} }}"));
    level(1);
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    level(3);
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    let journal = newest(&workspace);
    let plan = workspace.run(&["undo", &journal, "--yes"]).exits(3);
    assert!(
        plan.stdout.contains("weakens-protection") && plan.stdout.contains("paranoia"),
        "{}",
        plan.stdout
    );
    level(4);
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    allowing(&workspace, &["undo", &journal]).exits(4);
    allowing(&workspace, &["undo", &newest(&workspace)]).exits(0);
    level(3);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    allowing(&workspace, &["undo", &journal]).exits(0);
    level(1);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn settings_and_signing_go_back() {
    let workspace = with(&json!([]), &json!([]));
    let header =
        "security_header: { strict_transport_security: { enabled: true, max_age: 86400 } }";
    spec(
        &workspace,
        &format!(
            "settings: {{ ssl: strict, always_use_https: on, {header} }}\ndnssec: on\ndns_settings: {{ ns_ttl: 3600, flatten_all_cnames: true }}"
        ),
    );
    let before = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    let journal = newest(&workspace);
    let plan = workspace.run(&["undo", &journal, "--yes"]).exits(3);
    assert!(plan.stdout.contains("changes-dnssec"), "{}", plan.stdout);
    allowing(&workspace, &["undo", &journal]).exits(0);
    let again = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    let fields = |plan: &Value| -> Vec<(Value, Value)> {
        let operations = plan["operations"].as_array().unwrap();
        operations.iter().map(|o| (o["address"].clone(), o["fields"].clone())).collect()
    };
    assert_eq!(fields(&again), fields(&before));

    // Someone else set one of them since.
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    let journal = newest(&workspace);
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    workspace.write(
        "PATCH",
        &format!("/zones/{zone}/settings/ssl"),
        &json!({ "value": "flexible" }),
    );
    let ran = allowing(&workspace, &["undo", &journal]).exits(4);
    assert!(
        ran.stderr.contains("it is now flexible; the apply left it at strict"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_zone_that_was_made_stays() {
    let workspace = Workspace::empty(options_on("business"));
    spec(
        &workspace,
        "create: true\nsettings: { always_use_https: on }\nrecords:\n  - { name: www, type: A, content: 192.0.2.1 }",
    );
    allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
    let ran = allowing(&workspace, &["undo", &newest(&workspace)]).exits(0);
    assert!(
        format!("{}{}", ran.stdout, ran.stderr).contains("zonewright never deletes a zone"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(workspace.dump()["zones"].as_array().unwrap().len(), 1);
    assert!(workspace.records("example.com").iter().all(|r| r["name"] != "www.example.com"));
}

/// The records of a name: addresses, an alias, or texts; each with a time to live and perhaps a
/// comment.
type AtName = (u8, BTreeSet<u8>, u16, bool);

/// A zone: the records of each of four names, its rules in order with their actions, and the mode
/// of TLS.
type Zone = (Vec<AtName>, Vec<(char, bool)>, u8);

/// Returns random zones.
fn zones() -> impl Strategy<Value = Zone> {
    let at_name = (
        0..4_u8,
        prop::collection::btree_set(1..4_u8, 1..3),
        prop::sample::select(vec![120, 300, 900]),
        any::<bool>(),
    );
    let order = Just(vec!['a', 'b', 'c', 'd']).prop_shuffle();
    let rules = (order, prop::collection::vec(any::<bool>(), 4), 0..5_usize)
        .prop_map(|(order, blocks, n)| order.into_iter().zip(blocks).take(n).collect());
    (prop::collection::vec(at_name, 4), rules, 0..3_u8)
}

/// Returns the records of a zone: type, name, content, ttl, comment.
fn records(zone: &Zone) -> Vec<(&'static str, String, String, u16, bool)> {
    let mut all = Vec::new();
    for (n, (kind, values, ttl, comment)) in zone.0.iter().enumerate() {
        let name = format!("n{n}");
        for value in values {
            match kind {
                1 => all.push(("A", name.clone(), format!("192.0.2.{value}"), *ttl, *comment)),
                2 if values.first() == Some(value) => {
                    all.push((
                        "CNAME",
                        name.clone(),
                        format!("h{value}.example.net"),
                        *ttl,
                        *comment,
                    ));
                }
                3 => all.push(("TXT", name.clone(), format!("text {value}"), *ttl, *comment)),
                _ => {}
            }
        }
    }
    all
}

/// Returns the name of an action.
fn action(blocks: bool) -> &'static str {
    if blocks { "block" } else { "managed_challenge" }
}

/// An apply to any zone, followed by an undo, leaves the zone as it was.
#[test]
fn undo_after_apply_is_as_if_nothing_had_been() {
    let mut runner =
        TestRunner::new(Config { cases: 12, failure_persistence: None, ..Config::default() });
    let law = |(live, wanted): (Zone, Zone)| {
        let planted: Vec<Value> = records(&live)
            .into_iter()
            .map(|(kind, name, content, ttl, comment)| {
                let content = if kind == "TXT" { format!("\"{content}\"") } else { content };
                let comment = comment.then_some("planted");
                json!({ "type": kind, "name": format!("{name}.example.com"), "content": content, "ttl": ttl, "comment": comment })
            })
            .collect();
        let mut rules: Vec<Value> =
            live.1.iter().map(|(name, blocks)| rule(&name.to_string(), action(*blocks))).collect();
        let foreign = json!({ "action": "block", "expression": "ip.src eq 192.0.2.66", "description": "foreign" });
        rules.insert(rules.len() / 2, foreign);
        let workspace = with(&json!(rules), &json!(planted));
        let mut text = String::from("unmanaged: prune\nrecords:\n");
        for (kind, name, content, ttl, comment) in records(&wanted) {
            let comment = if comment { "wanted" } else { "" };
            writeln!(
                text,
                "  - {{ name: {name}, type: {kind}, content: \"{content}\", ttl: {ttl}, comment: \"{comment}\" }}"
            )
            .unwrap();
        }
        text.push_str("  - { name: n9, type: A, content: 192.0.2.9 }\n");
        let mode = ["off", "full", "strict"][usize::from(wanted.2)];
        writeln!(text, "settings: {{ ssl: \"{mode}\" }}\nwaf:\n  custom:").unwrap();
        let kept: BTreeSet<char> = wanted.1.iter().map(|(name, _)| *name).collect();
        wanted
            .1
            .iter()
            .for_each(|(name, blocks)| text.push_str(&entry(&name.to_string(), action(*blocks))));
        ('a'..='d')
            .filter(|n| !kept.contains(n))
            .for_each(|n| writeln!(text, "    - {{ name: {n}, state: absent }}").unwrap());
        spec(&workspace, &text);
        let before = world(&workspace);
        allowing(&workspace, &["apply", "spec.yaml"]).exits(0);
        let after = world(&workspace);
        allowing(&workspace, &["undo", &newest(&workspace)]).exits(0);
        // An entry point that was made stays, empty.
        let plain = |mut world: Value| {
            let zone = world[0].as_object_mut().unwrap();
            // A setting that was never set is as one that was set to its default.
            if zone.get("settings") == Some(&json!({ "ssl": { "value": "full" } })) {
                zone.remove("settings");
            }
            if let Some(rulesets) = zone.get_mut("rulesets").and_then(Value::as_array_mut) {
                rulesets.retain(|r| r["rules"].as_array().is_some_and(|rules| !rules.is_empty()));
            }
            world
        };
        prop_assert_eq!(plain(world(&workspace)), plain(before), "{}", text);
        allowing(&workspace, &["undo", &newest(&workspace)]).exits(0);
        prop_assert_eq!(plain(world(&workspace)), plain(after), "{}", text);
        Ok(())
    };
    runner.run(&(zones(), zones()), law).unwrap();
}
