//! Weighs the changes of a zone's rules together. A change weakens the protection only if some
//! request passes afterwards that was stopped before, and would be stopped without the change.
//!
//! Renaming, splitting, merging and moving rules, deleting a duplicate, and an exception that
//! relieves no request of anything change nothing for requests. Where there is too much to compare,
//! each change is judged by itself.

use super::rule_transition::{Now, Way};
use crate::diff::RuleChangeKind;
use crate::insight::Direction;
use crate::insight::waf::{Changed, Impact, SimpleRule};

/// The effect of a change together with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Weight {
    /// True if requests pass because of it that were stopped before.
    weakens: bool,
    /// True if requests are stopped because of it that passed before.
    strengthens: bool,
    /// True if it deletes a rule, and other rules do the same for all requests of that rule.
    pub(super) is_replaced: bool,
}

impl Weight {
    /// Corrects the impact that a change has by itself.
    pub(super) fn correct(self, impact: &mut Impact) {
        let (direction, line) = match (self.weakens, self.strengthens, impact.direction) {
            (false, _, Direction::Neutral) | (true, ..) => return,
            (false, true, Direction::Strengthens) => return,
            (false, true, _) => (
                Direction::Strengthens,
                "together with the other rules: all requests that were stopped before still are",
            ),
            (false, false, _) => (
                Direction::Neutral,
                "no effect on traffic: together with the other rules, it stops the same requests as before",
            ),
        };
        impact.direction = direction;
        impact.lines.push(line.into());
    }
}

/// Weighs each change of each phase; `None` if there is too much to compare.
pub(super) fn weigh(way: &Way<'_>) -> Option<Vec<Vec<Weight>>> {
    way.requests.are_all_told_apart().then_some(())?;
    let all_changes: Vec<(usize, usize)> = way
        .stages
        .iter()
        .enumerate()
        .flat_map(|(n, stage)| (0..stage.changes.len()).map(move |change| (n, change)))
        .collect();
    let without = |left_out: Option<(usize, usize)>| -> Vec<Now> {
        let mut order_now = way.start();
        for (phase, change) in all_changes.iter().filter(|one| Some(**one) != left_out) {
            way.stages[*phase].carry_out(&mut order_now[*phase], *change);
        }
        order_now
    };
    let (start, end) = (way.start(), without(None));
    let (before, after) = (way.rules(&start), way.rules(&end));
    let partial: Vec<Vec<Now>> = all_changes.iter().map(|change| without(Some(*change))).collect();
    let beside: Vec<_> = partial.iter().map(|now| way.rules(now)).collect();
    let sides = |(phase, change): &(usize, usize)| {
        let stage = &way.stages[*phase];
        let member = stage.members[*change];
        let of = |rules: &std::collections::BTreeMap<_, SimpleRule>| {
            member.and_then(|member| rules.get(&member).cloned())
        };
        let is_deleted = matches!(stage.changes[*change].kind, RuleChangeKind::Delete(..));
        (of(&stage.before), of(&stage.after).filter(|_| !is_deleted))
    };
    let rules: Vec<_> = all_changes.iter().map(sides).collect();
    let mut weights = vec![Weight::default(); all_changes.len()];
    let mut visit = |kind: &Changed<'_>| {
        let mut is_explained = !kind.is_weaker();
        for (weight, other) in weights.iter_mut().zip(&beside) {
            let (is_weaker, is_stricter) = kind.beside(other);
            weight.weakens |= is_weaker && kind.is_weaker();
            weight.strengthens |= is_stricter && kind.is_stricter();
            is_explained |= is_weaker;
        }
        // Each alone makes no difference to it, because another one has the same effect.
        if !is_explained {
            for (weight, (before, after)) in weights.iter_mut().zip(&rules) {
                weight.weakens |=
                    [before, after].into_iter().flatten().any(|rule| kind.may_match(rule));
            }
        }
    };
    way.requests.compare_states(&before, &after, &mut visit)?;
    for ((weight, (rule, wanted)), (phase, _)) in weights.iter_mut().zip(&rules).zip(&all_changes) {
        let (Some(rule), None) = (rule, wanted) else { continue };
        let rules_of_phase = after.iter().find(|(of, _)| *of == way.stages[*phase].phase);
        let other_rules = rules_of_phase.into_iter().flat_map(|(_, rules)| rules.iter().copied());
        weight.is_replaced =
            *weight == Weight::default() && way.requests.is_replaced(rule, other_rules);
    }
    let mut weights = weights.into_iter();
    Some(
        way.stages
            .iter()
            .map(|stage| weights.by_ref().take(stage.changes.len()).collect())
            .collect(),
    )
}
