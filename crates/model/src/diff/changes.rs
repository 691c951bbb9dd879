//! The result of a comparison.

use std::collections::BTreeMap;

use super::delete_reason::DeleteReason;
use super::field::FieldChange;
use super::ownership::Claim;
use crate::diagnostic::Place;
use crate::{Address, Danger, DesiredRecord, LiveRecord, ReadOnly, RecordForm, RecordId, ZoneName};

/// One change of a record. Plans, requests, journals and outputs read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordChange {
    /// Cloudflare does not have the record.
    Create {
        /// The record of the spec.
        after: RecordForm,
    },
    /// Cloudflare has the record, with differences.
    Update {
        /// Cloudflare's id.
        id: RecordId,
        /// The whole record before.
        before: Box<RecordForm>,
        /// The whole record after.
        after: Box<RecordForm>,
    },
    /// Cloudflare has the record and should not.
    Delete {
        /// Cloudflare's id.
        id: RecordId,
        /// The whole record.
        before: Box<RecordForm>,
        /// The reason for the deletion.
        reason: DeleteReason,
    },
}

impl RecordChange {
    /// Returns the change that creates a record of the spec.
    #[must_use]
    pub fn create(wanted: &DesiredRecord) -> Self {
        Self::Create { after: wanted.form() }
    }

    /// Returns the change of a live record into a record of the spec.
    #[must_use]
    pub fn update(live: &LiveRecord, wanted: &DesiredRecord) -> Self {
        let live_form = live.form();
        let overlaid_form = live_form.overlaid(&wanted.form());
        Self::Update {
            id: live.id.clone(),
            before: Box::new(live_form),
            after: Box::new(overlaid_form),
        }
    }

    /// Returns the change that deletes a live record.
    #[must_use]
    pub fn delete(live: &LiveRecord, reason: DeleteReason) -> Self {
        Self::Delete { id: live.id.clone(), before: Box::new(live.form()), reason }
    }

    /// Returns the id of the live record, if there is one.
    #[must_use]
    pub fn id(&self) -> Option<&RecordId> {
        match self {
            Self::Create { .. } => None,
            Self::Update { id, .. } | Self::Delete { id, .. } => Some(id),
        }
    }

    /// Returns the record before the change, if there is one.
    #[must_use]
    pub fn before(&self) -> Option<&RecordForm> {
        match self {
            Self::Create { .. } => None,
            Self::Update { before, .. } | Self::Delete { before, .. } => Some(before),
        }
    }

    /// Returns the record after the change, if there is one.
    #[must_use]
    pub fn after(&self) -> Option<&RecordForm> {
        match self {
            Self::Create { after } => Some(after),
            Self::Update { after, .. } => Some(after),
            Self::Delete { .. } => None,
        }
    }

    /// Returns the record after the change, or before it if the record is deleted.
    #[must_use]
    pub fn form(&self) -> &RecordForm {
        match self {
            Self::Create { after } => after,
            Self::Update { after, .. } => after,
            Self::Delete { before, .. } => before,
        }
    }

    /// Returns true if a record is deleted for this reason.
    #[must_use]
    pub fn deletes_for(&self, wanted: DeleteReason) -> bool {
        matches!(self, Self::Delete { reason, .. } if *reason == wanted)
    }

    /// Returns true if a record is deleted because its last day is over.
    #[must_use]
    pub fn is_expiry(&self) -> bool {
        matches!(self, Self::Delete { reason: DeleteReason::Expired { .. }, .. })
    }
}

/// The origin of a change: both versions of the record as they were read, and the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOrigin<'a> {
    /// The live record.
    pub live: Option<&'a LiveRecord>,
    /// The record of the spec.
    pub wanted: Option<&'a DesiredRecord>,
    /// The fields that differ; empty unless a live record is changed.
    pub fields: Vec<FieldChange>,
    /// The owner of the live record.
    pub claim: Claim<'a>,
    /// Number of live values of the same purpose that stay beside a new one without being in the
    /// spec.
    pub beside: usize,
    /// The spec entry that asks for the change, where there is one.
    pub place: Option<Place>,
    /// Dangers that the entry accepts, with its reasons.
    pub accepted: Option<&'a BTreeMap<Danger, String>>,
    /// True if the entry says that a change needs a separate consent.
    pub is_protected: bool,
}

impl<'a> ChangeOrigin<'a> {
    /// Returns a record of the spec.
    #[must_use]
    pub fn of_wanted(wanted: &'a DesiredRecord) -> Self {
        Self {
            live: None,
            wanted: Some(wanted),
            fields: Vec::new(),
            claim: Claim::OWN,
            beside: 0,
            place: Some(wanted.spelling.entry),
            accepted: wanted.allow.as_deref(),
            is_protected: wanted.protect,
        }
    }

    /// Returns a live record that the spec does not want.
    #[must_use]
    pub fn of_unwanted(live: &'a LiveRecord, claim: Claim<'a>) -> Self {
        Self {
            live: Some(live),
            wanted: None,
            fields: Vec::new(),
            claim,
            beside: 0,
            place: None,
            accepted: None,
            is_protected: false,
        }
    }
}

/// One difference between a desired and a live record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<'a> {
    /// The record's address.
    pub address: Address,
    /// The change that removes the difference.
    pub change: RecordChange,
    /// The origin of the change.
    pub origin: ChangeOrigin<'a>,
}

impl<'a> Change<'a> {
    /// Adds the address to a change. The address has a digest if the set of the record will have
    /// several members, and for each record that is deleted.
    #[must_use]
    pub fn new(
        zone: &ZoneName,
        (change, origin): (RecordChange, ChangeOrigin<'a>),
        has_several: bool,
    ) -> Self {
        let form = change.form();
        let has_digest = has_several || change.after().is_none();
        let address = Address::of_record(zone, &form.name, &form.data, has_digest);
        Self { address, change, origin }
    }
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
    /// Exists in Cloudflare and stays.
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
    /// Owner of all these records.
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
