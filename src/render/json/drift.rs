//! Drift as JSON: what changed and who changed it.
//!
//! A finding is the operation of the plan's JSON with its state and age, so that a program that reads plans can read
//! it.

use serde_json::{Map, Value as Json, json};

use super::{diagnostics_json, operations_of};
use crate::drift::{Finding, State, ZoneReport};
use crate::model::time::rfc3339;
use crate::plan::{Plan, SetAsideCount};
use crate::render::DriftView;

/// A report.
#[must_use]
pub fn drift(view: &DriftView<'_>) -> Json {
    let DriftView { report, plan, asked, sources } = view;
    let findings: Vec<Json> = view
        .zones()
        .flat_map(|(zone, plan)| zone.findings.iter().zip(operations_of(plan, sources)))
        .map(|(found, operation)| finding(found, operation))
        .collect();
    json!({
        "format": Plan::FORMAT,
        "kind": "drift",
        "verdict": view.verdict().as_str(),
        "checked_at": rfc3339(report.checked_at),
        "base": plan.base,
        "fail_on": asked.iter().map(|state| state.as_str()).collect::<Vec<_>>(),
        "summary": counts(|state| report.count(state)),
        "oldest_seconds": report.oldest().map(|age| age.as_secs()),
        "requests": { "made": plan.requests_made },
        "zones": report.zones.iter().map(zone).collect::<Vec<_>>(),
        "findings": findings,
        "diagnostics": diagnostics_json(&plan.diagnostics, sources),
    })
}

/// How many objects are in each state.
fn counts(count: impl Fn(State) -> usize) -> Json {
    State::ALL.iter().map(|state| (state.as_str().to_owned(), json!(count(*state)))).collect::<Map<_, _>>().into()
}

/// One zone.
fn zone(zone: &ZoneReport) -> Json {
    json!({
        "zone": zone.name.as_str(),
        "records": zone.records,
        "summary": counts(|state| zone.count(state)),
        "oldest_seconds": zone.oldest().map(|age| age.as_secs()),
        "unmanaged": zone.unmanaged.iter().map(aside).collect::<Vec<_>>(),
        "left_alone": zone.spared.iter().map(aside).collect::<Vec<_>>(),
    })
}

/// What is unmanaged for one reason.
fn aside(aside: &SetAsideCount) -> Json {
    let SetAsideCount { keeper: _, reason, types, examples } = aside;
    json!({ "reason": reason, "count": aside.count(), "types": types, "examples": examples })
}

/// One finding: its state, then what a plan would do.
fn finding(finding: &Finding, operation: Json) -> Json {
    let Finding { address, state, modified_on: _, age } = finding;
    let mut object = Map::new();
    object.insert("address".to_owned(), json!(address.as_str()));
    object.insert("state".to_owned(), json!(state.as_str()));
    object.insert("age_seconds".to_owned(), json!(age.map(|age| age.as_secs())));
    if let Json::Object(operation) = operation {
        object.extend(operation);
    }
    // Consents belong to plans only.
    object.shift_remove("accepted");
    object.into()
}
