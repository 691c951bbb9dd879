//! A rule of a zone, or the entry point of a phase: what is done to it, and the entry point that is
//! expected to be there.

use crate::diff::RuleDeleteReason;
use crate::model::ZoneId;
use crate::model::ruleset::{Phase, Position, RuleBody, RuleId, RulesetId};
use crate::plan::action::{Action, Why};
use crate::wire::Request;
use crate::wire::ruleset::{create_entry_point, create_rule, delete_rule, move_rule, patch_rule};

/// A rule, or all rules of a phase that has none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSubject {
    /// The phase.
    pub phase: Phase,
    /// What a person knows the rule by; of an entry point, the names of its rules.
    pub name: String,
    /// What is done.
    pub action: RuleAction,
    /// What is expected to be there.
    pub expect: ExpectRuleset,
    /// Whether it only carries out what `expires` says in the spec.
    pub is_expiry: bool,
}

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
        /// Its position; at the end without one.
        position: Option<Position>,
    },
    /// The definition of a rule is replaced.
    Update {
        /// Cloudflare's id.
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
        /// Cloudflare's id.
        id: RuleId,
        /// Its definition.
        body: RuleBody,
        /// Where to.
        position: Position,
    },
    /// A rule is deleted.
    Delete {
        /// Cloudflare's id.
        id: RuleId,
        /// Its definition.
        before: RuleBody,
        /// Why.
        reason: RuleDeleteReason,
    },
}

impl RuleAction {
    /// What that is.
    #[must_use]
    pub fn kind(&self) -> Action {
        match self {
            Self::CreateEntryPoint { .. } | Self::Create { .. } => Action::Create,
            Self::Update { .. } => Action::Update,
            Self::Move { .. } => Action::Move,
            Self::Delete { .. } => Action::Delete,
        }
    }

    /// Returns true if it makes the entry point of a phase.
    pub(super) fn makes_entry_point(&self) -> bool {
        matches!(self, Self::CreateEntryPoint { .. })
    }

    /// Why it is done, or how, where the action alone does not say it.
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

    /// Where the rule is put, if it is put anywhere.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        match self {
            Self::Create { position, .. } | Self::Update { position, .. } => position.as_ref(),
            Self::Move { position, .. } => Some(position),
            Self::CreateEntryPoint { .. } | Self::Delete { .. } => None,
        }
    }

    /// The definitions that there are afterwards.
    pub(in crate::plan) fn bodies_after(&self) -> &[RuleBody] {
        match self {
            Self::CreateEntryPoint { rules } => rules,
            Self::Create { after: body, .. }
            | Self::Update { after: body, .. }
            | Self::Move { body, .. } => std::slice::from_ref(body),
            Self::Delete { .. } => &[],
        }
    }

    /// The id of the live rule, if there is one.
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
    /// None.
    Absent,
    /// The ruleset with this id, and the version that was read when the plan was made.
    Version {
        /// Cloudflare's id.
        id: RulesetId,
        /// The version; `None` where Cloudflare says none.
        version: Option<String>,
    },
}

impl RuleSubject {
    /// The request.
    ///
    /// # Panics
    /// Never: what is done to a rule expects its ruleset.
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
