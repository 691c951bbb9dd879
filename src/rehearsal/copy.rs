//! Converts a snapshot to a document that the sandbox loads.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::live::snapshot::Snapshot;

/// Members of a ruleset that the document holds.
const RULESET: &[&str] =
    &["id", "name", "description", "kind", "version", "last_updated", "phase", "rules"];

/// Members of SRV data that repeat the name. Cloudflare answered with them before 2024-05-31; the
/// sandbox refuses them.
const OLD_SRV: &[&str] = &["service", "proto", "name"];

/// Members of DNSSEC that can be set.
const DNSSEC: &[&str] =
    &["status", "modified_on", "dnssec_multi_signer", "dnssec_presigned", "dnssec_use_nsec3"];

/// Converts a snapshot to a document in the form of `sandbox dump`.
#[must_use]
pub fn dump_of_snapshot(snapshot: &Snapshot) -> Json {
    let mut zones: BTreeMap<String, Json> = BTreeMap::new();
    let mut managed: BTreeMap<String, Json> = BTreeMap::new();
    let mut accounts: Vec<Json> = Vec::new();
    let mut parts: Vec<(String, Json)> = Vec::new();
    for (path, answer) in snapshot.results() {
        if path == "/zones" {
            for zone in answer.as_array().into_iter().flatten() {
                if let Some(id) = zone["id"].as_str() {
                    zones.insert(id.to_owned(), dump_of_zone(zone));
                }
            }
        } else {
            parts.push((path.to_owned(), answer));
        }
    }
    for (path, answer) in parts {
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let ruleset = || answer.get("rules").map(|_| select_members(&answer, RULESET));
        match segments[..] {
            ["zones", id, "dns_records"] => {
                let records: Json =
                    answer.as_array().into_iter().flatten().map(of_record).collect();
                put(&mut zones, id, |zone| zone["records"] = records);
            }
            ["zones", id, "settings", name] => put(&mut zones, id, |zone| {
                zone["settings"][name] = select_members(&answer, &["value", "modified_on"])
            }),
            ["zones", id, "dnssec"] => {
                put(&mut zones, id, |zone| zone["dnssec"] = select_members(&answer, DNSSEC))
            }
            ["zones", id, "dns_settings"] => {
                put(&mut zones, id, |zone| zone["dns_settings"] = answer.clone())
            }
            ["zones" | "accounts", owner, "rulesets", ..] => {
                let Some(ruleset) = ruleset() else { continue };
                match (ruleset["kind"].as_str(), segments[0]) {
                    (Some("managed"), _) => {
                        drop(managed.insert(ruleset["id"].to_string(), ruleset))
                    }
                    (_, "zones") => {
                        put(&mut zones, owner, |zone| add_ruleset(&mut zone["rulesets"], ruleset))
                    }
                    _ => {
                        let mut ruleset = ruleset;
                        ruleset["account_id"] = owner.into();
                        push_once(&mut accounts, ruleset);
                    }
                }
            }
            _ => {}
        }
    }
    let (zones, managed): (Vec<Json>, Vec<Json>) =
        (zones.into_values().collect(), managed.into_values().collect());
    json!({ "zones": zones, "managed_rulesets": managed, "account_rulesets": accounts })
}

/// Changes a zone of the document if the document has it.
fn put(zones: &mut BTreeMap<String, Json>, id: &str, change: impl FnOnce(&mut Json)) {
    if let Some(zone) = zones.get_mut(id) {
        change(zone);
    }
}

/// Adds an item to a list unless the list has it: an entry point can be read both by its phase and
/// by its identifier.
fn add_ruleset(list: &mut Json, item: Json) {
    if !list.is_array() {
        *list = json!([]);
    }
    if let Some(items) = list.as_array_mut() {
        push_once(items, item);
    }
}

/// Adds a ruleset unless the list has it.
fn push_once(items: &mut Vec<Json>, item: Json) {
    if items.iter().all(|other| other["id"] != item["id"]) {
        items.push(item);
    }
}

/// Selects members of an object and leaves out those that are null.
fn select_members(object: &Json, members: &[&str]) -> Json {
    let kept =
        members.iter().filter_map(|name| Some(((*name).to_owned(), object.get(*name)?.clone())));
    Json::Object(kept.filter(|(_, value)| !value.is_null()).collect())
}

fn dump_of_zone(zone: &Json) -> Json {
    let mut out =
        select_members(zone, &["id", "name", "status", "paused", "type", "created_on", "account"]);
    if let Some(plan) = zone.pointer("/plan/legacy_id") {
        out["plan"] = plan.clone();
    }
    out
}

/// Keeps all members of a record; the sandbox ignores those that it computes itself.
fn of_record(record: &Json) -> Json {
    let mut members = record.as_object().cloned().unwrap_or_default();
    if members.get("type").is_some_and(|kind| kind == "SRV")
        && let Some(data) = members.get_mut("data").and_then(Json::as_object_mut)
    {
        data.retain(|name, _| !OLD_SRV.contains(&name.as_str()));
    }
    // Null and an empty object carry no information.
    members.retain(|_, value| {
        !value.is_null() && value.as_object().is_none_or(|object| !Map::is_empty(object))
    });
    Json::Object(members)
}
