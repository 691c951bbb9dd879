//! Dangers, and the consents that release them. There is no blanket consent.

use std::collections::{BTreeMap, BTreeSet};

use super::operation::{Action, Plan};

/// A kind of danger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Danger {
    /// A record is deleted.
    Delete,
    /// A record that the spec marks `protect: true` is changed.
    ChangesProtected,
    /// Traffic gets through that was stopped before.
    WeakensProtection,
}

impl Danger {
    /// Every danger.
    pub const ALL: &'static [Self] = &[Self::Delete, Self::ChangesProtected, Self::WeakensProtection];

    /// The stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::ChangesProtected => "changes-protected",
            Self::WeakensProtection => "weakens-protection",
        }
    }

    /// What happens, in words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Delete => "records or rules are deleted",
            Self::ChangesProtected => "records marked `protect: true` are changed",
            Self::WeakensProtection => "the protection gets weaker",
        }
    }

    /// The dangers that `--allow CODE` can release; deletes are released by their number only.
    #[must_use]
    pub fn by_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.code() == code && *d != Self::Delete)
    }
}

/// Permissions given for one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consents {
    /// How many deletes exactly.
    pub deletes: Option<usize>,
    /// Other dangers.
    pub dangers: BTreeSet<Danger>,
}

/// A permission that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingConsent {
    /// For what.
    pub danger: Danger,
    /// How many operations need it.
    pub operations: usize,
    /// What to add to the command line.
    pub flag: String,
    /// Why the permission given does not do, if one was given.
    pub given: Option<usize>,
}

/// The permissions that a plan lacks.
pub(super) fn missing(plan: &Plan, consents: &Consents) -> Vec<MissingConsent> {
    let mut counts: BTreeMap<Danger, usize> = BTreeMap::new();
    let of_rules = plan.zones.iter().flat_map(|z| &z.rule_operations).flat_map(|o| &o.dangers);
    for danger in plan.operations().flat_map(|o| &o.dangers).chain(of_rules) {
        *counts.entry(*danger).or_default() += 1;
    }
    counts
        .into_iter()
        .filter(|(danger, count)| match danger {
            // A number that does not fit says that the reader saw another plan.
            Danger::Delete => consents.deletes != Some(*count),
            other => !consents.dangers.contains(other),
        })
        .map(|(danger, operations)| MissingConsent {
            danger,
            operations,
            flag: match danger {
                Danger::Delete => format!("--allow-deletes {operations}"),
                other => format!("--allow {}", other.code()),
            },
            given: if danger == Danger::Delete { consents.deletes } else { None },
        })
        .collect()
}

/// The dangers of an action.
pub(super) fn dangers(action: &Action, protected: bool) -> Vec<Danger> {
    let mut dangers = Vec::new();
    if matches!(action, Action::DeleteRecord { .. }) {
        dangers.push(Danger::Delete);
    }
    if protected && matches!(action, Action::PatchRecord { .. }) {
        dangers.push(Danger::ChangesProtected);
    }
    dangers
}
