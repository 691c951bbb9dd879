//! The effect of a deployment of a managed ruleset: every rule with its state and the reason for
//! it.

use std::collections::HashMap;

use super::action_strength::only_logs;
use super::promise::LOOSEST_THRESHOLD;
use crate::model::expression::Expression;
use crate::model::facts::crs::HIGHEST_SCORE;
use crate::model::facts::owasp::{ANOMALY_THRESHOLD, PARANOIA_TAGS};
use crate::model::managed::{
    Catalogue, CatalogueRule, Effect, Managed, Overrides, Paranoia, RuleOverride, effective,
};
use crate::model::ruleset::RuleBody;

/// Why a rule has its state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecidedBy {
    /// The default of the ruleset.
    Default,
    /// An override of the whole ruleset.
    Ruleset,
    /// An override of its paranoia level.
    Level(u8),
    /// An override of another tag.
    Tag(String),
    /// An override of the rule itself.
    Rule,
}

impl DecidedBy {
    /// Returns the word used in every output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Ruleset => "ruleset",
            Self::Level(_) => "level",
            Self::Tag(_) => "tag",
            Self::Rule => "rule",
        }
    }

    /// The reason for an override of a tag.
    fn of_tag(tag: &str) -> Self {
        match (1u8..).zip(PARANOIA_TAGS).find(|(_, t)| *t == tag) {
            Some((level, _)) => Self::Level(level),
            None => Self::Tag(tag.to_owned()),
        }
    }
}

/// A rule under a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveRule<'c> {
    /// Rule of the catalogue that the deployment executes.
    pub rule: &'c CatalogueRule,
    /// What it does.
    pub effect: Effect,
    /// Why it is on or off.
    pub why: DecidedBy,
    /// Why it has its action.
    pub why_action: DecidedBy,
}

/// The effect of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveDeployment<'c> {
    /// True if the deployment itself is enabled.
    pub is_on: bool,
    /// The requests that it applies to, if it has an expression.
    pub scope: Option<Expression>,
    /// The version that it is pinned to, if any.
    pub version: Option<String>,
    /// Overrides as the deployment's body has them.
    pub overrides: Overrides,
    /// The paranoia level; `None` if the state of the rules matches no level, or the ruleset has
    /// none.
    pub paranoia: Option<Paranoia>,
    /// The rule that compares the score.
    pub anomaly: Option<EffectiveRule<'c>>,
    /// Every other rule, in the ruleset's order.
    pub rules: Vec<EffectiveRule<'c>>,
}

impl EffectiveDeployment<'_> {
    /// Returns the threshold of a ruleset with a score.
    #[must_use]
    pub fn threshold(&self) -> Option<u32> {
        self.anomaly.as_ref().map(|a| a.effect.threshold.unwrap_or(ANOMALY_THRESHOLD))
    }

    /// Returns the action at that score.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.anomaly.as_ref().map(|a| a.effect.action.as_str())
    }

    /// Returns true if it can have an effect: it is on, so is the rule that compares the score, and
    /// a request can reach the threshold.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.is_on && self.compares() && self.out_of_reach().is_none()
    }

    /// Returns true if requests can be stopped: what happens at the threshold is more than a line
    /// in a log. A ruleset without a threshold counts as one that can.
    pub(super) fn stops(&self) -> bool {
        self.action().is_none_or(|action| !only_logs(action))
    }

    /// Returns true if nothing compares a score, or the rule that does is on.
    pub(super) fn compares(&self) -> bool {
        self.anomaly.as_ref().is_none_or(|anomaly| anomaly.effect.enabled)
    }

    /// Returns the threshold and the score of all rules together, if no request can reach the
    /// threshold. A rule without a known score counts as the highest. Thresholds that Cloudflare
    /// offers by name are not questioned.
    #[must_use]
    pub fn out_of_reach(&self) -> Option<(u32, u32)> {
        let threshold = self.threshold().filter(|threshold| *threshold > LOOSEST_THRESHOLD)?;
        let scores = self.rules.iter().filter(|rule| rule.effect.enabled);
        let total = scores.map(|rule| rule.rule.score().unwrap_or(HIGHEST_SCORE)).sum();
        (self.rules_on() > 0 && total < threshold).then_some((threshold, total))
    }

    /// How many rules are on, without the one that compares the score.
    #[must_use]
    pub fn rules_on(&self) -> usize {
        self.rules.iter().filter(|r| r.effect.enabled).count()
    }
}

/// Resolves the overrides of a deployment. `None` if they have an unknown form.
#[must_use]
pub fn effective_deployment<'c>(
    body: &RuleBody,
    catalogue: &'c Catalogue,
) -> Option<EffectiveDeployment<'c>> {
    let overrides = body.overrides()?;
    let effects = effective(catalogue, &overrides);
    let anomaly_id = catalogue.anomaly_rule().map(|r| &r.id);
    let by_rule = overrides.by_rule();
    let effective_rules = catalogue.rules.iter().zip(effects).map(|(rule, effect)| EffectiveRule {
        why: why(rule, &by_rule, &overrides, |o| o.enabled.is_some()),
        why_action: why(rule, &by_rule, &overrides, |o| o.action.is_some()),
        rule,
        effect,
    });
    let (anomaly, rules): (Vec<_>, Vec<_>) =
        effective_rules.partition(|r| anomaly_id == Some(&r.rule.id));
    Some(EffectiveDeployment {
        is_on: body.is_enabled(),
        scope: body.expression(),
        version: body.pinned_version().map(str::to_owned),
        paranoia: paranoia(catalogue, &overrides),
        overrides,
        anomaly: anomaly.into_iter().next(),
        rules,
    })
}

/// The members that all kinds of overrides share.
struct Said<'o> {
    enabled: &'o Option<bool>,
    action: &'o Option<String>,
}

/// The override that decides.
fn why(
    rule: &CatalogueRule,
    by_rule: &HashMap<&str, &RuleOverride>,
    overrides: &Overrides,
    says: impl Fn(&Said) -> bool,
) -> DecidedBy {
    let own_override = by_rule.get(rule.id.0.as_str());
    if own_override.is_some_and(|o| says(&Said { enabled: &o.enabled, action: &o.action })) {
        return DecidedBy::Rule;
    }
    let mut tags = overrides.tags.iter().rev().filter(|t| rule.tags.contains(&t.tag));
    if let Some(tag) = tags.find(|t| says(&Said { enabled: &t.enabled, action: &t.action })) {
        return DecidedBy::of_tag(&tag.tag);
    }
    let for_all = Said { enabled: &overrides.enabled, action: &overrides.action };
    if says(&for_all) { DecidedBy::Ruleset } else { DecidedBy::Default }
}

/// Returns the level whose rules are on, without overrides of single rules: up to it all rules have
/// their default or are on, above it all are off.
fn paranoia(catalogue: &Catalogue, overrides: &Overrides) -> Option<Paranoia> {
    if catalogue.which != Some(Managed::Owasp)
        || !PARANOIA_TAGS.iter().any(|t| catalogue.has_tag(t))
    {
        return None;
    }
    let levels = Overrides { rules: Vec::new(), ..overrides.clone() };
    let effects = effective(catalogue, &levels);
    let fits = |level: &Paranoia| {
        catalogue
            .rules
            .iter()
            .zip(&effects)
            .filter_map(|(rule, e)| Some((rule, e, rule.level()?)))
            .all(
                |(rule, effect, own)| {
                    if own > *level { !effect.enabled } else { effect.enabled || !rule.enabled }
                },
            )
    };
    let is_off = |n: u8| {
        overrides
            .tags
            .iter()
            .any(|t| t.tag == PARANOIA_TAGS[usize::from(n) - 1] && t.enabled == Some(false))
    };
    // If a level has no rules, several levels match; the intended one is the level above which the
    // tags are off.
    let is_exact = |level: &Paranoia| {
        (level.level() + 1..=4).all(is_off) && (1..=level.level()).all(|n| !is_off(n))
    };
    let fitting: Vec<Paranoia> = (1..=4).filter_map(Paranoia::new).filter(fits).collect();
    fitting.iter().find(|l| is_exact(l)).or(fitting.last()).copied()
}
