//! What a rule does to requests, and how a rule is named.

use crate::diagnostic::Place;
use crate::model::ruleset::Phase;

/// What a rule does to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// It is refused.
    Block,
    /// Its sender must pass a challenge, whatever kind.
    Challenge,
}

/// A rule that takes part in a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleAt {
    /// Its display name.
    pub name: String,
    /// Its phase.
    pub phase: Phase,
    /// Its place in the spec, if it is there.
    pub place: Option<Place>,
}
