//! Each field of each type is changed alone: the plan shows only that field, and the request
//! contains only the necessary members.

use std::collections::BTreeSet;

use crate::support::generators::{desired_record, empty_desired, empty_live, stored};
use zonewright::diff::RecordChange;
use zonewright::model::facts::{FieldFacts, FieldKind, Slot};
use zonewright::model::{AsReported, Facets, Purpose, Rdata, RecordForm, RecordType, Value};
use zonewright::plan::{Action, plan_zone};
use zonewright::wire::record::patch_body;

/// Returns another value of a field.
fn another(field: &FieldFacts, value: &Value) -> Value {
    let is = |text: &str| *value == Value::from(text);
    let text = |one: &str, other: &str| Value::from(if is(one) { other } else { one });
    match field.kind {
        FieldKind::Ipv4 => text("192.0.2.99", "192.0.2.98"),
        FieldKind::Ipv6 => text("2001:db8::99", "2001:db8::98"),
        FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot => {
            text("other.example.org.", "x.example.org.")
        }
        FieldKind::CharacterStrings | FieldKind::Tag => text("other", "another"),
        FieldKind::CharacterString if field.name == "flags" => text("A", "U"),
        FieldKind::Text | FieldKind::CharacterString => text("other", "another"),
        // 9 is no kind of digest with a length of its own, and fits wherever a number does.
        FieldKind::Integer { .. } => {
            Value::Integer(if *value == Value::Integer(9) { 8 } else { 9 })
        }
        FieldKind::Hex { .. } => {
            let Value::Text(digits) = value else { panic!("{value:?}") };
            let (first, rest) = digits.split_at(1);
            Value::Text(format!("{}{rest}", if first == "0" { "1" } else { "0" }))
        }
        FieldKind::Base64 => text("AAAA", "AAAB"),
        FieldKind::Decimal { .. } => Value::Decimal("12.5".into()),
        FieldKind::Choice(words) => Value::from(*words.iter().find(|w| !is(w)).unwrap()),
        FieldKind::SvcParams => text("port=\"9\"", "port=\"8\""),
    }
}

#[test]
fn each_field_alone() {
    let (mut updates, mut creates) = (0, 0);
    for record_type in RecordType::ALL.iter().copied() {
        let facts = record_type.facts();
        let before = Rdata::from_text(record_type, facts.examples[0]).unwrap();
        for field in facts.fields {
            let mut fields = before.fields();
            fields.insert(field.name.to_owned(), another(field, &fields[field.name]));
            let after = Rdata::from_fields(record_type, &fields)
                .unwrap_or_else(|e| panic!("{record_type} {}: {e:?}", field.name));
            assert_ne!(after, before, "{record_type} {}", field.name);
            let form = |data: &Rdata| RecordForm {
                name: empty_live().name.as_fqdn().clone(),
                data: data.clone(),
                facets: Facets::default(),
                reported: AsReported::default(),
            };
            let mut live = empty_live();
            live.records.push(stored(1, &form(&before)));
            let mut desired = empty_desired();
            desired.records.push(desired_record(&form(&after)));
            let (plan, _) = plan_zone(&desired, &live);
            assert_eq!(plan.operations.len(), 1, "{record_type} {}", field.name);
            let operation = &plan.operations[0];
            // A value for another purpose does not replace the live one.
            if after.purpose() != before.purpose() || after.purpose() == Purpose::Unique {
                assert!(operation.action() == Action::Create, "{record_type} {}", field.name);
                creates += 1;
                continue;
            }
            updates += 1;
            let in_data = field.slot == Slot::Data;
            let shown: Vec<_> = operation.fields.iter().map(|f| f.field.to_string()).collect();
            let expected =
                if in_data { format!("data.{}", field.name) } else { field.name.to_owned() };
            assert_eq!(shown, [expected], "{record_type}");
            let Some(RecordChange::Update { before, after, .. }) =
                operation.record().map(|record| &record.change)
            else {
                panic!("{operation:?}")
            };
            let body = patch_body(before, after);
            let keys: Vec<_> = body.keys().map(String::as_str).collect();
            assert_eq!(keys, [if in_data { "data" } else { field.name }], "{record_type}");
            // Cloudflare may replace `data` whole, so all its members are sent, and numbers as
            // numbers.
            if in_data {
                let sent: BTreeSet<_> =
                    body["data"].as_object().unwrap().keys().map(String::as_str).collect();
                let members =
                    facts.fields.iter().filter(|f| f.slot == Slot::Data).map(|f| f.name).collect();
                assert_eq!(sent, members, "{record_type}");
                let is_number =
                    matches!(field.kind, FieldKind::Integer { .. } | FieldKind::Decimal { .. });
                assert_eq!(
                    body["data"][field.name].is_number(),
                    is_number,
                    "{record_type} {}",
                    field.name
                );
            }
        }
    }
    println!("{updates} fields changed in place, {creates} make another record");
    assert!(updates > 40);
}
