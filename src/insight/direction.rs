//! The direction of a change, and the sentences that explain it.
//!
//! Directions form a lattice under [`Direction::combine`]: neutral is the least, "both" the greatest. Something
//! unclassified with a weakening counts as both, so that unknown effects never hide a weakening.
//!
//! # Sources
//! The order of actions (block, then the challenges, then log, then nothing) is our judgement; what each does:
//! developers.cloudflare.com/ruleset-engine/rules-language/actions, read 2026-11-20.

use crate::model::closed_set;

/// Used where a change makes no difference to requests.
pub const NO_EFFECT: &str = "no effect on traffic";
/// Largest number of sentences about one change; the others are counted.
const MOST_LINES: usize = 12;

closed_set! {
    /// The direction of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Direction {
        /// Neither stronger nor weaker.
        #[default]
        Neutral = "neutral",
        /// More is blocked or challenged.
        Strengthens = "strengthens",
        /// Less is blocked or challenged.
        Weakens = "weakens",
        /// Some of each, or a weakening with something unknown.
        Both = "both",
        /// Unknown.
        Unclassified = "unclassified",
    }
}

impl Direction {
    /// The direction of two effects together. The order makes no difference.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        match (self, other) {
            (Self::Neutral, d) | (d, Self::Neutral) => d,
            (Self::Both, _) | (_, Self::Both) => Self::Both,
            (Self::Strengthens, Self::Strengthens) => Self::Strengthens,
            (Self::Weakens, Self::Weakens) => Self::Weakens,
            (Self::Strengthens, Self::Weakens) | (Self::Weakens, Self::Strengthens) => Self::Both,
            (Self::Unclassified, Self::Weakens) | (Self::Weakens, Self::Unclassified) => Self::Both,
            (Self::Unclassified, Self::Unclassified | Self::Strengthens) | (Self::Strengthens, Self::Unclassified) => {
                Self::Unclassified
            }
        }
    }

    /// The direction of the reverse change.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Strengthens => Self::Weakens,
            Self::Weakens => Self::Strengthens,
            Self::Neutral => Self::Neutral,
            Self::Both => Self::Both,
            Self::Unclassified => Self::Unclassified,
        }
    }

    /// Whether something is, or may be, weaker after the change.
    #[must_use]
    pub fn may_weaken(self) -> bool {
        match self {
            Self::Weakens | Self::Both | Self::Unclassified => true,
            Self::Neutral | Self::Strengthens => false,
        }
    }
}

/// What a change does to traffic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Impact {
    /// Its direction.
    pub direction: Direction,
    /// Sentences for the reviewer: plain text that may contain text from Cloudflare.
    pub lines: Vec<String>,
}

impl Impact {
    /// A change without any effect, optionally with a reason.
    pub(super) fn none(why: &str) -> Self {
        let line = if why.is_empty() { NO_EFFECT.to_owned() } else { format!("{NO_EFFECT}: {why}") };
        Self { direction: Direction::Neutral, lines: vec![line] }
    }
}

/// Collects effects.
#[derive(Debug, Default)]
pub(super) struct Effects {
    direction: Direction,
    lines: Vec<String>,
    /// Remarks that are shown in addition to the effects.
    asides: Vec<String>,
}

impl Effects {
    /// Adds an effect.
    pub(super) fn add(&mut self, direction: Direction, line: String) {
        self.direction = self.direction.combine(direction);
        self.lines.push(line);
    }

    /// Adds other effects; without their direction if that does not matter here.
    pub(super) fn join(&mut self, others: Self, matters: bool) {
        if matters {
            self.direction = self.direction.combine(others.direction);
        }
        self.lines.extend(others.lines);
        self.asides.extend(others.asides);
    }

    /// Adds a remark that is not an effect.
    pub(super) fn remark(&mut self, line: String) {
        self.asides.push(line);
    }

    /// The impact: effects first, then remarks, up to the largest number of lines.
    pub(super) fn finish(self) -> Impact {
        let Self { direction, mut lines, asides } = self;
        if lines.is_empty() {
            lines.push(NO_EFFECT.to_owned());
        }
        lines.extend(asides);
        if lines.len() > MOST_LINES {
            let more = lines.len() - (MOST_LINES - 1);
            lines.truncate(MOST_LINES - 1);
            lines.push(format!("and {more} more"));
        }
        Impact { direction, lines }
    }
}

/// How strongly an action acts on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It only logs the request.
    Log,
    /// It blocks clients that fail a challenge.
    Challenge,
    /// It blocks the request.
    Block,
}

/// The strength of an action; `None` for an action of another kind.
pub(super) fn strength(action: &str) -> Option<Strength> {
    match action {
        "log" => Some(Strength::Log),
        "challenge" | "js_challenge" | "managed_challenge" => Some(Strength::Challenge),
        "block" => Some(Strength::Block),
        _ => None,
    }
}

/// Whether an action only logs requests.
pub(super) fn only_logs(action: &str) -> bool {
    strength(action) == Some(Strength::Log)
}

/// The direction of a change where more is stronger.
pub(super) fn more_is_stronger<T: Ord>(before: T, after: T) -> Direction {
    match after.cmp(&before) {
        std::cmp::Ordering::Greater => Direction::Strengthens,
        std::cmp::Ordering::Less => Direction::Weakens,
        std::cmp::Ordering::Equal => Direction::Neutral,
    }
}

/// What happens to the requests.
pub(super) fn fate(action: &str) -> &'static str {
    match strength(action) {
        Some(Strength::Block) => "are blocked",
        Some(Strength::Challenge) => "are challenged",
        Some(Strength::Log) => "are logged",
        None => "are handled differently",
    }
}

/// The direction of a change of action.
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

    const ALL: &[Direction] = Direction::ALL;

    #[test]
    fn combining_is_a_lattice() {
        for a in ALL.iter().copied() {
            assert_eq!(a.combine(a), a);
            assert_eq!(a.reversed().reversed(), a);
            for b in ALL.iter().copied() {
                assert_eq!(a.combine(b), b.combine(a));
                assert!(!(a.may_weaken() || b.may_weaken()) || a.combine(b).may_weaken());
                for c in ALL.iter().copied() {
                    assert_eq!(a.combine(b).combine(c), a.combine(b.combine(c)), "{a:?} {b:?} {c:?}");
                }
            }
        }
        assert_eq!(Direction::Weakens.combine(Direction::Unclassified), Direction::Both);
    }

    #[test]
    fn many_effects_are_counted() {
        let mut effects = Effects::default();
        for n in 0..20 {
            effects.add(Direction::Weakens, n.to_string());
        }
        let impact = effects.finish();
        assert_eq!((impact.lines.len(), impact.lines[11].as_str()), (12, "and 9 more"));
        assert_eq!(Effects::default().finish(), Impact::none(""));
    }

    #[test]
    fn actions_are_ordered() {
        assert_eq!(compare_actions("block", "log"), Direction::Weakens);
        assert_eq!(compare_actions("js_challenge", "managed_challenge"), Direction::Neutral);
        assert_eq!(compare_actions("log", "challenge"), Direction::Strengthens);
        assert_eq!(compare_actions("block", "rewrite"), Direction::Unclassified);
    }
}
