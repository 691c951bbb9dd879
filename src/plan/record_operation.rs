//! Converts one change of a record to an operation, and to an edit of its zone.

use super::operation::Operation;
use super::overwrites::Overwrites;
use super::subject::{RecordSubject, Subject};
use crate::diff::{Change, ChangeOrigin, DeleteReason, ValueOwner};
use crate::insight::dns::{Entry, RecordEdit};
use crate::model::{Danger, DesiredZone, ZoneName};

/// Returns the operation for one change.
pub(super) fn operation(desired: &DesiredZone, change: &Change) -> Operation {
    let Change { address, change, origin } = change;
    let ChangeOrigin { live, wanted, fields, claim, beside, place, accepted, is_protected } =
        origin;
    // Protection by the base counts, even if this spec drops it together with the change.
    let is_protected = *is_protected || claim.base.is_some_and(|base| base.protect);
    let overwrites = Overwrites::of(change, *claim);
    let dangers = [
        Some(Danger::Delete).filter(|_| {
            change.after().is_none()
                && !change.deletes_for(DeleteReason::Expired { is_agreed: true })
        }),
        Some(Danger::ChangesProtected).filter(|_| is_protected && change.before().is_some()),
        overwrites.danger(),
    ];
    let relative_name = || desired.name.relative(&change.form().name);
    let subject = RecordSubject {
        shown_name: wanted.map_or_else(relative_name, |wanted| &wanted.spelling.name).to_owned(),
        change: change.clone(),
        overwrites,
        beside: *beside,
        was_wanted: claim.owner == ValueOwner::Spec && claim.base.is_some(),
    };
    Operation {
        fields: fields.clone(),
        dangers: dangers.into_iter().flatten().collect(),
        accepted: accepted.cloned().unwrap_or_default(),
        modified_on: live.and_then(|live| live.modified_on.clone()),
        place: *place,
        ..Operation::new(address.clone(), Subject::Record(subject))
    }
}

/// Returns the edit that an operation makes to a record of a zone; `None` for an operation on
/// another object.
pub(super) fn edit<'a>(zone: &'a ZoneName, operation: &'a Operation) -> Option<RecordEdit<'a>> {
    let change = &operation.record()?.change;
    let live_entry =
        change.before().map(|form| Entry { id: change.id(), ..Entry::of_form(form, None) });
    let planned_entry = change.after().map(|form| Entry::of_form(form, operation.place));
    Some(RecordEdit { zone, before: live_entry, after: planned_entry })
}
