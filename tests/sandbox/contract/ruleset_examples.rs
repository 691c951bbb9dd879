//! The rulesets that the example exchanges need, and the members of their responses that may
//! differ.

use serde_json::{Value, json};
use zonewright::model::facts::permissions::PermissionAccess;
use zonewright::sandbox::{Permissions, Profile};

/// The OWASP ruleset.
const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";

/// Exchanges that create identifiers; the sandbox creates its own.
const CREATING: &[&str] = &[
    "create entry point by PUT",
    "create by POST",
    "add rule first",
    "custom rule",
    "skip rule",
    "rate limit",
];

/// Returns the name of an exchange.
fn name(exchange: &Value) -> &str {
    exchange["name"].as_str().unwrap_or_default()
}

/// Returns the profile of an exchange.
pub(crate) fn profile(exchange: &Value) -> Profile {
    let access = (name(exchange) != "no permission").then_some(PermissionAccess::Edit);
    Profile { permissions: Permissions::everything().with_rulesets(access), ..Profile::default() }
}

/// Returns the plan of the zone.
fn plan(exchange: &Value) -> &'static str {
    match name(exchange) {
        "not entitled" | "period on free" | "timeout on free" | "too many rules"
        | "regex on free" => "free",
        _ => "pro",
    }
}

/// Returns an entry point with one deployment, as an exchange presupposes it.
fn deployment() -> Value {
    json!({"id": "c0809e4ac17311d09eec34ac83d8bf0e", "phase": "http_request_firewall_managed", "version": "1", "rules": [
        {"id": "9ed8802a7ba418faa076380abd3b8101", "action": "execute", "action_parameters": {"id": OWASP},
         "expression": "true", "ref": "owasp"}
    ]})
}

/// Returns the version number before this one.
fn lower(version: &Value) -> Value {
    let number: u64 = version.as_str().unwrap().parse().unwrap();
    json!((number - 1).to_string())
}

/// Returns the ruleset before the exchange, derived from the one after it.
fn before(exchange: &Value) -> Option<Value> {
    let mut ruleset = exchange["response"]["body"]["result"].clone();
    match name(exchange) {
        "entry point" | "zone list mixes" => return Some(ruleset),
        "versions" => {
            ruleset = deployment();
            ruleset["version"] = json!("2");
            ruleset["earlier"] = json!([{"version": "1"}]);
            return Some(ruleset);
        }
        "second create"
        | "PATCH without action"
        | "PATCH without expression"
        | "delete ruleset" => {
            return Some(deployment());
        }
        "PATCH paranoia 2" | "PATCH threshold keeps both" | "PATCH drops omitted overrides" => {
            let rule = &mut ruleset["rules"][0];
            rule["version"] = lower(&rule["version"]);
            rule["action_parameters"]["overrides"] = json!({"enabled": true});
            rule["description"] = json!("to be replaced");
        }
        "add rule first" => {
            ruleset["rules"].as_array_mut().unwrap().remove(0);
        }
        "reorder only" => ruleset["rules"].as_array_mut().unwrap().reverse(),
        "delete rule" => {
            let id = exchange["request"]["path"].as_str().unwrap().rsplit('/').next().unwrap();
            let rule = json!({"id": id, "action": "skip", "action_parameters": {"ruleset": "current"},
                "expression": "true"});
            ruleset["rules"].as_array_mut().unwrap().push(rule);
        }
        "custom block response" => {
            let rule = ruleset["rules"][0].as_object_mut().unwrap();
            rule.shift_remove("action_parameters");
            rule["version"] = json!("1");
        }
        "skip rule" => ruleset["rules"] = json!([]),
        _ => return None,
    }
    ruleset["version"] = lower(&ruleset["version"]);
    Some(ruleset)
}

/// Adds the objects that the exchange needs to the document of the zones.
pub(crate) fn prepare(exchange: &Value, document: &mut Value) {
    let zone = &mut document["zones"][0];
    zone["plan"] = json!(plan(exchange));
    let mut rulesets: Vec<Value> = match (name(exchange), before(exchange)) {
        ("zone list mixes", Some(list)) => list.as_array().unwrap().clone(),
        (_, Some(ruleset)) => vec![ruleset],
        ("account list" | "account list cursor", None) => {
            exchange["response"]["body"]["result"].as_array().unwrap().clone()
        }
        ("get owasp", None) => vec![exchange["response"]["body"]["result"].clone()],
        _ => Vec::new(),
    };
    let managed: Vec<Value> =
        rulesets.extract_if(.., |ruleset| ruleset["kind"] == "managed").collect();
    zone["rulesets"] = json!(rulesets);
    document["managed_rulesets"] = json!(managed);
}

/// Removes members from a response that may differ.
pub(crate) fn settle(exchange: &Value, body: &mut Value) {
    if let Some(after) = body.pointer_mut("/result_info/cursors/after") {
        *after = json!("*");
    }
    let result = &mut body["result"];
    if let Some(list) = result.as_array_mut() {
        // The sandbox has all of the vendor's rulesets, the examples have some.
        let expected = exchange["response"]["body"]["result"].as_array().unwrap();
        list.retain(|item| expected.iter().any(|other| other["id"] == item["id"]));
        list.iter_mut().for_each(settle_moment);
    } else if result.is_object() {
        settle_moment(result);
        let is_new = CREATING.contains(&name(exchange));
        if is_new {
            result["id"] = json!("*");
        }
        for rule in result["rules"].as_array_mut().into_iter().flatten() {
            settle_moment(rule);
            if is_new {
                rule["id"] = json!("*");
            }
        }
    }
}

/// Removes the time of the last change from an object.
fn settle_moment(object: &mut Value) {
    if let Some(moment) = object.get_mut("last_updated") {
        *moment = json!("*");
    }
}
