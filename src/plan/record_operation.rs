//! One change of a record as an operation, and as an edit of its zone.

use super::operation::Operation;
use super::overwrites::Overwrites;
use super::subject::{RecordSubject, Subject};
use crate::diff::{Change, ChangeOrigin, Owner};
use crate::insight::dns::{Entry, RecordEdit};
use crate::model::{Danger, DesiredZone, ZoneName};

/// One change as an operation.
pub(super) fn operation(desired: &DesiredZone, change: &Change) -> Operation {
    let Change { address, change, origin } = change;
    let ChangeOrigin { live, wanted, fields, claim, beside, place, accepted } = origin;
    // What the base protected is protected, even if this spec drops that together with the change.
    let is_protected =
        wanted.is_some_and(|wanted| wanted.protect) || claim.base.is_some_and(|base| base.protect);
    let overwrites = Overwrites::of(change, *claim);
    let dangers = [
        Some(Danger::Delete).filter(|_| change.after().is_none()),
        Some(Danger::ChangesProtected).filter(|_| is_protected && change.before().is_some()),
        overwrites.danger(),
    ];
    let relative_name = || desired.name.relative(&change.form().name);
    let subject = RecordSubject {
        shown_name: wanted.map_or_else(relative_name, |wanted| &wanted.spelling.name).to_owned(),
        change: change.clone(),
        overwrites,
        beside: *beside,
        was_wanted: claim.owner == Owner::Spec && claim.base.is_some(),
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

/// What an operation does to a record of a zone; `None` if it is about something else.
pub(super) fn edit<'a>(zone: &'a ZoneName, operation: &'a Operation) -> Option<RecordEdit<'a>> {
    let change = &operation.record()?.change;
    let before =
        change.before().map(|form| Entry { id: change.id(), ..Entry::of_form(form, None) });
    let after = change.after().map(|form| Entry::of_form(form, operation.place));
    Some(RecordEdit { zone, before, after })
}
