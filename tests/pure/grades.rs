//! Narrow weakenings: random exceptions and overrides are planned, and nothing that is wider than
//! the limit passes without a consent.
//!
//! The oracle shares no code with the program: it evaluates the expression for every host, path and
//! client of a small set.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;
use zonewright::diagnostic::Sources;
use zonewright::model::ruleset::{EntryPoint, LiveWaf, Phase};
use zonewright::model::{Danger, DesiredZone, LiveZone, Policy, Tier, ZoneId, ZoneName};
use zonewright::plan::{Consents, GivenConsent, MissingConsent, Plan, Verdict, plan_zone};
use zonewright::{spec, wire};

use crate::support::rulesets::{tuning, waf};

const HOSTS: &[&str] = &["a.example", "b.example", "ba.example"];
const PATHS: &[&str] = &[
    "/", "/x", "/y", "/x/y", "/x/yy", "/x/y/z", "/x/y/w", "/x/z", "/x/z/y", "/y/x", "/y/x/y",
    "/z/x/y/z", "/x/y/z/y",
];
const RULES: &[u32] = &[942_100, 942_110, 942_120, 942_130, 942_140, 942_150, 942_160];

/// A random expression.
#[derive(Debug, Clone)]
enum Drawn {
    Host(&'static str, &'static str),
    Path(&'static str, &'static str),
    StartsWith(&'static str),
    Bot,
    Not(Box<Drawn>),
    Chain(&'static str, Vec<Drawn>),
}

impl Drawn {
    fn text(&self) -> String {
        let literal = |operator: &str, value: &str| match operator {
            "in" => format!("in {{\"{value}\"}}"),
            "wildcard" => format!("wildcard \"{value}*\""),
            _ => format!("{operator} \"{value}\""),
        };
        match self {
            Self::Host(operator, value) => format!("http.host {}", literal(operator, value)),
            Self::Path(operator, value) => {
                format!("http.request.uri.path {}", literal(operator, value))
            }
            Self::StartsWith(prefix) => format!("starts_with(http.request.uri.path, \"{prefix}\")"),
            Self::Bot => "cf.client.bot".to_owned(),
            Self::Not(inner) => format!("not ({})", inner.text()),
            Self::Chain(word, parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| format!("({})", part.text())).collect();
                parts.join(&format!(" {word} "))
            }
        }
    }

    fn matches(&self, host: &str, path: &str, bot: bool) -> bool {
        let compare = |operator: &str, field: &str, value: &str| match operator {
            "eq" | "==" | "in" => field == value,
            "ne" => field != value,
            "contains" => field.contains(value),
            "wildcard" => field.starts_with(value),
            other => panic!("{other}"),
        };
        match self {
            Self::Host(operator, value) => compare(operator, host, value),
            Self::Path(operator, value) => compare(operator, path, value),
            Self::StartsWith(prefix) => path.starts_with(prefix),
            Self::Bot => bot,
            Self::Not(inner) => !inner.matches(host, path, bot),
            Self::Chain("and", parts) => parts.iter().all(|part| part.matches(host, path, bot)),
            Self::Chain("or", parts) => parts.iter().any(|part| part.matches(host, path, bot)),
            Self::Chain(_, parts) => {
                parts.iter().filter(|part| part.matches(host, path, bot)).count() % 2 == 1
            }
        }
    }

    /// Returns true if all requests that it matches are for one page, or for one directory with a
    /// path of two names, of one host.
    fn is_one_place(&self) -> bool {
        let (mut hosts, mut paths) = (BTreeSet::new(), BTreeSet::new());
        for host in HOSTS {
            for path in PATHS {
                if [true, false].iter().any(|bot| self.matches(host, path, *bot)) {
                    hosts.insert(*host);
                    paths.insert(*path);
                }
            }
        }
        let common = paths.iter().copied().reduce(|a, b| {
            let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            &a[..same]
        });
        let names =
            common.map_or(2, |common| common.split('/').filter(|name| !name.is_empty()).count());
        hosts.len() <= 1 && (paths.len() <= 1 || names >= 2)
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let operators = || select(vec!["eq", "==", "in", "ne", "contains", "eq", "eq"]);
    let leaf = prop_oneof![
        4 => (operators(), select(HOSTS)).prop_map(|(operator, value)| Drawn::Host(operator, value)),
        3 => (operators(), select(PATHS)).prop_map(|(operator, value)| Drawn::Path(operator, value)),
        1 => select(PATHS).prop_map(|value| Drawn::Path("wildcard", value)),
        3 => select(vec!["/x/y", "/x/y/", "/x/", "/x", "/", "/x//", "/y/x/"]).prop_map(Drawn::StartsWith),
        1 => Just(Drawn::Bot),
    ];
    let pair = (select(HOSTS), select(vec!["/x/y", "/x/y/z"]), any::<bool>());
    let place = pair.prop_map(|(host, path, whole)| {
        let path = if whole { Drawn::Path("eq", path) } else { Drawn::StartsWith(path) };
        Drawn::Chain("and", vec![Drawn::Host("eq", host), path])
    });
    prop_oneof![2 => leaf, 1 => place].prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|part| Drawn::Not(Box::new(part))),
            4 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| Drawn::Chain("and", parts)),
            1 => prop::collection::vec(inner.clone(), 2..3).prop_map(|parts| Drawn::Chain("or", parts)),
            1 => prop::collection::vec(inner, 2..3).prop_map(|parts| Drawn::Chain("xor", parts)),
        ]
    })
}

/// Returns the reason and the last day of an entry, with the days until then.
fn note() -> impl Strategy<Value = (&'static str, Option<u32>)> {
    // Today is 2026-11-22.
    select(vec![
        (", reason: x, expires: 2027-02-20", Some(90)),
        (", reason: x, expires: 2026-12-01", Some(9)),
        (", reason: x, expires: 2027-02-21", Some(91)),
        (", reason: x", None),
    ])
}

fn load(section: &str) -> Option<DesiredZone> {
    let text = format!("version: 1\nzones:\n  example.com:\n    waf:\n{section}");
    let options =
        spec::Options { today: Some("2026-11-22".to_owned()), ..spec::Options::default() };
    let outcome = spec::load(&[spec::Input::Stdin(text)], &options, &mut Sources::default());
    outcome.desired?.zones.into_values().next()
}

/// Returns the zone with an OWASP deployment at level 2 and threshold 40.
fn live() -> LiveZone {
    let owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
    let parameters = json!({ "id": owasp, "overrides": tuning(2, 40, "block") });
    let rule = json!({ "id": "1".repeat(32), "version": "1", "ref": "owasp", "action": "execute", "expression": "true", "enabled": true, "action_parameters": parameters });
    let ruleset = json!({ "id": "2".repeat(32), "version": "7", "rules": [rule] });
    let mut entry_points: BTreeMap<_, _> =
        Phase::ALL.iter().map(|phase| (*phase, EntryPoint::Absent)).collect();
    entry_points.insert(
        Phase::Managed,
        EntryPoint::Present(wire::ruleset::read_ruleset(&ruleset).unwrap()),
    );
    LiveZone {
        tier: Tier::from_legacy_id("enterprise"),
        waf: LiveWaf { entry_points, ..waf() },
        ..LiveZone::new(ZoneName::parse("example.com").unwrap(), ZoneId("3".repeat(32)))
    }
}

/// Returns true if the plan of a section weakens the protection, and whether it needs a consent for
/// that.
fn judged(section: &str) -> Option<(bool, bool)> {
    let desired = load(section)?;
    let (zone, diagnostics) = plan_zone(&desired, &live());
    if diagnostics.has_errors() {
        return None;
    }
    let weakens = zone.operations.iter().any(|o| o.dangers.contains(&Danger::WeakensProtection));
    let plan = Plan { zones: vec![zone], diagnostics, ..Plan::default() };
    let needs = match plan.verdict(&Consents::default()) {
        Verdict::NeedsConsent(missing) => {
            missing.iter().any(|m| m.danger == Danger::WeakensProtection)
        }
        _ => false,
    };
    Some((weakens, needs))
}

fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn no_wider_exception_passes_as_narrow(
        all in prop::collection::vec((drawn(), subsequence(RULES.to_vec(), 1..=6), note(), any::<bool>()), 1..3),
    ) {
        let mut section = String::from("      exceptions:\n");
        for (n, (expression, rules, (note, _), score)) in all.iter().enumerate() {
            let mut rules: Vec<String> = rules.iter().map(u32::to_string).collect();
            rules.extend((*score && n == 1).then(|| "949110".to_owned()));
            section.push_str(&format!(
                "        - {{ name: e{n}, when: '{}', skip: {{ owasp: [{}] }}{note} }}\n",
                expression.text(),
                rules.join(", ")
            ));
        }
        if let Some((true, false)) = judged(&section) {
            let effective = |(expression, ..): &&(Drawn, _, _, _)| {
                HOSTS.iter().any(|h| PATHS.iter().any(|p| [true, false].iter().any(|b| expression.matches(h, p, *b))))
            };
            let all: Vec<_> = all.iter().enumerate().filter(|(_, one)| effective(one)).collect();
            prop_assert!(all.iter().map(|(_, (_, rules, ..))| rules.len()).sum::<usize>() <= 5, "{section}");
            for (n, (expression, _, (_, days), score)) in all {
                prop_assert!(expression.is_one_place(), "{section}");
                prop_assert!(days.is_some_and(|days| days <= 90), "{section}");
                prop_assert!(!(*score && n == 1), "{section}");
            }
        }
    }

    #[test]
    fn no_wider_override_passes_as_narrow(
        rules in prop::collection::vec((select(RULES), note()), 1..7),
        tag in any::<bool>(),
        score in any::<bool>(),
        paranoia in 1u8..=3,
        threshold in select(vec![25u32, 40, 60]),
    ) {
        let (tag, score) = (tag && rules.len() == 2, score && rules.len() == 3);
        let mut section = format!("      owasp:\n        paranoia: {paranoia}\n        threshold: {threshold}\n        disable:\n");
        let named: BTreeMap<u32, Option<u32>> = rules.iter().map(|(rule, (_, days))| (*rule, *days)).collect();
        for rule in named.keys() {
            let (_, (note, _)) = rules.iter().rev().find(|(other, _)| other == rule).unwrap();
            section.push_str(&format!("          - {{ rule: {rule}{note} }}\n"));
        }
        if tag {
            section.push_str("          - { tag: language-php, reason: x, expires: 2026-12-01 }\n");
        }
        if score {
            section.push_str("          - { rule: 949110, reason: x, expires: 2026-12-01 }\n");
        }
        if let Some((true, false)) = judged(&section) {
            prop_assert!(named.len() <= 5 && !tag && !score && paranoia >= 2 && threshold <= 40, "{section}");
            prop_assert!(named.values().all(|days| days.is_some_and(|days| days <= 90)), "{section}");
        }
    }
}

#[test]
fn what_is_narrow_needs_no_second_consent() {
    let exception = |when: &str, rules: &str, note: &str| {
        format!(
            "      exceptions:\n        - {{ name: e, when: '{when}', skip: {{ owasp: [{rules}] }}{note} }}\n"
        )
    };
    let place = r#"http.host eq "a.example" and http.request.uri.path eq "/search""#;
    let until = ", reason: x, expires: 2027-01-01";
    assert_eq!(judged(&exception(place, "942100", until)), Some((true, false)));
    assert_eq!(
        judged(&exception(place, "942100, 942110, 942120, 942130, 942140", until)),
        Some((true, false))
    );
    assert_eq!(
        judged(&exception(place, "942100, 942110, 942120, 942130, 942140, 942150", until)),
        Some((true, true))
    );
    assert_eq!(judged(&exception(place, "949110", until)), Some((true, true)));
    assert_eq!(judged(&exception("true", "942100", until)), Some((true, true)));
    let disable = |rules: &str| format!("      owasp:\n        disable:\n{rules}");
    let rule = |number: u32| format!("          - {{ rule: {number}{until} }}\n");
    assert_eq!(judged(&disable(&rule(942_100))), Some((true, false)));
    assert_eq!(
        judged(&disable(&RULES[..6].iter().map(|n| rule(*n)).collect::<String>())),
        Some((true, true))
    );
    // An exception and overrides count together.
    let both = |n: usize| {
        let rules: String = RULES[..n].iter().map(|n| rule(*n)).collect();
        format!("{}{}", disable(&rules), exception(place, "942160, 942150", until))
    };
    assert_eq!(judged(&both(3)), Some((true, false)));
    assert_eq!(judged(&both(4)), Some((true, true)));
}

/// The policy file can require fewer consents, or refuse narrow weakenings.
#[test]
fn a_policy_can_demand_less() {
    let section = "      owasp:\n        disable:\n          - { rule: 942100, reason: TICKET-9, expires: 2026-12-22 }\n          - { rule: 942110, reason: TICKET-9, expires: 2026-12-22 }\n";
    let (zone, _) = plan_zone(&load(section).unwrap(), &live());
    for (narrow_rules, narrow_days, is_narrow) in [
        (5, 90, true),
        (2, 30, true),
        (1, 90, false),
        (5, 29, false),
        (0, 90, false),
        (5, 0, false),
    ] {
        let consents = Consents {
            policy: Policy { narrow_rules, narrow_days, ..Policy::default() },
            ..Consents::default()
        };
        let mut plan = Plan { zones: vec![zone.clone()], ..Plan::default() };
        plan.grade(&consents.policy);
        match plan.verdict(&consents) {
            Verdict::Ready => {
                assert!(is_narrow);
                let by = "spec: narrow, until 2026-12-22: TICKET-9".to_owned();
                assert_eq!(
                    plan.consents(&consents),
                    [GivenConsent { danger: Danger::WeakensProtection, by }]
                );
            }
            Verdict::NeedsConsent(missing) => {
                assert!(!is_narrow, "{narrow_rules} {narrow_days}");
                assert!(matches!(
                    missing.as_slice(),
                    [MissingConsent { danger: Danger::WeakensProtection, .. }]
                ));
            }
            other => panic!("{other:?}"),
        }
    }
}
