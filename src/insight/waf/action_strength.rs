//! The strength of actions on requests.
//!
//! # Sources
//! The order of actions (block, then the challenges, then log, then nothing) is our judgement. The
//! effect of each: developers.cloudflare.com/ruleset-engine/rules-language/actions, read
//! 2026-11-20.

use crate::insight::direction::{Direction, more_is_stronger};

/// The strength of an action on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::insight) enum Strength {
    /// Only logs the request.
    Log,
    /// Blocks clients that fail a challenge.
    Challenge,
    /// Blocks the request.
    Block,
}

/// Returns the strength of an action; `None` for an action of another kind.
pub(in crate::insight) fn strength(action: &str) -> Option<Strength> {
    match action {
        "log" => Some(Strength::Log),
        "challenge" | "js_challenge" | "managed_challenge" => Some(Strength::Challenge),
        "block" => Some(Strength::Block),
        _ => None,
    }
}

/// Returns true if an action only logs requests.
pub(super) fn only_logs(action: &str) -> bool {
    strength(action) == Some(Strength::Log)
}

/// Describes what happens to the requests.
pub(super) fn fate(action: &str) -> &'static str {
    match strength(action) {
        Some(Strength::Block) => "are blocked",
        Some(Strength::Challenge) => "are challenged",
        Some(Strength::Log) => "are logged",
        None => "are handled differently",
    }
}

/// Describes the requests of a rule with an action after the rule is gone.
pub(super) fn end_of_fate(action: &str) -> &'static str {
    match strength(action) {
        Some(Strength::Block) => "are no longer blocked",
        Some(Strength::Challenge) => "are no longer challenged",
        Some(Strength::Log) => "are no longer logged",
        None => "are no longer handled differently",
    }
}

/// Returns the direction of a change of action.
pub(super) fn compare_actions(before: &str, after: &str) -> Direction {
    match (strength(before), strength(after)) {
        _ if before == after => Direction::Neutral,
        (Some(before), Some(after)) => more_is_stronger(before, after),
        (None, _) | (_, None) => Direction::Unclassified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_ordered() {
        assert_eq!(compare_actions("block", "log"), Direction::Weakens);
        assert_eq!(compare_actions("js_challenge", "managed_challenge"), Direction::Neutral);
        assert_eq!(compare_actions("log", "challenge"), Direction::Strengthens);
        assert_eq!(compare_actions("block", "rewrite"), Direction::Unclassified);
    }
}
