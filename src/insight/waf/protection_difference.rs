//! Compares the effect of two states of a zone's protection: each of its own rules, and each rule
//! of its managed rulesets.

use std::collections::BTreeMap;

use super::deployment_change::deployment_impact;
use super::impact::Impact;
use super::overview::{RuleRow, RulesetSurvey, survey};
use super::rule_change::rule_impact;
use crate::insight::direction::Direction;
use crate::model::Gather;
use crate::model::managed::CatalogueRule;
use crate::model::ruleset::{EntryPoint, LiveRule, LiveWaf, Phase, canonical};

/// A rule of an entry point that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRule {
    /// Its phase.
    pub phase: Phase,
    /// Its display name.
    pub name: String,
    /// The impact of the change.
    pub impact: Impact,
}

/// A rule of a managed ruleset whose state changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleDifference {
    /// The name of the ruleset.
    pub ruleset: String,
    /// The rule.
    pub rule: CatalogueRule,
    /// `off`, or its action, before.
    pub before: String,
    /// `off`, or its action, after.
    pub after: String,
    /// Exceptions that apply to it before.
    pub exceptions_before: Vec<String>,
    /// Exceptions that apply to it after.
    pub exceptions_after: Vec<String>,
    /// The reason for its state after.
    pub why: &'static str,
}

/// The differences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// Direction of all changes together.
    pub direction: Direction,
    /// The changed rules, by phase and order.
    pub changed: Vec<ChangedRule>,
    /// The changed rules of managed rulesets, by ruleset and its order.
    pub rules: Vec<RuleDifference>,
}

/// Compares two states of a zone's protection. Equal rules have equal ids in both. The managed
/// rulesets are those of `after`.
#[must_use]
pub fn difference(before: &LiveWaf, after: &LiveWaf) -> Difference {
    let mut difference = Difference::default();
    for (phase, now) in &after.entry_points {
        let then = before.entry_points.get(phase).map(EntryPoint::rules).unwrap_or_default();
        difference.changed.extend(changed(*phase, then, now.rules(), after));
    }
    for change in &difference.changed {
        difference.direction = difference.direction.combine(change.impact.direction);
    }
    let (then, now) = (survey(before, None), survey(after, None));
    for ruleset in &now.rulesets {
        let other = then.rulesets.iter().find(|r| r.id == ruleset.id);
        difference.rules.extend(rules(other, ruleset));
    }
    difference
}

/// Returns the rules of one entry point that change.
fn changed(
    phase: Phase,
    before: &[LiveRule],
    after: &[LiveRule],
    waf: &LiveWaf,
) -> Vec<ChangedRule> {
    let mut found = Vec::new();
    let mut add = |before: Option<&LiveRule>, after: Option<&LiveRule>| {
        let bodies = (before.map(|r| &r.body), after.map(|r| &r.body));
        if bodies.0.map(canonical) == bodies.1.map(canonical) {
            return;
        }
        let impact = match bodies.1.or(bodies.0).and_then(|b| b.executes()) {
            Some(id) => deployment_impact(bodies.0, bodies.1, waf.catalogue(id)),
            None => rule_impact(phase, bodies.0, bodies.1, waf),
        };
        let name = after.or(before).map(|r| r.shown().to_owned()).unwrap_or_default();
        found.push(ChangedRule { phase, name, impact });
    };
    for rule in after {
        add(before.iter().find(|r| r.id == rule.id), Some(rule));
    }
    for rule in before.iter().filter(|r| !after.iter().any(|a| a.id == r.id)) {
        add(Some(rule), None);
    }
    let common = |these: &[LiveRule], those: &[LiveRule]| -> Vec<_> {
        these.iter().filter(|r| those.iter().any(|t| t.id == r.id)).map(|r| r.id.clone()).collect()
    };
    if common(before, after) != common(after, before) {
        let line = format!("the {} are in another order; the effect is unknown", phase.about());
        let impact = Impact { direction: Direction::Unclassified, lines: vec![line.into()] };
        found.push(ChangedRule { phase, name: "order".to_owned(), impact });
    }
    found
}

/// Returns the rules of one managed ruleset whose state changes.
fn rules(before: Option<&RulesetSurvey>, after: &RulesetSurvey) -> Vec<RuleDifference> {
    let then = before.map(RulesetSurvey::rows).unwrap_or_default();
    let then: BTreeMap<&str, &RuleRow> =
        then.iter().map(|row| (row.rule.id.0.as_str(), row)).gather();
    let state = |row: &RuleRow| if row.is_on { row.action.clone() } else { "off".to_owned() };
    let mut found = Vec::new();
    for row in after.rows() {
        let Some(old) = then.get(row.rule.id.0.as_str()) else { continue };
        let (before, after_state) = (state(old), state(&row));
        let passed = (old.is_on || row.is_on) && old.exceptions != row.exceptions;
        if before != after_state || passed {
            found.push(RuleDifference {
                ruleset: after.name.clone(),
                rule: row.rule.clone(),
                before,
                after: after_state,
                exceptions_before: old.exceptions.clone(),
                exceptions_after: row.exceptions,
                why: row.why,
            });
        }
    }
    found
}
