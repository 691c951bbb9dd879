//! Whether a saved plan still holds: its operations, in their JSON form, compared with those that would be planned now. Pure.
//!
//! A plan that was applied in part is resumed only for what is left of it. What its own progress changes is no difference:
//!
//! | progress | what it changes in an operation that is left |
//! |---|---|
//! | a record is deleted and put back | its id, and when it was last changed |
//! | a rule of the phase is written | positions, which name other rules; what the rule means beside them |
//! | a zone is created | its settings have values before |
//! | anything | the base is no longer what is live, so that it looks like drift; a danger may be over |
//!
//! A danger that the plan did not have, and that its own progress cannot have brought, is a difference.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::zone_plan::Plan;
use crate::model::Danger;

/// An operation of a saved plan that is no longer the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanMoved {
    /// Its address.
    pub address: String,
    /// What is different.
    pub what: String,
}

/// An address, and the number of the operation among those at the same one.
type Key = (String, usize);

/// How the operations of a saved plan differ from those that would be planned now.
#[must_use]
pub fn differences(saved: &Json, now: &Json) -> Vec<PlanMoved> {
    compare(saved, now, essence, |_| Some("it is no longer needed: somebody else did it, or what it concerns is gone"))
}

/// How the operations that would be planned now differ from what is left of a saved plan that was applied in part.
#[must_use]
pub fn differences_of_rest(saved: &Json, now: &Json) -> Vec<PlanMoved> {
    let progress = Progress::new(saved, now);
    let mut moved = compare(saved, now, |operation| progress.essence(operation), |_| None);
    moved.extend(progress.new_dangers(saved, now));
    moved
}

/// Gives what is left of a saved plan the dangers that the whole had, as those were weighed with the whole in view. How many
/// deletes the whole had is given back.
pub fn take_dangers(saved: &Json, rest: &mut Plan) -> usize {
    let before = by_address(saved);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for operation in rest.zones.iter_mut().flat_map(|zone| &mut zone.operations) {
        let address = operation.address.to_string();
        let count = counts.entry(address.clone()).or_default();
        *count += 1;
        if let Some(saved) = before.get(&(address, *count)) {
            let codes = codes(saved);
            operation.dangers.retain(|danger| codes.contains(danger.code()));
        }
    }
    before.values().filter(|operation| codes(operation).contains(Danger::Delete.code())).count()
}

/// Compares operations one by one. `gone` says what is the matter with one that is no longer needed.
fn compare(
    saved: &Json,
    now: &Json,
    essence: impl Fn(&Json) -> Json,
    gone: impl Fn(&Json) -> Option<&'static str>,
) -> Vec<PlanMoved> {
    let (before, after) = (by_address(saved), by_address(now));
    let mut moved = Vec::new();
    for (address, operation) in &before {
        let what = match after.get(address) {
            Some(same) if essence(same) == essence(operation) => None,
            Some(other) => Some(changed(operation, other)),
            None => gone(operation).map(str::to_owned),
        };
        moved.extend(what.map(|what| PlanMoved { address: address.0.clone(), what }));
    }
    for address in after.keys().filter(|a| !before.contains_key(*a)) {
        moved.push(PlanMoved {
            address: address.0.clone(),
            what: "it would be needed now, and was not planned".to_owned(),
        });
    }
    moved
}

/// Operations by address; of several at one address, by their number.
fn by_address(plan: &Json) -> BTreeMap<Key, &Json> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    operations(plan)
        .map(|operation| {
            let address = text(operation, "address");
            let count = counts.entry(address).or_default();
            *count += 1;
            ((address.to_owned(), *count), operation)
        })
        .collect()
}

/// The operations of a plan.
fn operations(plan: &Json) -> impl Iterator<Item = &Json> {
    plan.get("operations").and_then(Json::as_array).into_iter().flatten()
}

/// A member of an operation as text; empty if it has none.
fn text<'o>(operation: &'o Json, name: &str) -> &'o str {
    operation.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The codes of an operation's dangers.
fn codes(operation: &Json) -> BTreeSet<&str> {
    operation.get("dangers").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}

/// What an operation is, apart from where it stands in a file.
fn essence(operation: &Json) -> Json {
    // What it means for resolvers can depend on zones that were not read again.
    let is_record = text(operation, "kind") == "dns_record";
    without(operation, if is_record { &["source", "effect"] } else { &["source"] })
}

/// An operation without some of its members.
fn without(operation: &Json, names: &[&str]) -> Json {
    let mut rest = operation.clone();
    if let Json::Object(members) = &mut rest {
        names.iter().for_each(|name| drop(members.remove(*name)));
    }
    rest
}

/// What a plan has achieved so far.
struct Progress {
    /// Phases of zones of which a rule was written, as the beginnings of addresses.
    phases: BTreeSet<String>,
    /// Zones that were created.
    zones: BTreeSet<String>,
}

impl Progress {
    /// From the whole plan, and what would be planned now.
    fn new(saved: &Json, now: &Json) -> Self {
        let left = by_address(now);
        let before = by_address(saved);
        let done = || before.iter().filter(|(key, _)| !left.contains_key(*key)).map(|(_, operation)| *operation);
        let zones = done().filter(|o| text(o, "kind") == "zone").map(|o| text(o, "zone").to_owned());
        Self { phases: done().filter_map(phase).collect(), zones: zones.collect() }
    }

    /// What an operation is, apart from what the progress of its plan changes.
    fn essence(&self, operation: &Json) -> Json {
        let judged = ["source", "cause", "effect", "dangers", "accepted", "live_modified_on", "position"];
        let mut essence = without(operation, &judged);
        if text(operation, "kind") == "dns_record" {
            let sides = ["before", "after"].into_iter();
            sides.for_each(|side| essence[side] = operation.get(side).map_or(Json::Null, |s| without(s, &["id"])));
        }
        if self.zones.contains(text(operation, "zone")) {
            essence = without(&essence, &["before", "action"]);
            let fields = essence.get_mut("fields").and_then(Json::as_array_mut);
            fields.into_iter().flatten().for_each(|field| *field = without(field, &["before"]));
        }
        essence
    }

    /// Dangers of what is left that the whole did not have.
    fn new_dangers(&self, saved: &Json, now: &Json) -> Vec<PlanMoved> {
        let before = by_address(saved);
        let is_ours = |operation: &Json, code: &str| {
            code == Danger::OverridesConflict.code()
                || self.zones.contains(text(operation, "zone"))
                || (code == Danger::WeakensProtection.code()
                    && phase(operation).is_some_and(|p| self.phases.contains(&p)))
        };
        let all = by_address(now).into_iter().filter_map(|(key, operation)| {
            let had = before.get(&key).map(|saved| codes(saved)).unwrap_or_default();
            let new = codes(operation).into_iter().find(|code| !had.contains(code) && !is_ours(operation, code))?;
            Some(PlanMoved { address: key.0, what: format!("it has a danger now that it did not have: {new}") })
        });
        all.collect()
    }
}

/// The phase of an operation on a rule, with its zone.
fn phase(operation: &Json) -> Option<String> {
    let mut parts = text(operation, "address").split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(zone), Some("waf"), Some(phase)) => Some(format!("{zone}/{phase}")),
        _ => None,
    }
}

/// What became of an operation.
fn changed(before: &Json, now: &Json) -> String {
    let when = now.get("live_modified_on").and_then(Json::as_str).map(|t| format!(" at {t}")).unwrap_or_default();
    let differs = |name: &str| before.get(name) != now.get(name);
    if differs("action") {
        let word = |o: &Json| o.get("action").and_then(Json::as_str).unwrap_or("?").to_owned();
        return format!("it was to {}, and would {} now{when}", word(before), word(now));
    }
    if differs("before") {
        let members = |o: &Json| o.get("before").and_then(Json::as_object).cloned().unwrap_or_default();
        let (old, new) = (members(before), members(now));
        let names: Vec<&str> =
            new.iter().filter(|(name, value)| old.get(*name) != Some(value)).map(|(name, _)| name.as_str()).collect();
        return format!("it was changed by somebody else{when}: {}", names.join(", "));
    }
    if differs("live_modified_on") {
        return format!("it was touched by somebody else{when}");
    }
    "its meaning or its dangers are others now".to_owned()
}
