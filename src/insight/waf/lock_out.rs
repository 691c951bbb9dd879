//! Decides if a stronger protection may stop ordinary visitors.
//!
//! | rule | may lock out if |
//! |---|---|
//! | OWASP ruleset | one or two hits of critical rules act on a visitor |
//! | block or challenge | nothing in its expression names whom or what it is about ([`Bound`]) |
//! | rate limit | see `rate_limit_lock_out` |
//!
//! # Sources
//! One critical hit scores 5
//! (developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/concepts, read
//! 2026-11).

use super::action_strength::{Strength, fate, strength};
use super::effective_rules::{EffectiveDeployment, effective_deployment};
use super::rate_limit_lock_out::{becomes_shared, falls_far, too_low};
use super::rule_scope;
use crate::insight::direction::Direction;
use crate::model::expression::Bound;
use crate::model::facts::crs::HIGHEST_SCORE;
use crate::model::managed::Catalogue;
use crate::model::ruleset::{RuleBody, canonical_rate_limit};

/// Maximum number of critical hits that count as few.
const FEW_HITS: u32 = 2;
/// Every kind of name for the visitors or the purpose of a rule.
const ANY: &[Bound] = &[Bound::Host, Bound::Path, Bound::Method, Bound::Client, Bound::Content];

/// Returns the reason why a change of a deployment may stop ordinary visitors; `None` if it does
/// not, or did before as well.
#[must_use]
pub fn deployment_locks_out(
    before: Option<&RuleBody>,
    after: Option<&RuleBody>,
    catalogue: Option<&Catalogue>,
) -> Option<String> {
    let catalogue = catalogue?;
    let is_live =
        |body: &&RuleBody| body.is_enabled() && !rule_scope::expression(body).is_always_false();
    let deployment = effective_deployment(after.filter(is_live)?, catalogue)?;
    let hits = few_hits(&deployment)?;
    let live_deployment =
        before.filter(is_live).and_then(|body| effective_deployment(body, catalogue));
    let is_stricter = live_deployment.as_ref().is_none_or(|then| {
        few_hits(then).is_none_or(|before| hits < before)
            || strength_of(then) < strength_of(&deployment)
            || then
                .rules
                .iter()
                .zip(&deployment.rules)
                .any(|(b, a)| a.effect.enabled && !b.effect.enabled)
    });
    if !is_stricter {
        return None;
    }
    let level = deployment
        .paranoia
        .map(|level| format!(" at paranoia {}", level.level()))
        .unwrap_or_default();
    let (word, verb) = if hits == 1 { ("hit", "is") } else { ("hits", "are") };
    Some(format!(
        "{hits} {word} of critical rules (+{HIGHEST_SCORE}){level} {verb} enough, and ordinary \
        requests hit such rules: visitors {}",
        fate(deployment.action().unwrap_or_default())
    ))
}

/// Returns the number of critical hits that act on a visitor, if they are few.
fn few_hits(effective: &EffectiveDeployment<'_>) -> Option<u32> {
    let hits = effective.threshold()?.div_ceil(HIGHEST_SCORE).max(1);
    let acts = effective.acts()
        && effective.rules_on() > 0
        && strength_of(effective) >= Some(Strength::Challenge);
    (acts && hits <= FEW_HITS).then_some(hits)
}

/// Returns the strength of the action at the threshold.
fn strength_of(effective: &EffectiveDeployment<'_>) -> Option<Strength> {
    strength(effective.action().unwrap_or_default())
}

/// Returns the reason why a change of a zone's own rule may stop ordinary visitors; `None` if it
/// does not, or does not get stricter.
#[must_use]
pub fn rule_locks_out(
    before: Option<&RuleBody>,
    after: &RuleBody,
    direction: Direction,
) -> Option<String> {
    if let Some(why) = before.and_then(|before| falls_far(before, after)) {
        return Some(why);
    }
    if let Some(why) = before.and_then(|before| becomes_shared(before, after)) {
        return Some(why);
    }
    let why = locks_out(after)?;
    let was = before.and_then(locks_out).is_some();
    let is_stricter = match direction {
        Direction::Strengthens | Direction::Both | Direction::Unclassified => true,
        Direction::Neutral | Direction::Weakens => false,
    };
    (is_stricter || (before.is_some() && !was)).then_some(why)
}

/// Returns the reason why a rule may stop ordinary visitors.
fn locks_out(rule: &RuleBody) -> Option<String> {
    let expression = rule_scope::expression(rule);
    let acts = strength(rule.action()) >= Some(Strength::Challenge);
    if !acts || !rule.is_enabled() || expression.is_always_false() {
        return None;
    }
    if let Some(rate) = canonical_rate_limit(rule) {
        return too_low(&rate, &expression, rule.action());
    }
    (!expression.names(ANY)).then(|| {
        format!(
            "ordinary visitors {} too: nothing limits the rule to some hosts, paths, methods or \
            clients",
            fate(rule.action())
        )
    })
}
