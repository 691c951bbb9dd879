//! The result of a comparison.

use super::delete_reason::DeleteReason;
use std::collections::BTreeMap;

use super::field::FieldChange;
use super::ownership::Claim;
use crate::model::{Address, Danger, DesiredRecord, LiveRecord, ReadOnly, ZoneName};

/// What is to be done to one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind<'a> {
    /// Cloudflare does not have it.
    Create {
        /// What the spec wants.
        after: &'a DesiredRecord,
        /// How many live values of the same purpose stay beside it without being in the spec.
        beside: usize,
    },
    /// Cloudflare has it, with differences.
    Update {
        /// What Cloudflare has.
        before: &'a LiveRecord,
        /// What the spec wants.
        after: &'a DesiredRecord,
        /// The differences; never empty.
        fields: Vec<FieldChange>,
        /// Whose the live record is.
        claim: Claim<'a>,
    },
    /// Cloudflare has it and should not.
    Delete {
        /// What Cloudflare has.
        before: &'a LiveRecord,
        /// Why.
        reason: DeleteReason,
        /// The spec entry that asks for it, where there is one.
        place: Option<crate::diagnostic::Place>,
        /// Dangers that the entry accepts, with its reasons.
        accepted: Option<&'a BTreeMap<Danger, String>>,
        /// Whose the live record is.
        claim: Claim<'a>,
    },
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<'a> {
    /// The record's address.
    pub address: Address,
    /// The difference.
    pub kind: ChangeKind<'a>,
}

/// Why a live record is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetAsideReason {
    /// The spec does not name it.
    Unmanaged,
    /// An `ignore` pattern of the zone names it (its number in the spec).
    Ignored(usize),
    /// Cloudflare does not allow it to be changed here.
    ReadOnly(ReadOnly),
    /// Its type or value is not understood.
    Opaque,
    /// Another live record has the same name, type and value.
    Duplicate,
}

/// A live record that is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside<'a> {
    /// The record.
    pub record: &'a LiveRecord,
    /// Why.
    pub reason: SetAsideReason,
}

/// A desired record that cannot be had, because something in its way must not be touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict<'a> {
    /// The record wanted.
    pub desired: &'a DesiredRecord,
    /// What is in its way.
    pub live: &'a LiveRecord,
    /// Why it must not be touched.
    pub reason: SetAsideReason,
}

/// A DS record that stays while the delegation that it belongs to is to be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stranded<'a> {
    /// The spec wants it.
    Wanted(&'a DesiredRecord),
    /// It must not be touched.
    Aside(SetAside<'a>),
}

/// All differences of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChanges<'a> {
    /// The zone.
    pub zone: ZoneName,
    /// Differences; in no certain order.
    pub changes: Vec<Change<'a>>,
    /// How many desired records are as they should be.
    pub unchanged: usize,
    /// Live records left alone, by name, type and value.
    pub set_aside: Vec<SetAside<'a>>,
    /// What cannot be had.
    pub conflicts: Vec<Conflict<'a>>,
    /// Deletes of a delegation that cannot be had, because its DS record must not be touched, or is
    /// wanted.
    pub stranded: Vec<Stranded<'a>>,
    /// Records wanted that are there, with differences that must not be fixed because someone else
    /// maintains them.
    pub kept_different: Vec<Conflict<'a>>,
}
