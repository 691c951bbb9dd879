//! The states between the requests of an apply: a client that is stopped before and after is stopped all the time, and a client
//! that passes before and after passes all the time; otherwise the plan says so. Compared with a small model of what the rules
//! do to every request of a small set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::rulesets::{cloudflare, plan_of};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value as Json, json};
use zonewright::model::ruleset::{LiveWaf, Phase, Position, RuleBody};
use zonewright::plan::{RuleAction, ZonePlan};

const MANAGED: &str = "efb7b8c949ac4650a09736fc376e9aee";
const PATHS: [&str; 3] = ["/a", "/b", "/c"];
const HOSTS: [&str; 2] = ["x.example.com", "y.example.com"];

/// A request, and what the zone detects about it.
#[derive(Debug, Clone, Copy)]
struct Request {
    host: &'static str,
    path: &'static str,
    /// Requests in a minute.
    rate: i64,
    /// Which managed rule finds it.
    attack: Option<&'static str>,
    solves: bool,
}

fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for host in HOSTS {
        for path in PATHS {
            for rate in [1, 7, 20] {
                for attack in [None, Some("A"), Some("B")] {
                    for solves in [false, true] {
                        all.push(Request { host, path, rate, attack, solves });
                    }
                }
            }
        }
    }
    all
}

/// Which requests a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    All,
    Path(&'static str),
    NotPath(&'static str),
    Host(&'static str),
    Both(&'static str, &'static str),
}

impl When {
    fn text(self) -> String {
        match self {
            Self::All => "true".to_owned(),
            Self::Path(path) => format!("http.request.uri.path eq \"{path}\""),
            Self::NotPath(path) => format!("not http.request.uri.path eq \"{path}\""),
            Self::Host(host) => format!("http.host eq \"{host}\""),
            Self::Both(host, path) => format!("http.host eq \"{host}\" and http.request.uri.path eq \"{path}\""),
        }
    }

    fn all() -> Vec<Self> {
        let paths = PATHS.into_iter().flat_map(|path| [Self::Path(path), Self::NotPath(path)]);
        let hosts = HOSTS.into_iter().map(Self::Host);
        let both = HOSTS.into_iter().flat_map(|host| PATHS.into_iter().map(move |path| Self::Both(host, path)));
        [Self::All].into_iter().chain(paths).chain(hosts).chain(both).collect()
    }

    fn holds(expression: &str, request: Request) -> bool {
        let known = Self::all().into_iter().find(|when| when.text() == expression);
        match known.unwrap_or_else(|| panic!("{expression}")) {
            Self::All => true,
            Self::Path(path) => request.path == path,
            Self::NotPath(path) => request.path != path,
            Self::Host(host) => request.host == host,
            Self::Both(host, path) => request.host == host && request.path == path,
        }
    }
}

/// A rule, with what follows its condition in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    name: String,
    when: When,
    does: &'static str,
}

/// The protection of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Protection {
    custom: Vec<Rule>,
    rates: Vec<Rule>,
    exceptions: Vec<Rule>,
    /// The rules that are off; none if the ruleset is not deployed.
    deployed: Option<Vec<&'static str>>,
}

const CUSTOM: [&str; 6] = [
    "action: block",
    "action: block",
    "action: managed_challenge",
    "action: skip, skip: everything",
    "action: skip, skip: { phases: [http_request_firewall_managed] }",
    "action: skip, skip: { phases: [http_ratelimit] }",
];
const RATES: [&str; 2] =
    ["per: [ip], limit: 5 in 1m, then: block for 1m", "per: [ip], limit: 10 in 1m, then: block for 1m"];
const EXCEPTIONS: [&str; 4] =
    ["skip: { cloudflare: [A] }", "skip: { cloudflare: [B] }", "skip: { ruleset: cloudflare }", "skip: everything"];

impl Protection {
    /// As a section of a spec; the ruleset is on or off, as a deployment is never deleted.
    fn section(&self) -> String {
        let list = |rules: &[Rule], key: &str| {
            let lines = rules.iter().map(|rule| {
                format!("  - {{ name: {}, when: '{}', {}, reason: r }}\n", rule.name, rule.when.text(), rule.does)
            });
            let lines: String = lines.collect();
            if lines.is_empty() { format!("{key}: []\n") } else { format!("{key}:\n{lines}") }
        };
        let deployed = match &self.deployed {
            None => "cloudflare: off\n".to_owned(),
            Some(off) => {
                let off: Vec<String> = off.iter().map(|rule| format!("{{ rule: {rule}, reason: r }}")).collect();
                format!("cloudflare: {{ disable: [{}] }}\n", off.join(", "))
            }
        };
        format!(
            "unmanaged: prune\n{deployed}{}{}{}",
            list(&self.custom, "custom"),
            list(&self.rates, "rate_limits"),
            list(&self.exceptions, "exceptions")
        )
    }
}

/// The rules of each phase, with ids; what Cloudflare holds.
type State = BTreeMap<Phase, Option<Vec<(String, RuleBody)>>>;

/// Carries out one operation as Cloudflare documents it.
fn carry_out(state: &mut State, phase: Phase, action: &RuleAction, n: usize) {
    let rules = state.get_mut(&phase).expect("a phase that was read");
    let insert = |rules: &mut Vec<(String, RuleBody)>, rule: (String, RuleBody), position: Option<&Position>| {
        let find = |id: &str| rules.iter().position(|(own, _)| own == id).expect("the rule is there");
        let at = match position {
            None | Some(Position::Last) => rules.len(),
            Some(Position::First) => 0,
            Some(Position::Before(id)) => find(&id.0),
            Some(Position::After(id)) => find(&id.0) + 1,
            Some(Position::Index(index)) => index - 1,
        };
        rules.insert(at, rule);
    };
    match action {
        RuleAction::CreateEntryPoint { rules: all } => {
            let new = all.iter().enumerate().map(|(k, body)| (format!("new-{n}-{k}"), body.clone()));
            assert!(rules.replace(new.collect()).is_none());
        }
        RuleAction::Create { after, position } => {
            insert(rules.as_mut().expect("an entry point"), (format!("new-{n}"), after.clone()), position.as_ref());
        }
        RuleAction::Update { id, after, position, .. } => {
            let rules = rules.as_mut().expect("an entry point");
            let at = rules.iter().position(|(own, _)| *own == id.0).expect("the rule is there");
            rules[at].1 = after.clone();
            if let Some(position) = position {
                let rule = rules.remove(at);
                insert(rules, rule, Some(position));
            }
        }
        RuleAction::Move { id, position, .. } => {
            let rules = rules.as_mut().expect("an entry point");
            let at = rules.iter().position(|(own, _)| *own == id.0).expect("the rule is there");
            let rule = rules.remove(at);
            insert(rules, rule, Some(position));
        }
        RuleAction::Delete { id, .. } => rules.as_mut().expect("an entry point").retain(|(own, _)| *own != id.0),
    }
}

fn json_of(body: &RuleBody) -> Json {
    Json::Object(zonewright::wire::ruleset::rule_json(body))
}

/// Whether a request gets through.
fn passes(state: &State, request: Request) -> bool {
    let mut skipped: Vec<String> = Vec::new();
    for phase in [Phase::Custom, Phase::RateLimit, Phase::Managed] {
        if skipped.iter().any(|name| name == phase.as_str()) {
            continue;
        }
        let (mut without, mut without_all) = (BTreeSet::new(), false);
        for (_, body) in state.get(&phase).into_iter().flatten().flatten() {
            let rule = json_of(body);
            let parameters = &rule["action_parameters"];
            if rule["enabled"] == false || !When::holds(rule["expression"].as_str().unwrap(), request) {
                continue;
            }
            match rule["action"].as_str().unwrap() {
                "block" if rule["ratelimit"].is_object() => {
                    if request.rate > rule["ratelimit"]["requests_per_period"].as_i64().unwrap() {
                        return false;
                    }
                }
                "block" => return false,
                // If it is passed, Cloudflare accepts the request.
                "managed_challenge" => return request.solves,
                "skip" => {
                    if parameters["ruleset"] == "current" {
                        break;
                    }
                    let names = parameters["phases"].as_array().into_iter().flatten();
                    skipped.extend(names.map(|name| name.as_str().unwrap().to_owned()));
                    without_all |= parameters["rulesets"].as_array().is_some_and(|all| all.contains(&json!(MANAGED)));
                    let rules = parameters["rules"][MANAGED].as_array().into_iter().flatten();
                    without.extend(rules.map(|id| id.as_str().unwrap().to_owned()));
                }
                "execute" => {
                    let Some(attack) = request.attack else { continue };
                    let id = format!("{:032x}", 0xabcd_0000_u32 + if attack == "A" { 1 } else { 2 });
                    let overrides = parameters["overrides"]["rules"].as_array().into_iter().flatten();
                    let is_off = overrides.filter(|o| o["id"] == id.as_str()).any(|o| o["enabled"] == false);
                    if !without_all && !is_off && !without.contains(&id) {
                        return false;
                    }
                }
                other => panic!("{other}"),
            }
        }
    }
    true
}

/// What Cloudflare holds where a spec with this protection was applied.
fn state_of(protection: &Protection, absent: bool) -> State {
    let waf = LiveWaf { catalogues: vec![Arc::new(cloudflare())], ..LiveWaf::default() };
    let (plan, found) = plan_of(&[], &waf, &protection.section());
    assert!(!found.has_errors(), "{found:?}");
    let mut state: State = Phase::ALL.iter().map(|phase| (*phase, (!absent).then(Vec::new))).collect();
    for (n, (_, _, rule)) in plan.rules().enumerate() {
        state.insert(rule.phase, None);
        carry_out(&mut state, rule.phase, &rule.action, n);
    }
    let all = state.iter_mut().filter_map(|(phase, rules)| Some((phase, rules.as_mut()?)));
    for (phase, rules) in all {
        for (n, (id, _)) in rules.iter_mut().enumerate() {
            *id = format!("{n:030x}{:02x}", *phase as u8);
        }
    }
    state
}

/// The plan from one protection to another, with the codes of what it says.
fn plan(before: &State, after: &Protection) -> (ZonePlan, BTreeSet<String>) {
    let live: Vec<(Phase, Json)> = before
        .iter()
        .map(|(phase, rules)| {
            let rules = rules.as_ref().map(|rules| {
                let rules = rules.iter().map(|(id, body)| {
                    let mut rule = json_of(body);
                    rule["id"] = json!(id);
                    rule
                });
                rules.collect::<Vec<_>>()
            });
            (*phase, json!(rules))
        })
        .collect();
    let waf = LiveWaf { catalogues: vec![Arc::new(cloudflare())], ..LiveWaf::default() };
    let (plan, found) = plan_of(&live, &waf, &after.section());
    assert!(!found.has_errors(), "{found:?}");
    (plan, found.iter().map(|d| d.code().to_string()).collect())
}

/// What goes wrong between two requests: a client passes (`true`) or is stopped, only in between.
fn flaws(before: &State, plan: &ZonePlan) -> BTreeSet<bool> {
    let mut states = vec![before.clone()];
    for (n, (_, _, rule)) in plan.rules().enumerate() {
        let mut next = states.last().unwrap().clone();
        carry_out(&mut next, rule.phase, &rule.action, n);
        states.push(next);
    }
    let mut flaws = BTreeSet::new();
    for request in requests() {
        let all: Vec<bool> = states.iter().map(|state| passes(state, request)).collect();
        let (first, last) = (all[0], all[all.len() - 1]);
        flaws.extend(all.iter().filter(|one| **one != first && **one != last));
    }
    flaws
}

fn rules(does: &'static [&'static str], prefix: &'static str) -> impl Strategy<Value = Vec<Rule>> {
    let rule = (select(When::all()), select(does));
    (prop::collection::vec(rule, 3), subsequence(vec![0, 1, 2], 0..=3), any::<bool>()).prop_map(
        move |(rules, chosen, turned)| {
            let rules = chosen.into_iter().map(|n| (n, rules[n]));
            let mut rules: Vec<Rule> =
                rules.map(|(n, (when, does))| Rule { name: format!("{prefix}{n}"), when, does }).collect();
            if turned {
                rules.reverse();
            }
            rules
        },
    )
}

fn protection() -> impl Strategy<Value = Protection> {
    let deployed = prop::option::weighted(0.7, subsequence(vec!["A", "B"], 0..=2));
    (rules(&CUSTOM, "c"), rules(&RATES, "r"), rules(&EXCEPTIONS, "e"), deployed)
        .prop_map(|(custom, rates, exceptions, deployed)| Protection { custom, rates, exceptions, deployed })
}

/// Rules that stay as they are are more usual than others.
fn mixed(before: &Protection, after: Protection, keep: [bool; 8]) -> Protection {
    let mix = |before: &[Rule], mut after: Vec<Rule>, keep: &[bool]| {
        for rule in &mut after {
            if let Some(old) = before.iter().find(|old| old.name == rule.name)
                && keep[usize::from(rule.name.as_bytes()[1] - b'0') % keep.len()]
            {
                *rule = old.clone();
            }
        }
        after
    };
    Protection {
        custom: if keep[6] { before.custom.clone() } else { mix(&before.custom, after.custom, &keep[..3]) },
        rates: if keep[7] { before.rates.clone() } else { mix(&before.rates, after.rates, &keep[3..5]) },
        exceptions: mix(&before.exceptions, after.exceptions, &keep[1..4]),
        deployed: if keep[5] { before.deployed.clone() } else { after.deployed },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn between_two_requests_nothing_else_happens_or_it_is_told(
        before in protection(), after in protection(), keep in any::<[bool; 8]>(), absent in any::<bool>(),
    ) {
        let after = mixed(&before, after, keep);
        let state = state_of(&before, absent);
        let (plan, codes) = plan(&state, &after);
        for is_passed in flaws(&state, &plan) {
            let code = if is_passed { "PLAN0041" } else { "PLAN0042" };
            prop_assert!(codes.contains(code), "{code}\n{before:#?}\n{after:#?}\n{:#?}",
                plan.rules().map(|(_, _, rule)| &rule.action).collect::<Vec<_>>());
        }
    }
}

fn rule(name: &str, when: When, does: &'static str) -> Rule {
    Rule { name: name.to_owned(), when, does }
}

/// The names of the operations, in order; asserts that nothing is weaker or stricter in between.
#[track_caller]
fn smooth(before: &Protection, after: &Protection) -> Vec<String> {
    let state = state_of(before, false);
    let (plan, codes) = plan(&state, after);
    assert_eq!(flaws(&state, &plan), BTreeSet::new());
    assert!(!codes.contains("PLAN0041") && !codes.contains("PLAN0042"), "{codes:?}");
    plan.rules().map(|(_, _, rule)| rule.name.clone()).collect()
}

const NOTHING: Protection =
    Protection { custom: Vec::new(), rates: Vec::new(), exceptions: Vec::new(), deployed: None };

#[test]
fn an_exception_comes_before_what_it_relieves() {
    let path = When::Path("/a");
    let deployed = Protection { deployed: Some(vec!["A"]), ..NOTHING };
    let stricter = Protection {
        deployed: Some(Vec::new()),
        exceptions: vec![rule("editor", path, "skip: { cloudflare: [A] }")],
        ..NOTHING
    };
    assert_eq!(smooth(&deployed, &stricter), ["editor", "cloudflare"]);
    assert_eq!(smooth(&stricter, &deployed), ["cloudflare", "editor"]);
    // In another phase: the partners skip the limit before there is one.
    let limited = Protection {
        custom: vec![rule("partners", path, "action: skip, skip: { phases: [http_ratelimit] }")],
        rates: vec![rule("login", When::All, RATES[0])],
        ..NOTHING
    };
    assert_eq!(smooth(&NOTHING, &limited), ["partners", "login"]);
    assert_eq!(smooth(&limited, &NOTHING), ["login", "partners"]);
}

#[test]
fn a_skip_comes_when_something_else_stops_its_requests() {
    // A custom rule replaces the managed rules.
    let path = When::Path("/a");
    let before = Protection { deployed: Some(Vec::new()), ..NOTHING };
    let after = Protection {
        custom: vec![rule("closed", path, "action: block")],
        exceptions: vec![rule("quiet", path, "skip: { ruleset: cloudflare }")],
        ..before.clone()
    };
    assert_eq!(smooth(&before, &after), ["closed", "quiet"]);
    assert_eq!(smooth(&after, &before), ["quiet", "closed"]);
    // A limit replaces a block: both exist in between.
    let before = Protection { custom: vec![rule("closed", path, "action: block")], ..NOTHING };
    let after = Protection { rates: vec![rule("slow", path, RATES[0])], ..NOTHING };
    assert_eq!(smooth(&before, &after), ["slow", "closed"]);
}

#[test]
fn a_rule_that_is_renamed_is_never_missing() {
    let path = When::Path("/a");
    let named = |name| Protection { custom: vec![rule(name, path, "action: block")], ..NOTHING };
    assert_eq!(smooth(&named("old"), &named("new")), ["new", "old"]);
    let named = |name| Protection {
        deployed: Some(Vec::new()),
        exceptions: vec![rule(name, path, "skip: { cloudflare: [A] }")],
        ..NOTHING
    };
    assert_eq!(smooth(&named("old"), &named("new")), ["new", "old"]);
}

/// Two rules that exchange what they block: with either order, a request that is blocked before and after passes in between.
#[test]
fn a_window_that_no_order_closes_is_told() {
    let pair = |one, other| Protection {
        custom: vec![rule("one", When::Path(one), "action: block"), rule("other", When::Path(other), "action: block")],
        ..NOTHING
    };
    let state = state_of(&pair("/a", "/b"), false);
    let (plan, codes) = plan(&state, &pair("/b", "/a"));
    assert_eq!(flaws(&state, &plan), BTreeSet::from([true]));
    assert!(codes.contains("PLAN0041"));
}
