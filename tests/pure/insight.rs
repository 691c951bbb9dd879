//! Properties of tuning: overrides resolve as documented, a deployment that is read and written
//! again is unchanged, and the direction of a change follows from the effects of the rules before
//! and after.

use crate::support::rulesets::{body, deployment};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value as Json, json};
use zonewright::diagnostic::Place;
use zonewright::insight::Direction;
use zonewright::insight::waf::{NO_EFFECT, deployment_impact, effective_deployment};
use zonewright::model::Unmanaged;
use zonewright::model::facts::crs::HIGHEST_SCORE;
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::{
    Catalogue, CatalogueRule, Managed, Overrides, Paranoia, ScoreAction, compile, effective,
    recognise,
};
use zonewright::model::ruleset::{
    DesiredDeployment, RuleBody, RuleId, RulesetId, Switch, canonical,
};
use zonewright::wire::settings::from_json;

/// Cases of each law.
const CASES: u32 = 1000;
/// Tags that rules carry besides a level.
const TAGS: [&str; 3] = ["language-php", "wordpress", "cve"];
/// Actions of overrides.
const ACTIONS: [&str; 4] = ["block", "managed_challenge", "js_challenge", "log"];

fn place() -> Place {
    Place::NOWHERE
}

/// Returns a rule: its number, level (0 for none), tags, whether it is on.
fn catalogue_rule(scores: bool) -> impl Strategy<Value = CatalogueRule> {
    (
        0..=4usize,
        subsequence(TAGS.to_vec(), 0..=2),
        any::<bool>(),
        any::<bool>(),
        select(&ACTIONS[..]),
    )
        .prop_map(move |(level, tags, enabled, numbered, action)| {
            let level = (scores && level > 0).then(|| format!("paranoia-level-{level}"));
            CatalogueRule {
                id: RuleId(String::new()),
                number: numbered.then_some(0),
                description: String::new(),
                tags: level.into_iter().chain(tags.into_iter().map(str::to_owned)).collect(),
                enabled,
                action: if scores { "score" } else { action }.to_owned(),
                score: None,
                threshold: None,
            }
        })
}

/// Returns a managed ruleset of a few rules.
fn catalogue(which: Managed) -> impl Strategy<Value = Catalogue> {
    prop::collection::vec(catalogue_rule(which == Managed::Owasp), 1..10).prop_map(
        move |mut rules| {
            for (n, rule) in (1u32..).zip(&mut rules) {
                rule.id = RuleId(format!("{:032x}", 0x00ab_cdef_0000_u64 + u64::from(n)));
                rule.number = rule.number.map(|_| 942_100 + n);
                rule.description = format!(
                    "{}Rule {n}",
                    rule.number.map(|n| format!("{n}: ")).unwrap_or_default()
                );
            }
            if which == Managed::Owasp {
                rules.push(CatalogueRule::anomaly());
            }
            let id = RulesetId(which.facts().id.to_owned());
            Catalogue {
                which: Some(which),
                id,
                name: which.key().to_owned(),
                version: "36".to_owned(),
                rules: rules.into(),
            }
        },
    )
}

/// The kinds of unusual overrides to generate.
#[derive(Debug, Clone, Copy)]
struct Wild {
    /// With actions on rules and tags.
    actions: bool,
    /// With unknown members, and entries without effect.
    odd: bool,
    /// With duplicate entries, which Cloudflare would refuse.
    twice: bool,
}

/// Returns a value now and then, or never.
fn sometimes(
    ever: bool,
    probability: f64,
    value: impl Strategy<Value = &'static str> + 'static,
) -> BoxedStrategy<Option<&'static str>> {
    if ever { prop::option::weighted(probability, value).boxed() } else { Just(None).boxed() }
}

/// Returns the part that all overrides share, in either spelling.
fn said(wild: Wild) -> BoxedStrategy<Map<String, Json>> {
    let enabled = prop_oneof![
        3 => Just(None),
        4 => any::<bool>().prop_map(|b| Some(("enabled", json!(b)))),
        1 => any::<bool>().prop_map(|b| Some(("status", json!(if b { "enabled" } else { "disabled" })))),
    ];
    let action = sometimes(wild.actions, 0.4, select(&ACTIONS[..]));
    let odd = sometimes(wild.odd, 0.15, select(&["low", "default"][..]));
    (enabled, action, odd)
        .prop_map(|(enabled, action, odd)| {
            let mut members = Map::new();
            members.extend(enabled.map(|(name, value)| (name.to_owned(), value)));
            members.extend(action.map(|a| ("action".to_owned(), json!(a))));
            members.extend(odd.map(|o| ("sensitivity_level".to_owned(), json!(o))));
            members
        })
        .boxed()
}

/// Overrides for a ruleset.
fn overrides(catalogue: &Catalogue, wild: Wild) -> BoxedStrategy<Json> {
    let levels = (1..=4).map(|n| format!("paranoia-level-{n}"));
    let tags: Vec<String> =
        levels.chain(TAGS.map(str::to_owned)).chain(["nobody".to_owned()]).collect();
    let mut ids: Vec<String> = catalogue.rules.iter().map(|r| r.id.0.clone()).collect();
    ids.push("37da785500000000000000000000abcd".to_owned());
    let item = move |key: &'static str, names: Vec<String>| {
        let most = names.len();
        let twice = if wild.twice {
            prop_oneof![9 => Just(false), 1 => Just(true)].boxed()
        } else {
            Just(false).boxed()
        };
        (
            subsequence(names, 0..=most).prop_shuffle(),
            prop::collection::vec(said(wild), most),
            twice,
        )
            .prop_map(move |(names, said, twice)| {
                let mut items: Vec<Json> = Vec::new();
                for (name, mut members) in names.into_iter().zip(said) {
                    if members.is_empty() && !wild.odd {
                        continue;
                    }
                    members.insert(key.to_owned(), json!(name));
                    items.push(Json::Object(members));
                }
                if twice && let Some(first) = items.first().cloned() {
                    items.push(first);
                }
                items
            })
    };
    let threshold = prop::option::of(1u32..70);
    let score_action = prop::option::of(select(&ACTIONS[..]));
    let is_owasp = catalogue.which == Some(Managed::Owasp);
    (said(wild), item("category", tags), item("id", ids), threshold, score_action, 0..=6u8)
        .prop_map(move |(mut all, mut categories, mut rules, threshold, action, level)| {
            if (1..=4).contains(&level) {
                // Often a plain level, as people have it.
                all.clear();
                categories = (level + 1..=4)
                    .map(|n| json!({ "category": format!("paranoia-level-{n}"), "enabled": false }))
                    .collect();
            }
            if is_owasp {
                let anomaly = rules.iter_mut().find(|r| r["id"] == ANOMALY_RULE);
                let anomaly = match anomaly {
                    Some(found) => found,
                    None => {
                        rules.push(json!({ "id": ANOMALY_RULE }));
                        rules.last_mut().expect("just put there")
                    }
                };
                if let Some(threshold) = threshold {
                    anomaly["score_threshold"] = json!(threshold);
                }
                if let Some(action) = action {
                    anomaly["action"] = json!(action);
                }
                rules.retain(|r| wild.odd || r.as_object().is_some_and(|r| r.len() > 1));
            }
            let mut value = all;
            if !categories.is_empty() || wild.odd {
                value.insert("categories".to_owned(), json!(categories));
            }
            if !rules.is_empty() {
                value.insert("rules".to_owned(), json!(rules));
            }
            Json::Object(value)
        })
        .boxed()
}

/// Returns a ruleset with overrides of it.
fn tuned(wild: Wild) -> impl Strategy<Value = (Catalogue, Json)> {
    prop_oneof![catalogue(Managed::Owasp), catalogue(Managed::Cloudflare)].prop_flat_map(
        move |catalogue| {
            let overrides = overrides(&catalogue, wild);
            (Just(catalogue), overrides)
        },
    )
}

/// Returns a ruleset with two overrides of it.
fn tuned_twice() -> impl Strategy<Value = (Catalogue, Json, Json)> {
    prop_oneof![catalogue(Managed::Owasp), catalogue(Managed::Cloudflare)].prop_flat_map(
        |catalogue| {
            let wild = Wild {
                actions: catalogue.which == Some(Managed::Cloudflare),
                odd: false,
                twice: false,
            };
            let (left, right) = (overrides(&catalogue, wild), overrides(&catalogue, wild));
            (Just(catalogue), left, right)
        },
    )
}

/// Returns true if an entry enables or disables, in either spelling.
fn says_enabled(entry: &Json) -> Option<bool> {
    entry["enabled"].as_bool().or_else(|| entry["status"].as_str().map(|s| s == "enabled"))
}

/// Returns the effect of a rule, from all overrides that could concern it, weakest first.
fn naive(
    catalogue: &Catalogue,
    rule: &CatalogueRule,
    overrides: &Json,
) -> (bool, String, Option<u64>) {
    let is_anomaly = catalogue.which == Some(Managed::Owasp) && rule.id.0 == ANOMALY_RULE;
    let mut state = (rule.enabled, rule.action.clone(), rule.threshold.map(u64::from));
    let mut entries = vec![overrides.clone()];
    if is_anomaly {
        entries[0]["action"] = Json::Null;
    }
    let list = |name: &str| overrides[name].as_array().cloned().unwrap_or_default();
    let carries = |entry: &Json| rule.tags.iter().any(|t| entry["category"] == t.as_str());
    entries.extend(list("categories").into_iter().filter(carries));
    entries.extend(list("rules").into_iter().filter(|entry| entry["id"] == rule.id.0.as_str()));
    for entry in entries {
        state.0 = says_enabled(&entry).unwrap_or(state.0);
        state.1 = entry["action"].as_str().map_or(state.1, str::to_owned);
        state.2 = entry["score_threshold"].as_u64().or(state.2);
    }
    state
}

/// Returns the strength of each rule. If a score decides, that is whether the rule adds to it, and
/// the action at the threshold.
fn powers(catalogue: &Catalogue, overrides: &Json) -> Vec<i64> {
    let rank = |action: &str| match action {
        "log" => 1,
        "block" => 3,
        _ => 2,
    };
    let all: Vec<_> = catalogue.rules.iter().map(|r| naive(catalogue, r, overrides)).collect();
    if catalogue.which == Some(Managed::Cloudflare) {
        return all.iter().map(|(on, action, _)| if *on { rank(action) } else { 0 }).collect();
    }
    let (anomaly, others) = all.split_last().expect("there is the anomaly rule");
    let threshold = anomaly.2.expect("it has a threshold");
    let scores = catalogue.rules.iter().zip(others).filter(|(_, (on, _, _))| *on);
    let total: u64 = scores.map(|(rule, _)| u64::from(rule.score().unwrap_or(HIGHEST_SCORE))).sum();
    // 60 is the highest threshold that the dashboard offers.
    let is_out_of_reach = threshold > 60 && (1..threshold).contains(&total);
    if !anomaly.0 || is_out_of_reach {
        return vec![-1_000_000; others.len() + 2];
    }
    let mut powers: Vec<i64> = others.iter().map(|(on, _, _)| i64::from(*on)).collect();
    powers.push(rank(&anomaly.1));
    powers.push(-i64::try_from(threshold).expect("a small number"));
    powers
}

/// Adds entries without effect: those that repeat the current state, and those for rules that do
/// not exist.
fn with_noise(catalogue: &Catalogue, overrides: &Json, picks: &[bool]) -> Json {
    let mut noisy = overrides.clone();
    let mut rules = overrides["rules"].as_array().cloned().unwrap_or_default();
    for (rule, _) in catalogue.rules.iter().zip(picks).filter(|(_, pick)| **pick) {
        if !rules.iter().any(|r| r["id"] == rule.id.0.as_str()) {
            let (enabled, _, _) = naive(catalogue, rule, overrides);
            rules.push(
                json!({ "id": rule.id.0, "status": if enabled { "enabled" } else { "disabled" } }),
            );
        }
    }
    rules.push(json!({ "id": "99999999999999999999999999999999", "enabled": false }));
    rules.reverse();
    noisy["rules"] = json!(rules);
    let mut tags = overrides["categories"].as_array().cloned().unwrap_or_default();
    tags.insert(0, json!({ "category": "carried by none", "enabled": false }));
    noisy["categories"] = json!(tags);
    noisy
}

/// Returns a deployment with more than overrides.
fn whole(catalogue: &Catalogue, overrides: Json) -> RuleBody {
    let mut rule = deployment(catalogue, overrides);
    rule.set("ref", "ours");
    rule.set("expression", "http.host eq \"a.example\"");
    rule.set_parameter("matched_data", from_json(&json!({ "public_key": "k" })));
    rule.set_parameter("version", "latest");
    rule
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn overrides_resolve_as_documented((catalogue, value) in tuned(Wild { actions: true, odd: true, twice: false })) {
        let overrides = Overrides::read(Some(&from_json(&value))).expect("a known shape");
        for (rule, effect) in catalogue.rules.iter().zip(effective(&catalogue, &overrides)) {
            let (enabled, action, threshold) = naive(&catalogue, rule, &value);
            prop_assert_eq!(
                (effect.enabled, effect.action, effect.threshold.map(u64::from)), (enabled, action, threshold), "{:?}", rule
            );
        }
    }

    #[test]
    fn what_is_recognised_compiles_to_what_was_there((catalogue, value) in tuned(Wild { actions: true, odd: true, twice: true })) {
        let which = catalogue.which.expect("one of ours");
        let live = whole(&catalogue, value);
        let mut bare = live.clone();
        bare.remove_parameter("overrides");
        for known in [Some(&catalogue), None] {
            let recognised = recognise(&live, which, known, place());
            for (base, unmanaged) in [(&live, Unmanaged::Keep), (&live, Unmanaged::Prune), (&bare, Unmanaged::Keep)] {
                let again = compile(&recognised.desired, known, Some(base), unmanaged).body;
                prop_assert_eq!(canonical(&again), canonical(&live), "{:#?}", recognised);
            }
        }
    }

    #[test]
    fn a_deployment_of_which_nothing_is_said_stays(
        (catalogue, value) in tuned(Wild { actions: true, odd: true, twice: true })
    ) {
        let which = catalogue.which.expect("one of ours");
        let live = whole(&catalogue, value);
        let desired = DesiredDeployment::new(
            which, Switch::On, place(),
        );
        let again = compile(&desired, Some(&catalogue), Some(&live), Unmanaged::Keep).body;
        prop_assert_eq!(canonical(&again), canonical(&live));
    }

    #[test]
    fn what_is_wanted_holds_and_wanting_it_again_changes_nothing(
        (catalogue, value) in tuned(Wild { actions: true, odd: true, twice: false }),
        level in 1u8..=4, threshold in 1u32..70, action in select(&ACTIONS[..]), only_levels in any::<bool>(),
    ) {
        if catalogue.which != Some(Managed::Owasp) {
            return Ok(());
        }
        let mut value = value;
        if only_levels && let Some(tags) = value["categories"].as_array_mut() {
            tags.retain(|t| t["category"].as_str().is_some_and(|t| t.starts_with("paranoia")));
        }
        let live = whole(&catalogue, value);
        let mut desired = DesiredDeployment::new(Managed::Owasp, Switch::On, place());
        desired.paranoia = Paranoia::new(level).map(|l| (l, place()));
        desired.threshold = Some((threshold, place()));
        desired.action = ScoreAction::parse(action).map(|a| (a, place()));
        let once = compile(&desired, Some(&catalogue), Some(&live), Unmanaged::Keep).body;
        let twice = compile(&desired, Some(&catalogue), Some(&once), Unmanaged::Keep).body;
        prop_assert_eq!(&once, &twice);
        let now = effective_deployment(&once, &catalogue).expect("a known shape");
        prop_assert_eq!((now.threshold(), now.action()), (Some(threshold), Some(action)));
        if only_levels {
            prop_assert!(now.acts() || now.out_of_reach().is_some());
        }
        if only_levels && catalogue.rules.iter().any(|r| r.level().is_some()) {
            prop_assert_eq!(now.paranoia, Paranoia::new(level), "{:#?}", now.overrides);
        }
    }

    #[test]
    fn equal_in_effect_is_neutral(
        (catalogue, value) in tuned(Wild { actions: true, odd: true, twice: false }), picks in prop::collection::vec(any::<bool>(), 12)
    ) {
        let before = deployment(&catalogue, value.clone());
        let after = deployment(&catalogue, with_noise(&catalogue, &value, &picks));
        for (left, right) in [(&before, &after), (&after, &before), (&before, &before)] {
            let impact = deployment_impact(Some(left), Some(right), Some(&catalogue));
            prop_assert_eq!(impact.direction, Direction::Neutral, "{:#?}", &impact.lines);
            prop_assert!(impact.lines.iter().any(|l| l == NO_EFFECT), "{:#?}", &impact.lines);
        }
    }

    #[test]
    fn the_direction_follows_from_what_rules_do((catalogue, left, right) in tuned_twice()) {
        let (mut before, mut after) = (powers(&catalogue, &left), powers(&catalogue, &right));
        // If the action is to log, only the action matters.
        let logs = |powers: &[i64]| powers[powers.len() - 2] == 1;
        if catalogue.which == Some(Managed::Owasp) && (logs(&before) || logs(&after)) {
            for powers in [&mut before, &mut after] {
                *powers = vec![powers[powers.len() - 2]];
            }
            if before[0] < 0 || after[0] < 0 {
                // If the score is not compared, or only logged, no request is stopped.
                let stops = |powers: &[i64]| i64::from(powers[0] > 1);
                (before, after) = (vec![stops(&before)], vec![stops(&after)]);
            }
        }
        let up = before.iter().zip(&after).any(|(b, a)| a > b);
        let down = before.iter().zip(&after).any(|(b, a)| a < b);
        let expected = match (up, down) {
            (true, true) => Direction::Both,
            (true, false) => Direction::Strengthens,
            (false, true) => Direction::Weakens,
            (false, false) => Direction::Neutral,
        };
        let (left, right) = (deployment(&catalogue, left), deployment(&catalogue, right));
        let impact = deployment_impact(Some(&left), Some(&right), Some(&catalogue));
        prop_assert_eq!(impact.direction, expected, "{:#?}", &impact.lines);
        let back = deployment_impact(Some(&right), Some(&left), Some(&catalogue));
        prop_assert_eq!(back.direction, expected.reversed());
        prop_assert!(impact.lines.len() <= 12 && !impact.lines.is_empty());
    }

    #[test]
    fn overrides_of_unknown_shape_survive(value in prop_oneof![
        Just(json!("all off")), Just(json!([1, 2])), Just(json!({ "categories": { "a": 1 } })),
        Just(json!({ "rules": [{ "name": "no id" }] })), Just(json!({ "rules": ["id"] })),
    ]) {
        let live = body(json!({
            "action": "execute", "expression": "true", "action_parameters": { "id": Managed::Owasp.facts().id, "overrides": value },
        }));
        let recognised = recognise(&live, Managed::Owasp, None, place());
        let mut bare = live.clone();
        bare.remove_parameter("overrides");
        for base in [&live, &bare] {
            let again = compile(&recognised.desired, None, Some(base), Unmanaged::Keep);
            prop_assert_eq!(canonical(&again.body), canonical(&live));
            prop_assert!(again.problems.is_empty());
        }
    }
}
