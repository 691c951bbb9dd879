//! The assertions that must hold for every history.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use zonewright::sandbox::What;

use super::facts::{self, Record, records, touched};
use super::history::{History, Zone};
use super::play::{Played, Ran};
use super::{consents, honesty, permission, trouble};

/// Names of zones and within them.
pub(super) type Names = BTreeSet<(&'static str, &'static str)>;

/// Returns all problems; empty if there are none.
pub(crate) fn judge(history: &History, played: &Played) -> Vec<String> {
    let Played { plan, first, second, third } = played;
    let mut found = Vec::new();
    let mut check = |what: &str, problems: Vec<String>| {
        found.extend(problems.into_iter().map(|problem| format!("{what}: {problem}")));
    };
    check("plan", planned(history, plan));
    check("plan", consents::of_plan(history, plan));
    check("first apply", ended(history, first));
    check("first apply", honesty::of_operations(history, first));
    for (name, ran) in [("first apply", first), ("second apply", second), ("third apply", third)] {
        check(name, journalled(ran, history.is_kill && name == "first apply"));
        check(name, owned_up(ran));
        check(name, permission::of_writes(history, ran));
        check(name, doubles(history, ran));
    }
    check("second apply", converged(history, second));
    check("third apply", converged(history, third));
    // No plan can see whether a sandbox tells texts apart by their cuts, so such a create is tried
    // each time.
    if third.writes().any(|write| !facts::asks_for_a_twin(history, write, &third.before)) {
        check("third apply", vec!["it wrote again".to_owned()]);
    }
    if third.before != third.after {
        check("third apply", vec!["it changed something".to_owned()]);
    }
    check("in the end", permission::of_what_is_foreign(history, played));
    found
}

/// Checks that a plan changed nothing and wrote nothing.
fn planned(history: &History, plan: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    if plan.writes().next().is_some() || plan.before != plan.after {
        found.push("it wrote".to_owned());
    }
    let expected = if is_blocked(history, &plan.before) { 1 } else { 0 };
    if plan.exit != expected {
        found.push(format!(
            "it ended with {} in place of {expected}:\n{}\n{:#}",
            plan.exit, plan.messages, plan.document["diagnostics"]
        ));
    }
    found
}

/// Returns true if an object that must stay prevents the wanted state.
fn is_blocked(history: &History, dump: &Json) -> bool {
    history.zones.iter().any(|zone| zone.obstacle(&records(dump, zone.name)).is_some())
}

/// Returns true if the sandbox sent a well-formed response that was false.
pub(super) fn was_deceived(ran: &Ran) -> bool {
    ran.requests.iter().filter_map(|request| request.fault.as_ref()).any(trouble::is_lie)
}

/// Returns true if the sandbox sent an outdated or incomplete response, or refused a read.
fn was_misled(ran: &Ran) -> bool {
    let reads = ran.requests.iter().filter(|request| request.method == "GET");
    reads.filter_map(|read| read.fault.as_ref()).any(|what| {
        matches!(
            what,
            What::StaleRead
                | What::Answer { .. }
                | What::Extra
                | What::Without { .. }
                | What::Replace { .. }
        )
    })
}

/// Checks the exit code of the apply that met the faults.
fn ended(history: &History, ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    let touched = touched(history);
    let sent = ran.writes().next().is_some();
    match ran.exit {
        0 => {
            if !was_deceived(ran) {
                found.extend(wrong(history, &ran.after, &touched));
            }
            let zones = ran.document["result"]["zones"].as_array().into_iter().flatten();
            found.extend(
                zones.filter(|z| z["in_sync"] != true).map(|z| format!("it ended well with {z}")),
            );
        }
        // Nothing was written.
        1 | 3 | 4 => {
            for zone in &history.zones {
                let (before, after) =
                    (untouched(zone, &ran.before, &touched), untouched(zone, &ran.after, &touched));
                if before != after {
                    found.push(format!("it ended with {} and wrote to {}", ran.exit, zone.name));
                }
            }
            if ran.exit == 3 && sent {
                found.push("it sent writes without consent".to_owned());
            }
            if ran.exit == 3 && touched.is_empty() && !was_misled(ran) && !was_deceived(ran) {
                found.push("a consent was missing, and the plan had told them all".to_owned());
            }
            if ran.exit == 4 && touched.is_empty() && !was_misled(ran) && !was_deceived(ran) {
                found.push("it was out of date, and nobody else wrote".to_owned());
            }
        }
        5 => {
            // It was killed after an intent and before the request.
            if !sent && !history.is_kill {
                found.push("it was applied in part, and sent no write".to_owned());
            }
        }
        other => found.push(format!("it ended with {other}")),
    }
    let is_quiet =
        history.script.is_empty() && history.between.is_empty() && history.interrupt.is_none();
    if is_quiet && ran.exit != u8::from(is_blocked(history, &ran.before)) {
        found.push(format!("nothing went wrong, and it ended with {}", ran.exit));
    }
    found
}

/// Differences from the specs.
fn wrong(history: &History, dump: &Json, left_out: &Names) -> Vec<String> {
    let of_zone = |zone: &Zone| {
        zone.differences(dump, history.call.has_base, history.service.joins_texts, left_out)
    };
    history.zones.iter().flat_map(of_zone).collect()
}

/// Returns a zone as it is dumped, without the names at which someone else writes.
fn untouched(zone: &Zone, dump: &Json, touched: &Names) -> Json {
    let is_touched = |record: &Json| {
        let name = Record::read(record, zone.name).name;
        touched.iter().any(|(own, at)| *own == zone.name && *at == name)
    };
    let mut whole = facts::zone(dump, zone.name).cloned().unwrap_or_default();
    if let Some(records) = whole["records"].as_array_mut() {
        records.retain(|record| !is_touched(record));
    }
    whole
}

/// Checks that an apply without faults ends in the wanted state.
fn converged(history: &History, ran: &Ran) -> Vec<String> {
    if is_blocked(history, &ran.before) {
        let refused = ran.exit == 1 && ran.before == ran.after;
        return if refused {
            Vec::new()
        } else {
            vec![format!("it ended with {} where it must refuse", ran.exit)]
        };
    }
    let mut found = wrong(history, &ran.after, &Names::new());
    if ran.exit != 0 {
        found.push(format!(
            "it ended with {}:\n{}\n{:#}",
            ran.exit, ran.messages, ran.document["result"]
        ));
    }
    found
}

/// Returns true if each write is in the journal, before it was sent, and all that is in the journal
/// has an end, unless the run was killed.
fn journalled(ran: &Ran, is_killed: bool) -> Vec<String> {
    let mut found: Vec<String> =
        ran.unannounced.iter().map(|w| format!("{w} left without an intent")).collect();
    let intents: Vec<&Json> = ran.journal.iter().filter(|line| line["event"] == "intent").collect();
    for write in ran.writes() {
        let body = write.body.clone().unwrap_or_default();
        let path = write.path.split('?').next().unwrap_or_default();
        let is_meant = |line: &&&Json| {
            let request = &line["request"];
            request["method"] == *write.method && request["path"] == path && request["body"] == body
        };
        if intents.iter().find(is_meant).is_none() {
            found.push(format!("{} {path} is in no intent: {body}", write.method));
        }
    }
    if is_killed {
        return found;
    }
    for intent in &intents {
        let step = &intent["step"];
        if ran
            .journal
            .iter()
            .filter(|line| line["event"] == "outcome" && line["step"] == *step)
            .count()
            != 1
        {
            found.push(format!("step {step} of the journal has no outcome, or several"));
        }
    }
    if ran.journal.last().is_some_and(|line| line["event"] != "end") {
        found.push("the journal has no end".to_owned());
    }
    found
}

/// Checks that the journal leaves a result open if it is reported as unknown, so that an undo reads
/// the zone.
fn owned_up(ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    for address in reported_unknown(ran) {
        let words: Vec<&str> = ran
            .journal
            .iter()
            .filter_map(|l| outcome_of(ran, l, address)?["outcome"].as_str())
            .collect();
        if !words.iter().any(|word| ["unknown", "partly", "lost"].contains(word)) {
            found.push(format!("{address} is reported as unknown, and its journal says {words:?}"));
        }
    }
    found
}

/// Returns the outcome of a line of the journal that announces an operation.
pub(super) fn outcome_of<'r>(ran: &'r Ran, line: &Json, address: &str) -> Option<&'r Json> {
    let operations = line["operations"].as_array()?;
    let is_meant = line["event"] == "intent"
        && operations.iter().any(|operation| operation["address"] == address);
    let is_outcome = |other: &&Json| other["event"] == "outcome" && other["step"] == line["step"];
    ran.journal.iter().find(is_outcome).filter(|_| is_meant)
}

/// Returns the addresses of operations of which the program says that it is unknown.
pub(super) fn reported_unknown(ran: &Ran) -> impl Iterator<Item = &str> {
    let zones = ran.document["result"]["zones"].as_array().into_iter().flatten();
    let entries = zones.flat_map(|zone| zone["not_done"].as_array().into_iter().flatten());
    entries
        .filter(|entry| entry["outcome"] == "unknown")
        .filter_map(|entry| entry["address"].as_str())
}

/// Returns records that say the same.
fn doubles(history: &History, ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    for zone in &history.zones {
        let all = records(&ran.after, zone.name);
        let mut seen = BTreeSet::new();
        found.extend(
            all.iter()
                .filter(|r| !seen.insert(r.identity()))
                .map(|r| format!("{} is there twice", r.whole)),
        );
    }
    found
}
