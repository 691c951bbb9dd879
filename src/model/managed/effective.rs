//! What a managed ruleset does under overrides: ruleset < tags in order < rule.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/managed-rulesets/override-managed-ruleset, read 2026-11-20: a rule override
//! wins over a tag override, that over the ruleset's, and of several tags the last one listed. That the ruleset's action
//! does not reach the outcome of the OWASP score was observed (2022 and later) and is documented nowhere.

use super::catalogue::Catalogue;
use super::overrides::Overrides;

/// What one rule does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Whether it is on.
    pub enabled: bool,
    /// What it does.
    pub action: String,
    /// The threshold, of the rule that compares the score.
    pub threshold: Option<u32>,
}

/// What each rule of a catalogue does under overrides, in the catalogue's order.
#[must_use]
pub fn effective(catalogue: &Catalogue, overrides: &Overrides) -> Vec<Effect> {
    use std::collections::HashMap;
    let anomaly = catalogue.anomaly_rule().map(|r| &r.id);
    let by_rule: HashMap<&str, _> = overrides.rules.iter().map(|r| (r.id.as_str(), r)).collect();
    let by_tag: HashMap<&str, Vec<usize>> =
        overrides.tags.iter().enumerate().fold(HashMap::new(), |mut map, (n, t)| {
            map.entry(t.tag.as_str()).or_default().push(n);
            map
        });
    let rules = catalogue.rules.iter().map(|rule| {
        let is_anomaly = anomaly == Some(&rule.id);
        let mut effect = Effect { enabled: rule.enabled, action: rule.action.clone(), threshold: rule.threshold };
        effect.enabled = overrides.enabled.unwrap_or(effect.enabled);
        if let Some(action) = overrides.action.as_ref().filter(|_| !is_anomaly) {
            effect.action.clone_from(action);
        }
        let mut tags: Vec<usize> = rule.tags.iter().filter_map(|t| by_tag.get(t.as_str())).flatten().copied().collect();
        tags.sort_unstable();
        for tag in tags.into_iter().map(|n| &overrides.tags[n]) {
            effect.enabled = tag.enabled.unwrap_or(effect.enabled);
            if let Some(action) = &tag.action {
                effect.action.clone_from(action);
            }
        }
        if let Some(own) = by_rule.get(rule.id.0.as_str()) {
            effect.enabled = own.enabled.unwrap_or(effect.enabled);
            if let Some(action) = &own.action {
                effect.action.clone_from(action);
            }
            effect.threshold = own.threshold.or(effect.threshold);
        }
        effect
    });
    rules.collect()
}
