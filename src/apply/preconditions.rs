//! Compares live objects with the expectations of an operation: it is still pending, it has taken
//! effect, or someone else changed them. Pure.

use std::collections::BTreeMap;

use crate::diff::{RecordChange, field_changes};
use crate::model::{Fqdn, LiveRecord, Rdata, RecordForm, RecordId};
use crate::plan::RecordSubject;

/// Live records, indexed by id and by value.
#[derive(Debug)]
pub struct LiveIndex<'a> {
    by_id: BTreeMap<&'a RecordId, &'a LiveRecord>,
    by_value: BTreeMap<(&'a Fqdn, &'a Rdata), &'a LiveRecord>,
}

impl<'a> LiveIndex<'a> {
    /// Indexes these records.
    #[must_use]
    pub fn new(records: &'a [LiveRecord]) -> Self {
        Self {
            by_id: records.iter().map(|r| (&r.id, r)).collect(),
            by_value: records.iter().map(|r| ((&r.name, &r.data), r)).collect(),
        }
    }
}

/// The state of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationState {
    /// The live objects are as the operation expects. It has not taken effect.
    Pending,
    /// The operation has taken effect.
    Done,
    /// Neither, because of a change by someone else.
    Moved(String),
}

/// Returns the state of an operation on a record.
#[must_use]
pub fn state_of(record: &RecordSubject, live: &LiveIndex) -> OperationState {
    match &record.change {
        RecordChange::Create { after } => created(after, live),
        RecordChange::Update { id, before, after, .. } => patched(id, before, after, live),
        RecordChange::Delete { id, before, .. } => match live.by_id.get(id) {
            None => OperationState::Done,
            Some(record) if record.form() == **before => OperationState::Pending,
            Some(record) => changed_since(record),
        },
    }
}

/// Returns the state of a create. It is done if a live record has everything that it specifies.
fn created(after: &RecordForm, live: &LiveIndex) -> OperationState {
    match live.by_value.get(&(&after.name, &after.data)) {
        None => OperationState::Pending,
        Some(record) if field_changes(record, &after.data, &after.facets).is_empty() => {
            OperationState::Done
        }
        Some(_) => OperationState::Moved(
            "a record with this value appeared, with other settings".to_owned(),
        ),
    }
}

/// Returns the state of a change. It is done if the record looks as it should.
fn patched(
    id: &RecordId,
    before: &RecordForm,
    after: &RecordForm,
    live: &LiveIndex,
) -> OperationState {
    match live.by_id.get(id) {
        None => OperationState::Moved("the record is gone".to_owned()),
        Some(record) if record.form() == *before => OperationState::Pending,
        Some(record)
            if record.data == after.data
                && field_changes(record, &after.data, &after.facets).is_empty() =>
        {
            OperationState::Done
        }
        Some(record) => changed_since(record),
    }
}

/// Describes a record that looks neither as before nor as after.
fn changed_since(record: &LiveRecord) -> OperationState {
    let when = record.modified_on.as_deref().map(|t| format!(" at {t}")).unwrap_or_default();
    OperationState::Moved(format!(
        "the record was changed by someone else{when}; it is now {}",
        record.data.presentation()
    ))
}
