//! Compares the responses to writes of records with the plan. Pure.
//!
//! | the answer to | holds |
//! |---|---|
//! | a create | the record as it is stored |
//! | an update | the record as it is stored, with what was not sent |
//! | a delete in a batch | the record as it was |
//! | a delete alone | its id |
//!
//! # Sources
//! developers.cloudflare.com/api/resources/dns/subresources/records (Create, Update, Delete,
//! Batch), read 2026-11-20.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::diff::{Field, FieldChange, RecordChange, field_changes};
use crate::model::{Gather, LiveRecord, RecordForm, RecordId};
use crate::plan::{Action, Operation, Step, ZonePlan};
use crate::wire::record::read_record;

/// The evidence of a response about an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Confirmation {
    /// The operation did what was planned, and the record before it was as planned, as far as the
    /// response shows.
    AsPlanned,
    /// The response has nothing that can be compared.
    Nothing,
    /// The record is stored differently from the request.
    StoredOtherwise(String),
    /// Someone else changed the record after the plan was made.
    ChangedMeanwhile(String),
}

/// Returns the evidence of a response about each of its operations.
pub(super) fn confirmations(
    zone: &ZonePlan,
    step: &Step,
    result: &Json,
) -> Vec<(usize, Confirmation)> {
    let is_batch = step.request.path.ends_with("/batch");
    let mut confirmations = Vec::new();
    for (action, list) in
        [(Action::Delete, "deletes"), (Action::Update, "patches"), (Action::Create, "posts")]
    {
        let of_action =
            step.operations.iter().copied().filter(|n| zone.operations[*n].action() == action);
        let numbers: Vec<usize> = of_action.collect();
        let items: Vec<&Json> = match is_batch {
            true => result.get(list).and_then(Json::as_array).into_iter().flatten().collect(),
            false => vec![result],
        };
        // In a response with another number of records, it is unknown which is which.
        let is_whole = items.len() == numbers.len();
        let items = items.into_iter().map(Some).filter(|_| is_whole).chain(std::iter::repeat(None));
        confirmations.extend(numbers.into_iter().zip(items).map(|(n, item)| {
            let confirmation =
                item.map_or(Confirmation::Nothing, |item| of_operation(&zone.operations[n], item));
            (n, confirmation)
        }));
    }
    confirmations
}

/// Returns the evidence of a response's record about an operation.
fn of_operation(operation: &Operation, item: &Json) -> Confirmation {
    let Some(record) = operation.record() else { return Confirmation::Nothing };
    let has_id = |id: &RecordId| item.get("id").and_then(Json::as_str) == Some(id.0.as_str());
    let stored = read_record(item).ok();
    match (&record.change, stored) {
        (RecordChange::Delete { id, .. }, _) | (RecordChange::Update { id, .. }, _)
            if !has_id(id) =>
        {
            Confirmation::Nothing
        }
        // The record is deleted, whatever its state was.
        (RecordChange::Delete { .. }, None) => Confirmation::AsPlanned,
        (RecordChange::Create { .. } | RecordChange::Update { .. }, None) => Confirmation::Nothing,
        (RecordChange::Delete { before, .. }, Some(was)) => match differing_fields(&was, before) {
            all if all.is_empty() => Confirmation::AsPlanned,
            all => Confirmation::ChangedMeanwhile(format!(
                "it was {} when it was deleted",
                record_shown(&was, &all)
            )),
        },
        (RecordChange::Create { after }, Some(stored)) => match differing_fields(&stored, after) {
            all if all.is_empty() => Confirmation::AsPlanned,
            all => Confirmation::StoredOtherwise(format!(
                "it is stored as {}",
                record_shown(&stored, &all)
            )),
        },
        (RecordChange::Update { after, .. }, Some(stored)) => {
            let sent: BTreeSet<String> =
                operation.fields.iter().map(|change| change.field.to_string()).gather();
            let stored_differences = differing_fields(&stored, after);
            let theirs: Vec<_> = stored_differences
                .iter()
                .filter(|change| !sent.contains(&change.field.to_string()))
                .cloned()
                .collect();
            if stored_differences.is_empty() {
                Confirmation::AsPlanned
            } else if theirs.is_empty() {
                Confirmation::StoredOtherwise(format!(
                    "it is stored as {}",
                    record_shown(&stored, &stored_differences)
                ))
            } else {
                Confirmation::ChangedMeanwhile(format!(
                    "it is now {}",
                    record_shown(&stored, &theirs)
                ))
            }
        }
    }
}

/// Returns the fields in which a record differs from a form. A record of another name has another
/// value.
fn differing_fields(record: &LiveRecord, form: &RecordForm) -> Vec<FieldChange> {
    field_changes(record, &form.data, &form.facets)
}

/// Describes a record with its attributes that differ.
fn record_shown(record: &LiveRecord, differences: &[FieldChange]) -> String {
    let facet = |change: &FieldChange| match &change.field {
        Field::Value(_) | Field::Data(_) => None,
        field => Some(format!("{field} {}", change.before)),
    };
    let facets: Vec<String> = differences.iter().filter_map(facet).collect();
    let value = format!("{} {}", record.data.type_name(), record.data.presentation());
    if facets.is_empty() { value } else { format!("{value} ({})", facets.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnostic::Place;
    use crate::model::{DesiredZone, LiveZone, Unmanaged, ZoneId, ZoneName};
    use crate::plan::{Lowering, lower, plan_zone};

    /// Returns a record as in a response. The id 2 has another name.
    fn item(id: &str, content: &str, ttl: u32) -> Json {
        let name = if id == "2" { "v.example.com" } else { "w.example.com" };
        json!({ "id": id, "name": name, "type": "A", "content": content, "ttl": ttl, "proxied": false })
    }

    /// Returns a plan that changes one of two records, deletes the other and creates a third, and
    /// its only request.
    fn planned() -> (ZonePlan, Step) {
        let name = ZoneName::parse("example.com").unwrap();
        let live = LiveZone {
            records: vec![
                read_record(&item("1", "192.0.2.1", 300)).unwrap(),
                read_record(&item("2", "192.0.2.2", 300)).unwrap(),
            ],
            ..LiveZone::new(name.clone(), ZoneId("z".into()))
        };
        let wanted = [
            read_record(&item("1", "192.0.2.1", 600)).unwrap(),
            read_record(&item("3", "192.0.2.3", 600)).unwrap(),
        ];
        let place = Place::NOWHERE;
        let desired = |record: &LiveRecord| {
            let RecordForm { name, data, facets, reported } = record.form().without_settings_off();
            let spelling =
                crate::model::Spelling { name: "w".into(), place, entry: place, reported };
            crate::model::DesiredRecord {
                name,
                data,
                facets,
                protect: false,
                allow: None,
                expires: None,
                spelling,
            }
        };
        let mut zone = DesiredZone { unmanaged: Unmanaged::Prune, ..DesiredZone::new(name, place) };
        zone.records = wanted.iter().map(desired).collect();
        let plan = plan_zone(&zone, &live).0;
        let step = lower(&plan, Lowering::Batches(200), None).remove(0);
        (plan, step)
    }

    /// Returns the confirmations in a response, in the order of deletes, patches, posts.
    fn told(answer: &Json) -> Vec<Confirmation> {
        let (plan, step) = planned();
        assert_eq!(step.operations.len(), 3, "{plan:?}");
        confirmations(&plan, &step, answer).into_iter().map(|(_, told)| told).collect()
    }

    #[test]
    fn an_answer_is_held_against_the_plan() {
        let answer = |deleted, patched, posted| json!({ "deletes": [deleted], "patches": [patched], "posts": [posted] });
        let (gone, changed, new) =
            (item("2", "192.0.2.2", 300), item("1", "192.0.2.1", 600), item("9", "192.0.2.3", 600));
        assert_eq!(
            told(&answer(gone.clone(), changed.clone(), new.clone())),
            vec![Confirmation::AsPlanned; 3]
        );
        // After a delete, the record with its id does not exist, whatever else the response
        // contains.
        let bare = answer(json!({ "id": "2" }), changed.clone(), new.clone());
        assert_eq!(told(&bare), vec![Confirmation::AsPlanned; 3]);
        let meanwhile = |told: &Confirmation, words: &str| matches!(told, Confirmation::ChangedMeanwhile(what) if what.contains(words));
        let all = told(&answer(
            item("2", "192.0.2.8", 900),
            changed.clone(),
            item("9", "192.0.2.3", 120),
        ));
        assert!(meanwhile(&all[0], "A 192.0.2.8 (ttl 900)"), "{all:?}");
        assert!(
            matches!(&all[2], Confirmation::StoredOtherwise(what) if what.contains("ttl 120")),
            "{all:?}"
        );
        let mut theirs = changed.clone();
        theirs["comment"] = json!("theirs");
        let all = told(&answer(gone.clone(), theirs, new.clone()));
        assert!(meanwhile(&all[1], "comment"), "{all:?}");
        // A value without comparable parts confirms nothing.
        assert_eq!(told(&json!(null)), vec![Confirmation::Nothing; 3]);
        assert_eq!(
            told(&answer(item("7", "192.0.2.2", 300), json!(5), json!({ "id": "9" }))),
            vec![Confirmation::Nothing; 3]
        );
    }
}
