//! One change of a record as an operation, and as an edit of its zone.

use super::action::Action;
use super::operation::Operation;
use super::overwrites::Overwrites;
use super::subject::{RecordAction, RecordSubject, Subject};
use crate::diff::{Change, ChangeKind, Claim, Owner};
use crate::insight::dns::{Entry, RecordEdit};
use crate::model::{Danger, DesiredZone, ZoneName};

/// One change as an operation.
pub(super) fn operation(desired: &DesiredZone, change: &Change) -> Operation {
    let Change { address, kind } = change;
    // What the base protected is protected, even if this spec drops that together with the change.
    let was_protected = |claim: &Claim<'_>| claim.base.is_some_and(|base| base.protect);
    let (action, fields, place, protected, written) = match kind {
        ChangeKind::Create { after, beside: _ } => {
            let action = RecordAction::Create { after: after.form() };
            (
                action,
                Vec::new(),
                Some(after.spelling.entry),
                after.protect,
                Some(&after.spelling.name),
            )
        }
        ChangeKind::Update { before, after, fields, claim } => {
            let whole = before.form();
            let after_form = Box::new(whole.overlaid(&after.form()));
            let action = RecordAction::Update {
                id: before.id.clone(),
                before: Box::new(whole),
                after: after_form,
            };
            let protected = after.protect || was_protected(claim);
            (
                action,
                fields.clone(),
                Some(after.spelling.entry),
                protected,
                Some(&after.spelling.name),
            )
        }
        ChangeKind::Delete { before, reason, place, accepted: _, claim } => {
            let action = RecordAction::Delete {
                id: before.id.clone(),
                before: Box::new(before.form()),
                reason: *reason,
            };
            (action, Vec::new(), *place, was_protected(claim), None)
        }
    };
    let mut dangers = Vec::new();
    if action.kind() == Action::Delete {
        dangers.push(Danger::Delete);
    }
    if protected && action.kind() != Action::Create {
        dangers.push(Danger::ChangesProtected);
    }
    let overwrites = Overwrites::of(kind);
    dangers.extend(overwrites.danger());
    let (beside, was_wanted) = match kind {
        ChangeKind::Create { beside, .. } => (*beside, false),
        ChangeKind::Update { claim, .. } | ChangeKind::Delete { claim, .. } => {
            (0, claim.owner == Owner::Spec && claim.base.is_some())
        }
    };
    let (accepted, modified_on) = match kind {
        ChangeKind::Create { after, .. } => (after.allow.as_deref().cloned(), None),
        ChangeKind::Update { before, after, .. } => {
            (after.allow.as_deref().cloned(), before.modified_on.clone())
        }
        ChangeKind::Delete { before, accepted, .. } => {
            (accepted.cloned(), before.modified_on.clone())
        }
    };
    let mut subject =
        RecordSubject { shown_name: String::new(), action, overwrites, beside, was_wanted };
    let name = &subject.form().name;
    subject.shown_name =
        written.map_or_else(|| desired.name.relative(name).to_owned(), |w| w.to_string());
    Operation {
        fields,
        dangers,
        accepted: accepted.unwrap_or_default(),
        modified_on,
        place,
        ..Operation::new(address.clone(), Subject::Record(subject))
    }
}

/// What an operation does to a record of a zone; `None` if it is about something else.
pub(super) fn edit<'a>(zone: &'a ZoneName, operation: &'a Operation) -> Option<RecordEdit<'a>> {
    let action = &operation.record()?.action;
    let before =
        action.before().map(|form| Entry { id: action.id(), ..Entry::of_form(form, None) });
    let after = action.after().map(|form| Entry::of_form(form, operation.place));
    Some(RecordEdit { zone, before, after })
}
