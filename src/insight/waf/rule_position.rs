//! The effect of a rule's position among the others, and of moving it.
//!
//! A rule that moves changes places with others. In each pair of the moved rule and another one,
//! one *rises* and the other *sinks*, whichever of them was moved. Only requests that match both
//! matter:
//!
//! | rises | sinks | direction |
//! |---|---|---|
//! | exception | a deployment, or a rule that stops requests, that it affects | weakens |
//! | a deployment, or a rule that stops requests | exception that affected it | strengthens |
//! | exception | exception | by what both bypass together, in either order |
//! | deployment of a known ruleset | the same | neutral: what either stops is stopped |
//! | rule that stops requests | one of equal strength, both without a rate | neutral |
//! | challenge | block, both without a rate | weakens: a passed challenge accepts the request |
//! | block | challenge, both without a rate | strengthens |
//! | rule that only logs | any rule that stops requests, or the reverse | neutral |
//! | anything | anything else | unclassified |

use std::cell::OnceCell;

use super::action_strength::{Strength, strength};
use super::exception::{self, Skipped, skipped};
use super::impact::{Effects, Impact};
use super::{rule_change, rule_scope};
use crate::insight::direction::Direction;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::managed::Managed;
use crate::model::ruleset::{LiveWaf, Phase, RuleBody, canonical_rate_limit};

/// A rule that moves, or that others pass. If a phase is reversed, every pair is compared, so the
/// properties of a rule are computed only once.
#[derive(Debug)]
pub struct MovedRule<'r> {
    /// The rule.
    pub body: &'r RuleBody,
    kind: OnceCell<Kind<'r>>,
    scope: OnceCell<Expression>,
}

impl<'r> MovedRule<'r> {
    /// Returns a rule whose properties are not computed yet.
    #[must_use]
    pub fn new(body: &'r RuleBody) -> Self {
        Self { body, kind: OnceCell::new(), scope: OnceCell::new() }
    }

    fn kind(&self) -> &Kind<'r> {
        self.kind.get_or_init(|| kind(self.body))
    }

    /// Returns the requests that it applies to.
    fn scope(&self) -> &Expression {
        self.scope.get_or_init(|| rule_scope::expression(self.body))
    }
}

/// A rule that moves within its phase, with the rules that it passes, in their state after the
/// change.
#[derive(Debug)]
pub struct Move<'p, 'r> {
    /// Rule that changes its place.
    pub rule: &'p MovedRule<'r>,
    /// Rules that came before it and come after it now.
    pub upward: Vec<&'p MovedRule<'r>>,
    /// Rules that came after it and come before it now.
    pub downward: Vec<&'p MovedRule<'r>>,
}

/// Returns the impact of a rule's new position in its phase.
#[must_use]
pub fn move_impact(phase: Phase, moved: &Move<'_, '_>, waf: &LiveWaf) -> Impact {
    let Move { rule, upward, downward } = moved;
    if !rule.body.is_enabled() {
        return Impact::none("the rule is off");
    }
    if rule.scope().is_always_false() {
        return Impact::none("no request matches");
    }
    let mut effects = Effects::default();
    for other in upward {
        let direction = exchanged(rule, other, waf);
        if direction != Direction::Neutral {
            effects
                .add(direction, sentence(rule.body, other.body, direction, "before", phase, waf));
        }
    }
    for other in downward {
        let direction = exchanged(other, rule, waf);
        if direction != Direction::Neutral {
            effects.add(direction, sentence(rule.body, other.body, direction, "after", phase, waf));
        }
    }
    match effects.finish() {
        Impact { direction: Direction::Neutral, .. } => Impact::none(
            "the rules that it moves past match other requests, or do the same in either order",
        ),
        impact => impact,
    }
}

/// The kind of a rule.
#[derive(Debug)]
enum Kind<'r> {
    /// Lets requests bypass other rules.
    Skips(Skipped),
    /// Blocks, challenges or logs requests.
    Acts(Strength),
    /// Blocks, challenges or logs requests above a rate.
    Limits(Strength),
    /// Executes a ruleset.
    Executes(&'r str),
    /// Another kind.
    Other,
}

fn kind(body: &RuleBody) -> Kind<'_> {
    match (skipped(body), body.executes(), strength(body.action())) {
        (Some(skipped), _, _) => Kind::Skips(skipped),
        (None, Some(id), _) => Kind::Executes(id),
        (None, None, Some(strength)) if canonical_rate_limit(body).is_some() => {
            Kind::Limits(strength)
        }
        (None, None, Some(strength)) => Kind::Acts(strength),
        (None, None, None) => Kind::Other,
    }
}

/// Returns the direction of a change that puts one rule before another that came before it.
fn exchanged(rises: &MovedRule<'_>, sinks: &MovedRule<'_>, waf: &LiveWaf) -> Direction {
    let direction = for_both(rises, sinks, waf);
    // The expensive check is made only if it matters.
    if direction == Direction::Neutral || !rises.body.is_enabled() || !sinks.body.is_enabled() {
        return Direction::Neutral;
    }
    match rule_scope::are_apart(rises.scope(), sinks.scope()) {
        true => Direction::Neutral,
        false => direction,
    }
}

/// Returns the direction for requests that match both.
fn for_both(rises: &MovedRule<'_>, sinks: &MovedRule<'_>, waf: &LiveWaf) -> Direction {
    match (rises.kind(), sinks.kind()) {
        (Kind::Skips(one), Kind::Skips(other)) => exception::compare_orders(one, other, waf),
        (Kind::Skips(skipped), other) => passed(skipped, other, sinks.body, waf),
        (other, Kind::Skips(skipped)) => passed(skipped, other, rises.body, waf).reversed(),
        (
            Kind::Acts(Strength::Log) | Kind::Limits(Strength::Log),
            Kind::Acts(_) | Kind::Limits(_),
        )
        | (
            Kind::Acts(_) | Kind::Limits(_),
            Kind::Acts(Strength::Log) | Kind::Limits(Strength::Log),
        ) => Direction::Neutral,
        (Kind::Acts(one), Kind::Acts(other)) if one == other => Direction::Neutral,
        (Kind::Acts(Strength::Challenge), Kind::Acts(Strength::Block)) => Direction::Weakens,
        (Kind::Acts(Strength::Block), Kind::Acts(Strength::Challenge)) => Direction::Strengthens,
        (Kind::Executes(one), Kind::Executes(other))
            if is_managed(one, waf) && is_managed(other, waf) =>
        {
            Direction::Neutral
        }
        (
            Kind::Acts(_) | Kind::Limits(_) | Kind::Executes(_) | Kind::Other,
            Kind::Acts(_) | Kind::Limits(_) | Kind::Executes(_) | Kind::Other,
        ) => Direction::Unclassified,
    }
}

/// Returns the direction of a change that puts an exception before a rule.
fn passed(skipped: &Skipped, kind: &Kind<'_>, rule: &RuleBody, waf: &LiveWaf) -> Direction {
    match (skipped.acts_on(rule, waf), kind) {
        (Some(false), _) | (_, Kind::Acts(Strength::Log) | Kind::Limits(Strength::Log)) => {
            Direction::Neutral
        }
        (Some(true), Kind::Acts(_) | Kind::Limits(_) | Kind::Executes(_)) => Direction::Weakens,
        (None, _) | (Some(true), Kind::Other | Kind::Skips(_)) => Direction::Unclassified,
    }
}

/// Returns true if a ruleset is managed by Cloudflare; those contain no exceptions.
fn is_managed(id: &str, waf: &LiveWaf) -> bool {
    waf.catalogue(id).is_some() || Managed::recognise(id, "").is_some()
}

/// Returns the effect of passing another rule as a sentence. The moved rule is now on this `side`
/// of the other.
fn sentence(
    rule: &RuleBody,
    other: &RuleBody,
    direction: Direction,
    side: &str,
    phase: Phase,
    waf: &LiveWaf,
) -> String {
    let name = name(other, waf);
    let is_exception = |body: &RuleBody| skipped(body).is_some();
    let requests = rule_change::requests(if is_exception(rule) { rule } else { other });
    let what = match (is_exception(rule) != is_exception(other), direction) {
        (true, Direction::Weakens) if is_exception(rule) => format!("{requests} bypass it"),
        (true, Direction::Strengthens) if is_exception(rule) => {
            format!("{requests} no longer bypass it")
        }
        (true, Direction::Weakens) => format!("{requests} bypass this rule"),
        (true, Direction::Strengthens) => format!("{requests} no longer bypass this rule"),
        (false, Direction::Weakens) if !is_exception(rule) => ACCEPTED.to_owned(),
        (false, Direction::Strengthens) if !is_exception(rule) => {
            "visitors who would pass the challenge are blocked before it".to_owned()
        }
        (false, Direction::Weakens) => "more is bypassed".to_owned(),
        (false, Direction::Strengthens) => "less is bypassed".to_owned(),
        (false, Direction::Both) => "something else is bypassed".to_owned(),
        (_, Direction::Neutral | Direction::Both | Direction::Unclassified) => {
            format!("{} act in order, and the effect of this is unknown", phase.about())
        }
    };
    format!("is {side} {name} now: {what}")
}

/// The effect of a challenge on later rules.
const ACCEPTED: &str = "visitors who pass the challenge are accepted, and no longer blocked";

/// Returns the effect of a new challenge, or of one that more requests get, on the blocks after it:
/// visitors who pass it are accepted. Returns `None` if the rule is no challenge, or no block
/// follows for the same requests.
#[must_use]
pub fn lets_pass<'p, 'r: 'p>(
    before: Option<&RuleBody>,
    rule: &MovedRule<'r>,
    later: impl Iterator<Item = &'p MovedRule<'r>>,
    waf: &LiveWaf,
) -> Option<(Direction, String)> {
    let is_challenge =
        matches!(rule.kind(), Kind::Acts(Strength::Challenge)) && rule.body.is_enabled();
    if !is_challenge {
        return None;
    }
    let is_within = |one: &Expression, other: &Expression| {
        matches!(Expression::scope_change(one, other), ScopeChange::Equal | ScopeChange::Wider)
    };
    let exception = before
        .filter(|before| before.is_enabled())
        .and_then(|before| Some((before, skipped(before)?)));
    // Requests that bypassed a block before are not newly accepted.
    let was_bypassed = |other: &MovedRule<'_>| {
        exception.as_ref().is_some_and(|(body, skipped)| {
            let had = rule_scope::expression(body);
            skipped.acts_on(other.body, waf) == Some(true)
                && (is_within(rule.scope(), &had) || is_within(other.scope(), &had))
        })
    };
    for other in later {
        let is_block =
            matches!(other.kind(), Kind::Acts(Strength::Block)) && other.body.is_enabled();
        if !is_block || rule_scope::are_apart(rule.scope(), other.scope()) || was_bypassed(other) {
            continue;
        }
        let direction = if is_within(rule.scope(), other.scope()) {
            Direction::Weakens
        } else {
            Direction::Both
        };
        return Some((direction, format!("is before {}: {ACCEPTED}", name(other.body, waf))));
    }
    None
}

/// Returns the display name of a rule.
fn name(body: &RuleBody, waf: &LiveWaf) -> String {
    if let Some(id) = body.executes() {
        return format!("the {}", exception::ruleset_name(id, waf));
    }
    let noun = if skipped(body).is_some() { "exception" } else { "rule" };
    match body.reference().or_else(|| body.description()) {
        Some(name) => format!("the {noun} {name}"),
        None => format!("a {noun} without a name, for {}", rule_change::requests(body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_without_effect_moves_without_one() {
        let rule = |action: &str, expression: &str, enabled: bool| {
            let mut rule = RuleBody::default();
            rule.set("action", action);
            rule.set("expression", expression);
            rule.set("enabled", enabled);
            if action == "skip" {
                rule.set_parameter("ruleset", "current");
            }
            rule
        };
        let block = rule("block", "true", true);
        let moved = |rule: &RuleBody| {
            let (rule, block) = (MovedRule::new(rule), MovedRule::new(&block));
            let moved = Move { rule: &rule, upward: vec![&block], downward: Vec::new() };
            move_impact(Phase::Custom, &moved, &LiveWaf::default()).direction
        };
        assert_eq!(moved(&rule("skip", "true", true)), Direction::Weakens);
        assert_eq!(moved(&rule("skip", "false", true)), Direction::Neutral);
        assert_eq!(moved(&rule("skip", "true", false)), Direction::Neutral);
    }
}
