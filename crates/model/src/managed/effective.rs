//! Computes the effect of a managed ruleset under overrides: ruleset < tags in order < rule.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/managed-rulesets/override-managed-ruleset, read
//! 2026-11-20: a rule override takes precedence over a tag override, which takes precedence over
//! the ruleset's; of several tags the last one listed wins. It was observed (2022 and later) and is
//! not documented that the ruleset's action does not affect the rule that acts on the OWASP score.

use std::collections::HashMap;

use super::catalogue::Catalogue;
use super::catalogue_rule::CatalogueRule;
use super::overrides::{Overrides, RuleOverride};
use crate::ruleset::RuleId;

/// The effect of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// True if it is on.
    pub enabled: bool,
    /// Cloudflare's word, such as `block` or `log`.
    pub action: String,
    /// The threshold, if this is the rule that compares the score.
    pub threshold: Option<u32>,
}

/// Returns the effect of each rule of a catalogue under overrides, in the catalogue's order.
#[must_use]
pub fn effective(catalogue: &Catalogue, overrides: &Overrides) -> Vec<Effect> {
    let by_rule = overrides.by_rule();
    let anyway = Anyway::new(catalogue, overrides);
    catalogue
        .rules
        .iter()
        .map(|rule| anyway.of(rule).under(by_rule.get(rule.id.0.as_str()).copied()))
        .collect()
}

/// The effect of rules without their own overrides.
#[derive(Debug)]
pub struct Anyway<'o> {
    overrides: &'o Overrides,
    anomaly: Option<&'o RuleId>,
    by_tag: HashMap<&'o str, Vec<usize>>,
}

impl<'o> Anyway<'o> {
    /// Prepares these overrides of a catalogue.
    #[must_use]
    pub fn new(catalogue: &'o Catalogue, overrides: &'o Overrides) -> Self {
        let mut by_tag: HashMap<&str, Vec<usize>> = HashMap::new();
        for (n, tag) in overrides.tags.iter().enumerate() {
            by_tag.entry(tag.tag.as_str()).or_default().push(n);
        }
        Self { overrides, anomaly: catalogue.anomaly_rule().map(|r| &r.id), by_tag }
    }

    /// Returns the effect of a rule.
    #[must_use]
    pub fn of(&self, rule: &CatalogueRule) -> Effect {
        let is_anomaly = self.anomaly == Some(&rule.id);
        let mut effect = Effect {
            enabled: rule.enabled,
            action: rule.action.clone(),
            threshold: rule.threshold,
        };
        effect.enabled = self.overrides.enabled.unwrap_or(effect.enabled);
        if let Some(action) = self.overrides.action.as_ref().filter(|_| !is_anomaly) {
            effect.action.clone_from(action);
        }
        let mut tags: Vec<usize> = rule
            .tags
            .iter()
            .filter_map(|t| self.by_tag.get(t.as_str()))
            .flatten()
            .copied()
            .collect();
        tags.sort_unstable();
        for tag in tags.into_iter().map(|n| &self.overrides.tags[n]) {
            effect.enabled = tag.enabled.unwrap_or(effect.enabled);
            if let Some(action) = &tag.action {
                effect.action.clone_from(action);
            }
        }
        effect
    }
}

impl Effect {
    /// Returns the effect with the rule's own override, if there is one.
    #[must_use]
    pub fn under(mut self, own: Option<&RuleOverride>) -> Self {
        if let Some(own) = own {
            self.enabled = own.enabled.unwrap_or(self.enabled);
            if let Some(action) = &own.action {
                self.action.clone_from(action);
            }
            self.threshold = own.threshold.or(self.threshold);
        }
        self
    }
}
