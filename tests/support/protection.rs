//! Random `waf` sections for property tests, in the order in which a spec is read.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use zonewright::model::Unmanaged;
use zonewright::model::Value;
use zonewright::model::expression::Expression;
use zonewright::model::facts::rate_limits::{RATE_PERIODS, RATE_TIMEOUTS};
use zonewright::model::facts::rulesets::{SCORE_ACTIONS, SKIP_PHASES, SKIP_PRODUCTS};
use zonewright::model::managed::{Managed, Paranoia, RuleName, ScoreAction};
use zonewright::model::ruleset::{
    Anchor, DesiredDeployment, DesiredRate, DesiredRule, DesiredWaf, Note, Phase, RuleForm,
    RuleKind, RuleTuning, SkipTarget, Switch, TagTuning, TuningTarget,
};

use super::generators::place;

/// Texts for people, some of which YAML or a substitution could misread.
fn words() -> impl Strategy<Value = String> {
    select(vec!["why", "no", "1.10", "${X} and $${Y}", "a: b # c", "null", "two\nlines", " é "])
        .prop_map(str::to_owned)
}

/// Returns an expression.
fn expression() -> impl Strategy<Value = Expression> {
    select(vec![
        "true",
        "http.host eq \"example.com\"",
        "(http.host eq \"a\")\n  or ip.src in {192.0.2.1 192.0.2.2}",
        "http.user_agent contains \"${X} # {\"",
        "cf.client.bot",
    ])
    .prop_map(Expression::reported)
}

/// Returns the explanation of an entry; `reason` is present wherever it may be required.
fn note() -> impl Strategy<Value = Note> {
    (words(), option::of(words()), option::of(Just("2027-03-01".to_owned()))).prop_map(
        |(reason, owner, expires)| Note { reason: Some(reason), owner, expires, ..Note::default() },
    )
}

/// Returns a rule of a managed ruleset.
fn rule_name() -> impl Strategy<Value = RuleName> {
    select(vec![
        "942430",
        "012345",
        "5e123456",
        "efb7b8c949ac4650a09736fc376e9aee",
        "October CMS - File: \"x\"",
    ])
    .prop_map(RuleName::new)
}

/// Returns the action for requests.
fn action() -> impl Strategy<Value = String> {
    select(SCORE_ACTIONS.to_vec()).prop_map(str::to_owned)
}

/// Overrides as Cloudflare has them.
fn overrides() -> impl Strategy<Value = Value> {
    let rule = |id: &str, score: i64| {
        let members = [("id", Value::from(id)), ("score_threshold", Value::Integer(score))];
        Value::Map(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    };
    (1i64..100, any::<bool>()).prop_map(move |(score, enabled)| {
        let mut members =
            BTreeMap::from([("rules".to_owned(), Value::List(vec![rule("6179ae15", score)]))]);
        members.insert("enabled".to_owned(), Value::Bool(enabled));
        Value::Map(members)
    })
}

/// Generates the tuning of rules, in the order in which it is applied. `others` is true if actions
/// are possible.
fn tuning(others: bool) -> impl Strategy<Value = (Vec<TagTuning>, Vec<RuleTuning>)> {
    let names = vec(rule_name(), 0..4);
    let tags = subsequence(vec!["php", "java", "cve"], 0..=3);
    (names, tags, vec((any::<bool>(), any::<bool>(), option::of(action()), note()), 8)).prop_map(
        move |(names, tags, rest)| {
            let mut rest = rest.into_iter();
            let (mut kept, mut rules) = (Vec::new(), Vec::new());
            for tag in tags {
                let Some((enabled, future, _, note)) = rest.next() else { break };
                if future {
                    let tag = tag.to_owned();
                    kept.push(TagTuning {
                        tag,
                        enabled: Some(enabled),
                        action: None,
                        note,
                        place: place(),
                    });
                } else {
                    let target = TuningTarget::Tag(tag.to_owned());
                    rules.push(RuleTuning {
                        target,
                        enabled: Some(enabled),
                        action: None,
                        note,
                        place: place(),
                    });
                }
            }
            let mut names = names;
            names.sort();
            names.dedup();
            for name in names {
                let Some((enabled, _, action, note)) = rest.next() else { break };
                let target = TuningTarget::Rule(name);
                let action = action.filter(|_| others);
                rules.push(RuleTuning {
                    target,
                    enabled: Some(enabled),
                    action,
                    note,
                    place: place(),
                });
            }
            let class = |r: &RuleTuning| match (r.enabled, &r.action) {
                (Some(false), None) => 0,
                (Some(true), None) => 1,
                _ => 2,
            };
            rules.sort_by_key(|r| (matches!(r.target, TuningTarget::Rule(_)), class(r)));
            // `disable` and `enable` have tags of the OWASP ruleset in this order.
            if !others {
                kept.sort_by_key(|t| t.enabled);
            }
            (kept, rules)
        },
    )
}

/// Returns a managed ruleset.
fn deployment(ruleset: Managed) -> impl Strategy<Value = DesiredDeployment> {
    let is_owasp = ruleset == Managed::Owasp;
    let scope = (
        option::of(expression()),
        option::of(select(vec!["latest", "1.2.3"])),
        option::of(overrides()),
    );
    let score = (option::of(1u8..=4), option::of(5u32..80), option::of(action()));
    (any::<bool>(), scope, score, tuning(!is_owasp)).prop_map(
        move |(on, (when, version, raw), score, (tags, rules))| {
            let bare =
                DesiredDeployment::new(ruleset, if on { Switch::On } else { Switch::Off }, place());
            if !on {
                return bare;
            }
            let (paranoia, threshold, action) = score;
            DesiredDeployment {
                when: when.map(|w| (w, place())),
                version: version.map(|v| (v.to_owned(), place())),
                paranoia: paranoia
                    .filter(|_| is_owasp)
                    .map(|p| (Paranoia::new(p).unwrap(), place())),
                threshold: threshold.filter(|_| is_owasp).map(|t| (t, place())),
                action: action
                    .filter(|_| is_owasp)
                    .map(|a| (ScoreAction::parse(&a).unwrap(), place())),
                tags,
                rules,
                raw: raw.map(|r| (r, place())),
                ..bare
            }
        },
    )
}

/// Returns the response to a blocked request.
fn response() -> impl Strategy<Value = Value> {
    (400i64..500, words()).prop_map(|(status, content)| {
        let members = [
            ("status_code", Value::Integer(status)),
            ("content", Value::Text(content)),
            ("content_type", Value::from("text/plain")),
        ];
        Value::Map(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    })
}

/// Returns what an exception skips.
fn exception() -> impl Strategy<Value = RuleForm> {
    let names = |managed| {
        vec(rule_name(), 1..3).prop_map(move |n| {
            SkipTarget::Rules(managed, n.into_iter().map(|n| (n, place())).collect())
        })
    };
    let rulesets = subsequence(
        vec![
            SkipTarget::Ruleset(Managed::Owasp),
            SkipTarget::Ruleset(Managed::Cloudflare),
            SkipTarget::RulesetId("77454fe2d30c4220b5701f6fdfb893ba".to_owned()),
        ],
        1..=3,
    );
    let parts =
        (option::of(names(Managed::Owasp)), option::of(names(Managed::Cloudflare)), rulesets);
    prop_oneof![
        Just(RuleForm::Skip(vec![SkipTarget::Everything])),
        parts.prop_map(|(owasp, cloudflare, rulesets)| {
            RuleForm::Skip(owasp.into_iter().chain(cloudflare).chain(rulesets).collect())
        }),
    ]
}

/// Returns what a custom rule does.
fn custom() -> impl Strategy<Value = RuleForm> {
    let phases = subsequence(SKIP_PHASES.to_vec(), 0..=2);
    let skips = (phases, subsequence(SKIP_PRODUCTS.to_vec(), 1..=3), any::<bool>()).prop_map(
        |(phases, products, all)| {
            let phases = phases.into_iter().map(|p| SkipTarget::Phase(p.to_owned()));
            let products = products.into_iter().map(|p| SkipTarget::Product(p.to_owned()));
            RuleForm::Skip(
                phases.chain(products).chain(all.then_some(SkipTarget::Everything)).collect(),
            )
        },
    );
    prop_oneof![
        Just(RuleForm::Skip(vec![SkipTarget::Everything])),
        skips,
        action().prop_map(|action| RuleForm::Act { action, response: None }),
        response().prop_map(|r| RuleForm::Act { action: "block".to_owned(), response: Some(r) }),
    ]
}

/// Returns a rate.
fn rate() -> impl Strategy<Value = RuleForm> {
    let per = subsequence(
        vec!["cf.bot_management.ja3_hash", "http.request.headers[\"x-key\"]", "ip.src"],
        0..=3,
    );
    let times = (1u32..1000, select(RATE_PERIODS.to_vec()), select(RATE_TIMEOUTS.to_vec()));
    let rest = (option::of(expression()), option::of(any::<bool>()), option::of(response()));
    (per, times, action(), rest).prop_map(
        |(per, (requests, period, timeout), action, (count, to_origin, response))| {
            RuleForm::Rate(DesiredRate {
                per: per.into_iter().map(str::to_owned).collect(),
                requests,
                period,
                timeout,
                count: count.map(|c| (c, place())),
                to_origin,
                response: response.filter(|_| action == "block"),
                action,
            })
        },
    )
}

/// Returns rules with unique names; `form` generates their actions.
fn rules(form: BoxedStrategy<RuleForm>) -> impl Strategy<Value = Option<Vec<DesiredRule>>> {
    let raw = Value::Map(BTreeMap::from([
        ("action".to_owned(), Value::from("log")),
        ("expression".to_owned(), Value::from("http.host eq \"${X}\"")),
        ("x_position".to_owned(), Value::Null),
        ("list".to_owned(), Value::List(vec![Value::Bool(true), Value::from("off")])),
    ]));
    let form = prop_oneof![8 => form, 1 => Just(RuleForm::Raw(raw))];
    let words = (option::of(words()), option::of(any::<bool>()), note());
    let rule = (expression(), any::<bool>(), form, words, proptest::bool::weighted(0.1)).prop_map(
        |(when, enabled, form, (description, log, note), is_absent)| {
            let is_raw = matches!(form, RuleForm::Raw(_));
            let base = DesiredRule {
                name: String::new(),
                place: place(),
                when: None,
                is_absent,
                enabled: true,
                description: None,
                form: RuleForm::Raw(Value::Map(BTreeMap::new())),
                log: None,
                anchors: Vec::new(),
                note,
                key_places: Vec::new(),
            };
            if is_absent {
                return base;
            }
            DesiredRule {
                when: (!is_raw).then_some((when, place())),
                enabled: enabled || is_raw,
                description: description.filter(|_| !is_raw),
                log: log.filter(|_| matches!(form, RuleForm::Skip(_))),
                form,
                ..base
            }
        },
    );
    // The position of two foreign rules in the list, and which of them a rule refers to; such an
    // order exists.
    let rule = (rule, any::<[bool; 2]>());
    (option::of(vec(rule, 0..4)), [0usize..=4, 0usize..=4]).prop_map(|(list, stand)| {
        let named = |(n, (rule, is_held)): (usize, (DesiredRule, [bool; 2]))| {
            let others = || (0..2).filter(|other| is_held[*other] && !rule.is_absent);
            let name = |other| (format!("other.{other}"), place());
            let before = others().find(|other| n < stand[*other]).map(name);
            let after = others().find(|other| n >= stand[*other]).map(name);
            let before = before.into_iter().map(|(name, place)| Anchor::Before(name, place));
            let after = after.into_iter().map(|(name, place)| Anchor::After(name, place));
            DesiredRule {
                name: format!("rule-{n}"),
                anchors: before.chain(after).collect(),
                ..rule
            }
        };
        Some(list?.into_iter().enumerate().map(named).collect())
    })
}

/// Returns a `waf` section.
pub(crate) fn desired_waf() -> impl Strategy<Value = DesiredWaf> {
    let deployments =
        (option::of(deployment(Managed::Cloudflare)), option::of(deployment(Managed::Owasp)));
    let rule = |kind| match kind {
        RuleKind::Exception => exception().boxed(),
        RuleKind::Action => custom().boxed(),
        RuleKind::Rate => rate().boxed(),
    };
    let lists: Vec<_> = Phase::in_spec().map(|phase| rules(rule(phase.rules()))).collect();
    (any::<bool>(), deployments, lists, option::of(words())).prop_map(
        |(prune, (cloudflare, owasp), lists, accepted)| DesiredWaf {
            unmanaged: if prune { Unmanaged::Prune } else { Unmanaged::Keep },
            deployments: cloudflare.into_iter().chain(owasp).collect(),
            lists: Phase::in_spec()
                .zip(lists)
                .filter_map(|(phase, list)| Some((phase, list?)))
                .collect(),
            accept_weakening: accepted.map(|words| (words, place())),
            ..DesiredWaf::new(place())
        },
    )
}
