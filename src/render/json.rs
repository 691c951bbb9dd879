//! Plans and results as JSON.
//!
//! The field names and codes are a stable contract, held by tests; a change increases `format`.

pub mod drift;
pub mod waf;

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::diagnostics;
use super::text::ZoneResult;
use crate::apply::{Noticed, Outcome, Verified};
use crate::diagnostic::{Diagnostics, Place, Sources};
use crate::diff::FieldChange;
use crate::insight::Impact;
use crate::model::ruleset::RuleBody;
use crate::model::{Address, Danger, RecordForm, RecordId, Value};
use crate::plan::{
    MissingConsent, Operation, Plan, RecordAction, RecordSubject, RuleAction, RuleSubject, Subject, Verdict, ZonePlan,
};
use crate::wire::Request;
use crate::wire::budget;
use crate::wire::record::{create_body, to_json};
use crate::wire::ruleset::{position_json, rule_json};

/// A plan.
#[must_use]
pub fn plan(plan: &Plan, verdict: &Verdict, requests_to_apply: usize, sources: &Sources) -> Json {
    let s = plan.summary();
    let notes: Vec<Json> = plan.zones.iter().flat_map(notes).collect();
    let operations: Vec<Json> = plan.zones.iter().flat_map(|zone| operations_of(zone, sources)).collect();
    let mut requests = json!({ "made": plan.requests_made, "to_apply": requests_to_apply });
    if let Some(seconds) = budget::seconds_at_limit(plan.requests_made, requests_to_apply) {
        requests["seconds_at_limit"] = seconds.into();
    }
    json!({
        "format": Plan::FORMAT,
        "kind": "plan",
        "verdict": verdict.as_str(),
        "summary": {
            "create": s.create, "update": s.update, "delete": s.delete,
            "unchanged": s.unchanged, "unmanaged": s.unmanaged, "ignored": s.ignored,
        },
        "requests": requests,
        "base": plan.base,
        "consents_missing": consents(verdict),
        "consents_given": plan.consents_given.iter().map(|g| json!({ "danger": g.danger.code(), "by": g.by })).collect::<Vec<_>>(),
        "operations": operations,
        "notes": notes,
        "diagnostics": diagnostics_json(&plan.diagnostics, sources),
    })
}

/// The missing consents.
fn consents(verdict: &Verdict) -> Json {
    let Verdict::NeedsConsent(missing) = verdict else { return json!([]) };
    missing
        .iter()
        .map(|MissingConsent { danger, operations, flag, given: _ }| {
            json!({ "danger": danger.code(), "operations": operations, "flag": flag })
        })
        .collect()
}

/// Diagnostics in their order.
#[must_use]
pub fn diagnostics_json(all: &Diagnostics, sources: &Sources) -> Json {
    diagnostics::json_all(all, sources)
}

/// All operations of a zone, in their order.
fn operations_of<'a>(zone: &'a ZonePlan, sources: &'a Sources) -> impl Iterator<Item = Json> + 'a {
    zone.operations.iter().map(move |one| operation(zone, one, sources))
}

/// One operation. Members that only some subjects have are where a reader expects them: the name of a rule with its
/// kind, its position with its fields.
fn operation(zone: &ZonePlan, operation: &Operation, sources: &Sources) -> Json {
    let Operation { address, subject, fields, cause, impact, dangers, accepted, modified_on, place } = operation;
    let (before, after) = images(zone, subject, fields);
    let mut object = Map::new();
    let mut put = |name: &str, value: Json| drop(object.insert(name.to_owned(), value));
    put("address", json!(address.as_str()));
    put("zone", json!(zone.name.as_str()));
    put("kind", json!(subject.kind()));
    if let Subject::Rule(rule) = subject {
        put("name", json!(rule.name));
    }
    put("action", json!(operation.action().as_str()));
    put("cause", json!(cause.as_str()));
    let why = subject.record().map(|_| subject.why().about).filter(|why| !why.is_empty());
    let effect = |impact: &Impact| {
        let lines: Vec<&str> = why.as_deref().into_iter().chain(impact.lines.iter().map(String::as_str)).collect();
        json!({ "class": impact.direction.as_str(), "lines": lines })
    };
    put("effect", impact.as_ref().map_or(json!(&why), effect));
    put("before", before);
    put("after", after);
    put("fields", fields.iter().map(field).collect());
    if let Subject::Rule(rule) = subject {
        put("position", rule.action.position().map_or(Json::Null, position_json));
    }
    put("dangers", json!(codes(dangers)));
    put("accepted", reasons(accepted));
    put("live_modified_on", json!(modified_on));
    put("source", json!(place.map(|p| source(p, sources))));
    Json::Object(object)
}

/// The state before an operation and after it; `null` where there is none.
fn images(zone: &ZonePlan, subject: &Subject, fields: &[FieldChange]) -> (Json, Json) {
    match subject {
        Subject::Zone => (Json::Null, json!({ "name": zone.name.as_str() })),
        Subject::Setting(_) => {
            let side = |of: fn(&FieldChange) -> &Value| -> Json {
                fields.iter().map(|f| (f.field.to_string(), to_json(of(f)))).collect::<Map<_, _>>().into()
            };
            (side(|f| &f.before), side(|f| &f.after))
        }
        Subject::Rule(rule) => images_of_rule(rule),
        Subject::Record(record) => images_of_record(record),
    }
}

/// A rule before and after.
fn images_of_rule(rule: &RuleSubject) -> (Json, Json) {
    let whole = |body: &RuleBody| {
        let mut whole = rule_json(body);
        if let Some(id) = rule.action.id() {
            whole.insert("id".to_owned(), json!(id.0));
        }
        Json::Object(whole)
    };
    match &rule.action {
        RuleAction::CreateEntryPoint { rules } => {
            (Json::Null, json!({ "rules": rules.iter().map(whole).collect::<Vec<_>>() }))
        }
        RuleAction::Create { after, .. } => (Json::Null, whole(after)),
        RuleAction::Update { before, after, .. } => (whole(before), whole(after)),
        RuleAction::Move { body, .. } => (whole(body), whole(body)),
        RuleAction::Delete { before, .. } => (whole(before), Json::Null),
    }
}

/// A record before and after.
fn images_of_record(record: &RecordSubject) -> (Json, Json) {
    match &record.action {
        RecordAction::Create { after } => (Json::Null, form(None, after)),
        RecordAction::Update { id, before, after, patch: _ } => (form(Some(id), before), form(Some(id), after)),
        RecordAction::Delete { id, before, reason: _ } => (form(Some(id), before), Json::Null),
    }
}

/// Why records of a zone are unmanaged, and what someone has to do elsewhere.
fn notes(zone: &ZonePlan) -> Vec<Json> {
    let note = |aside: &crate::plan::SetAsideCount| json!({ "zone": zone.name.as_str(), "code": "left-alone", "reason": aside.reason, "count": aside.count(), "types": aside.types });
    let todo = |note: &String| json!({ "zone": zone.name.as_str(), "code": "to-do", "text": note });
    let means = |line: &String| json!({ "zone": zone.name.as_str(), "code": "impact", "text": line });
    let about = zone.impact.iter().map(means);
    zone.set_aside.iter().map(note).chain(about).chain(zone.notes.iter().map(todo)).collect()
}

/// Dangers by their codes.
fn codes(dangers: &[Danger]) -> Vec<&'static str> {
    dangers.iter().map(|d| d.code()).collect()
}

/// Dangers that the spec accepts, with its reasons.
fn reasons(accepted: &BTreeMap<Danger, String>) -> Json {
    accepted.iter().map(|(danger, reason)| (danger.code().to_owned(), json!(reason))).collect::<Map<_, _>>().into()
}

/// A record as the API would write it, as far as it is known.
fn form(id: Option<&RecordId>, form: &RecordForm) -> Json {
    let mut object = Map::new();
    if let Some(id) = id {
        object.insert("id".to_owned(), json!(id.0));
    }
    if let Json::Object(body) = create_body(form) {
        object.extend(body);
    }
    Json::Object(object)
}

/// One field that differs.
fn field(change: &FieldChange) -> Json {
    json!({ "field": change.field.to_string(), "before": to_json(&change.before), "after": to_json(&change.after) })
}

/// A place in the spec.
fn source(place: Place, sources: &Sources) -> Json {
    let at = sources.line_column(place);
    json!({ "file": sources.name(place.source), "line": at.line, "column": at.column })
}

/// The exact requests of a dry run.
#[must_use]
pub fn requests(requests: &[Request]) -> Json {
    let one = |r: &Request| {
        let query: Map<String, Json> = r.query.iter().map(|(n, v)| ((*n).to_owned(), json!(v))).collect();
        json!({ "method": r.method.as_str(), "path": r.path, "query": query, "body": r.body })
    };
    json!({ "format": Plan::FORMAT, "kind": "requests", "requests": requests.iter().map(one).collect::<Vec<_>>() })
}

/// The result of an apply.
#[must_use]
pub fn result(zones: &[ZoneResult], journal: Option<&str>) -> Json {
    let all = zones.iter().map(|ZoneResult { plan, applied, verified, is_confirmed }| {
        let remaining = verified.map(|v| &v.remaining);
        let failed: Vec<Json> = plan.addresses().zip(&applied.outcomes).filter_map(|(a, r)| outcome(a, r)).collect();
        let changed = applied.noticed.iter();
        let changed: Vec<Json> =
            changed.map(|Noticed { address, what }| json!({ "address": address.as_str(), "what": what })).collect();
        json!({
            "zone": plan.name.as_str(),
            "operations": applied.outcomes.len(),
            "done": applied.done(),
            "in_sync": *is_confirmed || verified.is_some_and(Verified::is_in_sync),
            "confirmed_by": if *is_confirmed { Some("answers") } else { verified.map(|_| "read") },
            "remaining": remaining.map(|plan| plan.operations.len()),
            "not_converged": remaining.iter().flat_map(|r| r.addresses()).map(Address::as_str).collect::<Vec<_>>(),
            "not_done": failed,
            "changed_meanwhile": changed,
        })
    });
    json!({ "zones": all.collect::<Vec<_>>(), "journal": journal })
}

/// An operation whose outcome is not a plain success.
fn outcome(address: &Address, outcome: &Outcome) -> Option<Json> {
    let (word, reason) = match outcome {
        Outcome::Done => return None,
        Outcome::Refused(reason) => ("refused", reason.as_str()),
        Outcome::NotSent(reason) => ("not-sent", reason.as_str()),
        Outcome::Stale(reason) => ("stale", reason.as_str()),
        Outcome::Restored => ("restored", Outcome::WHY_RESTORED),
        Outcome::Unknown(reason) => ("unknown", reason.as_str()),
        Outcome::Deferred(reason) => ("deferred", reason.as_str()),
    };
    Some(json!({ "address": address.as_str(), "outcome": word, "reason": reason }))
}
