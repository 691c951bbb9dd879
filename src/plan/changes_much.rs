//! Decides if so much of a zone changes that it needs consent: the danger `changes-much`.

use super::action::Action;
use super::operation::Operation;
use super::zone_plan::ZonePlan;
use crate::diff::{Field, FieldChange};
use crate::model::Policy;

/// Returns true if so much of a zone changes.
pub(super) fn changes_much(zone: &ZonePlan, policy: &Policy) -> bool {
    let is_note =
        |field: &FieldChange| matches!(field.field, Field::Comment | Field::Tags | Field::Ttl);
    let counts = |operation: &Operation| match operation.action() {
        Action::Create => false,
        // Notes and times to live change no answer.
        Action::Update => !operation.fields.iter().all(is_note),
        Action::Move | Action::Delete => true,
    };
    let changed = zone.records().filter(|(_, operation, _)| counts(operation)).count();
    zone.live_records >= policy.from_records.max(1)
        && changed * 100 > zone.live_records * usize::from(policy.most_changes)
}
