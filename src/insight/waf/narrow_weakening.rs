//! Decides if a weakening is narrow: it concerns few named rules, and nothing else gets weaker.
//!
//! | change | narrow if |
//! |---|---|
//! | an exception | it bypasses rules by their names, for one page or one directory of one host |
//! | overrides of a deployment | nothing is weaker but rules that the spec names one by one |
//!
//! The rule that compares the score is never among them, because its ruleset does nothing without
//! it. The limits on the number of rules and on the duration are in `model/narrow_consent.rs`.

use std::collections::BTreeSet;

use super::action_strength::compare_actions;
use super::deployment_change::KNOWN;
use super::deployment_change::deployment_impact;
use super::effective_rules::{DecidedBy, EffectiveRule, effective_deployment};
use super::exception::{Target, skipped};
use super::rule_scope;
use crate::insight::direction::Direction;
use crate::model::managed::Catalogue;
use crate::model::ruleset::{LiveWaf, Phase, RuleBody};

/// Minimum number of segments of a path prefix that names a directory.
pub(in crate::insight) const FEWEST_SEGMENTS: usize = 2;

/// Returns the rules that an exception bypasses, if it is narrow. `before` is the exception that it
/// replaces.
#[must_use]
pub fn narrow_exception(
    phase: Phase,
    before: Option<&RuleBody>,
    after: &RuleBody,
    waf: &LiveWaf,
) -> Option<BTreeSet<String>> {
    let is_known = after.members().keys().all(|name| KNOWN.contains(&name.as_str()));
    let was_exception = before.is_none_or(|before| before.action() == "skip");
    if phase != Phase::Managed
        || !is_known
        || !was_exception
        || !rule_scope::expression(after).is_one_place(FEWEST_SEGMENTS)
    {
        return None;
    }
    let skipped = skipped(after).filter(|skipped| skipped.unknown.is_empty())?;
    let rule = |target: Target| match target {
        // A rule that is not listed may be any rule.
        Target::Rule(ruleset, id) => {
            let catalogue =
                waf.catalogue(&ruleset).filter(|catalogue| catalogue.rule(&id).is_some());
            catalogue.map(|_| id)
        }
        Target::Rest
        | Target::Ruleset(_)
        | Target::Phase(_)
        | Target::RestOfPhase
        | Target::Product(_) => None,
    };
    let rules: BTreeSet<String> = skipped.in_effect(waf).map(rule).collect::<Option<_>>()?;
    (!rules.is_empty()).then_some(rules)
}

/// Returns the rules that get weaker by a change of a deployment, if all of them are among the
/// named ones and nothing else gets weaker.
#[must_use]
pub fn narrow_overrides(
    before: &RuleBody,
    after: &RuleBody,
    named: &BTreeSet<String>,
    catalogue: &Catalogue,
) -> Option<BTreeSet<String>> {
    let (then, now) =
        (effective_deployment(before, catalogue)?, effective_deployment(after, catalogue)?);
    let score = now.anomaly.is_some();
    let is_weaker =
        |b: &EffectiveRule<'_>, a: &EffectiveRule<'_>| match (b.effect.enabled, a.effect.enabled) {
            (true, false) => true,
            (true, true) => {
                let direction = compare_actions(&b.effect.action, &a.effect.action);
                !score && !matches!(direction, Direction::Neutral | Direction::Strengthens)
            }
            (false, _) => false,
        };
    let pairs = then.rules.iter().zip(&now.rules).filter(|(b, a)| is_weaker(b, a));
    let is_decided_by_rule = |a: &EffectiveRule<'_>| match a.effect.enabled {
        true => a.why_action == DecidedBy::Rule,
        false => a.why == DecidedBy::Rule,
    };
    let mut weaker = BTreeSet::new();
    for (_, rule) in pairs {
        if !is_decided_by_rule(rule) || !named.contains(&rule.rule.id.0) {
            return None;
        }
        weaker.insert(rule.rule.id.0.clone());
    }
    // The rest of the change, with these rules unchanged.
    let mut other_changes = after.clone();
    let mut overrides = now.overrides.clone();
    overrides.rules.retain(|own| !weaker.contains(&own.id));
    overrides
        .rules
        .extend(then.overrides.rules.iter().filter(|own| weaker.contains(&own.id)).cloned());
    other_changes.set_overrides(overrides.value());
    let is_read = other_changes.overrides().is_some();
    let may_weaken = deployment_impact(Some(before), Some(&other_changes), Some(catalogue))
        .direction
        .may_weaken();
    (is_read && !weaker.is_empty() && !may_weaken).then_some(weaker)
}
