//! The targets that an exception lets requests bypass, and the effects of changing them.
//!
//! # Sources
//! developers.cloudflare.com/waf/managed-rules/waf-exceptions/define-api and
//! /waf/custom-rules/skip/options, read 2026-11-20. Skipping the rule that compares the score
//! bypasses the whole OWASP ruleset; this follows from how it works.

use std::collections::{BTreeMap, BTreeSet};

use super::action_strength::only_logs;
use super::impact::Effects;
use super::{phrases, rule_scope};
use crate::diagnostic::{first_of, noun_for};
use crate::insight::direction::Direction;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::facts::phases::PHASES;
use crate::model::facts::rulesets::{MANAGED_PHASE, MANAGED_RULESETS, RATE_LIMIT_PHASE};
use crate::model::managed::{Catalogue, Managed};
use crate::model::ruleset::{LiveWaf, Phase, RuleBody, canonical};
use crate::model::{Gather, Value};

/// Maximum number of rules that one sentence names.
const MOST_NAMES: usize = 8;

/// A target of a bypass.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::insight) enum Target {
    /// Everything after the rule in its ruleset.
    Rest,
    /// A managed ruleset.
    Ruleset(String),
    /// A rule of a managed ruleset.
    Rule(String, String),
    /// A later phase.
    Phase(String),
    /// Everything after the rule in its phase.
    RestOfPhase,
    /// A product outside the rulesets.
    Product(String),
}

/// The targets that a skip rule lets requests bypass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skipped {
    /// All known targets.
    targets: BTreeSet<Target>,
    /// Unknown parameters.
    pub unknown: BTreeMap<String, Value>,
}

/// Returns the targets that a rule lets requests bypass; `None` if it is not a skip rule.
#[must_use]
pub fn skipped(body: &RuleBody) -> Option<Skipped> {
    if body.action() != "skip" {
        return None;
    }
    let mut skipped = Skipped::default();
    let canonical = canonical(body);
    for (name, value) in canonical.parameters().into_iter().flatten() {
        let understood = match (name.as_str(), value) {
            ("ruleset", Value::Text(word)) if word == "current" => Some(vec![Target::Rest]),
            ("phase", Value::Text(word)) if word == "current" => Some(vec![Target::RestOfPhase]),
            ("rulesets", value) => {
                texts(value).map(|ids| ids.into_iter().map(Target::Ruleset).collect())
            }
            ("phases", value) => {
                texts(value).map(|names| names.into_iter().map(Target::Phase).collect())
            }
            ("products", value) => {
                texts(value).map(|names| names.into_iter().map(Target::Product).collect())
            }
            ("rules", Value::Map(by_ruleset)) => by_ruleset
                .iter()
                .map(|(ruleset, ids)| {
                    Some(
                        texts(ids)?
                            .into_iter()
                            .map(|id| Target::Rule(ruleset.clone(), id))
                            .collect::<Vec<_>>(),
                    )
                })
                .collect::<Option<Vec<_>>>()
                .map(|lists| lists.concat()),
            _ => None,
        };
        match understood {
            Some(targets) => skipped.targets.extend(targets),
            None => {
                skipped.unknown.insert(name.clone(), value.clone());
            }
        }
    }
    Some(skipped)
}

/// Returns a list of texts, or one text.
fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |v: &Value| match v {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    match value {
        Value::List(list) => list.iter().map(text).collect(),
        one => text(one).map(|t| vec![t]),
    }
}

impl Skipped {
    /// Returns true if a matching request bypasses a rule of a managed ruleset.
    #[must_use]
    pub fn passes_by(&self, ruleset: &str, rule: &str, catalogue: Option<&Catalogue>) -> bool {
        let rule = Target::Rule(ruleset.to_owned(), rule.to_owned());
        self.targets.iter().any(|t| covers(t, &rule) || covers(&stronger(t, catalogue), &rule))
    }

    /// Returns true if a matching request bypasses a whole managed ruleset.
    #[must_use]
    pub fn passes_by_all_of(&self, ruleset: &str, catalogue: Option<&Catalogue>) -> bool {
        let whole_ruleset = Target::Ruleset(ruleset.to_owned());
        self.targets.iter().any(|t| covers(&stronger(t, catalogue), &whole_ruleset))
    }

    /// Returns true if a matching request bypasses a whole later phase.
    #[must_use]
    pub fn passes_by_phase(&self, phase: Phase) -> bool {
        self.targets.contains(&Target::Phase(phase.as_str().to_owned()))
    }

    /// Returns true if it affects a rule that comes after it in its phase; `None` if unknown.
    pub(super) fn acts_on(&self, rule: &RuleBody, waf: &LiveWaf) -> Option<bool> {
        let concerns = |target: &Target| match (target, rule.executes()) {
            (Target::Rest | Target::RestOfPhase, _) => true,
            (Target::Ruleset(id) | Target::Rule(id, _), Some(executed)) => id == executed,
            (Target::Ruleset(_) | Target::Rule(..), None)
            | (Target::Phase(_) | Target::Product(_), _) => false,
        };
        match self.split(waf).0.iter().any(concerns) {
            true => Some(true),
            false => self.unknown.is_empty().then_some(false),
        }
    }

    /// Returns true if everything that it bypasses comes after it in its own entry point.
    #[must_use]
    pub fn stays_in_entry_point(&self) -> bool {
        let is_inside = |t: &Target| match t {
            Target::Rest | Target::Ruleset(_) | Target::Rule(..) => true,
            Target::Phase(_) | Target::RestOfPhase | Target::Product(_) => false,
        };
        self.unknown.is_empty() && self.targets.iter().all(is_inside)
    }

    /// Returns true if it may let requests bypass rules of a managed ruleset, wherever it is.
    pub(super) fn may_free(&self, ruleset: Managed) -> bool {
        let is_other =
            |id: &str| Managed::ALL.iter().any(|other| *other != ruleset && other.facts().id == id);
        let frees = |target: &Target| match target {
            Target::Rest | Target::RestOfPhase => true,
            Target::Phase(name) => name == MANAGED_PHASE,
            Target::Ruleset(id) | Target::Rule(id, _) => !is_other(id),
            Target::Product(_) => false,
        };
        !self.unknown.is_empty() || self.targets.iter().any(frees)
    }

    /// Returns the targets that requests bypass if they match this exception and then another one.
    /// The second adds nothing if the first bypasses the rest.
    fn and_then(&self, next: &Self) -> BTreeSet<Target> {
        let ends = self.targets.iter().any(|t| matches!(t, Target::Rest | Target::RestOfPhase));
        self.targets.iter().chain(next.targets.iter().filter(|_| !ends)).cloned().gather()
    }

    /// Describes the targets.
    #[must_use]
    pub fn about(&self, phase: Phase, waf: &LiveWaf) -> String {
        let mut words = list(self.targets.iter(), phase, waf);
        words.extend(self.unknown.keys().map(|name| format!("what `{name}` says")));
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }

    /// Returns the actual targets of matching requests. Skipping the rule that compares the score
    /// skips its ruleset.
    pub(in crate::insight) fn in_effect(&self, waf: &LiveWaf) -> impl Iterator<Item = Target> {
        self.targets.iter().map(|t| stronger(t, of(t, waf)))
    }

    /// Returns the targets that have an effect, and those that name no rule.
    fn split(&self, waf: &LiveWaf) -> (BTreeSet<Target>, BTreeSet<Target>) {
        // The rule that compares the score exists even if the catalogue does not contain it.
        let is_void = |t: &Target| match stronger(t, of(t, waf)) {
            Target::Rule(ruleset, id) => {
                waf.catalogue(&ruleset).is_some_and(|c| c.rule(&id).is_none())
            }
            Target::Rest
            | Target::Ruleset(_)
            | Target::Phase(_)
            | Target::RestOfPhase
            | Target::Product(_) => false,
        };
        self.targets.iter().cloned().partition(|t| !is_void(t))
    }
}

/// Replaces the rule that compares the score by its whole ruleset.
fn stronger(target: &Target, catalogue: Option<&Catalogue>) -> Target {
    match target {
        Target::Rule(ruleset, id) => {
            let catalogue = catalogue.filter(|c| c.id.0 == *ruleset);
            if Catalogue::anomaly_id(catalogue) == id {
                Target::Ruleset(ruleset.clone())
            } else {
                target.clone()
            }
        }
        Target::Rest
        | Target::Ruleset(_)
        | Target::Phase(_)
        | Target::RestOfPhase
        | Target::Product(_) => target.clone(),
    }
}

/// Returns true if bypassing one target includes bypassing the other.
fn covers(one: &Target, other: &Target) -> bool {
    one == other
        || match (one, other) {
            (Target::Ruleset(all), Target::Rule(ruleset, _)) => all == ruleset,
            (Target::Rest | Target::RestOfPhase, Target::Ruleset(_) | Target::Rule(..)) => true,
            (Target::Phase(phase), Target::Ruleset(_) | Target::Rule(..)) => phase == MANAGED_PHASE,
            (
                Target::Rule(..)
                | Target::Ruleset(_)
                | Target::Phase(_)
                | Target::Product(_)
                | Target::Rest
                | Target::RestOfPhase,
                _,
            ) => false,
        }
}

/// Returns the targets that are newly bypassed when one set replaces another.
fn beyond(these: &BTreeSet<Target>, those: &BTreeSet<Target>, waf: &LiveWaf) -> Vec<Target> {
    let covering_targets: BTreeSet<Target> = those.iter().map(|t| stronger(t, of(t, waf))).gather();
    let is_new = |t: &&Target| {
        !covering_targets.iter().any(|covering| covers(covering, &stronger(t, of(t, waf))))
    };
    these.iter().filter(is_new).cloned().collect()
}

/// Returns the direction of a change that puts one exception before another.
pub(super) fn compare_orders(rises: &Skipped, sinks: &Skipped, waf: &LiveWaf) -> Direction {
    if !rises.unknown.is_empty() || !sinks.unknown.is_empty() {
        return if rises == sinks { Direction::Neutral } else { Direction::Unclassified };
    }
    let (before, after) = (sinks.and_then(rises), rises.and_then(sinks));
    let is_any = |targets: Vec<Target>, direction| {
        if targets.is_empty() { Direction::Neutral } else { direction }
    };
    let weakening = is_any(beyond(&after, &before, waf), Direction::Weakens);
    weakening.combine(is_any(beyond(&before, &after, waf), Direction::Strengthens))
}

/// Returns true if an exception before a deployment cancels it: it bypasses the whole ruleset for
/// all requests that the deployment applies to.
#[must_use]
pub fn cancels(exception: &RuleBody, deployment: &RuleBody, waf: &LiveWaf) -> bool {
    let (Some(skipped), Some(id)) = (skipped(exception), deployment.executes()) else {
        return false;
    };
    let (of_deployment, of_exception) =
        (rule_scope::expression(deployment), rule_scope::expression(exception));
    exception.is_enabled()
        && skipped.passes_by_all_of(id, waf.catalogue(id))
        && matches!(
            Expression::scope_change(&of_deployment, &of_exception),
            ScopeChange::Equal | ScopeChange::Wider
        )
}

/// Returns true if an exception bypasses none of these rules that stops requests.
#[must_use]
pub fn relieves_nothing<'r>(
    exception: &RuleBody,
    mut rules: impl Iterator<Item = &'r RuleBody>,
    waf: &LiveWaf,
) -> bool {
    let Some(skipped) = skipped(exception) else { return false };
    let is_idle = |rule: &RuleBody| {
        !rule.is_enabled()
            || only_logs(rule.action())
            || self::skipped(rule).is_some_and(|s| s.stays_in_entry_point())
    };
    skipped.stays_in_entry_point()
        && rules.all(|rule| is_idle(rule) || skipped.acts_on(rule, waf) == Some(false))
}

/// Adds the effects of the differences between two exceptions for the same requests.
pub(super) fn compare(
    before: &Skipped,
    after: &Skipped,
    phase: Phase,
    waf: &LiveWaf,
    effects: &mut Effects,
) {
    let ((had, void_before), (has, void)) = (before.split(waf), after.split(waf));
    let (added, removed) = (beyond(&has, &had, waf), beyond(&had, &has, waf));
    if !added.is_empty() {
        let words = list(added.iter(), phase, waf).join(", ");
        effects.add(Direction::Weakens, format!("exception widened: also bypasses {words}"));
        whole_ruleset(added.iter(), waf, effects);
    }
    if !removed.is_empty() {
        let words = list(removed.iter(), phase, waf).join(", ");
        effects
            .add(Direction::Strengthens, format!("exception narrowed: no longer bypasses {words}"));
    }
    if before.unknown != after.unknown {
        let names: BTreeSet<_> =
            before.unknown.keys().chain(after.unknown.keys()).cloned().gather();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        effects.add(
            Direction::Unclassified,
            format!("{names} of the exception: the effect of the change is unknown"),
        );
    }
    remark_void(void.difference(&void_before), waf, effects);
}

/// Adds the effect of an exception that is added or removed.
pub(super) fn whole(
    skipped: &Skipped,
    is_new: bool,
    requests: &str,
    phase: Phase,
    waf: &LiveWaf,
    effects: &mut Effects,
) {
    let (targets, void) = skipped.split(waf);
    if targets.is_empty() && skipped.unknown.is_empty() {
        effects.remark("the exception bypasses nothing that exists".to_owned());
    } else {
        let shown = Skipped { targets: targets.clone(), unknown: skipped.unknown.clone() }
            .about(phase, waf);
        let (direction, line) = match is_new {
            true => (Direction::Weakens, format!("exception: {requests} bypass {shown}")),
            false => (
                Direction::Strengthens,
                format!("exception removed: {requests} no longer bypass {shown}"),
            ),
        };
        effects.add(direction, line);
        if is_new {
            whole_ruleset(targets.iter(), waf, effects);
        }
    }
    remark_void(void.iter(), waf, effects);
}

/// Adds the remark that the rule which compares the score represents the whole ruleset.
fn whole_ruleset<'t>(
    targets: impl Iterator<Item = &'t Target>,
    waf: &LiveWaf,
    effects: &mut Effects,
) {
    for target in targets {
        if let (Target::Rule(..), Target::Ruleset(_)) = (target, stronger(target, of(target, waf)))
        {
            let line = "this switches the whole OWASP ruleset off for the requests it names, as \
                the bypassed rule is the \
                        one that compares the score";
            effects.add(Direction::Weakens, line.to_owned());
        }
    }
}

/// Adds a remark about targets that do not exist.
fn remark_void<'t>(
    targets: impl Iterator<Item = &'t Target>,
    waf: &LiveWaf,
    effects: &mut Effects,
) {
    for target in targets {
        if let Target::Rule(ruleset, id) = target {
            let version = waf.catalogue(ruleset).map_or("?", |c| c.version.as_str());
            let id = phrases::short(id);
            effects.remark(format!(
                "{id} names no rule of version {version} (removed or never existed): {}",
                super::impact::NO_EFFECT
            ));
        }
    }
}

/// Returns the catalogue of a target's ruleset.
fn of<'w>(target: &Target, waf: &'w LiveWaf) -> Option<&'w Catalogue> {
    match target {
        Target::Rule(ruleset, _) | Target::Ruleset(ruleset) => waf.catalogue(ruleset),
        Target::Rest | Target::Phase(_) | Target::RestOfPhase | Target::Product(_) => None,
    }
}

/// Describes targets. Rules of one ruleset are grouped.
fn list<'t>(targets: impl Iterator<Item = &'t Target>, phase: Phase, waf: &LiveWaf) -> Vec<String> {
    let (mut words, mut rules) = (Vec::new(), BTreeMap::<&str, Vec<String>>::new());
    for target in targets {
        match target {
            Target::Rest => words.push(format!("all {} after it", phase.about())),
            Target::RestOfPhase => {
                words.push(format!("all {} after it, also the account's", phase.about()))
            }
            Target::Ruleset(id) => words.push(format!("the whole {}", ruleset_name(id, waf))),
            Target::Phase(name) => words.push(phase_name(name)),
            Target::Product(name) => words.push(format!("the product {name}")),
            Target::Rule(ruleset, id) => {
                let rule = waf.catalogue(ruleset).and_then(|c| c.rule(id));
                rules
                    .entry(ruleset)
                    .or_default()
                    .push(rule.map_or_else(|| phrases::short(id), phrases::rule_label));
            }
        }
    }
    for (ruleset, mut names) in rules {
        names.sort();
        let noun = noun_for(names.len(), "rule");
        words.push(format!(
            "{noun} {} of the {}",
            first_of(&names, MOST_NAMES),
            ruleset_name(ruleset, waf)
        ));
    }
    words
}

/// Returns the common name of a managed ruleset.
pub(in crate::insight) fn ruleset_name(id: &str, waf: &LiveWaf) -> String {
    let known_name = MANAGED_RULESETS.iter().find(|m| m.id == id).map(|m| m.name.to_owned());
    let served = waf.catalogue(id);
    match served.and_then(|c| c.which) {
        Some(Managed::Owasp) => "OWASP ruleset".to_owned(),
        Some(Managed::Cloudflare) => "Cloudflare Managed Ruleset".to_owned(),
        None if id == Managed::Owasp.facts().id => "OWASP ruleset".to_owned(),
        None => known_name
            .or_else(|| served.map(|c| c.name.clone()).filter(|n| !n.is_empty()))
            .unwrap_or_else(|| format!("ruleset {}", phrases::short(id))),
    }
}

/// Returns a phase in words.
fn phase_name(name: &str) -> String {
    match name {
        MANAGED_PHASE => "all managed rules".to_owned(),
        RATE_LIMIT_PHASE => "all rate limiting rules".to_owned(),
        "http_request_sbfm" => "Super Bot Fight Mode".to_owned(),
        other if PHASES.iter().any(|p| p.name == other) => format!("the phase {other}"),
        other => format!("the unknown phase {other}"),
    }
}
