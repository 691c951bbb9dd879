//! A journal that is read back says which operations took effect, and which results are unknown.

use serde_json::{Value, json};
use zonewright::apply::{JournalReadError, JournalRun, JournalText, RecordEffect, ZoneRun};
use zonewright::diagnostic::Sources;

/// Returns the lines of a journal.
fn journal(lines: &[Value]) -> String {
    let begin = json!({ "event": "begin", "format": 1, "time": "2026-11-20T10:00:00Z" });
    std::iter::once(&begin).chain(lines).map(|line| format!("{line}\n")).collect()
}

fn parse(text: &str) -> Result<JournalRun, JournalReadError> {
    let text = JournalText::of(text)?;
    let source = Sources::default().add("journal", text.outline().to_owned());
    JournalRun::read(text, source)
}

/// Returns the zone example.com of a journal.
fn zone(lines: &[Value]) -> ZoneRun {
    parse(&journal(lines)).unwrap().zones.into_values().next().unwrap()
}

/// Returns an operation on a record of example.com.
fn operation(action: &str, name: &str, before: Option<u8>, after: Option<u8>) -> Value {
    let image = |n: u8| json!({ "type": "A", "name": format!("{name}.example.com"), "content": format!("192.0.2.{n}"), "ttl": 300 });
    let id = before.map(|_| format!("id-{name}"));
    let address = format!("example.com/dns/{name}/A");
    json!({ "address": address, "action": action, "id": id, "before": before.map(image), "after": after.map(image) })
}

fn intent(step: u64, path: &str, operations: &[Value]) -> Value {
    json!({ "event": "intent", "step": step, "time": format!("2026-11-20T10:00:0{step}Z"), "zone": "example.com", "zone_id": "z",
            "request": { "method": "POST", "path": path }, "operations": operations })
}

fn outcome(step: u64, outcome: &str, ids: &[&str]) -> Value {
    json!({ "event": "outcome", "step": step, "outcome": outcome, "ids": ids })
}

const BATCH: &str = "/zones/z/dns_records/batch";

#[test]
fn what_took_effect_is_told_from_what_did_not_and_what_is_not_known() {
    let create = || operation("create", "a", None, Some(1));
    for (word, entries) in [
        ("done", Some(true)),
        ("partly", Some(false)),
        ("unknown", Some(false)),
        ("a word of a later version", Some(false)),
        ("refused", None),
        ("not sent", None),
        ("no batches", None),
        ("lost", Some(false)),
    ] {
        let run = zone(&[intent(1, BATCH, &[create()]), outcome(1, word, &[])]);
        assert_eq!(run.records.first().map(|entry| entry.is_certain), entries, "{word}");
    }
    // A crash leaves an intent without an outcome, and perhaps half a line.
    let text = journal(&[intent(1, BATCH, &[create()])]) + "{\"event\":\"outco";
    let run = parse(&text).unwrap();
    assert!(run.is_cut);
    assert!(!run.zones.values().next().unwrap().records[0].is_certain);
}

/// An apply that was stopped as it began its journal has sent nothing.
#[test]
fn a_journal_that_was_cut_as_it_began_says_so() {
    let whole = journal(&[]);
    for cut in 0..whole.len() {
        let error = parse(&whole[..cut]).unwrap_err();
        assert!(matches!(error, JournalReadError::Empty), "{cut}: {error:?}");
    }
    assert!(parse(&whole).unwrap().zones.is_empty());
    for foreign in ["\n", "{}", "begin", "{\"event\":\"end\"}\n"] {
        assert!(matches!(parse(foreign), Err(JournalReadError::Foreign)), "{foreign:?}");
    }
}

#[test]
fn an_operation_that_was_sent_twice_counts_once() {
    let create = || operation("create", "a", None, Some(1));
    let lines = [
        intent(1, BATCH, &[create()]),
        outcome(1, "unknown", &[]),
        intent(2, BATCH, &[create()]),
        outcome(2, "done", &["new"]),
    ];
    let run = zone(&lines);
    let [entry] = run.records.as_slice() else { panic!("{run:?}") };
    assert!(entry.is_certain);
    assert_eq!(entry.sent_at, "2026-11-20T10:00:02Z");
    assert!(
        matches!(&entry.effect, RecordEffect::Created { id: Some(id), .. } if id.0 == "new"),
        "{entry:?}"
    );
    // A refusal of the second attempt does not undo an effect of the first.
    let run =
        zone(&[lines[0].clone(), lines[1].clone(), lines[2].clone(), outcome(2, "refused", &[])]);
    assert!(!run.records[0].is_certain);
}

#[test]
fn a_delete_that_was_taken_back_is_none() {
    let delete = || operation("delete", "a", Some(1), None);
    let back = |word: &str| {
        zone(&[
            intent(1, "/zones/z/dns_records/id-a", &[delete()]),
            outcome(1, "done", &[]),
            intent(2, "/zones/z/dns_records", &[delete()]),
            outcome(2, word, &["again"]),
        ])
    };
    assert_eq!(back("restored").records, []);
    assert!(back("refused").records[0].is_certain);
    assert!(!back("unknown").records[0].is_certain);
}

#[test]
fn ids_are_those_of_what_was_made_in_order() {
    let operations = [
        operation("create", "a", None, Some(1)),
        operation("delete", "b", Some(2), None),
        operation("create", "c", None, Some(3)),
    ];
    let ids = |answered: &[&str]| -> Vec<Option<String>> {
        let run = zone(&[intent(1, BATCH, &operations), outcome(1, "done", answered)]);
        let id = |effect: &RecordEffect| match effect {
            RecordEffect::Created { id, .. } => Some(id.as_ref().map(|id| id.0.clone())),
            RecordEffect::Changed { .. } | RecordEffect::Deleted { .. } => None,
        };
        run.records.iter().filter_map(|entry| id(&entry.effect)).collect()
    };
    assert_eq!(ids(&["one", "two"]), [Some("one".to_owned()), Some("two".to_owned())]);
    // An answer of another shape says nothing.
    assert_eq!(ids(&["one"]), [None, None]);
}

#[test]
fn places_point_to_the_lines() {
    let text = journal(&[
        intent(1, BATCH, &[operation("create", "a", None, Some(1))]),
        outcome(1, "done", &[]),
    ]);
    let mut sources = Sources::default();
    let text = JournalText::of(&text).unwrap();
    let source = sources.add("journal", text.outline().to_owned());
    let run = JournalRun::read(text, source).unwrap();
    let entry = &run.zones.values().next().unwrap().records[0];
    assert_eq!(sources.line_column(entry.place).line, 2);
}
