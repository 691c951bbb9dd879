//! Operations on a rule of a zone, or on the entry point of a phase, and the expected entry point.

use crate::diff::RuleDeleteReason;
use crate::model::ZoneId;
use crate::model::ruleset::{Phase, Position, RuleBody, RuleId, RulesetId};
use crate::plan::action::{Action, Why};
use crate::wire::Request;
use crate::wire::ruleset::{create_entry_point, create_rule, delete_rule, move_rule, patch_rule};

/// An operation on a rule, or on all rules of a phase without an entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSubject {
    pub phase: Phase,
    /// The name of the rule for people. For an entry point, the names of its rules.
    pub name: String,
    /// The change.
    pub action: RuleAction,
    /// The expected entry point.
    pub expect: ExpectRuleset,
    /// True if it only applies the `expires` of a spec entry.
    pub is_expiry: bool,
}

/// The change of one rule, or of the entry point of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleAction {
    /// Creates the entry point with these rules in this order.
    CreateEntryPoint { rules: Vec<RuleBody> },
    /// Creates a rule.
    Create {
        /// Its definition.
        after: RuleBody,
        /// Its position; at the end if there is none.
        position: Option<Position>,
    },
    /// Replaces the definition of a rule.
    Update {
        /// Cloudflare's id.
        id: RuleId,
        /// Its definition before.
        before: RuleBody,
        /// The whole definition after, including unknown members.
        after: RuleBody,
        /// The new position, if it moves.
        position: Option<Position>,
    },
    /// Moves a rule without other changes.
    Move {
        /// Cloudflare's id.
        id: RuleId,
        /// Its definition.
        body: RuleBody,
        /// The new position.
        position: Position,
    },
    /// Deletes a rule.
    Delete {
        /// Cloudflare's id.
        id: RuleId,
        /// Its definition.
        before: RuleBody,
        reason: RuleDeleteReason,
    },
}

impl RuleAction {
    /// Returns the kind of action.
    #[must_use]
    pub fn kind(&self) -> Action {
        match self {
            Self::CreateEntryPoint { .. } | Self::Create { .. } => Action::Create,
            Self::Update { .. } => Action::Update,
            Self::Move { .. } => Action::Move,
            Self::Delete { .. } => Action::Delete,
        }
    }

    /// Returns true if it creates the entry point of a phase.
    pub(super) fn makes_entry_point(&self) -> bool {
        matches!(self, Self::CreateEntryPoint { .. })
    }

    /// Returns the reason for the operation, if the action alone does not show it.
    pub(super) fn why(&self) -> Why {
        match self {
            Self::CreateEntryPoint { .. } => {
                Why::fixed("the first of their phase", "the first of its phase")
            }
            Self::Create { .. } | Self::Update { position: None, .. } => Why::default(),
            Self::Update { position: Some(_), .. } => {
                Why::fixed("changed and moved", "changed and moved")
            }
            Self::Move { .. } => Why::fixed("moved, otherwise unchanged", "moved"),
            Self::Delete { reason, .. } => Why::fixed(reason.about(), reason.brief()),
        }
    }

    /// Returns the new position, if there is one.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        match self {
            Self::Create { position, .. } | Self::Update { position, .. } => position.as_ref(),
            Self::Move { position, .. } => Some(position),
            Self::CreateEntryPoint { .. } | Self::Delete { .. } => None,
        }
    }

    /// Returns the definitions after the operation.
    pub(in crate::plan) fn bodies_after(&self) -> &[RuleBody] {
        match self {
            Self::CreateEntryPoint { rules } => rules,
            Self::Create { after: body, .. }
            | Self::Update { after: body, .. }
            | Self::Move { body, .. } => std::slice::from_ref(body),
            Self::Delete { .. } => &[],
        }
    }

    /// Returns the id of the live rule, if there is one.
    #[must_use]
    pub fn id(&self) -> Option<&RuleId> {
        match self {
            Self::CreateEntryPoint { .. } | Self::Create { .. } => None,
            Self::Update { id, .. } | Self::Move { id, .. } | Self::Delete { id, .. } => Some(id),
        }
    }
}

/// The entry point that an operation expects to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectRuleset {
    /// There is no entry point.
    Absent,
    /// The ruleset with this id, and the version that was read when the plan was made.
    Version {
        /// Cloudflare's id.
        id: RulesetId,
        /// The version; `None` if Cloudflare does not say.
        version: Option<String>,
    },
}

impl RuleSubject {
    /// Returns the request.
    ///
    /// # Panics
    /// Never fails: an operation on a rule always expects its ruleset.
    pub(super) fn request(&self, zone: &ZoneId) -> Request {
        let ruleset = || match &self.expect {
            ExpectRuleset::Version { id, .. } => id,
            ExpectRuleset::Absent => unreachable!("only the making of an entry point expects none"),
        };
        match &self.action {
            RuleAction::CreateEntryPoint { rules } => {
                create_entry_point(zone, self.phase, rules.iter())
            }
            RuleAction::Create { after, position } => {
                create_rule(zone, ruleset(), after, position.as_ref())
            }
            RuleAction::Update { id, before: _, after, position } => {
                patch_rule(zone, ruleset(), id, after, position.as_ref())
            }
            RuleAction::Move { id, body: _, position } => move_rule(zone, ruleset(), id, position),
            RuleAction::Delete { id, .. } => delete_rule(zone, ruleset(), id),
        }
    }
}
