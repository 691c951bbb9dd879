//! Properties of planned rules, for random rulesets and random specs: after the plan, the next plan
//! is empty; foreign rules are unchanged; no rule is moved without need.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use zonewright::diagnostic::{Diagnostic, Diagnostics, Place, Severity};
use zonewright::model::managed::{
    Catalogue, CatalogueRule, Managed, Paranoia, RuleName, ScoreAction,
};
use zonewright::model::ruleset::{
    DesiredDeployment, DesiredRule, DesiredWaf, EntryPoint, LiveRule, LiveRuleset, Note, Phase,
    Position, RuleBody, RuleForm, RuleId, RuleTuning, RulesetId, SkipTarget, Switch, TuningTarget,
    canonical,
};
use zonewright::model::{
    DesiredZone, Expression, LiveZone, Tier, Unmanaged, Value, ZoneId, ZoneName,
};
use zonewright::plan::{RuleAction, ZonePlan, plan_zone};

const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const ANOMALY: &str = "6179ae15870a4bb7b2d480d4843b323c";

/// Returns a body with an action and an expression.
fn body(action: &str, expression: &str, reference: Option<&str>) -> RuleBody {
    let mut body = RuleBody::default();
    body.set("action", action);
    body.set("expression", expression);
    if let Some(reference) = reference {
        body.set("ref", reference);
    }
    body
}

/// Returns a custom rule that someone else made, or one with the name of one of ours.
fn live_rule() -> impl Strategy<Value = (Option<u8>, u8)> {
    (prop_oneof![1 => Just(None), 2 => (0u8..6).prop_map(Some)], 0u8..3)
}

fn expression(n: u8) -> String {
    format!("http.request.uri.path eq \"/{n}\"")
}

fn live_rules(list: &[(Option<u8>, u8)]) -> Vec<LiveRule> {
    let mut names = std::collections::BTreeSet::new();
    let kept = list.iter().filter(|(name, _)| name.is_none_or(|n| names.insert(n)));
    kept.enumerate()
        .map(|(n, (name, e))| LiveRule {
            id: RuleId(format!("{n:032x}")),
            last_updated: None,
            // Foreign rules do something that none of ours does.
            body: match name {
                Some(name) => body("block", &expression(*e), Some(&format!("rule-{name}"))),
                None => body("log", &expression(e + 100), None),
            },
        })
        .collect()
}

fn wanted(name: u8, e: u8, gone: bool) -> DesiredRule {
    DesiredRule {
        name: format!("rule-{name}"),
        place: Place::NOWHERE,
        when: Some((Expression::reported(&expression(e)), Place::NOWHERE)),
        is_absent: gone,
        enabled: true,
        description: None,
        form: RuleForm::Act { action: "block".to_owned(), response: None },
        log: None,
        anchors: Vec::new(),
        note: Note::default(),
        key_places: Vec::new(),
    }
}

/// Returns a model of Cloudflare, as far as these properties need it.
fn carry_out(mut rules: Vec<LiveRule>, plan: &ZonePlan) -> Vec<LiveRule> {
    for (n, _, rule) in plan.rules() {
        let insert = |rules: &mut Vec<LiveRule>, rule: LiveRule, position: Option<&Position>| {
            let find = |id: &RuleId| {
                rules.iter().position(|r| r.id == *id).expect("the rule is there by now")
            };
            let at = match position {
                None | Some(Position::Last) => rules.len(),
                Some(Position::First) => 0,
                Some(Position::Before(id)) => find(id),
                Some(Position::After(id)) => find(id) + 1,
                Some(Position::Index(index)) => index - 1,
            };
            rules.insert(at, rule);
        };
        let new = |body: &RuleBody, k: usize| LiveRule {
            id: RuleId(format!("{:032x}", 1000 + 100 * n + k)),
            last_updated: None,
            body: body.clone(),
        };
        match &rule.action {
            RuleAction::CreateEntryPoint { rules: all } => {
                assert!(rules.is_empty());
                rules = all.iter().enumerate().map(|(k, body)| new(body, k)).collect();
            }
            RuleAction::Create { after, position } => {
                insert(&mut rules, new(after, 0), position.as_ref())
            }
            RuleAction::Update { id, after, position, .. } => {
                let at = rules.iter().position(|r| r.id == *id).unwrap();
                rules[at].body = after.clone();
                if let Some(position) = position {
                    let rule = rules.remove(at);
                    insert(&mut rules, rule, Some(position));
                }
            }
            RuleAction::Move { id, position, .. } => {
                let at = rules.iter().position(|r| r.id == *id).unwrap();
                let rule = rules.remove(at);
                let before = rules.len();
                insert(&mut rules, rule, Some(position));
                assert_ne!(
                    rules.iter().position(|r| r.id == *id),
                    Some(at),
                    "a move to the same place is refused ({before})"
                );
            }
            RuleAction::Delete { id, .. } => rules.retain(|r| r.id != *id),
        }
    }
    rules
}

fn zone(phase: Phase, rules: Option<Vec<LiveRule>>, catalogue: Option<&Catalogue>) -> LiveZone {
    // This plan has every feature; otherwise the plan's limits would refuse some rules.
    let tier = Tier::Enterprise;
    let mut zone = LiveZone {
        tier,
        ..LiveZone::new(ZoneName::parse("example.com").unwrap(), ZoneId("z".into()))
    };
    let entry_point = match rules {
        None => EntryPoint::Absent,
        Some(rules) => EntryPoint::Present(LiveRuleset {
            id: RulesetId("e".into()),
            version: Some("1".into()),
            last_updated: None,
            rules,
        }),
    };
    zone.waf.entry_points = BTreeMap::from([(phase, entry_point)]);
    zone.waf.catalogues = catalogue.map(|c| Arc::new(c.clone())).into_iter().collect();
    zone
}

fn foreign(rules: &[LiveRule]) -> Vec<LiveRule> {
    rules.iter().filter(|r| r.body.reference().is_none()).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Custom rules: after the plan nothing is left, foreign rules are what and where they were,
    /// and ours are in order.
    #[test]
    fn a_plan_of_rules_converges(
        live in proptest::option::of(proptest::collection::vec(live_rule(), 0..8)),
        wants in proptest::collection::vec((0u8..6, 0u8..3, proptest::bool::weighted(0.15)), 0..7),
        prune in any::<bool>(),
    ) {
        let mut names = std::collections::BTreeSet::new();
        let rules: Vec<_> =
            wants.into_iter().filter(|(n, ..)| names.insert(*n)).map(|(n, e, gone)| wanted(n, e, gone)).collect();
        let order: Vec<String> = rules.iter().filter(|r| !r.is_absent).map(|r| r.name.clone()).collect();
        let mut desired = DesiredZone::new(ZoneName::parse("example.com").unwrap(), Place::NOWHERE);
        let unmanaged = if prune { Unmanaged::Prune } else { Unmanaged::Keep };
        desired.waf = Some(Box::new(DesiredWaf { lists: BTreeMap::from([(Phase::Custom, rules)]), unmanaged, ..DesiredWaf::new(Place::NOWHERE) }));
        let before = live.map(|list| live_rules(&list));
        let (plan, found) = plan_zone(&desired, &zone(Phase::Custom, before.clone(), None));
        prop_assert!(!found.has_errors());
        let was_absent = before.is_none();
        let before = before.unwrap_or_default();
        let after = carry_out(before.clone(), &plan);
        if prune {
            prop_assert_eq!(after.len(), order.len());
        } else {
            prop_assert_eq!(foreign(&after), foreign(&before));
        }
        let ours: Vec<String> =
            after.iter().filter_map(|r| r.body.reference()).filter(|r| order.iter().any(|o| o == r)).map(str::to_owned).collect();
        prop_assert_eq!(&ours, &order);
        let now = (!was_absent || !after.is_empty()).then_some(after);
        let (again, found) = plan_zone(&desired, &zone(Phase::Custom, now, None));
        prop_assert!(again.operations.is_empty() && !found.has_errors(), "{:?}", again.operations);
    }
}

/// Returns a ruleset of forty rules on four levels, with tags across them.
fn catalogue() -> Catalogue {
    let rule = |n: u32| CatalogueRule {
        id: RuleId(format!("{n:032x}")),
        number: Some(942_000 + n),
        description: format!("{}: rule {n}", 942_000 + n),
        tags: vec![format!("paranoia-level-{}", n % 4 + 1), format!("tag-{}", n % 3)],
        enabled: true,
        action: "score".to_owned(),
        score: None,
        threshold: None,
    };
    Catalogue {
        which: Some(Managed::Owasp),
        id: RulesetId(OWASP.to_owned()),
        name: "OWASP".to_owned(),
        version: "35".to_owned(),
        rules: (1..=40).map(rule).chain([CatalogueRule::anomaly()]).collect(),
    }
}

fn text(value: &str) -> Value {
    Value::from(value)
}

fn map(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Map(members.into_iter().map(|(n, v)| (n.to_owned(), v)).collect())
}

/// Returns the errors, except for a threshold that the few rules of this catalogue cannot reach.
fn errors_but_for_the_threshold(
    found: &Diagnostics,
    deployment: &DesiredDeployment,
) -> Vec<&'static str> {
    let is_high = deployment.threshold.is_some_and(|(threshold, _)| threshold > 60);
    let errors = found.iter().filter(|one| one.severity == Severity::Error);
    errors.map(Diagnostic::code).filter(|code| *code != "WAF0039" || !is_high).collect()
}

/// Overrides as people, dashboards and other tools leave them.
fn overrides() -> impl Strategy<Value = Value> {
    let tag = (
        prop_oneof![
            (1u8..=4).prop_map(|n| format!("paranoia-level-{n}")),
            (0u8..3).prop_map(|n| format!("tag-{n}"))
        ],
        proptest::option::of(any::<bool>()),
        proptest::option::of(prop_oneof![Just("log"), Just("block")]),
    );
    let rule = (
        prop_oneof![5 => (1u32..=40).prop_map(|n| format!("{n:032x}")), 1 => Just(ANOMALY.to_owned()), 1 => Just("f".repeat(32))],
        proptest::option::of(any::<bool>()),
        proptest::option::of(prop_oneof![Just("log"), Just("block"), Just("managed_challenge")]),
        proptest::option::of(1u32..80),
    );
    (
        proptest::collection::vec(tag, 0..5),
        proptest::collection::vec(rule, 0..6),
        proptest::option::of(any::<bool>()),
    )
        .prop_map(|(tags, rules, enabled)| {
            let mut members = BTreeMap::new();
            let mut seen = std::collections::BTreeSet::new();
            let tags: Vec<Value> = tags
                .into_iter()
                .filter(|(t, e, a)| (e.is_some() || a.is_some()) && seen.insert(t.clone()))
                .map(|(tag, enabled, action)| {
                    let mut item = BTreeMap::from([("category".to_owned(), Value::from(tag))]);
                    item.extend(enabled.map(|e| ("enabled".to_owned(), Value::Bool(e))));
                    item.extend(action.map(|a| ("action".to_owned(), text(a))));
                    Value::Map(item)
                })
                .collect();
            let rules: Vec<Value> = rules
                .into_iter()
                .filter(|(id, e, a, t)| {
                    (e.is_some() || a.is_some() || (t.is_some() && id == ANOMALY))
                        && seen.insert(id.clone())
                })
                .map(|(id, enabled, action, threshold)| {
                    let threshold = threshold.filter(|_| id == ANOMALY);
                    let mut item = BTreeMap::from([("id".to_owned(), Value::from(id))]);
                    item.extend(enabled.map(|e| ("enabled".to_owned(), Value::Bool(e))));
                    item.extend(action.map(|a| ("action".to_owned(), text(a))));
                    item.extend(threshold.map(|t| ("score_threshold".to_owned(), Value::from(t))));
                    Value::Map(item)
                })
                .collect();
            if !tags.is_empty() {
                members.insert("categories".to_owned(), Value::List(tags));
            }
            if !rules.is_empty() {
                members.insert("rules".to_owned(), Value::List(rules));
            }
            members.extend(enabled.map(|e| ("enabled".to_owned(), Value::Bool(e))));
            Value::Map(members)
        })
}

fn deployment() -> impl Strategy<Value = DesiredDeployment> {
    (
        proptest::option::of(1u8..=4),
        proptest::option::of(1u32..80),
        proptest::option::of(prop_oneof![Just("block"), Just("managed_challenge"), Just("log")]),
        proptest::collection::vec((1u32..=40, any::<bool>()), 0..4),
        proptest::bool::weighted(0.1),
    )
        .prop_map(|(level, threshold, action, rules, off)| {
            let place = Place::NOWHERE;
            let mut wants = DesiredDeployment::new(
                Managed::Owasp,
                if off { Switch::Off } else { Switch::On },
                place,
            );
            wants.paranoia = level.and_then(Paranoia::new).map(|l| (l, place));
            wants.threshold = threshold.map(|t| (t, place));
            wants.action = action.and_then(ScoreAction::parse).map(|a| (a, place));
            let mut seen = std::collections::BTreeSet::new();
            wants.rules = rules
                .into_iter()
                .filter(|(n, _)| seen.insert(*n))
                .map(|(n, on)| RuleTuning {
                    target: TuningTarget::Rule(RuleName::new(&(942_000 + n).to_string())),
                    enabled: Some(on),
                    action: None,
                    note: Note::default(),
                    place,
                })
                .collect();
            wants
        })
}

/// Returns an entry point of managed rules as others left it.
fn managed_rules() -> impl Strategy<Value = Option<Vec<LiveRule>>> {
    let one = prop_oneof![
        Just(0u8), // a foreign skip rule
        Just(1),   // a foreign deployment of another ruleset
        Just(2),   // the OWASP ruleset
    ];
    proptest::option::of((proptest::collection::vec(one, 0..5), overrides()).prop_map(
        |(kinds, overrides)| {
            let mut has_owasp = false;
            kinds
                .into_iter()
                .filter(|kind| *kind != 2 || !std::mem::replace(&mut has_owasp, true))
                .enumerate()
                .map(|(n, kind)| {
                    let mut rule = match kind {
                        0 => {
                            let mut rule =
                                body("skip", &expression(u8::try_from(n).unwrap() + 100), None);
                            rule.set("action_parameters", map([("ruleset", text("current"))]));
                            rule
                        }
                        1 => {
                            let mut rule = body("execute", "true", None);
                            let key = map([("public_key", text("k"))]);
                            rule.set(
                                "action_parameters",
                                map([
                                    ("id", Value::from(format!("{:032x}", 77 + n))),
                                    ("matched_data", key),
                                ]),
                            );
                            rule
                        }
                        _ => {
                            let mut rule = body("execute", "true", None);
                            let parameters = [
                                ("id", text(OWASP)),
                                ("version", text("latest")),
                                ("overrides", overrides.clone()),
                                ("matched_data", map([("public_key", text("k"))])),
                            ];
                            rule.set("action_parameters", map(parameters));
                            rule.set("x_unknown", map([("a", Value::Integer(1))]));
                            rule
                        }
                    };
                    rule.set("enabled", true);
                    LiveRule { id: RuleId(format!("{n:032x}")), last_updated: None, body: rule }
                })
                .collect()
        },
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Managed rules: one change at most for the deployment, everything foreign untouched, nothing
    /// left afterwards.
    #[test]
    fn a_deployment_converges_and_leaves_the_rest_alone(
        live in managed_rules(),
        deployment in deployment(),
        exceptions in proptest::option::of(proptest::collection::vec(0u8..4, 0..3)),
    ) {
        let catalogue = catalogue();
        let mut desired = DesiredZone::new(ZoneName::parse("example.com").unwrap(), Place::NOWHERE);
        let mut seen = std::collections::BTreeSet::new();
        let exceptions = exceptions.map(|all| all.into_iter().filter(|n| seen.insert(*n)).map(|n| DesiredRule {
            form: RuleForm::Skip(vec![SkipTarget::Rules(Managed::Owasp, vec![(RuleName::new("942001"), Place::NOWHERE)])]),
            ..wanted(n, n, false)
        }).collect());
        desired.waf = Some(Box::new(DesiredWaf { deployments: vec![deployment.clone()], lists: exceptions.map(|rules| (Phase::Managed, rules)).into_iter().collect(), ..DesiredWaf::new(Place::NOWHERE) }));
        let (plan, found) = plan_zone(&desired, &zone(Phase::Managed, live.clone(), Some(&catalogue)));
        prop_assert!(errors_but_for_the_threshold(&found, &deployment).is_empty());
        let patches = plan.rules().filter(|(_, _, rule)| matches!(rule.action, RuleAction::Update { .. })).count();
        prop_assert!(patches <= 1);
        let was_absent = live.is_none();
        let before = live.unwrap_or_default();
        let after = carry_out(before.clone(), &plan);
        let others = |rules: &[LiveRule]| -> Vec<LiveRule> {
            foreign(rules).into_iter().filter(|r| r.body.executes() != Some(OWASP)).collect()
        };
        prop_assert_eq!(others(&after), others(&before));
        // Members of the deployment that the spec does not name are still there.
        let owasp = |rules: &[LiveRule]| rules.iter().find(|r| r.body.executes() == Some(OWASP)).cloned();
        if let (Some(a), Some(b)) = (owasp(&before), owasp(&after)) {
            prop_assert_eq!(a.id, b.id);
            prop_assert_eq!(a.body.get("x_unknown"), b.body.get("x_unknown"));
            prop_assert_eq!(a.body.parameter("matched_data"), b.body.parameter("matched_data"));
        }
        // Exceptions are before the deployment that they concern.
        if let Some(at) = after.iter().position(|r| r.body.executes() == Some(OWASP)) {
            let late = after[at..].iter().any(|r| r.body.reference().is_some_and(|n| n.starts_with("rule-")));
            prop_assert!(!late);
        }
        let now = (!was_absent || !after.is_empty()).then_some(after);
        let (again, found) = plan_zone(&desired, &zone(Phase::Managed, now, Some(&catalogue)));
        prop_assert!(errors_but_for_the_threshold(&found, &deployment).is_empty());
        prop_assert!(again.operations.is_empty(), "{:?}", again.operations);
    }

    /// The canonical form is a fixed point.
    #[test]
    fn canonical_forms_are_fixed_points(rules in managed_rules()) {
        for rule in rules.unwrap_or_default() {
            let once = canonical(&rule.body);
            prop_assert_eq!(canonical(&once), once);
        }
    }
}
