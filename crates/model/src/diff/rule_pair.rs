//! Pairs of rules: one of the spec and the live one that it stands for.

use super::delete_reason::RuleDeleteReason;
use super::rule_moves::Member;
use crate::diagnostic::Place;
use crate::model::managed::Compiled;
use crate::model::ruleset::{DesiredDeployment, DesiredRule, LiveRule, Switch};

/// One of our rules.
pub(super) enum Ours<'w> {
    /// It deploys a managed ruleset.
    Deployment(&'w DesiredDeployment),
    /// Any other.
    Rule(&'w DesiredRule),
}

/// One of our rules beside the live one.
pub(super) struct Pair<'w, 'a> {
    pub(super) ours: Ours<'w>,
    pub(super) live: Option<usize>,
    pub(super) compiled: Compiled,
    pub(super) rules: &'a [LiveRule],
}

impl<'a> Pair<'_, 'a> {
    /// The live rule.
    pub(super) fn live(&self) -> Option<&'a LiveRule> {
        self.live.map(|n| &self.rules[n])
    }

    /// It in the order, as the one with this number among those that are wanted.
    pub(super) fn member(&self, number: usize) -> Member {
        self.live.map_or(Member::New(number), Member::Live)
    }

    /// Why it is wanted gone, if it is.
    pub(super) fn gone(&self) -> Option<RuleDeleteReason> {
        match &self.ours {
            Ours::Rule(rule) if rule.is_absent => Some(RuleDeleteReason::Absent),
            Ours::Rule(rule) if rule.note.is_expired => Some(RuleDeleteReason::Expired),
            Ours::Rule(_) | Ours::Deployment(_) => None,
        }
    }

    /// Whether there is nothing to have: it is wanted gone or off, and is not there.
    pub(super) fn is_nothing(&self) -> bool {
        let off = matches!(self.ours, Ours::Deployment(d) if d.switch == Switch::Off);
        self.live.is_none() && (off || self.gone().is_some())
    }

    /// Where the spec asks for it.
    pub(super) fn place(&self) -> Place {
        match &self.ours {
            Ours::Deployment(wants) => wants.place,
            Ours::Rule(wants) => wants.place,
        }
    }

    /// What a person knows it by.
    pub(super) fn name(&self) -> &str {
        match &self.ours {
            Ours::Deployment(wants) => wants.ruleset.key(),
            Ours::Rule(wants) => &wants.name,
        }
    }
}
