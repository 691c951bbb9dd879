//! The whole protection of a zone: the effect of each managed ruleset, the exceptions from it, and
//! the zone's own rules.

use std::collections::BTreeMap;

use super::action_strength::fate;
use super::effective_rules::{DecidedBy, EffectiveDeployment, EffectiveRule, effective_deployment};
use super::exception::{ruleset_name, skipped};
use super::promise::{InForce, hold_floor};
use super::rules_in_force::{RuleInForce, skips_before};
use super::unreachable_scores::{self, Reach};
use super::{phrases, rate_limit, rule_scope};
use crate::diagnostic::Place;
use crate::model::closed_set;
use crate::model::facts::crs::AttackFamily;
use crate::model::managed::{Catalogue, CatalogueRule, Managed, recognise};
use crate::model::ruleset::{
    AccountRules, EntryPoint, LiveRule, LiveWaf, Phase, RuleBody, canonical_rate_limit,
};

closed_set! {
    /// The deployment state of a managed ruleset.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Deployed {
        /// No rule executes it.
        No = "not deployed",
        /// A rule executes it but is disabled.
        Off = "switched off",
        /// An enabled rule executes it.
        On = "on",
    }
}

/// A managed ruleset of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesetSurvey<'w> {
    /// Its kind, if it has a name in specs.
    pub which: Option<Managed>,
    /// Identifier of the managed ruleset.
    pub id: String,
    /// Display name, as outputs show it.
    pub name: String,
    /// Its rules, if they were read.
    pub catalogue: Option<&'w Catalogue>,
    /// Its deployment state.
    pub deployed: Deployed,
    /// The requests that it applies to.
    pub scope: String,
    /// The effect of its deployment, if known.
    pub effective: Option<EffectiveDeployment<'w>>,
    /// The reason why there is no paranoia level, if there is none.
    pub strange_levels: Option<String>,
    /// The rules that let requests bypass it, in whole or in part.
    pub exceptions: Vec<RuleSurvey>,
    /// The comparison with the floor that `on` promises; `None` if nothing executes it, or its
    /// rules were not read.
    pub floor: Option<InForce>,
    /// Families of attacks that its score cannot stop.
    pub unreachable: Vec<Reach>,
    /// The names of the exceptions that apply to a rule, by rule id.
    passed_by: BTreeMap<String, Vec<String>>,
}

/// A rule with its own expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSurvey {
    /// Its display name.
    pub name: String,
    /// Identifier that Cloudflare gave to the rule.
    pub id: String,
    /// Action as Cloudflare spells it.
    pub action: String,
    /// True if it is on.
    pub is_on: bool,
    /// The requests that it applies to.
    pub scope: String,
    /// Its effect, in words.
    pub does: String,
}

/// The protection of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey<'w> {
    /// Managed rulesets, including those that are not deployed but have a name in specs.
    pub rulesets: Vec<RulesetSurvey<'w>>,
    /// The zone's own rules, by phase. Those of the phase of managed rulesets are with the
    /// rulesets.
    pub own: Vec<(Phase, Vec<RuleSurvey>)>,
}

/// The effect of an account's rules on the requests of its zones, before their own rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountSurvey {
    /// Its rules by phase, in the order in which they run.
    Rules(Vec<(Phase, Vec<RuleSurvey>)>),
    /// Unknown, for this reason.
    Unknown(String),
}

/// Surveys the rules of a zone's account.
#[must_use]
pub fn survey_account(rules: &AccountRules, waf: &LiveWaf) -> AccountSurvey {
    match rules {
        AccountRules::Unknown(why) => AccountSurvey::Unknown(why.clone()),
        AccountRules::Known(entry_points) => {
            let present =
                entry_points.iter().filter(|(_, entry_point)| !entry_point.rules().is_empty());
            let of_phase = |(phase, entry_point): (&Phase, &EntryPoint)| {
                (
                    *phase,
                    entry_point.rules().iter().map(|rule| of_rule(rule, *phase, waf)).collect(),
                )
            };
            AccountSurvey::Rules(present.map(of_phase).collect())
        }
    }
}

/// The state of a rule of a managed ruleset in a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow<'c> {
    /// Rule of the catalogue that the row shows.
    pub rule: &'c CatalogueRule,
    /// True if it is on.
    pub is_on: bool,
    /// Action in force, after all overrides.
    pub action: String,
    /// The reason: `default`, `ruleset`, `level`, `tag`, `rule`, `not deployed`, `switched off`,
    /// `unknown`.
    pub why: &'static str,
    /// The tag that decides, if any.
    pub tag: Option<String>,
    /// Exceptions that let some requests bypass it.
    pub exceptions: Vec<String>,
}

/// The number of rules of a family, and the number of enabled ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyCount {
    /// The family; `None` for rules without one.
    pub family: Option<&'static AttackFamily>,
    /// Rules that are on.
    pub on: usize,
    /// All rules.
    pub total: usize,
}

/// Surveys the protection of a zone as far as it was read, with the rules of its account if
/// Cloudflare applies them to the zone.
#[must_use]
pub fn survey<'w>(waf: &'w LiveWaf, account: Option<&AccountRules>) -> Survey<'w> {
    let account = match account {
        Some(AccountRules::Known(entry_points)) => Some(entry_points),
        Some(AccountRules::Unknown(_)) | None => None,
    };
    let surveyed_rules =
        |phase: Phase| rules(waf, phase).iter().map(|rule| of_rule(rule, phase, waf)).collect();
    let mut ids: Vec<String> = Managed::ALL
        .iter()
        .map(|m| waf.managed(*m).map_or_else(|| m.facts().id.to_owned(), |c| c.id.0.clone()))
        .collect();
    for id in rules(waf, Phase::Managed).iter().filter_map(|r| r.body.executes()) {
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    Survey {
        rulesets: ids.iter().map(|id| ruleset(id, waf, account)).collect(),
        own: Phase::ALL
            .iter()
            .filter(|phase| !phase.deploys())
            .map(|phase| (*phase, surveyed_rules(*phase)))
            .collect(),
    }
}

fn rules(waf: &LiveWaf, phase: Phase) -> &[LiveRule] {
    waf.entry_points.get(&phase).map(|entry_point| entry_point.rules()).unwrap_or_default()
}

/// Surveys one managed ruleset.
fn ruleset<'w>(
    id: &str,
    waf: &'w LiveWaf,
    account: Option<&BTreeMap<Phase, EntryPoint>>,
) -> RulesetSurvey<'w> {
    let catalogue = waf.catalogue(id);
    let mut managed = rules(waf, Phase::Managed).iter().map(|rule| &rule.body);
    let deployment = managed.find(|body| body.executes() == Some(id));
    let which = catalogue.and_then(|c| c.which).or_else(|| Managed::recognise(id, ""));
    let effective = deployment
        .zip(catalogue)
        .and_then(|(body, catalogue)| effective_deployment(body, catalogue));
    let levels = |effective: &EffectiveDeployment| {
        effective.paranoia.is_none() && which == Some(Managed::Owasp)
    };
    let strange_levels = match (&effective, deployment) {
        (Some(effective), Some(body)) if levels(effective) => Some(
            recognise(body, Managed::Owasp, catalogue, Place::NOWHERE)
                .strange_levels
                .unwrap_or_else(|| "the rules that are on match no paranoia level".to_owned()),
        ),
        (_, _) => None,
    };
    let mut exceptions = Vec::new();
    let mut passed_by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (RuleInForce { phase, rule, .. }, skipped) in skips_before(waf, None, id) {
        // In an earlier phase, "everything after it" means rules of that phase.
        let concerns = |rule_id: &str| match phase.deploys() {
            true => skipped.passes_by(id, rule_id, catalogue),
            false => skipped.passes_by_phase(Phase::Managed),
        };
        let rule_ids = catalogue
            .map(|c| c.rules.iter().map(|r| r.id.0.as_str()).collect::<Vec<_>>())
            .unwrap_or_default();
        let touched: Vec<&str> = rule_ids.into_iter().filter(|rule_id| concerns(rule_id)).collect();
        if !touched.is_empty() || (catalogue.is_none() && concerns("")) {
            exceptions.push(of_rule(rule, phase, waf));
        }
        for rule_id in touched {
            passed_by.entry(rule_id.to_owned()).or_default().push(rule.shown().to_owned());
        }
    }
    RulesetSurvey {
        which,
        id: id.to_owned(),
        name: catalogue
            .map(|c| c.name.clone())
            .filter(|n| !n.is_empty())
            .unwrap_or_else(|| ruleset_name(id, waf)),
        catalogue,
        deployed: match deployment {
            None => Deployed::No,
            Some(body) if !body.is_enabled() => Deployed::Off,
            Some(_) => Deployed::On,
        },
        floor: which
            .filter(|_| deployment.is_some_and(RuleBody::is_enabled))
            .and_then(|which| hold_floor(which, waf, account)),
        scope: deployment.map(|b| rule_scope::expression(b).text().to_owned()).unwrap_or_default(),
        unreachable: effective
            .as_ref()
            .filter(|s| s.is_on)
            .map(unreachable_scores::of_effective)
            .unwrap_or_default(),
        effective,
        strange_levels,
        exceptions,
        passed_by,
    }
}

/// Describes a rule.
fn of_rule(live: &LiveRule, phase: Phase, waf: &LiveWaf) -> RuleSurvey {
    let body = &live.body;
    let does = match (skipped(body), canonical_rate_limit(body)) {
        (Some(skipped), _) => format!("bypasses {}", skipped.about(phase, waf)),
        (None, Some(rate)) => {
            format!(
                "{} {}{}",
                rate_limit::about(&rate),
                fate(body.action()),
                rate_limit::lasting(&rate)
            )
        }
        (None, None) => match body.executes() {
            Some(id) => format!("executes the {}", ruleset_name(id, waf)),
            None => body.action().to_owned(),
        },
    };
    RuleSurvey {
        name: live.shown().to_owned(),
        id: live.id.0.clone(),
        action: body.action().to_owned(),
        is_on: body.is_enabled(),
        scope: rule_scope::expression(body).text().to_owned(),
        does,
    }
}

impl<'w> RulesetSurvey<'w> {
    /// Returns the state of every rule, in the ruleset's order.
    #[must_use]
    pub fn rows(&self) -> Vec<RuleRow<'w>> {
        let exceptions =
            |rule: &CatalogueRule| self.passed_by.get(&rule.id.0).cloned().unwrap_or_default();
        let Some(effective) = &self.effective else {
            let row = |rule: &'w CatalogueRule| RuleRow {
                rule,
                is_on: false,
                action: rule.action.clone(),
                why: if self.deployed == Deployed::On { "unknown" } else { self.deployed.as_str() },
                tag: None,
                exceptions: Vec::new(),
            };
            return self.catalogue.iter().flat_map(|c| &c.rules).map(row).collect();
        };
        let row = |r: &EffectiveRule<'w>| {
            let why = if r.why == DecidedBy::Default { &r.why_action } else { &r.why };
            let tag = match why {
                DecidedBy::Tag(tag) => Some(tag.clone()),
                DecidedBy::Level(level) => Some(format!("paranoia-level-{level}")),
                DecidedBy::Default | DecidedBy::Ruleset | DecidedBy::Rule => None,
            };
            RuleRow {
                rule: r.rule,
                is_on: effective.is_on && r.effect.enabled,
                action: r.effect.action.clone(),
                why: if effective.is_on { why.as_str() } else { Deployed::Off.as_str() },
                tag: tag.filter(|_| effective.is_on),
                exceptions: exceptions(r.rule),
            }
        };
        effective.rules.iter().chain(&effective.anomaly).map(row).collect()
    }

    /// Returns the number of enabled rules and of all rules, by family, without the rule that
    /// compares the score.
    #[must_use]
    pub fn families(&self) -> Vec<FamilyCount> {
        let Some(effective) = &self.effective else { return Vec::new() };
        let mut counts: BTreeMap<u32, FamilyCount> = BTreeMap::new();
        for rule in &effective.rules {
            let family = rule.rule.attack_family();
            let count = counts.entry(family.map_or(u32::MAX, |f| f.prefix));
            let count = count.or_insert(FamilyCount { family, on: 0, total: 0 });
            count.total += 1;
            count.on += usize::from(effective.is_on && rule.effect.enabled);
        }
        counts.into_values().collect()
    }

    /// Describes overrides of single rules.
    #[must_use]
    pub fn rule_overrides(&self) -> Vec<String> {
        let (Some(effective), Some(catalogue)) = (&self.effective, self.catalogue) else {
            return Vec::new();
        };
        let anomaly = effective.anomaly.as_ref().map(|a| a.rule.id.0.as_str());
        let own_overrides =
            effective.overrides.rules.iter().filter(|o| Some(o.id.as_str()) != anomaly);
        own_overrides
            .map(|own| {
                let Some(rule) = catalogue.rule(&own.id) else {
                    return format!(
                        "{} names no rule of version {}",
                        phrases::short(&own.id),
                        catalogue.version
                    );
                };
                let state = own.enabled.map(|e| if e { "on" } else { "off" }.to_owned());
                let parts: Vec<_> = state.into_iter().chain(own.action.clone()).collect();
                let about = phrases::about(rule);
                let about = if about.is_empty() { String::new() } else { format!(": {about}") };
                format!("{} {}{about}", phrases::rule_label(rule), parts.join(", "))
            })
            .collect()
    }
}
