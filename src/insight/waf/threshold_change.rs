//! What a change of the score that requests are stopped at, or of the action there, means.

use super::action_strength::{Strength, compare_actions, fate, strength};
use super::effective_rules::EffectiveDeployment;
use super::impact::Effects;
use crate::insight::direction::{Direction, more_is_stronger};
use crate::model::facts::crs::HIGHEST_SCORE;
/// Adds changes of threshold and action, for rulesets with a score.
pub(super) fn compare_score(
    before: &EffectiveDeployment,
    after: &EffectiveDeployment,
    effects: &mut Effects,
) {
    if let (Some(b), Some(a)) = (before.threshold(), after.threshold())
        && a != b
    {
        let (hits, hits_after) = (b.div_ceil(HIGHEST_SCORE), a.div_ceil(HIGHEST_SCORE));
        let needs = match hits == hits_after {
            true => {
                format!("needs {hits_after} critical (+{HIGHEST_SCORE}) hits to act, as before")
            }
            false => format!(
                "needs {hits_after} instead of {hits} critical (+{HIGHEST_SCORE}) hits to act"
            ),
        };
        // Where nothing was stopped at the threshold, or nothing is now, the action tells all.
        let both_stop = before.stops() && after.stops();
        let direction = if both_stop { more_is_stronger(a, b) } else { Direction::Neutral };
        effects.add(direction, format!("threshold {b} → {a}: {needs}"));
    }
    if let (Some(b), Some(a)) = (before.action(), after.action())
        && a != b
    {
        let direction = compare_actions(b, a);
        let fate = match strength(a) {
            Some(Strength::Log) => "pass and are only logged",
            Some(_) | None => fate(a),
        };
        let equal = if direction == Direction::Neutral { ", as strong" } else { "" };
        effects.add(
            direction,
            format!("action {b} → {a}: requests at or above the threshold {fate}{equal}"),
        );
    }
}
