//! The action of a rule on a request, and the reference to a rule.

use super::super::waf::action_strength::Strength;
use crate::diagnostic::Place;
use crate::model::ruleset::Phase;

/// The action of a rule on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// The request is refused.
    Block,
    /// The sender must pass a challenge of any kind.
    Challenge,
}

impl Act {
    /// Returns the action of this strength; `None` if it only logs.
    pub(super) fn of(strength: Strength) -> Option<Self> {
        match strength {
            Strength::Block => Some(Self::Block),
            Strength::Challenge => Some(Self::Challenge),
            Strength::Log => None,
        }
    }
}

/// A rule that takes part in a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleAt {
    /// Its display name.
    pub name: String,
    pub phase: Phase,
    /// Its place in the spec, if it is there.
    pub place: Option<Place>,
}
