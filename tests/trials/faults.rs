//! Every fault at every moment of an apply: the program reports how it ended, nothing is written
//! twice, no foreign object is touched, and a second run finishes the work. The tables of
//! docs/internals/fault-matrix.md are generated here; `UPDATE_GENERATED=1 cargo test --test trials
//! faults` writes them again.

mod case;
mod catalogue;
mod stage;
mod subject;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};

use zonewright::sandbox::LoggedRequest;

use case::{Case, Cell, Sequels};
use catalogue::Trouble;
use serde_json::Value as Json;
use stage::{Ran, Stage, Strike};
use subject::{Moment, Subject};
use table::Row;

/// A subject before any fault, and its expected results.
struct Trial<'a> {
    name: &'a str,
    subject: &'a Subject,
    /// The run without faults.
    quiet: Ran,
    /// The state of the sandbox after that.
    wanted: Json,
    /// The changes that someone else may make meanwhile.
    others: Vec<Trouble>,
    sequels: Sequels,
    failures: Vec<String>,
}

impl<'a> Trial<'a> {
    /// Applies it without faults.
    fn of(name: &'a str, subject: &'a Subject) -> Self {
        let stage = Stage::new(subject);
        let others = (subject.others)(&stage.dump());
        let quiet = stage.apply(subject.deletes, None);
        assert_eq!(quiet.exit, 0, "{}", quiet.said);
        let wanted = stage.dump();
        Self {
            name,
            subject,
            quiet,
            wanted,
            others,
            sequels: Sequels::default(),
            failures: Vec::new(),
        }
    }

    /// Plays a fault; the moment is also given in words.
    fn play(&mut self, trouble: &Trouble, strike: Strike, when: &str) -> Option<Cell> {
        let case = Case {
            subject: self.subject,
            trouble,
            strike,
            wanted: &self.wanted,
            sequels: &self.sequels,
        };
        let place = format!("{}, {when}, {}", self.name, trouble.name);
        match catch_unwind(AssertUnwindSafe(|| case.play())) {
            Ok((cell, found)) => {
                self.failures.extend(found.into_iter().map(|what| format!("{place}: {what}")));
                Some(cell)
            }
            Err(_) => {
                self.failures.push(format!("{place}: it panicked"));
                None
            }
        }
    }
}

/// Compares with the page, unless an assertion failed before.
fn compare(table: &str, head: &[&str], rows: &[Row], failures: &[String]) {
    if std::env::var_os("UPDATE_GENERATED").is_some() || failures.is_empty() {
        table::up_to_date(table, head, rows);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n\n"));
}

/// Plays faults at all moments, each for this number of requests; some are not shown in the table.
fn survives(name: &str, subject: &Subject, troubles: Vec<(Trouble, bool)>, times: u64) {
    let mut trial = Trial::of(name, subject);
    let numbers = subject.moments(&trial.quiet);
    let others = if times == 1 { std::mem::take(&mut trial.others) } else { Vec::new() };
    let mut rows = Vec::new();
    let others: Vec<_> = others.into_iter().map(|trouble| (trouble, true)).collect();
    for (trouble, is_shown) in troubles.into_iter().chain(others) {
        let strikes = Moment::ALL.into_iter().zip(numbers);
        let cells = strikes.map(|(moment, first)| {
            let what = moment.strike(&trouble)?;
            trial.play(&trouble, Strike { what, first, times }, moment.title())
        });
        let cells = cells.collect();
        if is_shown {
            rows.push((trouble.name, cells));
        }
    }
    let head: Vec<_> = std::iter::once("fault").chain(Moment::ALL.map(Moment::title)).collect();
    compare(name, &head, &rows, &trial.failures);
}

/// Returns a kind of write, as the table calls it, without ids.
fn kind(write: &LoggedRequest) -> String {
    let is_id = |part: &&str| part.len() == 32 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<_> =
        write.path.split('/').map(|part| if is_id(&part) { "{id}" } else { part }).collect();
    let path = parts.join("/");
    let position = write.body.as_ref().is_some_and(|body| body.get("position").is_some());
    let is_alone =
        write.body.as_ref().and_then(|body| body.as_object()).is_some_and(|body| body.len() == 1);
    let note = match (position, is_alone) {
        (true, true) => ", `position` alone",
        (true, false) => ", with `position`",
        (false, _) => "",
    };
    format!("`{} {}`{note}", write.method, path.trim_start_matches("/zones/{id}/"))
}

#[test]
fn each_lost_write_is_settled_by_reading() {
    let losses = catalogue::losses();
    let (mut rows, mut failures) = (Vec::<Row>::new(), Vec::new());
    let subjects = [subject::batches(), subject::single(), subject::rules(), subject::settings()];
    for (subject, name) in subjects.iter().zip(["batches", "single", "rules", "settings"]) {
        let mut trial = Trial::of(name, subject);
        let writes = trial.quiet.requests.clone().into_iter().enumerate();
        for (number, write) in writes.filter(|(_, r)| subject::is_effective(r)) {
            let name = kind(&write);
            let strike = |trouble: &Trouble| {
                let what = trouble
                    .before
                    .clone()
                    .or_else(|| trouble.after.clone())
                    .expect("it has a side");
                Strike { what, first: number as u64 + 1, times: 1 }
            };
            let cells =
                losses.iter().map(|trouble| trial.play(trouble, strike(trouble), &name)).collect();
            rows.push((name, cells));
        }
        failures.append(&mut trial.failures);
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows.dedup();
    let head: Vec<_> = std::iter::once("write")
        .chain(losses.iter().map(|trouble| trouble.name.as_str()))
        .collect();
    compare("every write", &head, &rows, &failures);
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
    survives("single, once", &subject::single(), catalogue::some(), 1);
}

#[test]
fn records_one_by_one_survive_an_outage() {
    survives("single, from then on", &subject::single(), catalogue::some(), u64::MAX);
}

#[test]
fn rules_survive_a_fault() {
    survives("rules, once", &subject::rules(), catalogue::some(), 1);
}

#[test]
fn rules_survive_an_outage() {
    survives("rules, from then on", &subject::rules(), catalogue::some(), u64::MAX);
}

#[test]
fn settings_survive_a_fault() {
    survives("settings, once", &subject::settings(), catalogue::some(), 1);
}

#[test]
fn settings_survive_an_outage() {
    survives("settings, from then on", &subject::settings(), catalogue::some(), u64::MAX);
}
