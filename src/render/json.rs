//! Plans and results for programs.
//!
//! The field names and codes are a contract, frozen by tests; a change raises `format`.

pub mod drift;
pub mod waf;

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::diagnostics;
use super::text::ZoneResult;
use crate::apply::{Outcome, Verified};
use crate::diagnostic::{Diagnostics, Place, Sources};
use crate::diff::{DeleteReason, FieldChange, ZonePart};
use crate::model::{Address, Danger, RecordForm, RecordId, Value};
use crate::plan::{
    Action, MissingConsent, Operation, Plan, RuleAction, RuleOperation, Verdict, ZoneAction, ZoneOperation, ZonePlan,
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

/// Consents that are missing.
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

/// All operations of a zone, in the order of [`ZonePlan::addresses`].
fn operations_of<'a>(zone: &'a ZonePlan, sources: &'a Sources) -> impl Iterator<Item = Json> + 'a {
    zone_operations(zone, sources).chain(rules(zone, sources)).chain(records(zone, sources))
}

/// Operations on the records of a zone.
fn records<'a>(zone: &'a ZonePlan, sources: &'a Sources) -> impl Iterator<Item = Json> + 'a {
    zone.operations.iter().map(move |o| operation(zone, o, sources))
}

/// Operations on a zone itself.
fn zone_operations<'a>(zone: &'a ZonePlan, sources: &'a Sources) -> impl Iterator<Item = Json> + 'a {
    zone.zone_operations.iter().map(move |operation| {
        let ZoneOperation { address, action, fields, cause, dangers, accepted, modified_on, place } = operation;
        let (kind, word) = match action {
            ZoneAction::Create => ("zone", "create"),
            ZoneAction::Change(ZonePart::Setting { .. }) => ("zone_setting", "update"),
            ZoneAction::Change(ZonePart::Dnssec { .. }) => ("dnssec", "update"),
            ZoneAction::Change(ZonePart::DnsSettings { .. }) => ("dns_settings", "update"),
        };
        let side = |of: fn(&FieldChange) -> &Value| -> Json {
            fields.iter().map(|f| (f.field.clone(), to_json(of(f)))).collect::<Map<_, _>>().into()
        };
        let (before, after) = match action {
            ZoneAction::Create => (Json::Null, json!({ "name": zone.name.as_str() })),
            ZoneAction::Change(_) => (side(|f| &f.before), side(|f| &f.after)),
        };
        json!({
            "address": address.as_str(), "zone": zone.name.as_str(), "kind": kind, "action": word,
            "cause": cause.as_str(), "effect": null, "before": before, "after": after,
            "fields": fields.iter().map(field).collect::<Vec<_>>(), "dangers": codes(dangers), "accepted": reasons(accepted),
            "live_modified_on": modified_on, "source": source(*place, sources),
        })
    })
}

/// Operations on the rules of a zone.
fn rules<'a>(zone: &'a ZonePlan, sources: &'a Sources) -> impl Iterator<Item = Json> + 'a {
    zone.rule_operations.iter().map(move |operation| {
        let RuleOperation {
            address, phase: _, name, action, fields, impact, expect: _, reverse: _, cause, dangers, accepted,
            modified_on, place,
        } = operation;
        let with_id = |id: &str, rule| {
            let mut whole = rule_json(rule);
            whole.insert("id".to_owned(), json!(id));
            Json::Object(whole)
        };
        let (kind, before, after) = match action {
            RuleAction::CreateEntryPoint { rules } => {
                let rules: Vec<Json> = rules.iter().map(|rule| Json::Object(rule_json(rule))).collect();
                ("entry_point", Json::Null, json!({ "rules": rules }))
            }
            RuleAction::Create { after, .. } => ("waf_rule", Json::Null, Json::Object(rule_json(after))),
            RuleAction::Patch { id, before, after, .. } => {
                ("waf_rule", with_id(&id.0, before), with_id(&id.0, after))
            }
            RuleAction::Move { id, body, .. } => ("waf_rule", with_id(&id.0, body), with_id(&id.0, body)),
            RuleAction::Delete { id, before, .. } => ("waf_rule", with_id(&id.0, before), Json::Null),
        };
        json!({
            "address": address.as_str(), "zone": zone.name.as_str(), "kind": kind, "name": name, "action": action.word(),
            "cause": cause.as_str(), "effect": { "class": impact.direction.as_str(), "lines": impact.lines },
            "before": before, "after": after, "fields": fields.iter().map(field).collect::<Vec<_>>(),
            "position": position(action),
            "dangers": codes(dangers), "accepted": reasons(accepted), "live_modified_on": modified_on,
            "source": place.map(|p| source(p, sources)),
        })
    })
}

/// Why records of a zone are left alone, and what somebody has to do elsewhere.
fn notes(zone: &ZonePlan) -> Vec<Json> {
    let note = |aside: &crate::plan::SetAsideCount| json!({ "zone": zone.name.as_str(), "code": "left-alone", "reason": aside.reason, "count": aside.count(), "types": aside.types });
    let todo = |note: &String| json!({ "zone": zone.name.as_str(), "code": "to-do", "text": note });
    zone.set_aside.iter().map(note).chain(zone.notes.iter().map(todo)).collect()
}

/// One operation.
fn operation(zone: &ZonePlan, operation: &Operation, sources: &Sources) -> Json {
    let Operation {
        address,
        shown_name: _,
        action,
        fields,
        expect: _,
        reverse: _,
        cause,
        dangers,
        accepted,
        modified_on,
        place,
    } = operation;
    let (word, before, after, effect) = match action {
        Action::CreateRecord { after } => ("create", Json::Null, form(None, after), Json::Null),
        Action::PatchRecord { id, before, after, patch: _ } => {
            ("update", form(Some(id), before), form(Some(id), after), Json::Null)
        }
        Action::DeleteRecord { id, before, reason } => {
            let why = match reason {
                DeleteReason::Tombstone => "the spec says state: absent",
                DeleteReason::Pruned => "not in the spec, and the zone is pruned",
                DeleteReason::InTheWay => "makes room for another record at this name",
                DeleteReason::Removed => "removed from the spec",
                DeleteReason::Undone => "made by the apply that is undone",
            };
            ("delete", form(Some(id), before), Json::Null, json!(why))
        }
    };
    json!({
        "address": address.as_str(),
        "zone": zone.name.as_str(),
        "kind": "dns_record",
        "action": word,
        "cause": cause.as_str(),
        "effect": effect,
        "before": before,
        "after": after,
        "fields": fields.iter().map(field).collect::<Vec<_>>(),
        "dangers": codes(dangers),
        "accepted": reasons(accepted),
        "live_modified_on": modified_on,
        "source": place.map(|p| source(p, sources)),
    })
}

/// Where a rule is put, as it is sent.
fn position(action: &RuleAction) -> Json {
    match action {
        RuleAction::Create { position, .. } | RuleAction::Patch { position, .. } => {
            position.as_ref().map_or(Json::Null, position_json)
        }
        RuleAction::Move { position, .. } => position_json(position),
        RuleAction::CreateEntryPoint { .. } | RuleAction::Delete { .. } => Json::Null,
    }
}

/// Dangers by their codes.
fn codes(dangers: &[Danger]) -> Vec<&'static str> {
    dangers.iter().map(|d| d.code()).collect()
}

/// Dangers that the spec accepts, with its reasons.
fn reasons(accepted: &BTreeMap<Danger, String>) -> Json {
    accepted.iter().map(|(danger, reason)| (danger.code().to_owned(), json!(reason))).collect::<Map<_, _>>().into()
}

/// A record as the service would write it, as far as it is said.
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
    json!({ "field": change.field, "before": to_json(&change.before), "after": to_json(&change.after) })
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

/// What an apply achieved.
#[must_use]
pub fn result(zones: &[ZoneResult], journal: Option<&str>) -> Json {
    let all = zones.iter().map(|ZoneResult { plan, applied, verified }| {
        let remaining = verified.map(|v| &v.remaining);
        let failed: Vec<Json> = plan.addresses().zip(applied.all()).filter_map(|(a, r)| outcome(a, r)).collect();
        json!({
            "zone": plan.name.as_str(),
            "operations": applied.all().count(),
            "done": applied.done(),
            "in_sync": verified.is_some_and(Verified::is_in_sync),
            "remaining": remaining.map(ZonePlan::len),
            "not_converged": remaining.iter().flat_map(|r| r.addresses()).map(Address::as_str).collect::<Vec<_>>(),
            "not_done": failed,
        })
    });
    json!({ "zones": all.collect::<Vec<_>>(), "journal": journal })
}

/// An operation that was not simply done.
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
