//! The states between the requests of an apply: a client that is stopped before and after is
//! stopped all the time, and a client that passes before and after passes all the time; otherwise
//! the plan has a note. Compared with a small model of the rules and a small set of requests.

mod small_model;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use small_model::{
    ALL_ORDERS, AnyOrder, CUSTOM, EXCEPTIONS, Protection, RATES, Rule, Scope, State, When, flaws,
    plan, state_of,
};
use zonewright::plan::ZonePlan;

fn rules(does: &'static [&'static str], prefix: &'static str) -> impl Strategy<Value = Vec<Rule>> {
    let rule = (select(When::all()), select(does));
    (prop::collection::vec(rule, 3), subsequence(vec![0, 1, 2], 0..=3), any::<bool>()).prop_map(
        move |(rules, chosen, turned)| {
            let rules = chosen.into_iter().map(|n| (n, rules[n]));
            let mut rules: Vec<Rule> = rules
                .map(|(n, (when, does))| Rule { name: format!("{prefix}{n}"), when, does })
                .collect();
            if turned {
                rules.reverse();
            }
            rules
        },
    )
}

fn protection() -> impl Strategy<Value = Protection> {
    let deployed = prop::option::weighted(0.5, subsequence(vec!["A", "B"], 0..=2));
    let tuning = (
        select(&[1_u8, 2, 4][..]),
        select(&[25_u16, 40, 60][..]),
        select(&["block", "block", "log"][..]),
    );
    let owasp = prop::option::weighted(0.6, tuning);
    (rules(&CUSTOM, "c"), rules(&RATES, "r"), rules(&EXCEPTIONS, "e"), deployed, owasp).prop_map(
        |(custom, rates, exceptions, deployed, owasp)| Protection {
            custom,
            rates,
            exceptions,
            deployed,
            owasp,
        },
    )
}

/// Returns most specs name a part of the protection; a plan that has nothing to do says nothing.
fn scope() -> impl Strategy<Value = Scope> {
    let named = select(
        &[
            [true; 3],
            [true, false, false],
            [true, false, true],
            [true, true, false],
            [false, true, true],
        ][..],
    );
    (named, any::<bool>()).prop_map(|(named, prune)| Scope { named, prune })
}

/// Returns rules that stay as they are are more usual than others.
fn mixed(before: &Protection, after: Protection, keep: [bool; 9]) -> Protection {
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
        custom: if keep[6] {
            before.custom.clone()
        } else {
            mix(&before.custom, after.custom, &keep[..3])
        },
        rates: if keep[7] {
            before.rates.clone()
        } else {
            mix(&before.rates, after.rates, &keep[3..5])
        },
        exceptions: mix(&before.exceptions, after.exceptions, &keep[1..4]),
        deployed: if keep[5] { before.deployed.clone() } else { after.deployed },
        owasp: if keep[8] { before.owasp } else { after.owasp },
    }
}

/// Returns the number of random plans to try; `ZONEWRIGHT_TRANSITIONS` changes it.
fn cases() -> u32 {
    std::env::var("ZONEWRIGHT_TRANSITIONS").map_or(250, |text| text.parse().expect("a number"))
}

/// Plans, those that announce a window, and those where another order has none.
static COUNTS: [AtomicU32; 3] = [AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0)];

/// Counts a plan; after the last one, prints the counts.
#[expect(clippy::print_stderr, reason = "figures for the reader of the test")]
fn count(state: &State, plan: &ZonePlan, codes: &BTreeSet<String>, scope: Scope) {
    let [plans, announced, needless] = &COUNTS;
    if codes.contains("PLAN0041") {
        announced.fetch_add(1, Ordering::Relaxed);
        let any = AnyOrder::new(state, plan);
        let all: Vec<usize> = (0..any.operations.len()).collect();
        if all.len() <= ALL_ORDERS && any.is_any_safe(state, &all) {
            needless.fetch_add(1, Ordering::Relaxed);
            eprintln!("needless: {scope:?}\n{state:#?}\n{:#?}", any.operations);
        }
    }
    if plans.fetch_add(1, Ordering::Relaxed) + 1 == cases() {
        let [plans, announced, needless] =
            COUNTS.each_ref().map(|count| count.load(Ordering::Relaxed));
        eprintln!(
            "{plans} plans, {announced} announce weaker protection, {needless} of them needlessly"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn between_two_requests_nothing_else_happens_or_it_is_told(
        before in protection(), after in protection(), keep in any::<[bool; 9]>(), absent in any::<bool>(), scope in scope(),
    ) {
        let after = mixed(&before, after, keep);
        let state = state_of(&before, absent);
        let (plan, codes) = plan(&state, &after, scope);
        count(&state, &plan, &codes, scope);
        for is_passed in flaws(&state, &plan) {
            let code = if is_passed { "PLAN0041" } else { "PLAN0042" };
            prop_assert!(codes.contains(code), "{code}\n{before:#?}\n{after:#?}\n{scope:?}\n{:#?}",
                plan.rules().map(|(_, _, rule)| &rule.action).collect::<Vec<_>>());
        }
    }
}

fn rule(name: &str, when: When, does: &'static str) -> Rule {
    Rule { name: name.to_owned(), when, does }
}

/// Returns the names of the operations, in order; asserts that nothing is weaker or stricter in
/// between.
#[track_caller]
fn smooth(before: &Protection, after: &Protection) -> Vec<String> {
    let state = state_of(before, false);
    let (plan, codes) = plan(&state, after, Scope::COMPLETE);
    assert_eq!(flaws(&state, &plan), BTreeSet::new());
    assert!(!codes.contains("PLAN0041") && !codes.contains("PLAN0042"), "{codes:?}");
    plan.rules().map(|(_, _, rule)| rule.name.clone()).collect()
}

const NOTHING: Protection = Protection {
    custom: Vec::new(),
    rates: Vec::new(),
    exceptions: Vec::new(),
    deployed: None,
    owasp: None,
};

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

/// The spec only names custom rules, so the phase of the exception is not read. The block must come
/// first anyway.
#[test]
fn a_skip_of_a_phase_that_was_not_read_comes_after_the_block_in_front_of_it() {
    let host = When::Host("x.example.com");
    let foreign = rule("theirs", When::Path("/c"), "action: block");
    let owasp =
        Protection { owasp: Some((1, 25, "block")), custom: vec![foreign.clone()], ..NOTHING };
    let limited = Protection {
        rates: vec![rule("slow", When::All, RATES[0])],
        custom: vec![foreign.clone()],
        ..NOTHING
    };
    let scope = Scope { named: [true, false, false], prune: false };
    for (before, phase) in [(owasp, "http_request_firewall_managed"), (limited, "http_ratelimit")] {
        let skip =
            CUSTOM.into_iter().find(|does| does.contains(&format!("phases: [{phase}]"))).unwrap();
        let custom = vec![rule("closed", host, "action: block"), rule("quiet", host, skip)];
        let after = Protection { custom, ..NOTHING };
        let state = state_of(&before, false);
        let (plan, codes) = plan(&state, &after, scope);
        assert_eq!(flaws(&state, &plan), BTreeSet::new(), "{phase}");
        assert!(!codes.contains("PLAN0041"), "{phase}: {codes:?}");
        let names: Vec<&str> = plan.rules().map(|(_, _, rule)| rule.name.as_str()).collect();
        assert_eq!(names, ["closed", "quiet"], "{phase}");
    }
}

/// An announcement is only made where no order avoids the state, as far as the requests of this
/// file tell.
#[test]
fn what_is_told_cannot_be_avoided() {
    let pair = |one, other| Protection {
        custom: vec![
            rule("one", When::Path(one), "action: block"),
            rule("other", When::Path(other), "action: block"),
        ],
        ..NOTHING
    };
    let state = state_of(&pair("/a", "/b"), false);
    let (plan, codes) = plan(&state, &pair("/b", "/a"), Scope::COMPLETE);
    let any = AnyOrder::new(&state, &plan);
    let all: Vec<usize> = (0..any.operations.len()).collect();
    assert!(
        codes.contains("PLAN0041") && all.len() <= ALL_ORDERS && !any.is_any_safe(&state, &all)
    );
    // Apart, each half is safe.
    let (plan, codes) = self::plan(&state, &pair("/a", "/c"), Scope::COMPLETE);
    let any = AnyOrder::new(&state, &plan);
    assert!(!codes.contains("PLAN0041") && any.is_any_safe(&state, &[0]));
}

/// A ruleset that only logs stops nothing, so nothing is missing where it is skipped for a moment.
#[test]
fn a_deployment_that_only_logs_is_no_protection() {
    let exception = EXCEPTIONS.into_iter().find(|does| does.contains("ruleset: owasp")).unwrap();
    let protection = |path, action| Protection {
        owasp: Some((1, 25, action)),
        custom: vec![rule("closed", When::Path(path), "action: block")],
        exceptions: vec![rule("quiet", When::Path(path), exception)],
        ..NOTHING
    };
    for (action, is_told) in [("block", true), ("log", false)] {
        let state = state_of(&protection("/b", action), false);
        let (plan, codes) = plan(&state, &protection("/a", action), Scope::COMPLETE);
        assert_eq!(codes.contains("PLAN0041"), is_told, "{action}: {codes:?}");
        assert_eq!(flaws(&state, &plan).contains(&true), is_told, "{action}");
    }
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

/// Two rules exchange their blocked requests: with either order, a request that is blocked before
/// and after passes in between.
#[test]
fn a_window_that_no_order_closes_is_told() {
    let pair = |one, other| Protection {
        custom: vec![
            rule("one", When::Path(one), "action: block"),
            rule("other", When::Path(other), "action: block"),
        ],
        ..NOTHING
    };
    let state = state_of(&pair("/a", "/b"), false);
    let (plan, codes) = plan(&state, &pair("/b", "/a"), Scope::COMPLETE);
    assert_eq!(flaws(&state, &plan), BTreeSet::from([true]));
    assert!(codes.contains("PLAN0041"));
}
