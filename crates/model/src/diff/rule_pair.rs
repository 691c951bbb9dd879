//! Pairs of rules: a rule of the spec and its live rule.

use super::delete_reason::RuleDeleteReason;
use super::rule_moves::Member;
use crate::diagnostic::Place;
use crate::managed::Compiled;
use crate::ruleset::{DesiredDeployment, DesiredRule, LiveRule, Switch};

/// A rule that the spec names.
pub(super) enum Ours<'w> {
    /// A deployment of a managed ruleset.
    Deployment(&'w DesiredDeployment),
    /// Any other rule.
    Rule(&'w DesiredRule),
}

/// A rule of the spec with its live rule, if there is one.
pub(super) struct Pair<'w, 'a> {
    pub(super) ours: Ours<'w>,
    pub(super) live: Option<usize>,
    pub(super) compiled: Compiled,
    pub(super) rules: &'a [LiveRule],
}

impl<'a> Pair<'_, 'a> {
    pub(super) fn live(&self) -> Option<&'a LiveRule> {
        self.live.map(|n| &self.rules[n])
    }

    /// Returns its member of the order; `number` is its index among the managed rules that will
    /// exist.
    pub(super) fn member(&self, number: usize) -> Member {
        self.live.map_or(Member::New(number), Member::Live)
    }

    /// Returns the reason for which the rule is deleted, if there is one.
    pub(super) fn gone(&self) -> Option<RuleDeleteReason> {
        match &self.ours {
            Ours::Rule(rule) if rule.is_absent => Some(RuleDeleteReason::Absent),
            Ours::Rule(rule) if rule.note.is_expired => Some(RuleDeleteReason::Expired),
            Ours::Rule(_) | Ours::Deployment(_) => None,
        }
    }

    /// Returns true if there is nothing to do: the rule should not exist or be off, and does not
    /// exist.
    pub(super) fn is_nothing(&self) -> bool {
        let off = matches!(self.ours, Ours::Deployment(d) if d.switch == Switch::Off);
        self.live.is_none() && (off || self.gone().is_some())
    }

    /// Returns the place of its spec entry.
    pub(super) fn place(&self) -> Place {
        match &self.ours {
            Ours::Deployment(wants) => wants.place,
            Ours::Rule(wants) => wants.place,
        }
    }

    /// Returns its display name.
    pub(super) fn name(&self) -> &str {
        match &self.ours {
            Ours::Deployment(wants) => wants.ruleset.key(),
            Ours::Rule(wants) => &wants.name,
        }
    }
}
