//! Operations on the rules of a zone, as data.

use std::collections::BTreeMap;

use super::operation::Cause;
use crate::diagnostic::Place;
use crate::diff::{FieldChange, RuleDeleteReason};
use crate::insight::Impact;
use crate::model::ruleset::{Phase, Position, RuleBody, RuleId, RulesetId};
use crate::model::{Address, Danger};

/// What is done to one rule, or to the entry point of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleAction {
    /// The entry point is made, with these rules in this order.
    CreateEntryPoint {
        /// The rules.
        rules: Vec<RuleBody>,
    },
    /// A rule is made.
    Create {
        /// Its definition.
        after: RuleBody,
        /// Where it stands; at the end without one.
        position: Option<Position>,
    },
    /// The definition of a rule is replaced.
    Patch {
        /// The service's id.
        id: RuleId,
        /// Its definition before.
        before: RuleBody,
        /// All of it after, also what we do not know.
        after: RuleBody,
        /// Where it is moved, if it is.
        position: Option<Position>,
    },
    /// A rule is moved and stays as it is.
    Move {
        /// The service's id.
        id: RuleId,
        /// Its definition.
        body: RuleBody,
        /// Where to.
        position: Position,
    },
    /// A rule is deleted.
    Delete {
        /// The service's id.
        id: RuleId,
        /// Its definition.
        before: RuleBody,
        /// Why.
        reason: RuleDeleteReason,
    },
}

impl RuleAction {
    /// The word used in every output.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::CreateEntryPoint { .. } | Self::Create { .. } => "create",
            Self::Patch { .. } => "update",
            Self::Move { .. } => "move",
            Self::Delete { .. } => "delete",
        }
    }
}

/// The entry point that an operation expects to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectRuleset {
    /// None.
    Absent,
    /// The ruleset with this id, and the version that was read when the plan was made.
    Version {
        /// The service's id.
        id: RulesetId,
        /// The version; `None` where the service says none.
        version: Option<String>,
    },
}

/// What undoes an operation on a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleReverse {
    /// Delete what was made.
    Delete,
    /// Replace the definition by this one, at its old place.
    PatchBack(RuleBody, Option<Position>),
    /// Move it back.
    MoveBack(Position),
    /// Make it again at this place.
    Recreate(RuleBody, Position),
}

/// One thing that apply will do to a zone's protection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOperation {
    /// The rule's address.
    pub address: Address,
    /// The phase.
    pub phase: Phase,
    /// What a person knows the rule by; of an entry point, the names of its rules.
    pub name: String,
    /// What is done.
    pub action: RuleAction,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
    /// What it means for traffic.
    pub impact: Impact,
    /// What it expects to find.
    pub expect: ExpectRuleset,
    /// What undoes it.
    pub reverse: RuleReverse,
    /// Why it is here.
    pub cause: Cause,
    /// What is dangerous about it.
    pub dangers: Vec<Danger>,
    /// Dangers of it that the spec accepts, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// When the live rule was last changed, as the service wrote it.
    pub modified_on: Option<String>,
    /// The spec entry that asks for it.
    pub place: Option<Place>,
}
