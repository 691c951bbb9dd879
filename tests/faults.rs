//! Every fault at every moment of an apply: the program says how it ended, nothing is written twice, nothing of others is
//! touched, and run again it arrives. The tables of docs/faults.md are what is seen here; `UPDATE_GENERATED=1 cargo test
//! --test faults` writes them anew.
#![cfg(feature = "sandbox")]

#[path = "faults/case.rs"]
mod case;
#[path = "faults/catalogue.rs"]
mod catalogue;
#[path = "faults/stage.rs"]
mod stage;
#[path = "faults/subject.rs"]
mod subject;
#[path = "faults/table.rs"]
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};

use case::Case;
use catalogue::{Kind, Trouble};
use stage::{Stage, Strike};
use subject::{Moment, Subject};

/// Plays faults at all moments, each of them striking so many requests, and compares with the page.
fn survives(name: &str, subject: &Subject, troubles: Vec<Trouble>, times: u64) {
    let stage = Stage::new(subject);
    let others = (subject.others)(&stage.dump());
    let quiet = stage.apply(subject.deletes, None);
    assert_eq!(quiet.exit, 0, "{}", quiet.said);
    let wanted = stage.dump();
    let numbers = subject.moments(&quiet);
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for trouble in troubles.into_iter().chain(others) {
        if times > 1 && trouble.kind == Kind::Writer {
            continue;
        }
        let mut cells = Vec::new();
        for (moment, first) in Moment::ALL.into_iter().zip(numbers) {
            let Some(what) = moment.strike(&trouble) else {
                cells.push(None);
                continue;
            };
            let case = Case { subject, trouble: &trouble, strike: Strike { what, first, times }, wanted: &wanted };
            let place = format!("{name}, {}, {}", moment.title(), trouble.name);
            match catch_unwind(AssertUnwindSafe(|| case.play())) {
                Ok((cell, found)) => {
                    cells.push(Some(cell));
                    failures.extend(found.into_iter().map(|what| format!("{place}: {what}")));
                }
                Err(_) => failures.push(format!("{place}: it panicked")),
            }
        }
        rows.push((trouble.name, cells));
    }
    if std::env::var_os("UPDATE_GENERATED").is_some() || failures.is_empty() {
        table::up_to_date(name, &rows);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn records_in_batches_survive_a_fault() {
    survives("batches, once", &subject::batches(), catalogue::all(), 1);
}

#[test]
fn records_in_batches_survive_an_outage() {
    survives("batches, from then on", &subject::batches(), catalogue::all(), u64::MAX);
}

#[test]
fn records_one_by_one_survive_a_fault() {
    survives("single, once", &subject::single(), catalogue::all(), 1);
}

#[test]
fn records_one_by_one_survive_an_outage() {
    survives("single, from then on", &subject::single(), catalogue::some(), u64::MAX);
}

#[test]
fn rules_survive_a_fault() {
    survives("rules, once", &subject::rules(), catalogue::all(), 1);
}

#[test]
fn rules_survive_an_outage() {
    survives("rules, from then on", &subject::rules(), catalogue::some(), u64::MAX);
}
