//! The direction of changes to exceptions, custom rules and rate limits, compared with a table and
//! with the effect on requests: if a request passes that was stopped before, the plan must need a
//! consent.

use std::sync::Arc;

use crate::support::rulesets::{body, owasp};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};
use zonewright::diagnostic::Sources;
use zonewright::insight::Direction;
use zonewright::insight::waf::rule_impact;
use zonewright::model::ruleset::{EntryPoint, LiveWaf, Phase, RuleBody};
use zonewright::model::{Danger, LiveZone, Tier, ZoneId, ZoneName};
use zonewright::plan::{Operation, plan_zone};
use zonewright::{spec, wire};

use Direction::{Both, Neutral, Strengthens, Unclassified, Weakens};

/// Returns a rule with an action and an expression; `None` for an empty action.
fn act(action: &str, expression: &str) -> Option<RuleBody> {
    (!action.is_empty()).then(|| {
        let mut rule = json!({ "action": action, "expression": expression });
        if action == "skip" {
            rule["action_parameters"] = json!({ "ruleset": "current" });
        }
        body(rule)
    })
}

/// Returns the direction of a change in a phase, and its sentences.
fn judged(
    phase: Phase,
    before: Option<&RuleBody>,
    after: Option<&RuleBody>,
) -> (Direction, String) {
    let waf = LiveWaf { catalogues: vec![Arc::new(owasp())], ..LiveWaf::default() };
    let impact = rule_impact(phase, before, after, &waf);
    (impact.direction, impact.lines.join("\n"))
}

const A: &str = "ip.src eq 192.0.2.1";
const AB: &str = "ip.src in {192.0.2.1 192.0.2.2}";
const B: &str = "ip.src eq 192.0.2.2";
const NET: &str = "ip.src in {192.0.2.0/24}";
const HOST: &str = "http.host eq \"a.example.com\"";
const LIST: &str = "ip.src in $office";

/// Expressions before and after, and the direction for a rule that blocks. The direction for an
/// exception is the opposite.
const SCOPES: &[(&str, &str, Direction)] = &[
    (A, "http.host contains \".\"", Unclassified),
    (A, "true", Strengthens),
    ("true", A, Weakens),
    (A, AB, Strengthens),
    (AB, A, Weakens),
    (A, NET, Strengthens),
    (NET, A, Weakens),
    (A, B, Both),
    (A, "ip.src in {198.51.100.0/24}", Both),
    ("ip.src in {192.0.2.0/25}", "ip.src in {192.0.2.128/25}", Both),
    (HOST, "http.host eq \"b.example.com\"", Both),
    (HOST, "http.host in {\"b.example.com\" \"c.example.com\"}", Both),
    (AB, "ip.src in {192.0.2.2 192.0.2.3}", Unclassified),
    (HOST, "not http.host eq \"a.example.com\"", Both),
    ("not http.host eq \"a.example.com\"", HOST, Both),
    (HOST, "http.host ne \"a.example.com\"", Both),
    ("ssl", "not ssl", Both),
    ("http.user_agent contains \"bot\"", "not http.user_agent contains \"bot\"", Both),
    (
        "ssl and http.user_agent contains \"x\"",
        "not (ssl and http.user_agent contains \"x\")",
        Both,
    ),
    ("ssl or http.user_agent contains \"x\"", "not (ssl or http.user_agent contains \"x\")", Both),
    (LIST, "not ip.src in $office", Both),
    (LIST, "ip.src in $partners", Unclassified),
    ("not ip.src in $office", "not ip.src in $partners", Unclassified),
    (LIST, A, Unclassified),
    (LIST, "ip.src in $office or ssl", Strengthens),
    ("ip.src in $office or ssl", LIST, Weakens),
    (LIST, "ip.src in $office and ssl", Weakens),
    (HOST, "http.host eq \"a.example.com\" and ssl", Weakens),
    (HOST, "http.host eq \"a.example.com\" or ssl", Strengthens),
    ("ssl and not ip.src in $office", "ssl", Strengthens),
    ("http.request.uri.path eq \"/a\"", "http.request.uri.path contains \"/a\"", Strengthens),
    ("http.host matches \"a.*\"", "http.host matches \"b.*\"", Unclassified),
    (HOST, "http.request.uri.path eq \"/a\"", Unclassified),
];

#[test]
fn changed_expressions_are_classified() {
    for (before, after, expected) in SCOPES {
        for action in ["block", "managed_challenge", "js_challenge", "skip", "log"] {
            let wanted = match action {
                "skip" => expected.reversed(),
                "log" => Neutral,
                _ => *expected,
            };
            let (before, after) = (act(action, before), act(action, after));
            let (found, lines) = judged(Phase::Custom, before.as_ref(), after.as_ref());
            assert_eq!(found, wanted, "{action}: {before:?} → {after:?}\n{lines}");
        }
    }
}

#[test]
fn changed_actions_are_classified() {
    for (before, after, expected) in [
        (("", ""), ("block", A), Strengthens),
        (("", ""), ("js_challenge", A), Strengthens),
        (("", ""), ("log", A), Neutral),
        (("", ""), ("skip", A), Weakens),
        (("", ""), ("block", "false"), Neutral),
        (("", ""), ("rewrite", A), Unclassified),
        (("block", A), ("", ""), Weakens),
        (("managed_challenge", A), ("", ""), Weakens),
        (("log", A), ("", ""), Neutral),
        (("skip", A), ("", ""), Strengthens),
        (("rewrite", A), ("", ""), Unclassified),
        (("block", A), ("block", "false"), Weakens),
        (("block", A), ("log", A), Weakens),
        (("block", A), ("log", "true"), Weakens),
        (("log", "true"), ("block", A), Strengthens),
        (("log", A), ("log", B), Neutral),
        (("block", A), ("managed_challenge", A), Weakens),
        (("block", A), ("managed_challenge", AB), Both),
        (("managed_challenge", A), ("block", A), Strengthens),
        (("managed_challenge", AB), ("block", A), Both),
        (("js_challenge", A), ("managed_challenge", A), Neutral),
        (("block", A), ("skip", A), Weakens),
        (("log", A), ("skip", A), Weakens),
        (("skip", A), ("block", A), Strengthens),
        (("skip", A), ("log", B), Strengthens),
        (("block", A), ("rewrite", A), Unclassified),
        (("rewrite", A), ("rewrite", B), Unclassified),
        (("rewrite", A), ("block", A), Unclassified),
    ] {
        let (old, new) = (act(before.0, before.1), act(after.0, after.1));
        let (found, lines) = judged(Phase::Custom, old.as_ref(), new.as_ref());
        assert_eq!(found, expected, "{before:?} → {after:?}\n{lines}");
    }
}

/// A client that solves a challenge is accepted, so a challenge before a block can weaken; a
/// challenge for other requests strengthens.
#[test]
fn a_challenge_before_a_block_is_judged_by_what_it_accepts() {
    use zonewright::insight::waf::{MovedRule, lets_pass};
    let block = act("block", AB).unwrap();
    let judged = |before: Option<RuleBody>, action: &str, expression: &str| {
        let (rule, block) = (act(action, expression).unwrap(), MovedRule::new(&block));
        let found = lets_pass(
            before.as_ref(),
            &MovedRule::new(&rule),
            std::iter::once(&block),
            &LiveWaf::default(),
        );
        found.map(|(direction, _)| direction)
    };
    assert_eq!(judged(None, "managed_challenge", A), Some(Weakens));
    assert_eq!(judged(act("log", A), "managed_challenge", A), Some(Weakens));
    assert_eq!(judged(None, "js_challenge", NET), Some(Both));
    assert_eq!(judged(None, "challenge", "ip.src eq 198.51.100.1"), None);
    assert_eq!(judged(None, "block", A), None);
    assert_eq!(judged(act("skip", A), "managed_challenge", A), None);
    assert_eq!(
        judged(act("skip", "ip.src eq 198.51.100.1"), "managed_challenge", A),
        Some(Weakens)
    );
}

#[test]
fn changed_rates_are_classified() {
    let rate = |change: Json| {
        let mut rate = json!({
            "characteristics": ["cf.colo.id", "ip.src"], "requests_per_period": 10, "period": 60,
            "mitigation_timeout": 60, "counting_expression": "ssl",
        });
        for (name, value) in change.as_object().expect("members") {
            rate[name] = value.clone();
        }
        rate
    };
    let path = "http.request.uri.path";
    for (change, expected) in [
        (json!({}), Neutral),
        (json!({ "characteristics": ["cf.colo.id", "ip.src", path] }), Weakens),
        (json!({ "characteristics": ["cf.colo.id"] }), Strengthens),
        (json!({ "characteristics": ["cf.colo.id", path] }), Unclassified),
        (json!({ "characteristics": ["cf.colo.id", "cf.unique_visitor_id"] }), Unclassified),
        (json!({ "requests_per_period": 11 }), Weakens),
        (json!({ "requests_per_period": 9 }), Strengthens),
        (json!({ "period": 10 }), Weakens),
        (json!({ "requests_per_period": 2, "period": 10 }), Both),
        (json!({ "mitigation_timeout": 0 }), Weakens),
        (json!({ "requests_to_origin": true }), Weakens),
        (json!({ "counting_expression": "not ssl" }), Both),
        (json!({ "counting_expression": "ssl and ip.src in $a" }), Weakens),
        (json!({ "counting_expression": "ip.src in $a" }), Unclassified),
        (json!({ "counting_expression": null }), Strengthens),
        (json!({ "score_per_period": 5 }), Unclassified),
    ] {
        for action in ["block", "log"] {
            let rule = |rate: Json| {
                body(json!({ "action": action, "expression": "true", "ratelimit": rate }))
            };
            let (before, after) = (rule(rate(json!({}))), rule(rate(change.clone())));
            let wanted = if action == "log" { Neutral } else { expected };
            let (found, lines) = judged(Phase::RateLimit, Some(&before), Some(&after));
            assert_eq!(found, wanted, "{action} {change}\n{lines}");
            let (back, lines) = judged(Phase::RateLimit, Some(&after), Some(&before));
            assert_eq!(back, wanted.reversed(), "{action} {change}\n{lines}");
        }
    }
}

/// A request from a small set of possible values.
#[derive(Debug, Clone, Copy)]
struct Request {
    host: &'static str,
    path: &'static str,
    address: &'static str,
}

/// A condition that can be evaluated without reading its text.
#[derive(Debug, Clone)]
enum Condition {
    Host(&'static str),
    HostContains(&'static str),
    Path(&'static str),
    Address(&'static str),
    Addresses(Vec<&'static str>),
    Network(&'static str),
    Not(Box<Self>),
    All(Box<Self>, Box<Self>),
    Any(Box<Self>, Box<Self>),
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Self::Host(host) => format!("http.host eq \"{host}\""),
            Self::HostContains(part) => format!("http.host contains \"{part}\""),
            Self::Path(path) => format!("http.request.uri.path eq \"{path}\""),
            Self::Address(address) => format!("ip.src eq {address}"),
            Self::Addresses(all) => format!("ip.src in {{{}}}", all.join(" ")),
            Self::Network(start) => format!("ip.src in {{{start}0/24}}"),
            Self::Not(inner) => format!("not ({})", inner.text()),
            Self::All(one, other) => format!("({}) and ({})", one.text(), other.text()),
            Self::Any(one, other) => format!("({}) or ({})", one.text(), other.text()),
        }
    }

    fn holds(&self, request: Request) -> bool {
        match self {
            Self::Host(host) => request.host == *host,
            Self::HostContains(part) => request.host.contains(part),
            Self::Path(path) => request.path == *path,
            Self::Address(address) => request.address == *address,
            Self::Addresses(all) => all.contains(&request.address),
            Self::Network(start) => request.address.starts_with(start),
            Self::Not(inner) => !inner.holds(request),
            Self::All(one, other) => one.holds(request) && other.holds(request),
            Self::Any(one, other) => one.holds(request) || other.holds(request),
        }
    }
}

const HOSTS: [&str; 3] = ["a.example.com", "b.example.com", "example.com"];
const PATHS: [&str; 3] = ["/", "/a", "/a/b"];
const ADDRESSES: [&str; 3] = ["192.0.2.1", "192.0.2.2", "198.51.100.1"];

fn requests() -> impl Iterator<Item = Request> {
    let pairs = HOSTS.into_iter().flat_map(|host| PATHS.into_iter().map(move |path| (host, path)));
    pairs.flat_map(|(host, path)| {
        ADDRESSES.into_iter().map(move |address| Request { host, path, address })
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let leaf = prop_oneof![
        select(&HOSTS[..]).prop_map(Condition::Host),
        select(&["a", ".", "example.com", "b.ex"][..]).prop_map(Condition::HostContains),
        select(&PATHS[..]).prop_map(Condition::Path),
        select(&ADDRESSES[..]).prop_map(Condition::Address),
        proptest::sample::subsequence(ADDRESSES.to_vec(), 1..=3).prop_map(Condition::Addresses),
        select(&["192.0.2.", "198.51.100."][..]).prop_map(Condition::Network),
    ];
    leaf.prop_recursive(2, 5, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| Condition::Not(Box::new(c))),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Condition::All(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Condition::Any(Box::new(a), Box::new(b))),
        ]
    })
}

/// A rule of the custom phase: its action and its requests.
type Rule = (&'static str, Condition);

/// Returns true if some rule stops a request: the first rule that blocks it, unless the request
/// skipped the rest or was accepted after a challenge.
fn stops(rules: &[(usize, Rule)], request: Request, solves: bool) -> bool {
    let first = rules.iter().find(|(_, (action, when))| *action != "log" && when.holds(request));
    first.is_some_and(|(_, (action, _))| {
        *action == "block" || (*action == "managed_challenge" && !solves)
    })
}

/// Returns the operations that change these rules into those.
fn plan(before: &[(usize, Rule)], after: &[(usize, Rule)]) -> Vec<Operation> {
    let live: Vec<Json> = before
        .iter()
        .map(|(n, (action, when))| {
            let mut rule = json!({
                "id": format!("{n:032}"), "version": "1", "ref": format!("r{n}"), "enabled": true, "action": action,
                "expression": when.text(),
            });
            if *action == "skip" {
                rule["action_parameters"] = json!({ "ruleset": "current" });
            }
            rule
        })
        .collect();
    let mut text = String::from(
        "version: 1\nzones:\n  example.com:\n    waf:\n      unmanaged: prune\n      custom:\n",
    );
    for (n, (action, when)) in after {
        let skip = if *action == "skip" { ", skip: everything" } else { "" };
        text += &format!(
            "        - {{ name: r{n}, when: '{}', action: {action}{skip}, reason: r }}\n",
            when.text()
        );
    }
    if after.is_empty() {
        text = text.replace("custom:\n", "custom: []\n");
    }
    let mut sources = Sources::default();
    let outcome =
        spec::load(&[spec::Input::Stdin(text.clone())], &spec::Options::default(), &mut sources);
    let desired = outcome.desired.unwrap_or_else(|| panic!("{text}\n{:?}", outcome.diagnostics));
    let ruleset = json!({ "id": "2".repeat(32), "version": "7", "rules": live });
    let entry_point =
        EntryPoint::Present(wire::ruleset::read_ruleset(&ruleset).expect("a ruleset"));
    let live = LiveZone {
        tier: Tier::from_legacy_id("business"),
        waf: LiveWaf { entry_points: [(Phase::Custom, entry_point)].into(), ..LiveWaf::default() },
        ..LiveZone::new(ZoneName::parse("example.com").expect("a name"), ZoneId("1".repeat(32)))
    };
    plan_zone(desired.zones.values().next().expect("a zone"), &live).0.operations
}

fn rules() -> impl Strategy<Value = Vec<(usize, Rule)>> {
    let rule = (select(&["block", "block", "managed_challenge", "skip", "log"][..]), condition());
    prop::collection::vec(rule, 0..4).prop_map(|rules| rules.into_iter().enumerate().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whoever_passes_afterwards_has_consent(before in rules(), other in rules(), keep in any::<[bool; 4]>(), turn in any::<bool>()) {
        // Some rules do not change, so that changes meet unchanged rules.
        let mut after: Vec<_> = other
            .into_iter()
            .map(|(n, rule)| (n, before.get(n).filter(|_| keep[n]).map_or(rule, |(_, kept)| kept.clone())))
            .collect();
        if turn {
            after.reverse();
        }
        let passes = |r: &Request| [false, true].iter().any(|s| stops(&before, *r, *s) && !stops(&after, *r, *s));
        let passes: Vec<Request> = requests().filter(passes).collect();
        let operations = plan(&before, &after);
        if !passes.is_empty() {
            let has_danger = operations.iter().any(|o| o.dangers.contains(&Danger::WeakensProtection));
            prop_assert!(has_danger, "{:?} pass\n{before:#?}\n{after:#?}\n{operations:#?}", passes[0]);
        }
    }

    #[test]
    fn one_changed_rule_is_classified_as_it_acts(one in condition(), other in condition()) {
        let change = |action| judged(Phase::Custom, act(action, &one.text()).as_ref(), act(action, &other.text()).as_ref()).0;
        let frees = requests().any(|r| one.holds(r) && !other.holds(r));
        let catches = requests().any(|r| !one.holds(r) && other.holds(r));
        prop_assert!(!frees || change("block").may_weaken());
        prop_assert!(!catches || change("skip").may_weaken());
        prop_assert_eq!(change("log"), Neutral);
    }
}
