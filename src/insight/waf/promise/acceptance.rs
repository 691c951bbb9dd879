//! Finds entries of `accept` that can match nothing, independent of the live state.

use super::LOOSEST_THRESHOLD;
use super::foreign_skip::FEWEST_SEGMENTS;
use crate::insight::waf::action_strength::{Strength, only_logs, strength};
use crate::insight::waf::exception::skipped;
use crate::insight::waf::rule_scope;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::facts::owasp::{ANOMALY_NUMBER, ANOMALY_RULE, PARANOIA_TAGS};
use crate::model::managed::{Managed, RuleName};
use crate::model::ruleset::{
    AcceptedCause, AcceptedObject, DesiredDeployment, DesiredWaf, RuleBody, Switch, TuningTarget,
};

/// Returns why an entry of `accept` cannot match anything; `None` if it can.
#[must_use]
pub fn acceptance_without_effect(accepted: &AcceptedCause, section: &DesiredWaf) -> Option<String> {
    let promises = |deployment: &&DesiredDeployment| {
        deployment.switch == Switch::On
            && deployment.raw.is_none()
            && accepted.ruleset.is_none_or(|ruleset| ruleset == deployment.ruleset)
    };
    let mut reasons = Vec::new();
    for deployment in section.deployments.iter().filter(promises) {
        let reason = obstacle(&accepted.object, deployment, section)?;
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    if reasons.is_empty() {
        let what = accepted
            .ruleset
            .map_or("a managed ruleset".to_owned(), |ruleset| format!("`{}`", ruleset.key()));
        return Some(format!("the section promises nothing of {what}"));
    }
    Some(reasons.join("; "))
}

/// Returns why an object cannot weaken a deployment with its accepted value.
fn obstacle(
    object: &AcceptedObject,
    deployment: &DesiredDeployment,
    section: &DesiredWaf,
) -> Option<String> {
    match object {
        AcceptedObject::Key { name, is } => of_key(name, is, deployment),
        AcceptedObject::Override { name, is } => of_override(name, is, deployment),
        AcceptedObject::Rule { name, is } => of_rule(name, is, deployment, section),
    }
}

fn of_key(key: &str, is: &str, deployment: &DesiredDeployment) -> Option<String> {
    let DesiredDeployment { ruleset, when, threshold, action, .. } = deployment;
    let is_stated = match key {
        "threshold" => threshold.is_some(),
        "action" => action.is_some(),
        "when" => when.is_some(),
        _ => false,
    };
    if is_stated {
        return Some(format!(
            "the section states `{key}`, so another value is a difference that the plan changes"
        ));
    }
    match (key, ruleset) {
        ("threshold", Managed::Cloudflare) => Some("`cloudflare` has no threshold".to_owned()),
        ("threshold", Managed::Owasp) => is
            .parse::<u32>()
            .is_ok_and(|threshold| threshold <= LOOSEST_THRESHOLD)
            .then(|| format!("a threshold of at most {LOOSEST_THRESHOLD} is never reported")),
        ("action", Managed::Owasp) => acting(is),
        ("action", Managed::Cloudflare) => too_strong(is, deployment),
        ("when", _) => {
            match Expression::scope_change(&Expression::reported("true"), &Expression::reported(is))
            {
                ScopeChange::Narrower => None,
                ScopeChange::Equal | ScopeChange::Wider => {
                    Some("the expression matches all requests".to_owned())
                }
                ScopeChange::Unknown => Some("the expression cannot be compared".to_owned()),
            }
        }
        (_, _) => None,
    }
}

/// Returns the obstacle for an action at the score that stops requests.
fn acting(action: &str) -> Option<String> {
    (!only_logs(action)).then(|| format!("`{action}` stops requests, which is never reported"))
}

/// Returns the obstacle for an action of a rule that is as strong as any promise.
fn too_strong(action: &str, deployment: &DesiredDeployment) -> Option<String> {
    let DesiredDeployment { tags, rules, .. } = deployment;
    let mut stated =
        tags.iter().map(|tag| &tag.action).chain(rules.iter().map(|rule| &rule.action));
    let promises_blocks = stated.any(|action| action.as_deref() == Some("block"));
    let is_weak = match strength(action) {
        Some(Strength::Block) => false,
        Some(Strength::Challenge) => promises_blocks,
        Some(Strength::Log) | None => true,
    };
    (!is_weak).then(|| format!("`{action}` stops requests, which is never reported"))
}

/// Returns the obstacle for an override of a rule or a tag.
fn of_override(name: &RuleName, is: &str, deployment: &DesiredDeployment) -> Option<String> {
    let DesiredDeployment { ruleset, action, paranoia, .. } = deployment;
    let text = name.as_str();
    if is_stated(text, is == "off", deployment) {
        return Some(format!("the section states `{text}` itself"));
    }
    let level =
        PARANOIA_TAGS.iter().position(|tag| *tag == text).and_then(|at| u8::try_from(at + 1).ok());
    let is_score_rule =
        name.number() == Some(ANOMALY_NUMBER) || text.eq_ignore_ascii_case(ANOMALY_RULE);
    match (ruleset, is) {
        (Managed::Owasp, "off") => {
            let highest = paranoia.as_ref().map_or(1, |(level, _)| level.level());
            let beyond = level.filter(|level| *level > highest);
            beyond.map(|level| format!("nothing is promised of paranoia level {level}"))
        }
        (Managed::Owasp, _) if is_score_rule && action.is_some() => Some(
            "the section states `action`, so another value is a difference that the plan changes"
                .to_owned(),
        ),
        (Managed::Owasp, action) if is_score_rule => acting(action),
        (Managed::Owasp, _) => (name.number().is_some() || level.is_some())
            .then(|| "of the rules that add to the score, only `off` is reported".to_owned()),
        (Managed::Cloudflare, "off") => None,
        (Managed::Cloudflare, action) => too_strong(action, deployment),
    }
}

/// Returns true if the section itself sets the state or the action of a rule or a tag.
fn is_stated(name: &str, is_switch: bool, deployment: &DesiredDeployment) -> bool {
    let says = |enabled: Option<bool>, action: &Option<String>| match is_switch {
        true => enabled.is_some(),
        false => action.is_some(),
    };
    let mut tags = deployment.tags.iter();
    let mut rules = deployment.rules.iter();
    tags.any(|tag| tag.tag == name && says(tag.enabled, &tag.action))
        || rules.any(|rule| match &rule.target {
            TuningTarget::Rule(own) => {
                own.as_str().eq_ignore_ascii_case(name) && says(rule.enabled, &rule.action)
            }
            TuningTarget::Tag(_) => false,
        })
}

/// Returns the obstacle for a rule that lets requests skip others.
fn of_rule(
    name: &str,
    is: &RuleBody,
    deployment: &DesiredDeployment,
    section: &DesiredWaf,
) -> Option<String> {
    if section.all_rules().any(|rule| rule.name == name && !rule.is_absent) {
        return Some(format!(
            "the section has the rule `{name}` itself, and what it lets through is never reported"
        ));
    }
    let requests = rule_scope::expression(is);
    if !requests.is_comparable() {
        return Some("the expression cannot be compared".to_owned());
    }
    if requests.is_always_false() {
        return Some("the expression matches no request".to_owned());
    }
    if requests.is_for_few(FEWEST_SEGMENTS) {
        return Some("a rule for certain clients or one place is never reported".to_owned());
    }
    if deployment.when.as_ref().is_some_and(|(scope, _)| rule_scope::are_apart(&requests, scope)) {
        return Some("the ruleset checks none of its requests".to_owned());
    }
    let frees = skipped(is).is_none_or(|skipped| skipped.may_free(deployment.ruleset));
    (!frees).then(|| format!("it lets no request skip `{}`", deployment.ruleset.key()))
}
