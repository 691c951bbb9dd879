//! Conflicts between a plan and changes of someone else. Only this module defines
//! `overrides-conflict` and `overwrites-foreign`.
//!
//! [`ValueOwner`] defines the owner of a live value. In a zone that keeps foreign values:
//!
//! | the live value is | the spec wants | the plan | cause | danger |
//! |---|---|---|---|---|
//! | the spec's | another value, or nothing | changes or deletes it | `spec` | |
//! | the spec's, with other attributes than the base wanted | the attributes of the base | changes it back | `drift` | |
//! | the spec's, with other attributes than the base wanted | other attributes, another value, or nothing | changes or deletes it | `both` | `overrides-conflict` |
//! | drift | the value of the base | changes it back | `drift` | |
//! | drift | another value | changes it | `both` | `overrides-conflict` |
//! | drift | nothing any more | leaves it alone | | |
//! | gone | the value of the base | creates it | `drift` | |
//! | gone | the value of the base with other attributes | creates it | `both` | `overrides-conflict` |
//! | gone | another value | creates it | `spec` | |
//! | foreign | the same value | takes it over: sets the attributes that the spec names | `spec` | |
//! | foreign | another value, which can be beside it | creates that, leaves the foreign one alone | `spec` | |
//! | foreign | a value that cannot be beside it: an alias, a text that exists once, the same host with another priority | replaces it | `both` | `overwrites-foreign` |
//! | foreign | a record of a type that cannot be beside it | deletes it | `both` | `overwrites-foreign` |
//! | foreign DS | no delegation any more | deletes it with the delegation | `both` | `overwrites-foreign` |
//! | drift: in the place of a record of another type that the base wanted | that record | deletes it | `drift` | |
//! | unknown A, AAAA or CNAME | another value, or a type that cannot be beside it | replaces or deletes it, with a remark | `unknown` | |
//! | unknown, of another type | another value, or a type that cannot be beside it | replaces or deletes it | `unknown` | `overwrites-foreign` |
//! | unknown | the same host or property with another priority, weight or flag | changes it | `unknown` | |
//! | unknown, and more live values than wanted ones | another value | creates that, leaves the live ones alone | `unknown` | |
//!
//! "Drift" is a value that replaced a value of the base that is gone. Each delete also needs
//! `delete`. Settings and rules have an owner by their name, so only `overrides-conflict` exists
//! for them. In a pruned zone nothing is foreign or unknown.

use super::cause::Cause;
use crate::diff::{Claim, DeleteReason, RecordChange, ValueOwner};
use crate::model::{Danger, Rdata, RecordType};

/// The effect of a change on a value that may belong to someone else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrites {
    /// No effect: the value belongs to the spec, or stays.
    #[default]
    Nothing,
    /// The value may belong to someone else, because there is no base.
    Unknown {
        /// True if consent is needed: several values of the type exist, so the overwritten one
        /// probably belongs to someone else.
        needs_consent: bool,
    },
    /// The value belongs to someone else.
    Foreign,
}

impl Overwrites {
    /// Returns the effect of a record change.
    pub(super) fn of(change: &RecordChange, claim: Claim<'_>) -> Self {
        match change {
            RecordChange::Create { .. } => Self::Nothing,
            RecordChange::Update { before, after, .. } => {
                Self::replacing(claim, &before.data, Some(&after.data))
            }
            RecordChange::Delete { before, reason, .. } => match reason {
                DeleteReason::InTheWay => Self::replacing(claim, &before.data, None),
                DeleteReason::WithDelegation if claim.owner == ValueOwner::Foreign => Self::Foreign,
                // An entry of the spec names it, the zone is pruned, or the delegation is named.
                DeleteReason::Tombstone
                | DeleteReason::Expired { .. }
                | DeleteReason::Pruned
                | DeleteReason::Removed
                | DeleteReason::Replaced
                | DeleteReason::WithDelegation
                | DeleteReason::Undone => Self::Nothing,
            },
        }
    }

    /// Returns the effect of replacing a live value; `after` is the new value, if it has the same
    /// type.
    fn replacing(claim: Claim<'_>, before: &Rdata, after: Option<&Rdata>) -> Self {
        let is_same = after == Some(before);
        match claim.owner {
            ValueOwner::Foreign if !is_same => Self::Foreign,
            ValueOwner::Unknown
                if !is_same
                    && !after.is_some_and(|after| after.is_same_but_for_preference(before)) =>
            {
                let is_alone = matches!(
                    before.record_type(),
                    Some(RecordType::A | RecordType::Aaaa | RecordType::Cname)
                );
                Self::Unknown { needs_consent: !is_alone }
            }
            ValueOwner::Spec | ValueOwner::Drift | ValueOwner::Foreign | ValueOwner::Unknown => {
                Self::Nothing
            }
        }
    }

    /// Returns the danger.
    pub(super) fn danger(self) -> Option<Danger> {
        match self {
            Self::Foreign | Self::Unknown { needs_consent: true } => {
                Some(Danger::OverwritesForeign)
            }
            Self::Nothing | Self::Unknown { needs_consent: false } => None,
        }
    }
}

/// Returns the cause of an operation, and its danger if both sides made different changes.
/// `changed` is true if the spec changed it, `drifted` if the live state differs from the base.
pub(super) fn judge(
    changed: bool,
    drifted: bool,
    overwrites: Overwrites,
) -> (Cause, Option<Danger>) {
    match (overwrites, Cause::of(changed, drifted)) {
        // The danger is that of the foreign value.
        (Overwrites::Foreign, _) => (Cause::Foreign, None),
        (_, Cause::Both) => (Cause::Both, Some(Danger::OverridesConflict)),
        (_, cause) => (cause, None),
    }
}
