//! Compares two resolved tunings of one ruleset, rule by rule.
//!
//! Rules that are switched on or off are grouped by cause, so that a level is one sentence instead
//! of fifty.

use std::collections::{BTreeMap, BTreeSet};

use super::action_strength::{compare_actions, fate};
use super::effective_rules::{DecidedBy, EffectiveDeployment, EffectiveRule};
use super::impact::Effects;
use super::phrases;
use super::threshold_change;
use super::unreachable_scores;
use crate::diagnostic::first_of;
use crate::insight::direction::Direction;
use crate::model::facts::owasp::ANOMALY_RULE;
use crate::model::managed::{Anyway, Catalogue, CatalogueRule, Overrides};
use crate::model::{Gather, Value, sort_by_key};

/// Largest number of rules that one sentence names.
const MOST_NAMES: usize = 5;

/// Adds what changes between two resolved tunings of one ruleset.
pub(super) fn compare(
    before: &EffectiveDeployment,
    after: &EffectiveDeployment,
    catalogue: &Catalogue,
    effects: &mut Effects,
) {
    // Where nothing is stopped, it makes no difference whether it would be.
    let of = |acting: &EffectiveDeployment, direction| {
        if acting.stops() { direction } else { Direction::Neutral }
    };
    match (before.acts(), after.acts()) {
        (true, true) => compare_acting(before, after, catalogue, effects),
        (true, false) => effects.add(of(before, Direction::Weakens), idle(after)),
        (false, true) => effects.add(
            of(after, Direction::Strengthens),
            match before.compares() {
                true => "a request can reach the threshold: the OWASP ruleset acts again",
                false => "the rule that compares the score is on: the OWASP ruleset acts again",
            }
            .to_owned(),
        ),
        (false, false) if before.overrides != after.overrides => effects.remark(idle(after)),
        (false, false) => {}
    }
    if before.overrides.action != after.overrides.action && before.anomaly.is_some() {
        effects.remark(
            "the action of the whole ruleset does not change the action at the threshold"
                .to_owned(),
        );
    }
    remark_idle(&before.overrides, after, catalogue, effects);
}

/// Returns the reason why a ruleset that is on does nothing.
pub(super) fn idle(effective: &EffectiveDeployment) -> String {
    match effective.out_of_reach().filter(|_| effective.compares()) {
        Some((threshold, total)) => format!(
            "the threshold {threshold} is above {total}, the score of all rules together: the \
            OWASP ruleset can never act"
        ),
        None => "the rule that compares the score is off: the whole OWASP ruleset does nothing"
            .to_owned(),
    }
}

/// The same for two enabled deployments.
fn compare_acting(
    before: &EffectiveDeployment,
    after: &EffectiveDeployment,
    catalogue: &Catalogue,
    effects: &mut Effects,
) {
    threshold_change::compare_score(before, after, effects);
    // Where nothing was stopped at the threshold, or nothing is now, the action tells all.
    let both_stop = before.stops() && after.stops();
    let mut details = Effects::default();
    compare_rules(before, after, catalogue, &mut details);
    effects.join(details, both_stop);
}

/// Adds the rules that change between two enabled deployments.
fn compare_rules(
    before: &EffectiveDeployment,
    after: &EffectiveDeployment,
    catalogue: &Catalogue,
    effects: &mut Effects,
) {
    let mut flips = Flips::default();
    let pairs = || before.rules.iter().zip(&after.rules);
    for (b, a) in pairs() {
        flips.sort_in(b, a, before, after);
    }
    flips.add_levels(before, after, effects);
    flips.add_rest(effects);
    add_actions(before, after, effects);
    strange_overrides(&before.overrides, &after.overrides, catalogue, effects);
    let differs =
        |(b, a): &(&EffectiveRule, &EffectiveRule)| is_other(b, a, before.anomaly.is_some());
    let changed = pairs().filter(differs).count();
    if changed > 0 {
        effects.remark(format!("{changed} of {} rules change", before.rules.len()));
    }
    let (reach, mut new) =
        (unreachable_scores::of_effective(before), unreachable_scores::of_effective(after));
    new.retain(|r| !reach.iter().any(|b| b.family == r.family));
    if let Some(line) = unreachable_scores::reach_summary(&new) {
        effects.remark(line);
    }
}

/// Returns true if the state of a rule changes. With a score, only on and off matter.
fn is_other(before: &EffectiveRule, after: &EffectiveRule, has_score: bool) -> bool {
    let (b, a) = (&before.effect, &after.effect);
    b.enabled != a.enabled || (!has_score && b.enabled && b.action != a.action)
}

/// Rules that are switched on or off, by cause.
#[derive(Default)]
struct Flips<'s, 'c> {
    /// By their level: on and off.
    levels: [Vec<&'s EffectiveRule<'c>>; 2],
    /// By the whole ruleset or another tag.
    groups: BTreeMap<(DecidedBy, bool), Vec<&'s EffectiveRule<'c>>>,
    /// By an override of their own.
    own: Vec<&'s EffectiveRule<'c>>,
}

impl<'s, 'c> Flips<'s, 'c> {
    /// Adds a rule to its group, if it is switched.
    fn sort_in(
        &mut self,
        b: &EffectiveRule,
        a: &'s EffectiveRule<'c>,
        before: &EffectiveDeployment,
        after: &EffectiveDeployment,
    ) {
        if b.effect.enabled == a.effect.enabled {
            return;
        }
        let state_of_override =
            |s: &EffectiveDeployment| s.overrides.rule(&a.rule.id.0).and_then(|o| o.enabled);
        let cause = match &a.why {
            _ if state_of_override(before) != state_of_override(after) => DecidedBy::Rule,
            DecidedBy::Default => b.why.clone(),
            why => why.clone(),
        };
        match cause {
            DecidedBy::Rule => self.own.push(a),
            DecidedBy::Level(_) => self.levels[usize::from(!a.effect.enabled)].push(a),
            cause => self.groups.entry((cause, a.effect.enabled)).or_default().push(a),
        }
    }

    /// Adds what the level switches: `paranoia 1 → 2 switches on 49 rules: …`.
    fn add_levels(
        &self,
        before: &EffectiveDeployment,
        after: &EffectiveDeployment,
        effects: &mut Effects,
    ) {
        let cause = match (before.paranoia, after.paranoia) {
            (Some(b), Some(a)) if a != b => format!("paranoia {} → {}", b.level(), a.level()),
            (None, Some(a)) => format!("paranoia custom → {}", a.level()),
            (Some(b), None) => format!("paranoia {} → custom", b.level()),
            (_, _) => "levels".to_owned(),
        };
        for (rules, word, direction) in [
            (&self.levels[0], "on", Direction::Strengthens),
            (&self.levels[1], "off", Direction::Weakens),
        ] {
            if !rules.is_empty() {
                effects.add(direction, sentence(&cause, word, rules));
            }
        }
    }

    /// Adds what tags, the ruleset, and overrides of single rules switch.
    fn add_rest(&self, effects: &mut Effects) {
        for ((why, enabled), rules) in &self.groups {
            let (word, direction) =
                if *enabled { ("on", Direction::Strengthens) } else { ("off", Direction::Weakens) };
            effects.add(direction, sentence(&cause(why), word, rules));
        }
        for rule in &self.own {
            let (word, direction) = if rule.effect.enabled {
                ("on", Direction::Strengthens)
            } else {
                ("off", Direction::Weakens)
            };
            let about = phrases::about(rule.rule);
            let about = if about.is_empty() { String::new() } else { format!(": {about}") };
            effects.add(direction, format!("{} {word}{about}", phrases::rule_label(rule.rule)));
        }
    }
}

/// The cause, as the subject of a sentence.
fn cause(why: &DecidedBy) -> String {
    match why {
        DecidedBy::Default => "the ruleset".to_owned(),
        DecidedBy::Ruleset => "the override of the whole ruleset".to_owned(),
        DecidedBy::Level(level) => format!("paranoia level {level}"),
        DecidedBy::Tag(tag) => format!("tag {tag}"),
        DecidedBy::Rule => "an override".to_owned(),
    }
}

/// `CAUSE switches on 49 rules: SQL injection 9, …`; by name where the rules have no families.
fn sentence(cause: &str, word: &str, rules: &[&EffectiveRule]) -> String {
    let count = crate::diagnostic::count(rules.len(), "rule");
    let verb = if cause == "levels" { "switch" } else { "switches" };
    let list = match rules.iter().any(|r| r.rule.attack_family().is_some()) {
        true => by_family(rules.iter().map(|r| r.rule)),
        false => first_of(rules.iter().map(|r| phrases::rule_label(r.rule)), MOST_NAMES),
    };
    format!("{cause} {verb} {word} {count}: {list}")
}

/// Adds rules that stay on and change their action.
fn add_actions(before: &EffectiveDeployment, after: &EffectiveDeployment, effects: &mut Effects) {
    // With a score, what a rule does besides adding to it is not documented; the action of the
    // whole ruleset is known not to matter.
    let has_score = before.anomaly.is_some();
    let mut groups: BTreeMap<(DecidedBy, String, String), Vec<String>> = BTreeMap::new();
    for (b, a) in before.rules.iter().zip(&after.rules) {
        let is_on = b.effect.enabled && a.effect.enabled && b.effect.action != a.effect.action;
        let cause = if a.why_action == DecidedBy::Default { &b.why_action } else { &a.why_action };
        let by_ruleset = |why: &DecidedBy| matches!(why, DecidedBy::Ruleset | DecidedBy::Default);
        let without_sense = has_score && by_ruleset(&a.why_action) && by_ruleset(&b.why_action);
        if is_on && !without_sense {
            let key = (cause.clone(), b.effect.action.clone(), a.effect.action.clone());
            groups.entry(key).or_default().push(phrases::rule_label(a.rule));
        }
    }
    for ((why, b, a), names) in groups {
        let direction = if has_score { Direction::Unclassified } else { compare_actions(&b, &a) };
        let sense = match direction {
            Direction::Neutral => ", as strong".to_owned(),
            Direction::Unclassified => "; the effect is unknown".to_owned(),
            Direction::Strengthens | Direction::Weakens | Direction::Both => {
                format!(
                    ": requests that match {}",
                    if a == "log" { "pass and are only logged" } else { fate(&a) }
                )
            }
        };
        let names = first_of(&names, MOST_NAMES);
        let line = match why {
            DecidedBy::Rule => format!("{names} {b} → {a}{sense}"),
            DecidedBy::Default | DecidedBy::Ruleset | DecidedBy::Level(_) | DecidedBy::Tag(_) => {
                format!("{}: action {b} → {a} of {names}{sense}", cause(&why))
            }
        };
        effects.add(direction, line);
    }
}

/// Unknown members of overrides, by place; only for rules and tags that exist.
fn strange(overrides: &Overrides, catalogue: &Catalogue) -> BTreeSet<(String, String, Value)> {
    let Overrides { enabled: _, action: _, tags, rules, other } = overrides;
    let member = |of: String| {
        move |(name, value): (&String, &Value)| (of.clone(), name.clone(), value.clone())
    };
    let mut strange_members: BTreeSet<_> =
        other.iter().map(member("the overrides".to_owned())).gather();
    for tag in tags.iter().filter(|t| catalogue.has_tag(&t.tag)) {
        strange_members.extend(tag.other.iter().map(member(format!("tag {}", tag.tag))));
    }
    for own in rules {
        if let Some(rule) = catalogue.rule(&own.id) {
            strange_members.extend(own.other.iter().map(member(phrases::rule_label(rule))));
        }
    }
    strange_members
}

/// Adds members of overrides that differ and whose effect is unknown.
fn strange_overrides(
    before: &Overrides,
    after: &Overrides,
    catalogue: &Catalogue,
    effects: &mut Effects,
) {
    let (before, after) = (strange(before, catalogue), strange(after, catalogue));
    let places: BTreeSet<_> =
        before.symmetric_difference(&after).map(|(of, name, _)| (of, name)).gather();
    for (of, name) in places {
        effects
            .add(Direction::Unclassified, format!("{name} of {of} changes: its effect is unknown"));
    }
}

/// Adds remarks about overrides without effect: those that match no rule, and new ones that repeat
/// the state of their rule.
pub(super) fn remark_idle(
    before: &Overrides,
    after: &EffectiveDeployment,
    catalogue: &Catalogue,
    effects: &mut Effects,
) {
    let anyway = Anyway::new(catalogue, &after.overrides);
    for own in &after.overrides.rules {
        let Some(rule) = catalogue.rule(&own.id) else {
            if own.id == ANOMALY_RULE && catalogue.lacks_anomaly_rule() {
                // It exists even if the catalogue does not contain it; the remark that its change
                // cannot be judged is already there.
                continue;
            }
            let (id, version) = (phrases::short(&own.id), &catalogue.version);
            effects.remark(format!(
                "override {id} names no rule of version {version} (removed or never existed): {}",
                super::impact::NO_EFFECT
            ));
            continue;
        };
        if before.rule(&own.id) == Some(own) {
            continue;
        }
        let label = phrases::rule_label(rule);
        match (own.enabled, anyway.of(rule).enabled) {
            (Some(false), false) => {
                let level = rule.level().filter(|l| after.paranoia.is_some_and(|p| *l > p));
                let why = match level {
                    Some(level) => format!(
                        "off at this level anyway: no effect until paranoia {}",
                        level.level()
                    ),
                    None => format!("off anyway: {}", super::impact::NO_EFFECT),
                };
                effects.remark(format!("{label} is disabled but {why}"));
            }
            (Some(true), true) => effects
                .remark(format!("{label} is enabled but on anyway: {}", super::impact::NO_EFFECT)),
            (_, _) => {}
        }
    }
}

/// Rules by family, the largest first: `SQL injection 9, protocol enforcement 5`.
fn by_family<'r>(rules: impl Iterator<Item = &'r CatalogueRule>) -> String {
    // Families are ordered by number so that equal counts have a stable order; rules without a
    // family come last.
    let mut counts: BTreeMap<(u32, &str), usize> = BTreeMap::new();
    for rule in rules {
        let key = rule.attack_family().map_or((u32::MAX, "of no family"), |f| (f.prefix, f.name));
        *counts.entry(key).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    sort_by_key(&mut counts, |((prefix, _), n)| (*prefix == u32::MAX, std::cmp::Reverse(*n)));
    counts.iter().map(|((_, name), n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
}
