//! The effect of a change to a deployment: rule by rule, after all overrides are resolved.
//!
//! A deployment that is missing or disabled counts as one with every rule off. Two enabled
//! deployments are compared by what their rules do, by the requests they apply to, and by the
//! members whose effect is unknown.

use std::collections::BTreeSet;

use super::action_strength::fate;
use super::effective_rules::effective_deployment;
use super::impact::{Effects, Impact};
use super::phrases;
use super::rule_scope;
use super::tuning_change::{compare, idle, remark_idle};
use super::unreachable_scores;
use crate::insight::direction::Direction;
use crate::model::Gather;
use crate::model::managed::{Catalogue, Managed, Overrides};
use crate::model::ruleset::{RuleBody, canonical};

/// Members of the rule that are compared by their effect, or have no effect on requests.
pub(super) const KNOWN: &[&str] =
    &["action", "action_parameters", "enabled", "expression", "ref", "description", "logging"];
/// The same for its parameters. `matched_data` is the key that encrypts logged payloads.
const KNOWN_PARAMETERS: &[&str] = &["id", "version", "overrides", "matched_data"];
/// Used where a score decides, and the threshold is not known.
const NOT_JUDGED: &str = "the effect is unknown: the rule that compares the score is not among the \
    rules that Cloudflare lists";

/// Returns the impact of a change to the rule that executes a managed ruleset; `None` means that it
/// does not exist. The catalogue holds the rules of the ruleset, if they are known.
#[must_use]
pub fn deployment_impact(
    before: Option<&RuleBody>,
    after: Option<&RuleBody>,
    catalogue: Option<&Catalogue>,
) -> Impact {
    let on = |body: Option<&RuleBody>| {
        body.is_some_and(|b| b.is_enabled() && !rule_scope::expression(b).is_always_false())
    };
    let mut effects = Effects::default();
    match (before.filter(|_| on(before)), after.filter(|_| on(after))) {
        (None, None) => {
            return Impact::none(if before.or(after).is_some() {
                "the ruleset is off"
            } else {
                ""
            });
        }
        (None, Some(now)) => switched(now, true, before.is_some(), catalogue, &mut effects),
        (Some(then), None) => switched(then, false, after.is_some(), catalogue, &mut effects),
        (Some(before), Some(after)) => changed(before, after, catalogue, &mut effects),
    }
    effects.finish()
}

/// Adds the effect of a deployment that is added or removed; `stays` if its rule is on both sides
/// and only enabled or disabled.
fn switched(
    body: &RuleBody,
    is_on: bool,
    stays: bool,
    catalogue: Option<&Catalogue>,
    effects: &mut Effects,
) {
    let name = catalogue.map_or("ruleset", name);
    let line = match (is_on, stays) {
        (true, true) => format!("the {name} is switched on"),
        (true, false) => format!("the {name} is deployed"),
        (false, true) => format!("the whole {name} is switched off"),
        (false, false) => format!("the deployment is removed: the whole {name} is off"),
    };
    let mut direction = if is_on { Direction::Strengthens } else { Direction::Weakens };
    let requests = rule_scope::requests(&rule_scope::expression(body));
    let Some(catalogue) = catalogue else {
        effects.add(direction, format!("{line} for {requests}; its rules are not known"));
        return;
    };
    let Some(effective) = effective_deployment(body, catalogue) else {
        effects
            .add(direction, format!("{line} for {requests}; its overrides have an unknown form"));
        return;
    };
    if catalogue.lacks_anomaly_rule() {
        effects.add(direction, format!("{line} for {requests}"));
        effects.remark(NOT_JUDGED.to_owned());
        return;
    }
    if !effective.acts() || (effective.anomaly.is_none() && effective.rules_on() == 0) {
        effects.remark(match effective.out_of_reach() {
            Some(_) => format!("{line}, but {}", idle(&effective)),
            None => format!("{line}, but no rule in it is on"),
        });
        return;
    }
    if !effective.stops() {
        direction = Direction::Neutral;
    }
    let total = effective.rules.len();
    let mut parts =
        vec![format!("{line} for {requests}: {} of {total} rules on", effective.rules_on())];
    if let Some(level) = effective.paranoia {
        parts.push(format!("paranoia {}", level.level()));
    }
    if let (Some(threshold), Some(action)) = (effective.threshold(), effective.action()) {
        parts.push(format!(
            "requests at or above the threshold {} {}",
            phrases::threshold(threshold),
            fate(action)
        ));
    }
    effects.add(direction, parts.join(", "));
    if is_on {
        if let Some(line) =
            unreachable_scores::reach_summary(&unreachable_scores::of_effective(&effective))
        {
            effects.remark(line);
        }
        remark_idle(&Overrides::default(), &effective, catalogue, effects);
    }
}

/// Returns the name of a ruleset in a sentence.
fn name(catalogue: &Catalogue) -> &str {
    match catalogue.which {
        Some(Managed::Owasp) => "OWASP ruleset",
        Some(Managed::Cloudflare) => "Cloudflare Managed Ruleset",
        None if catalogue.name.is_empty() => "ruleset",
        None => &catalogue.name,
    }
}

/// Adds what changes between two enabled deployments.
fn changed(
    before: &RuleBody,
    after: &RuleBody,
    catalogue: Option<&Catalogue>,
    effects: &mut Effects,
) {
    let (left, right) = (canonical(before), canonical(after));
    if left.executes() != right.executes() {
        let id =
            |body: &RuleBody| body.executes().map_or_else(|| "none".to_owned(), phrases::short);
        let line = format!("another ruleset is executed: {} → {}", id(&left), id(&right));
        return effects.add(Direction::Unclassified, line);
    }
    let (requests, requests_after) =
        (rule_scope::expression(before), rule_scope::expression(after));
    let overrides_differ = left.parameter("overrides") != right.parameter("overrides");
    let sides = catalogue
        .and_then(|c| Some((effective_deployment(&left, c)?, effective_deployment(&right, c)?, c)));
    let acts = sides.as_ref().is_none_or(|(b, a, _)| b.acts() && a.acts());
    if let Some((direction, sentence)) =
        rule_scope::compare(&requests, &requests_after).filter(|_| acts)
    {
        effects.add(direction, sentence);
    }
    if left.parameter("version") != right.parameter("version") {
        let version = |body: &RuleBody| {
            body.parameter("version").map_or_else(|| "latest".to_owned(), ToString::to_string)
        };
        let line = format!(
            "version {} → {}: the differences are unknown",
            version(&left),
            version(&right)
        );
        effects.add(Direction::Unclassified, line);
    }
    match sides {
        Some((before, after, catalogue)) => compare(&before, &after, catalogue, effects),
        None if overrides_differ && catalogue.is_none() => effects.add(
            Direction::Unclassified,
            "the overrides change, and the rules of the ruleset are not known".to_owned(),
        ),
        None if overrides_differ => effects.add(
            Direction::Unclassified,
            "the overrides change, and have an unknown form".to_owned(),
        ),
        None => {}
    }
    if overrides_differ && catalogue.is_some_and(Catalogue::lacks_anomaly_rule) {
        effects.add(Direction::Unclassified, NOT_JUDGED.to_owned());
    }
    strange_members(&left, &right, effects);
}

/// Adds members that differ and whose effect is unknown.
fn strange_members(before: &RuleBody, after: &RuleBody, effects: &mut Effects) {
    if before.parameter("matched_data") != after.parameter("matched_data") {
        let word = match (before.parameter("matched_data"), after.parameter("matched_data")) {
            (None, _) => "switched on",
            (_, None) => "switched off",
            (Some(_), Some(_)) => "sealed with another key",
        };
        effects.remark(format!("payload logging is {word}"));
    }
    if before.get("logging") != after.get("logging") {
        effects.remark("what is logged changes".to_owned());
    }
    let parameters = |body: &RuleBody| body.parameters().cloned().unwrap_or_default();
    let (left, right) = (parameters(before), parameters(after));
    for (left, right, known) in
        [(before.members(), after.members(), KNOWN), (&left, &right, KNOWN_PARAMETERS)]
    {
        let names: BTreeSet<&String> = left.keys().chain(right.keys()).gather();
        for name in names {
            if !known.contains(&name.as_str()) && left.get(name) != right.get(name) {
                effects
                    .add(Direction::Unclassified, format!("{name} changes: its effect is unknown"));
            }
        }
    }
}
