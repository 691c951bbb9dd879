//! Changes of rules are weighed together: a change without effect on any request needs no consent,
//! and a change of the same form with an effect does.

use serde_json::{Value as Json, json};
use zonewright::insight::Direction;
use zonewright::model::Danger;
use zonewright::model::ruleset::Phase;
use zonewright::plan::ZonePlan;

use crate::support::rulesets::{deployment, owasp, plan_in, plan_of, tuning, waf};

const A: &str = "http.host eq \"a.example.com\"";
const B: &str = "http.host eq \"b.example.com\"";
const AB: &str = "http.host in {\"a.example.com\" \"b.example.com\"}";
const ADMIN: &str = "starts_with(http.request.uri.path, \"/admin\")";
const LOGIN: &str = "http.request.uri.path eq \"/admin/login\"";

/// Returns a live rule.
fn rule(name: &str, action: &str, when: &str) -> Json {
    let mut rule = json!({
        "id": format!("{name:0>32}"), "ref": name, "version": "1", "action": action,
        "expression": when, "enabled": true, "description": name,
    });
    if action == "skip" {
        rule["action_parameters"] = json!({ "ruleset": "current" });
    }
    rule
}

/// Returns an entry of a spec.
fn entry(name: &str, action: &str, when: &str) -> String {
    match action {
        "skip" => format!(
            "\n  - {{ name: {name}, description: {name}, when: '{when}', action: skip, skip: everything, reason: r }}"
        ),
        _ => format!(
            "\n  - {{ name: {name}, description: {name}, when: '{when}', action: {action} }}"
        ),
    }
}

/// A state of the custom rules: names, actions and expressions.
type Rules<'t> = &'t [(&'t str, &'t str, &'t str)];

/// Returns the plan that changes custom rules, in a zone with managed rules.
fn custom(before: Rules<'_>, after: Rules<'_>) -> ZonePlan {
    let live: Vec<Json> =
        before.iter().map(|(name, action, when)| rule(name, action, when)).collect();
    let section: String =
        after.iter().map(|(name, action, when)| entry(name, action, when)).collect();
    let section = if section.is_empty() { " []".to_owned() } else { section };
    let live = [
        (Phase::Custom, json!(live)),
        (Phase::RateLimit, Json::Null),
        (Phase::Managed, json!([managed()])),
    ];
    plan_of(&live, &waf(), &format!("unmanaged: prune\ncustom:{section}\nexceptions: []")).0
}

/// Returns a deployment of the OWASP ruleset.
fn managed() -> Json {
    let body = deployment(&owasp(), tuning(2, 40, "block"));
    let mut rule = Json::Object(zonewright::wire::ruleset::rule_json(&body));
    rule["id"] = json!("d".repeat(32));
    rule["version"] = json!("1");
    rule
}

/// Returns what a plan says that could not be so.
fn alarms(plan: &ZonePlan) -> Vec<String> {
    let all = plan.operations.iter().flat_map(|operation| {
        let direction = operation.impact.as_ref().map(|impact| impact.direction);
        let weaker = direction.filter(|direction| direction.may_weaken());
        let dangers = operation.dangers.iter().map(|danger| danger.code().to_owned());
        dangers.chain(weaker.map(|direction| direction.as_str().to_owned()))
    });
    all.collect()
}

#[test]
fn what_makes_no_difference_to_any_request_needs_no_consent() {
    let cases: &[(&str, Rules<'_>, Rules<'_>)] = &[
        ("a rename", &[("one", "block", A)], &[("two", "block", A)]),
        ("a rename of a rule for all", &[("one", "block", "true")], &[("two", "block", "true")]),
        (
            "a rename with another spelling",
            &[("one", "block", "not (ssl or http.host ne \"a.example.com\")")],
            &[("two", "block", "not ssl and http.host in {\"a.example.com\"}")],
        ),
        ("a split", &[("both", "block", AB)], &[("a", "block", A), ("b", "block", B)]),
        (
            "a split that keeps the name",
            &[("a", "block", AB)],
            &[("a", "block", A), ("b", "block", B)],
        ),
        ("a merge", &[("a", "block", A), ("b", "block", B)], &[("both", "block", AB)]),
        (
            "a merge of challenges",
            &[("a", "managed_challenge", A), ("b", "managed_challenge", B)],
            &[("both", "managed_challenge", AB)],
        ),
        ("a merge into one", &[("a", "block", A), ("b", "block", B)], &[("a", "block", AB)]),
        ("a duplicate", &[("a", "block", A), ("b", "block", A)], &[("a", "block", A)]),
        (
            "a move past a rule that does the same",
            &[("a", "block", A), ("p", "block", ADMIN)],
            &[("p", "block", ADMIN), ("a", "block", A)],
        ),
        (
            "a move past a challenge of others",
            &[("a", "block", A), ("b", "managed_challenge", B)],
            &[("b", "managed_challenge", B), ("a", "block", A)],
        ),
        (
            "a rename of an exception",
            &[("one", "skip", LOGIN), ("p", "block", ADMIN)],
            &[("two", "skip", LOGIN), ("p", "block", ADMIN)],
        ),
        (
            "a split of an exception",
            &[("both", "skip", AB), ("p", "block", ADMIN)],
            &[("a", "skip", A), ("b", "skip", B), ("p", "block", ADMIN)],
        ),
        (
            "an exception inside a wider one",
            &[("wide", "skip", ADMIN), ("p", "block", "ssl")],
            &[("wide", "skip", ADMIN), ("narrow", "skip", LOGIN), ("p", "block", "ssl")],
        ),
        (
            "an exception with nothing behind it",
            &[("p", "block", "ssl")],
            &[("p", "block", "ssl"), ("last", "skip", LOGIN)],
        ),
        (
            "an exception that only a rule of other requests follows",
            &[("a", "block", A)],
            &[("x", "skip", B), ("a", "block", A)],
        ),
        (
            "an exception for what is blocked before",
            &[("p", "block", ADMIN), ("s", "managed_challenge", "ssl")],
            &[("p", "block", ADMIN), ("x", "skip", LOGIN), ("s", "managed_challenge", "ssl")],
        ),
        (
            "a rename with its exception",
            &[("x", "skip", LOGIN), ("p", "block", ADMIN)],
            &[("y", "skip", LOGIN), ("q", "block", ADMIN)],
        ),
    ];
    for (what, before, after) in cases {
        let plan = custom(before, after);
        let shown: Vec<_> = plan.operations.iter().map(|o| (&o.address, &o.impact)).collect();
        assert!(!shown.is_empty(), "{what}: nothing is planned");
        assert_eq!(alarms(&plan), [""; 0], "{what}: {shown:#?}");
    }
}

#[test]
fn the_same_forms_with_a_difference_need_a_consent() {
    let cases: &[(&str, Rules<'_>, Rules<'_>)] = &[
        ("a narrower rename", &[("one", "block", AB)], &[("two", "block", A)]),
        ("a rename to log", &[("one", "block", A)], &[("two", "log", A)]),
        ("a rename to a challenge", &[("one", "block", A)], &[("two", "managed_challenge", A)]),
        (
            "a rename behind an exception",
            &[("one", "block", ADMIN), ("x", "skip", LOGIN)],
            &[("x", "skip", LOGIN), ("two", "block", ADMIN)],
        ),
        (
            "a split with a gap",
            &[("all", "block", ADMIN)],
            &[
                ("a", "block", &format!("{ADMIN} and {A}")),
                ("b", "block", &format!("{ADMIN} and {B}")),
            ],
        ),
        (
            "a merge that forgets one",
            &[("a", "block", A), ("b", "block", B)],
            &[("both", "block", A)],
        ),
        ("both duplicates", &[("a", "block", A), ("b", "block", A)], &[]),
        (
            "a move before a block",
            &[("p", "block", ADMIN), ("s", "managed_challenge", "ssl")],
            &[("s", "managed_challenge", "ssl"), ("p", "block", ADMIN)],
        ),
        (
            "an exception inside a wider one that is removed later",
            &[("p", "block", "ssl"), ("wide", "skip", ADMIN)],
            &[("narrow", "skip", LOGIN), ("p", "block", "ssl"), ("wide", "skip", ADMIN)],
        ),
        (
            "an exception outside a wider one",
            &[("wide", "skip", LOGIN), ("p", "block", "ssl")],
            &[("wide", "skip", LOGIN), ("more", "skip", ADMIN), ("p", "block", "ssl")],
        ),
        (
            "two exceptions for the same",
            &[("p", "block", "ssl")],
            &[("x", "skip", ADMIN), ("y", "skip", ADMIN), ("p", "block", "ssl")],
        ),
        (
            "a rename beside a deletion",
            &[("one", "block", A), ("b", "block", B)],
            &[("two", "block", A)],
        ),
    ];
    for (what, before, after) in cases {
        let plan = custom(before, after);
        let weaker = Danger::WeakensProtection.code().to_owned();
        let shown: Vec<_> = plan.operations.iter().map(|o| (&o.address, &o.impact)).collect();
        assert!(alarms(&plan).contains(&weaker), "{what}: {shown:#?}");
    }
}

#[test]
fn only_the_cause_of_a_weakening_is_blamed() {
    let plan = custom(&[("one", "block", A), ("b", "block", B)], &[("two", "block", A)]);
    let blamed = |name: &str| {
        let operation = plan.operations.iter().find(|o| o.rule().is_some_and(|r| r.name == name));
        operation.expect("it is planned").dangers.clone()
    };
    assert_eq!(blamed("one"), []);
    assert_eq!(blamed("two"), []);
    assert_eq!(blamed("b"), [Danger::Delete, Danger::WeakensProtection]);
}

/// Returns the plan that adds an exception from managed rules.
fn exception(before: &[Json], when: &str, skip: &str, more: &str) -> ZonePlan {
    let live = [
        (Phase::Custom, Json::Null),
        (Phase::RateLimit, Json::Null),
        (Phase::Managed, json!(before)),
    ];
    let section =
        format!("exceptions:\n  - {{ name: new, when: '{when}', skip: {skip}, reason: r }}{more}");
    plan_of(&live, &waf(), &section).0
}

#[test]
fn an_exception_from_what_is_not_in_force_weakens_nothing() {
    let skip = |name: &str, when: &str, rules: &Json| {
        let mut rule = rule(name, "skip", when);
        rule["action_parameters"] = json!({ "rules": { owasp().id.0: rules } });
        rule
    };
    let at = |when: &str| {
        let mut deployment = managed();
        deployment["expression"] = json!(when);
        deployment
    };
    let of = |level: u8| {
        let owasp = owasp();
        let mut rules = owasp.rules.iter();
        rules
            .find_map(|rule| (rule.level()?.level() == level).then_some(rule.number).flatten())
            .expect("there is one")
    };
    let id = |number: u32| {
        let owasp = owasp();
        owasp
            .rules
            .iter()
            .find(|rule| rule.number == Some(number))
            .expect("it is there")
            .id
            .0
            .clone()
    };
    let (high, low) = (of(3), of(1));
    let wider = skip("wide", ADMIN, &json!([id(low)]));
    for (what, before, when, rules, weaker) in [
        ("above the level", vec![managed()], ADMIN, high, false),
        ("at the level", vec![managed()], ADMIN, low, true),
        ("outside the hosts", vec![at(A)], B, low, false),
        ("inside the hosts", vec![at(A)], AB, low, true),
        ("inside a wider one", vec![wider.clone(), managed()], LOGIN, low, false),
        ("outside of one", vec![wider, managed()], "ssl", low, true),
        ("with nothing behind it", vec![], ADMIN, low, false),
    ] {
        let plan = exception(&before, when, &format!("{{ owasp: [{rules}] }}"), "");
        assert_eq!(plan.operations.len(), 1, "{what}");
        assert_eq!(!alarms(&plan).is_empty(), weaker, "{what}: {:#?}", plan.operations[0].impact);
    }
}

#[test]
fn a_rename_has_a_window_only_where_the_quota_is_used_up() {
    let names: Vec<String> = (0..20).map(|n| format!("r{n}")).collect();
    let hosts: Vec<String> =
        names.iter().map(|name| format!("http.host eq \"{name}.example.com\"")).collect();
    let rules = |count: usize, renamed: &str| -> Vec<(String, String)> {
        let name = |n: usize| if n == 3 { renamed.to_owned() } else { names[n].clone() };
        (0..count).map(|n| (name(n), hosts[n].clone())).collect()
    };
    for (count, order) in [(5, ["new", "r3"]), (20, ["r3", "new"])] {
        let (before, after) = (rules(count, "r3"), rules(count, "new"));
        let live: Vec<Json> = before.iter().map(|(name, when)| rule(name, "block", when)).collect();
        let section: String = after.iter().map(|(name, when)| entry(name, "block", when)).collect();
        let live = [
            (Phase::Custom, json!(live)),
            (Phase::RateLimit, Json::Null),
            (Phase::Managed, Json::Null),
        ];
        let section = format!("unmanaged: prune\ncustom:{section}");
        let (plan, found) = plan_in(&live, &waf(), &section, "pro");
        let names: Vec<&str> = plan.rules().map(|(_, _, rule)| rule.name.as_str()).collect();
        assert_eq!(names, order, "{count}");
        let directions: Vec<_> =
            plan.operations.iter().filter_map(|o| Some(o.impact.as_ref()?.direction)).collect();
        assert_eq!(directions, [Direction::Neutral; 2], "{count}");
        let windows = found.iter().filter(|one| one.code() == "PLAN0041").count();
        assert_eq!(windows, usize::from(count == 20), "{count}: {found:?}");
    }
}

#[test]
fn a_threshold_that_no_request_reaches_is_an_error() {
    let plan = |live: &Json, section: &str| {
        let live = [
            (Phase::Custom, Json::Null),
            (Phase::RateLimit, Json::Null),
            (Phase::Managed, live.clone()),
        ];
        plan_of(&live, &waf(), section)
    };
    let never = "owasp: { paranoia: 2, threshold: 9999, action: block }";
    for (live, expected) in
        [(Json::Null, Direction::Neutral), (json!([managed()]), Direction::Weakens)]
    {
        let (made, found) = plan(&live, never);
        assert!(found.iter().any(|one| one.code() == "WAF0039"), "{found:?}");
        assert!(!found.iter().any(|one| one.code() == "PLAN0018"), "{found:?}");
        let impact = made.operations[0].impact.as_ref().expect("it has one");
        assert_eq!(impact.direction, expected, "{impact:?}");
        assert!(impact.lines.iter().any(|line| line.contains("can never act")), "{impact:?}");
    }
    let (made, found) = plan(&Json::Null, &never.replace("block", "log"));
    assert!(!found.iter().any(|one| one.code() == "WAF0039"), "{found:?}");
    let impact = made.operations[0].impact.as_ref().expect("it has one");
    assert_eq!(impact.direction, Direction::Neutral, "{impact:?}");
}

#[test]
fn what_is_only_logged_has_no_direction() {
    let logged = |paranoia: u8, threshold: u32| {
        let mut rule = managed();
        let body = deployment(&owasp(), tuning(paranoia, threshold, "log"));
        rule["action_parameters"] =
            zonewright::wire::ruleset::rule_json(&body)["action_parameters"].clone();
        json!([rule])
    };
    for wanted in ["paranoia: 1, threshold: 60", "paranoia: 4, threshold: 25"] {
        let live = [
            (Phase::Custom, Json::Null),
            (Phase::RateLimit, Json::Null),
            (Phase::Managed, logged(2, 40)),
        ];
        let (plan, _) = plan_of(&live, &waf(), &format!("owasp: {{ {wanted}, action: log }}"));
        assert_eq!(plan.operations.len(), 1);
        assert_eq!(alarms(&plan), [""; 0], "{wanted}: {:#?}", plan.operations[0].impact);
        let impact = plan.operations[0].impact.as_ref().expect("it has one");
        assert_eq!(impact.direction, Direction::Neutral, "{impact:?}");
    }
}

#[test]
fn a_share_of_the_requests_is_written_as_documented() {
    let live =
        [(Phase::Custom, Json::Null), (Phase::RateLimit, Json::Null), (Phase::Managed, Json::Null)];
    let section = |share: &str| {
        format!("custom:\n  - {{ name: a, when: '{ADMIN}', share: {share}, action: block }}")
    };
    let (plan, _) = plan_of(&live, &waf(), &section("10%"));
    let operation = &plan.operations[0];
    let bodies = format!("{:?}", operation.rule().expect("a rule").action);
    let written = format!("({ADMIN}) and hash_in_range(0, 100, cf.random_seed) < 10");
    assert!(bodies.contains(&format!("{written:?}")), "{bodies}");
    let impact = operation.impact.as_ref().expect("it has one");
    assert!(impact.lines[0].starts_with("about 10 % of the requests: "), "{impact:?}");
    for (wrong, code) in
        [("10", "SPEC0019"), ("0%", "WAF0040"), ("100%", "WAF0040"), ("half", "WAF0040")]
    {
        let section = section(wrong).replace('\n', "\n      ");
        let text = format!("version: 1\nzones:\n  example.com:\n    waf:\n      {section}\n");
        let mut sources = zonewright::diagnostic::Sources::default();
        let input = zonewright::spec::Input::Stdin(text);
        let options = zonewright::spec::Options::default();
        let outcome = zonewright::spec::load(&[input], &options, &mut sources);
        let codes: Vec<_> = outcome.diagnostics.iter().map(|one| one.code()).collect();
        assert_eq!(codes, [code], "{wrong}");
    }
}
