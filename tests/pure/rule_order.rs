//! The order of rules: an order that can be satisfied is planned, and one that cannot is refused
//! with the reasons.

use std::sync::Arc;

use crate::support::rulesets::{cloudflare, owasp, plan_of};
use serde_json::{Value as Json, json};
use zonewright::model::ruleset::{LiveWaf, Phase, Position};
use zonewright::plan::{RuleAction, ZonePlan};

/// Returns a live custom rule with a `ref`.
fn block(name: &str) -> Json {
    let expression = format!("http.host eq \"{name}.example.com\"");
    json!({ "id": format!("{name:0>32}"), "ref": name, "action": "block", "expression": expression, "enabled": true })
}

/// Returns an entry of a spec that blocks.
fn entry(name: &str, rest: &str) -> String {
    format!(
        "  - {{ name: {name}, when: 'http.host eq \"{name}.example.com\"', action: block{rest} }}\n"
    )
}

/// Returns the plan for custom rules, or the error.
fn custom(live: &[&str], section: &str) -> Result<ZonePlan, Vec<String>> {
    let rules: Vec<Json> = live.iter().map(|name| block(name)).collect();
    let (plan, found) = plan_of(&[(Phase::Custom, json!(rules))], &LiveWaf::default(), section);
    let refused: Vec<String> =
        found.iter().filter(|d| d.code() == "PLAN0015").map(|d| d.detail.clone()).collect();
    if refused.is_empty() { Ok(plan) } else { Err(refused) }
}

/// Returns the names of rules in their order after a plan.
fn after(live: &[&str], plan: &ZonePlan) -> Vec<String> {
    let mut order: Vec<String> = live.iter().map(|name| (*name).to_owned()).collect();
    for (_, _, rule) in plan.rules() {
        let named = |id: &str| id.trim_start_matches('0').to_owned();
        let own = rule.action.id().map_or(rule.name.clone(), |id| named(&id.0));
        if !matches!(rule.action, RuleAction::Update { position: None, .. }) {
            order.retain(|name| *name != own);
        }
        let find =
            |id: &str| order.iter().position(|name| *name == named(id)).expect("it is there");
        let at = match (&rule.action, rule.action.position()) {
            (RuleAction::Delete { .. } | RuleAction::Update { position: None, .. }, _) => continue,
            (_, None | Some(Position::Last)) => order.len(),
            (_, Some(Position::First)) => 0,
            (_, Some(Position::Before(id))) => find(&id.0),
            (_, Some(Position::After(id))) => find(&id.0) + 1,
            (_, Some(Position::Index(index))) => index - 1,
        };
        order.insert(at, own);
    }
    order
}

#[test]
fn what_can_be_satisfied_is() {
    for (live, entries, expected) in [
        // The constraint of a later entry also applies to earlier entries of the list.
        (vec!["x"], vec![("one", ""), ("two", ", before: x")], vec!["one", "two", "x"]),
        (vec!["x", "y"], vec![("one", ""), ("two", ", before: y")], vec!["x", "one", "two", "y"]),
        (vec!["x", "y"], vec![("one", ", after: x"), ("two", "")], vec!["x", "one", "two", "y"]),
        (vec!["x", "one"], vec![("one", ""), ("two", ", before: x")], vec!["one", "two", "x"]),
        (vec!["two", "x"], vec![("one", ", after: x"), ("two", "")], vec!["x", "one", "two"]),
        (
            vec!["x"],
            vec![("one", ", before: two"), ("two", ", after: one")],
            vec!["x", "one", "two"],
        ),
        (
            vec!["x", "y"],
            vec![("one", ""), ("two", ", after: x, before: y"), ("three", "")],
            vec!["x", "one", "two", "three", "y"],
        ),
    ] {
        let section: String = entries.iter().map(|(name, rest)| entry(name, rest)).collect();
        let found = custom(&live, &format!("custom:\n{section}"));
        assert_eq!(after(&live, &found.unwrap()), expected, "{live:?} {entries:?}");
    }
}

#[test]
fn a_cycle_is_refused_with_its_reasons() {
    let section = format!("custom:\n{}", entry("one", ", after: y, before: x"));
    let refused = custom(&["x", "y"], &section).unwrap_err();
    assert_eq!(
        refused,
        [
            "no order of the custom rules satisfies all of this: `one` before `x` (`before` of one), `x` before `y` (neither is \
          moved), `y` before `one` (`after` of one)"
        ]
    );
    // An indirect cycle: `one` is after y, `two` is before x, and y is below x.
    let section = format!("custom:\n{}{}", entry("one", ", after: y"), entry("two", ", before: x"));
    let refused = custom(&["x", "y"], &section).unwrap_err();
    assert_eq!(
        refused,
        [
            "no order of the custom rules satisfies all of this: `y` before `one` (`after` of one), `one` before `two` (the order of \
          the list), `two` before `x` (`before` of two), `x` before `y` (neither is moved)"
        ]
    );
}

/// A rule cannot be placed relative to one that the plan deletes; rules that the spec itself
/// removes have no influence.
#[test]
fn beside_a_rule_that_is_pruned_there_is_no_place() {
    let section = format!("unmanaged: prune\ncustom:\n{}", entry("one", ", before: x"));
    let refused = custom(&["x"], &section).unwrap_err();
    assert!(refused[0].contains("deletes the rule `x`"), "{refused:?}");
    let absent = "  - { name: x, state: absent }\n";
    let section = format!("unmanaged: prune\ncustom:\n{}{absent}", entry("one", ", before: x"));
    assert_eq!(after(&["x"], &custom(&["x"], &section).unwrap()), ["one"]);
}

/// A new deployment, with exceptions from it and from one that is there.
#[test]
fn exceptions_from_a_new_and_an_existing_deployment() {
    let id = "efb7b8c949ac4650a09736fc376e9aee";
    let rules = json!([{
        "id": "1".repeat(32), "action": "execute", "expression": "true", "enabled": true, "action_parameters": { "id": id },
    }]);
    let waf = LiveWaf {
        catalogues: vec![Arc::new(cloudflare()), Arc::new(owasp())],
        ..LiveWaf::default()
    };
    let one = "  - { name: one, when: 'http.host eq \"a.example.com\"', skip: { owasp: [942100] }, reason: r }\n";
    let two = "  - { name: two, when: 'http.host eq \"b.example.com\"', skip: { cloudflare: [A] }, reason: r }\n";
    for exceptions in [[one, two], [two, one]] {
        let section = format!("owasp: on\nexceptions:\n{}", exceptions.concat());
        let (plan, found) = plan_of(&[(Phase::Managed, rules.clone())], &waf, &section);
        assert!(!found.has_errors(), "{found:?}");
        let positions: Vec<(&str, Option<&Position>)> =
            plan.rules().map(|(_, _, rule)| (rule.name.as_str(), rule.action.position())).collect();
        let before = Position::Before(zonewright::model::ruleset::RuleId("1".repeat(32)));
        for name in ["one", "two"] {
            let is_before = positions.contains(&(name, Some(&before)))
                || positions.contains(&(name, Some(&Position::First)));
            assert!(is_before, "{positions:?}");
        }
        assert!(positions.contains(&("owasp", None)), "{positions:?}");
    }
}
