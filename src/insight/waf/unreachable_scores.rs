//! Attacks that the score of the OWASP ruleset can never stop.
//!
//! A request is stopped once the scores of all rules that it matches reach the threshold. If all
//! rules of a family together score less, an attack that matches only that family always passes.
//!
//! # Sources
//! developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/concepts, read
//! 2026-11-20. The calculation is ours: an upper bound for one family at a time, with Cloudflare's
//! scores where it gives them, else those of the Core Rule Set.

use std::collections::BTreeMap;

use super::effective_rules::{EffectiveDeployment, effective_deployment};
use super::phrases;
use crate::diagnostic::first_of;
use crate::model::facts::crs::{ATTACK_FAMILIES, AttackFamily, HIGHEST_SCORE};
use crate::model::managed::{Catalogue, Overrides};
use crate::model::ruleset::RuleBody;

/// A family of attacks that stays below the threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Attack family whose rules add up to the score.
    pub family: &'static AttackFamily,
    /// The largest total score of its enabled rules.
    pub total: u32,
    /// The required score.
    pub threshold: u32,
    /// Rules whose score is unknown and assumed to be the highest.
    pub assumed: Vec<String>,
}

impl Reach {
    /// Describes the family in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { family, total, threshold, assumed } = self;
        let score = match total {
            0 => "no rule that scores is on".to_owned(),
            total => format!("all rules together score {total}, below the threshold {threshold}"),
        };
        let assumed = match assumed.as_slice() {
            [] => String::new(),
            some => format!(" (unknown score taken as {HIGHEST_SCORE}: {})", first_of(some, 5)),
        };
        format!("{}: {score}{assumed}; cannot be stopped by this ruleset alone", family.name)
    }
}

/// Describes families that cannot be stopped, in one sentence; `None` if there are none.
#[must_use]
pub fn reach_summary(all: &[Reach]) -> Option<String> {
    match all {
        [] => None,
        [one] => Some(one.sentence()),
        several => {
            let names: Vec<_> =
                several.iter().map(|r| format!("{} {}", r.family.name, r.total)).collect();
            let assumed: Vec<_> = several.iter().flat_map(|r| r.assumed.iter().cloned()).collect();
            let assumed = match assumed.as_slice() {
                [] => String::new(),
                some => format!(" (unknown score taken as {HIGHEST_SCORE}: {})", first_of(some, 5)),
            };
            Some(format!(
                "these categories can never reach {}, even if every rule matches: {}{assumed}",
                several[0].threshold,
                names.join(", ")
            ))
        }
    }
}

/// Returns the families whose attacks alone cannot reach the threshold. Empty if there is no
/// threshold.
#[must_use]
pub fn unreachable_families(catalogue: &Catalogue, overrides: &Overrides) -> Vec<Reach> {
    let mut body = RuleBody::default();
    body.set_overrides(overrides.value());
    effective_deployment(&body, catalogue).as_ref().map(of_effective).unwrap_or_default()
}

/// Returns these families for a deployment.
pub(super) fn of_effective(effective: &EffectiveDeployment) -> Vec<Reach> {
    let Some(threshold) = effective.threshold().filter(|_| effective.acts()) else {
        return Vec::new();
    };
    let mut totals: BTreeMap<u32, (u32, Vec<String>)> = BTreeMap::new();
    for rule in &effective.rules {
        let Some(family) = rule.rule.attack_family() else { continue };
        let (total, assumed) = totals.entry(family.prefix).or_default();
        if rule.effect.enabled {
            match rule.rule.score() {
                Some(score) => *total = total.saturating_add(score),
                None => {
                    *total = total.saturating_add(HIGHEST_SCORE);
                    assumed.push(phrases::rule_label(rule.rule));
                }
            }
        }
    }
    let reach = |family: &'static AttackFamily| {
        let (total, assumed) = totals.get(&family.prefix)?.clone();
        (total < threshold).then_some(Reach { family, total, threshold, assumed })
    };
    ATTACK_FAMILIES.iter().filter_map(reach).collect()
}
