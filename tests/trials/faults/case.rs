//! One fault at one moment: the reaction of the program, checked.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value as Json;
use zonewright::sandbox::TOKEN;

use super::catalogue::{Kind, Trouble};
use super::stage::{Ran, Stage, Strike};
use super::subject::Subject;

/// A fault, and the moment at which it strikes.
pub(crate) struct Case<'a> {
    /// The change that is applied.
    pub(crate) subject: &'a Subject,
    /// The fault.
    pub(crate) trouble: &'a Trouble,
    /// The request that the fault hits.
    pub(crate) strike: Strike,
    /// The state of the sandbox after a run without faults.
    pub(crate) wanted: &'a Json,
    /// Results of the following runs in earlier cases.
    pub(crate) sequels: &'a Sequels,
}

/// The runs after the first one depend only on the state of the sandbox, so they are played once
/// for each state. With `FAULTS_WHOLE` in the environment they are played each time, and must have
/// the same result.
#[derive(Debug, Default)]
pub(crate) struct Sequels(RefCell<BTreeMap<String, Rc<Sequel>>>);

/// The runs after the one that met the fault, without faults.
#[derive(Debug)]
pub(crate) struct Sequel {
    /// The addresses of the operations that were left, each once.
    left: Vec<String>,
    /// Writes of the second run.
    second: usize,
    /// Writes of the third run.
    third: usize,
    /// Everything that is wrong.
    found: Vec<String>,
    /// The state of the sandbox at the end, [`plain`].
    end: Json,
}

/// The result of a case in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Exit code of the run that met the fault.
    pub(crate) exit: u8,
    /// The number of operations that a plan has afterwards.
    pub(crate) distance: usize,
    /// Writes of the second run.
    pub(crate) second: usize,
    /// Writes of the third run.
    pub(crate) third: usize,
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { exit, distance, second, third } = self;
        match (exit, distance, second, third) {
            (0, 0, 0, 0) => f.write_str("0"),
            _ => write!(f, "{exit} / {distance} / {second} / {third}"),
        }
    }
}

impl Case<'_> {
    /// Plays it, and returns the cell of the table and everything that is wrong.
    pub(crate) fn play(&self) -> (Cell, Vec<String>) {
        let stage = Stage::new(self.subject);
        let before = stage.dump();
        let first = stage.apply(self.subject.deletes, Some(&self.strike));
        stage.mend();
        let after = stage.dump();
        let sequel = self.sequels.of(&stage, &after);
        let Sequel { left, second, third, found: followed, end } = &*sequel;
        let cell = Cell { exit: first.exit, distance: left.len(), second: *second, third: *third };
        let mut found = self.first(&first);
        found.extend(self.honest(&first, left));
        found.extend(wrong(&first));
        found.extend(followed.iter().cloned());
        if self.trouble.kind != Kind::Writer {
            found.extend(lost(&before, &after));
            if *end != plain(self.wanted) {
                found.push(format!("it ends elsewhere:\n{end:#}\n{:#}", plain(self.wanted)));
            }
        }
        if !found.is_empty() {
            found.push(format!("the first run said:\n{}", first.said));
        }
        (cell, found)
    }

    /// Checks that the run that met the fault ended as its exit code says.
    fn first(&self, ran: &Ran) -> Vec<String> {
        let mut found = Vec::new();
        let effective =
            ran.writes().filter(|w| w.handled.is_some_and(|status| status < 300)).count();
        let zones = || ran.document["result"]["zones"].as_array().into_iter().flatten();
        match ran.exit {
            0 if zones().next().is_some() && zones().all(|zone| zone["in_sync"] == true) => {}
            5 if effective > 0 || ran.writes().next().is_some() => {}
            1 | 3 | 4 if effective == 0 => {}
            exit => found
                .push(format!("it ended with {exit} after {effective} writes that took effect")),
        }
        let is_refused = |words: &Json| words.as_array().is_some_and(|list| !list.is_empty());
        let says =
            ["diagnostics", "consents_missing"].iter().any(|list| is_refused(&ran.document[list]));
        if ran.exit != 0
            && !ran.said.contains("error: ")
            && ran.document["result"].is_null()
            && !says
        {
            found.push("it does not say what went wrong".to_owned());
        }
        found
    }

    /// Checks that operations are done exactly if they are reported as done.
    fn honest(&self, ran: &Ran, left: &[String]) -> Vec<String> {
        if self.trouble.kind != Kind::Failure || ran.document["result"].is_null() {
            return Vec::new();
        }
        let left: BTreeSet<&str> = left.iter().map(String::as_str).collect();
        let zones = ran.document["result"]["zones"].as_array().into_iter().flatten();
        let not_done: Vec<(&str, &str)> = zones
            .flat_map(|zone| zone["not_done"].as_array().into_iter().flatten())
            .map(|o| {
                (
                    o["address"].as_str().unwrap_or_default(),
                    o["outcome"].as_str().unwrap_or_default(),
                )
            })
            .collect();
        let all = ran.document["operations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|o| o["address"].as_str());
        let wrong = |address: &&str| match not_done.iter().find(|(own, _)| own == address) {
            None => left.contains(address),
            Some((_, "unknown" | "restored")) => false,
            Some(_) => !left.contains(address),
        };
        all.filter(wrong)
            .map(|address| format!("{address} is not as reported: {not_done:?}, left {left:?}"))
            .collect()
    }
}

impl Sequels {
    /// Returns what follows from here.
    fn of(&self, stage: &Stage, now: &Json) -> Rc<Sequel> {
        let state = plain(now).to_string();
        let known = self.0.borrow().get(&state).cloned();
        if let Some(known) = known.filter(|_| std::env::var_os("FAULTS_WHOLE").is_none()) {
            return known;
        }
        let sequel = Rc::new(Sequel::play(stage, now));
        let known = self.0.borrow_mut().entry(state).or_insert_with(|| Rc::clone(&sequel)).clone();
        let key = |s: &Sequel| (s.left.clone(), s.second, s.third, s.end.clone());
        assert_eq!(
            key(&known),
            key(&sequel),
            "what follows depends on more than on what Cloudflare has"
        );
        sequel
    }
}

impl Sequel {
    /// Runs again, until nothing is left to write.
    fn play(stage: &Stage, now: &Json) -> Self {
        // Deletes are confirmed by their number, which the refusal gives.
        let again = || match stage.apply(0, None) {
            refused if refused.exit == 3 => {
                stage.apply(crate::histories::play::counted_deletes(&refused.document), None)
            }
            ran => ran,
        };
        let second = again();
        // After a second run without writes, a third run would be the same.
        let third = (second.exit != 0 || second.writes().next().is_some()).then(again);
        let third = third.as_ref().unwrap_or(&second);
        let mut found: Vec<String> = [&second, third].into_iter().flat_map(wrong).collect();
        let (exits, writes) = ((second.exit, third.exit), third.writes().count());
        if (exits, writes) != ((0, 0), 0) {
            found.push(format!(
                "it does not converge: {exits:?}, {writes} writes at last\n{}",
                second.said
            ));
        }
        let operations = second.document["operations"].as_array();
        if operations.is_none() {
            found.push(format!("the second run has no plan:\n{}", second.said));
        }
        let end = stage.dump();
        found.extend(lost(now, &end));
        let address =
            |operation: &Json| operation["address"].as_str().unwrap_or_default().to_owned();
        Self {
            left: operations.into_iter().flatten().map(address).collect(),
            second: second.writes().count(),
            third: writes,
            found,
            end: plain(&end),
        }
    }
}

/// Checks for every run.
fn wrong(ran: &Ran) -> Vec<String> {
    let secrets = [&ran.said, &ran.journal].into_iter().filter(|text| text.contains(TOKEN));
    let shown = secrets.map(|text| format!("the token is shown: {text}"));
    [journalled(ran), doubled(ran)].into_iter().flatten().chain(shown).collect()
}

/// Checks that each write is in the journal, and that each step has an outcome.
fn journalled(ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    let lines: Vec<Json> = ran
        .journal
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of a journal is JSON"))
        .collect();
    let intents: Vec<&Json> = lines.iter().filter(|line| line["event"] == "intent").collect();
    for write in ran.writes() {
        let body = write.body.clone().unwrap_or_default();
        let is_meant = |intent: &&&Json| {
            let request = &intent["request"];
            request["method"] == *write.method
                && write.path == request["path"]
                && request["body"] == body
        };
        if !intents.iter().any(|intent| is_meant(&intent)) {
            found.push(format!("{} {} is in no intent", write.method, write.path));
        }
    }
    for intent in intents {
        let is_end = |line: &&Json| line["event"] == "outcome" && line["step"] == intent["step"];
        if lines.iter().filter(is_end).count() != 1 {
            found.push(format!("{} has no outcome, or several", intent["step"]));
        }
    }
    if lines.last().is_some_and(|line| line["event"] != "end") {
        found.push("the journal has no end".to_owned());
    }
    found
}

/// Writes that took effect more than once.
fn doubled(ran: &Ran) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for write in ran.writes().filter(|w| w.handled.is_some_and(|status| status < 300)) {
        let body = write.body.clone().unwrap_or_default();
        let parts: Vec<String> = match body.as_object() {
            Some(lists) if write.path.ends_with("/batch") => lists
                .iter()
                .flat_map(|(kind, list)| {
                    list.as_array().into_iter().flatten().map(move |part| format!("{kind} {part}"))
                })
                .collect(),
            _ => vec![format!("{} {} {body}", write.method, write.path)],
        };
        found.extend(
            parts
                .into_iter()
                .filter(|part| !seen.insert(part.clone()))
                .map(|p| format!("written twice: {p}")),
        );
    }
    found
}

/// Objects that the spec does not name and that were changed.
fn lost(before: &Json, after: &Json) -> Vec<String> {
    let told =
        |lost: &String| format!("what the spec does not name is no longer as it was: {lost}");
    foreign(before).difference(&foreign(after)).map(told).collect()
}

/// Returns the records and rules that the spec does not name, whole.
fn foreign(dump: &Json) -> BTreeSet<String> {
    let zone = &dump["zones"][0];
    let rulesets = zone["rulesets"].as_array().into_iter().flatten();
    let rules = rulesets.flat_map(|ruleset| ruleset["rules"].as_array().into_iter().flatten());
    let records = zone["records"].as_array().into_iter().flatten();
    let is_foreign = |name: &Json| name.as_str().is_some_and(|name| name.starts_with("foreign"));
    rules
        .chain(records)
        .filter(|o| is_foreign(&o["ref"]) || is_foreign(&o["name"]))
        .map(ToString::to_string)
        .collect()
}

/// Returns the state of the sandbox, without values that differ in each run, and in a fixed order
/// where it has none.
fn plain(dump: &Json) -> Json {
    fn without(value: &Json) -> Json {
        let volatile = [
            "id",
            "version",
            "created_on",
            "activated_on",
            "modified_on",
            "last_updated",
            "comment_modified_on",
            "earlier",
        ];
        match value {
            Json::Object(members) => members
                .iter()
                .filter(|(name, _)| !volatile.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), without(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Json::Array(items) => items.iter().map(without).collect(),
            other => other.clone(),
        }
    }
    let mut zones = without(&dump["zones"]);
    for zone in zones.as_array_mut().into_iter().flatten() {
        zone["records"]
            .as_array_mut()
            .into_iter()
            .for_each(|records| records.sort_by_key(ToString::to_string));
    }
    zones
}
