//! The effect of a change to a rule with its own expression: exceptions, custom rules, rate limits.

use std::collections::{BTreeMap, BTreeSet};

use super::action_strength::{compare_actions, end_of_fate, fate, only_logs, strength};
use super::deployment_change::deployment_impact;
use super::exception::{self, Skipped, skipped};
use super::impact::{Effects, Impact};
use super::{rate_limit, rate_limit_change, rule_scope};
use crate::insight::direction::Direction;
use crate::model::ruleset::{LiveWaf, Phase, RuleBody, canonical, canonical_rate_limit};
use crate::model::{Gather, Value};

/// Members whose effect is known.
const KNOWN: &[&str] = &[
    "action",
    "action_parameters",
    "enabled",
    "expression",
    "ref",
    "description",
    "logging",
    "ratelimit",
];

/// The kind of a rule.
enum Kind {
    /// Lets requests bypass other rules.
    Skips(Skipped),
    /// Blocks, challenges or logs requests.
    Acts,
    /// Something else.
    Other,
}

fn kind(body: &RuleBody) -> Kind {
    match (skipped(body), strength(body.action())) {
        (Some(skipped), _) => Kind::Skips(skipped),
        (None, Some(_)) => Kind::Acts,
        (None, None) => Kind::Other,
    }
}

/// Returns true if a rule applies to any request.
fn is_live(body: &RuleBody) -> bool {
    body.is_enabled() && !rule_scope::expression(body).is_always_false()
}

/// Returns the impact of a rule that is created, changed or deleted, other than a deployment that
/// we tune; `None` means that it does not exist.
#[must_use]
pub fn rule_impact(
    phase: Phase,
    before: Option<&RuleBody>,
    after: Option<&RuleBody>,
    waf: &LiveWaf,
) -> Impact {
    let executed = |side: Option<&RuleBody>| side.and_then(RuleBody::executes).map(str::to_owned);
    if let Some(id) = executed(after).or_else(|| executed(before)) {
        return deployment_impact(before, after, waf.catalogue(&id));
    }
    let mut effects = Effects::default();
    match (before.filter(|b| is_live(b)), after.filter(|b| is_live(b))) {
        (None, None) => {
            return Impact::none(if before.or(after).is_some() { "the rule is off" } else { "" });
        }
        (None, Some(rule)) => whole(phase, rule, true, waf, &mut effects),
        (Some(rule), None) => {
            if after.is_some_and(|a| !a.is_enabled()) {
                effects.remark("the rule is switched off".to_owned());
            }
            whole(phase, rule, false, waf, &mut effects);
        }
        (Some(before), Some(after)) => changed(phase, before, after, waf, &mut effects),
    }
    effects.finish()
}

/// Adds the effect of a rule that is added or removed.
fn whole(phase: Phase, rule: &RuleBody, is_new: bool, waf: &LiveWaf, effects: &mut Effects) {
    let requests = requests(rule);
    match kind(rule) {
        Kind::Skips(skipped) => exception::whole(&skipped, is_new, &requests, phase, waf, effects),
        Kind::Acts => {
            let who = match canonical_rate_limit(rule) {
                Some(rate) => format!("{requests}: {}", rate_limit::about(&rate)),
                None => requests,
            };
            let lasting = canonical_rate_limit(rule)
                .map(|rate| rate_limit::lasting(&rate))
                .unwrap_or_default();
            let (direction, line) = match is_new {
                true => (Direction::Strengthens, format!("{who} {}{lasting}", fate(rule.action()))),
                false => {
                    let end = end_of_fate(rule.action());
                    (Direction::Weakens, format!("{who} {end}{lasting}"))
                }
            };
            let direction = if only_logs(rule.action()) { Direction::Neutral } else { direction };
            effects.add(direction, line);
        }
        Kind::Other => {
            let line = format!(
                "{requests}: the action {} has an unknown effect on protection",
                rule.action()
            );
            effects.add(Direction::Unclassified, line);
        }
    }
}

/// Returns the requests of a rule, in words.
pub(super) fn requests(rule: &RuleBody) -> String {
    let expression = rule_scope::expression(rule);
    let requests = match expression.text().is_empty() || expression.is_always_true() {
        true => "all requests".to_owned(),
        false => format!("requests where {}", rule_scope::requests(&expression)),
    };
    match expression.share() {
        Some(share) => format!("about {} % of the requests: {requests}", share.percent()),
        None => requests,
    }
}

/// Adds what changes between two rules that both apply to requests.
fn changed(
    phase: Phase,
    before: &RuleBody,
    after: &RuleBody,
    waf: &LiveWaf,
    effects: &mut Effects,
) {
    let (requests, requests_after) =
        (rule_scope::expression(before), rule_scope::expression(after));
    let change = rule_scope::compare(&requests, &requests_after);
    let by_scope = change.as_ref().map_or(Direction::Neutral, |(direction, _)| *direction);
    let actions = (before.action(), after.action());
    // A rule that stopped nothing, or stops nothing now, is judged by its action alone.
    let both_stop = !only_logs(actions.0) && !only_logs(actions.1);
    let scope_direction = match (kind(before), kind(after)) {
        (Kind::Skips(had), Kind::Skips(has)) => {
            exception::compare(&had, &has, phase, waf, effects);
            by_scope.reversed()
        }
        (Kind::Acts, Kind::Acts) => {
            let direction = compare_actions(actions.0, actions.1);
            if actions.0 != actions.1 {
                let equal = if direction == Direction::Neutral { ", as strong" } else { "" };
                effects.add(
                    direction,
                    format!(
                        "action {} → {}: requests {}{equal}",
                        actions.0,
                        actions.1,
                        fate(actions.1)
                    ),
                );
            }
            if both_stop { by_scope } else { Direction::Neutral }
        }
        (Kind::Acts, Kind::Skips(_)) => {
            effects.add(
                Direction::Weakens,
                format!("action {} → skip: the rule becomes an exception", actions.0),
            );
            Direction::Neutral
        }
        (Kind::Skips(_), Kind::Acts) => {
            effects.add(
                Direction::Strengthens,
                format!("action skip → {}: the exception becomes a rule", actions.1),
            );
            Direction::Neutral
        }
        (Kind::Other, _) | (_, Kind::Other) => {
            if actions.0 != actions.1 {
                let line = format!(
                    "action {} → {}; the effect on the protection is unknown",
                    actions.0, actions.1
                );
                effects.add(Direction::Unclassified, line);
            }
            if change.is_none() { Direction::Neutral } else { Direction::Unclassified }
        }
    };
    if let Some((_, sentence)) = change {
        effects.add(scope_direction, sentence);
    }
    let mut rates = Effects::default();
    match (canonical_rate_limit(before), canonical_rate_limit(after)) {
        (Some(before), Some(after)) => {
            rate_limit_change::compare((&before, &requests), (&after, &requests_after), &mut rates)
        }
        (None, None) => {}
        (None, Some(rate)) => {
            rates.add(
                Direction::Weakens,
                format!("acts only on {}, instead of on every request", rate_limit::about(&rate)),
            );
        }
        (Some(rate), None) => {
            let line = format!("acts on every request, instead of on {}", rate_limit::about(&rate));
            rates.add(Direction::Strengthens, line);
        }
    }
    effects.join(rates, both_stop);
    other_members(before, after, effects);
}

/// Adds changes of members that do not affect which requests are stopped, or whose effect is
/// unknown.
fn other_members(before: &RuleBody, after: &RuleBody, effects: &mut Effects) {
    let (before, after) = (canonical(before), canonical(after));
    if before.get("logging") != after.get("logging") {
        let word = if after.get("logging").is_some() { "not logged any more" } else { "logged" };
        effects.remark(format!("hits are {word}"));
    }
    if before.parameter("response") != after.parameter("response") {
        effects.remark("blocked requests get another response".to_owned());
    }
    let side = |body: &RuleBody| {
        body.parameters().filter(|_| skipped(body).is_none()).cloned().unwrap_or_default()
    };
    let differing = |(before, after): (&BTreeMap<String, Value>, &BTreeMap<String, Value>),
                     known: &[&str]| {
        let names: BTreeSet<String> = before.keys().chain(after.keys()).cloned().gather();
        let is_strange = |n: &String| !known.contains(&n.as_str()) && before.get(n) != after.get(n);
        names.into_iter().filter(is_strange).collect::<Vec<_>>()
    };
    let mut names = differing((before.members(), after.members()), KNOWN);
    names.extend(differing((&side(&before), &side(&after)), &["response"]));
    for name in names {
        effects.add(
            Direction::Unclassified,
            format!("{name} changes: its effect on protection is unknown"),
        );
    }
}
