//! The result of a comparison.

use super::delete_reason::DeleteReason;
use std::collections::BTreeMap;

use super::field::FieldChange;
use super::ownership::Claim;
use crate::model::{Address, Danger, DesiredRecord, LiveRecord, ReadOnly, ZoneName};

/// The kind of change that one record needs, with both versions of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind<'a> {
    /// Cloudflare does not have it.
    Create {
        /// The record of the spec.
        after: &'a DesiredRecord,
        /// Number of live values with the same purpose that stay and are not in the spec.
        beside: usize,
    },
    /// Cloudflare has the record, with other values.
    Update {
        /// The live record.
        before: &'a LiveRecord,
        /// The record of the spec.
        after: &'a DesiredRecord,
        /// The fields that differ; never empty.
        fields: Vec<FieldChange>,
        /// The owner of the live record.
        claim: Claim<'a>,
    },
    /// Cloudflare has the record and the spec does not want it.
    Delete {
        /// The live record.
        before: &'a LiveRecord,
        /// The reason for the delete.
        reason: DeleteReason,
        /// The spec entry that asks for the delete, if there is one.
        place: Option<crate::diagnostic::Place>,
        /// Dangers that the spec entry accepts, with its reasons.
        accepted: Option<&'a BTreeMap<Danger, String>>,
        /// The owner of the live record.
        claim: Claim<'a>,
    },
}

/// One difference between a desired and a live record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<'a> {
    /// The record's address.
    pub address: Address,
    /// The kind of change, with both versions of the record.
    pub kind: ChangeKind<'a>,
}

/// The reason why the plan leaves a live record alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetAsideReason {
    /// The spec does not name the record.
    Unmanaged,
    /// An `ignore` pattern of the zone names the record. Contains the pattern's index in the spec.
    Ignored(usize),
    /// Cloudflare does not allow changes to the record.
    ReadOnly(ReadOnly),
    /// The program does not understand the record's type or value.
    Opaque,
    /// Another live record has the same name, type and value.
    Duplicate,
}

/// A live record that the plan leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside<'a> {
    /// The record.
    pub record: &'a LiveRecord,
    /// The reason why it is left alone.
    pub reason: SetAsideReason,
}

/// A desired record that cannot be created or updated because of a live record that must not
/// change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict<'a> {
    /// The desired record.
    pub desired: &'a DesiredRecord,
    /// The live record that prevents the change.
    pub live: &'a LiveRecord,
    /// The reason why the live record must not change.
    pub reason: SetAsideReason,
}

/// A DS record that stays although the delegation that it belongs to would be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stranded<'a> {
    /// The spec wants the DS record.
    Wanted(&'a DesiredRecord),
    /// The plan leaves the DS record alone.
    Aside(SetAside<'a>),
}

/// All differences of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChanges<'a> {
    /// The zone.
    pub zone: ZoneName,
    /// The differences, in no particular order.
    pub changes: Vec<Change<'a>>,
    /// Number of desired records that equal their live records.
    pub unchanged: usize,
    /// Live records that the plan leaves alone, in the order of name, type and value.
    pub set_aside: Vec<SetAside<'a>>,
    /// Desired records that cannot be created.
    pub conflicts: Vec<Conflict<'a>>,
    /// DS records that prevent the deletion of their delegation.
    pub stranded: Vec<Stranded<'a>>,
    /// Desired records that differ from their live records but are not updated, because someone
    /// else maintains the live records.
    pub kept_different: Vec<Conflict<'a>>,
}
