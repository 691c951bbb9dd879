//! The direction of a change: stronger or weaker protection.
//!
//! Directions form a lattice under [`Direction::combine`]: neutral is the least, "both" the
//! greatest. An unclassified change combined with a weakening counts as both, so that unknown
//! effects never hide a weakening.

use crate::model::closed_set;

closed_set! {
    /// The direction of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Direction {
        /// The protection is neither stronger nor weaker.
        #[default]
        Neutral = "neutral",
        /// More requests are blocked or challenged.
        Strengthens = "strengthens",
        /// Fewer requests are blocked or challenged.
        Weakens = "weakens",
        /// Some parts are stronger and others weaker, or a weakening is combined with an unknown
        /// effect.
        Both = "both",
        /// The direction is unknown.
        Unclassified = "unclassified",
    }
}

impl Direction {
    /// Returns the direction of two effects together. Their order makes no difference.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        match (self, other) {
            (Self::Neutral, d) | (d, Self::Neutral) => d,
            (Self::Both, _) | (_, Self::Both) => Self::Both,
            (Self::Strengthens, Self::Strengthens) => Self::Strengthens,
            (Self::Weakens, Self::Weakens) => Self::Weakens,
            (Self::Strengthens, Self::Weakens) | (Self::Weakens, Self::Strengthens) => Self::Both,
            (Self::Unclassified, Self::Weakens) | (Self::Weakens, Self::Unclassified) => Self::Both,
            (Self::Unclassified, Self::Unclassified | Self::Strengthens)
            | (Self::Strengthens, Self::Unclassified) => Self::Unclassified,
        }
    }

    /// Returns the direction of the reverse change.
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

    /// Returns true if the protection is weaker after the change, or may be.
    #[must_use]
    pub fn may_weaken(self) -> bool {
        match self {
            Self::Weakens | Self::Both | Self::Unclassified => true,
            Self::Neutral | Self::Strengthens => false,
        }
    }
}

/// Returns the direction of a change for which a larger value is stronger.
pub(super) fn more_is_stronger<T: Ord>(before: T, after: T) -> Direction {
    match after.cmp(&before) {
        std::cmp::Ordering::Greater => Direction::Strengthens,
        std::cmp::Ordering::Less => Direction::Weakens,
        std::cmp::Ordering::Equal => Direction::Neutral,
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
                    assert_eq!(
                        a.combine(b).combine(c),
                        a.combine(b.combine(c)),
                        "{a:?} {b:?} {c:?}"
                    );
                }
            }
        }
        assert_eq!(Direction::Weakens.combine(Direction::Unclassified), Direction::Both);
    }
}
