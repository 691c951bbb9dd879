//! The DNS settings of a zone: GET and PATCH /zones/{id}/dns_settings.
//!
//! # Sources
//! Members: developers.cloudflare.com/api, "Update DNS Settings" of a zone, and the schema of the
//! Terraform provider, read 2026-11-20, as is the fact that PATCH merges. ASSUMED: `soa` merges
//! too, because a client that is tested against Cloudflare relies on it; `nameservers` and
//! `internal_dns` are replaced whole; nulls other than `soa.mname` and unknown members are ignored;
//! a zone without a reference zone shows no `internal_dns`; code 1004 for values out of range.

use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};
use zonewright_model::facts::dns_settings::{
    DEFAULTS, NS_TTL, SOA_EXPIRE, SOA_MINIMUM_TTL, SOA_REFRESH, SOA_RETRY, SOA_TTL,
};
use zonewright_model::facts::limited_values::DNS_SETTING_VALUES;

use super::envelope::{HandlerResult, Refusal, Success};
use super::name;
use super::request_context::RequestContext;
use super::setting_values::{fact_to_json, is_refused};
use super::zone::Zone;

/// A JSON object.
type Object = Map<String, Value>;

/// The numbers of an SOA record with their ranges.
const SOA_NUMBERS: [(&str, RangeInclusive<u32>); 5] = [
    ("refresh", SOA_REFRESH),
    ("retry", SOA_RETRY),
    ("expire", SOA_EXPIRE),
    ("min_ttl", SOA_MINIMUM_TTL),
    ("ttl", SOA_TTL),
];

/// Returns the default settings of a zone.
fn defaults() -> Object {
    DEFAULTS.iter().map(|(name, value)| ((*name).to_owned(), fact_to_json(*value))).collect()
}

/// Returns the settings that differ from the defaults, in the form of the store and of documents.
pub(super) fn changes(connection: &Connection, zone: &Zone) -> rusqlite::Result<Option<Value>> {
    let sql = "SELECT changes FROM zone_dns_settings WHERE zone_id = ?1";
    let text: Option<String> =
        connection.prepare_cached(sql)?.query_row([&zone.id], |row| row.get(0)).optional()?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(super) fn current(connection: &Connection, zone: &Zone) -> rusqlite::Result<Object> {
    let mut settings = defaults();
    if let Some(Value::Object(changes)) = changes(connection, zone)? {
        for (key, value) in changes {
            lay(&mut settings, &key, value);
        }
    }
    Ok(settings)
}

/// Sets a member; the members of `soa` are set one by one.
fn lay(all: &mut Object, key: &str, value: Value) {
    match (all.get_mut(key), value) {
        (Some(Value::Object(old)), Value::Object(new)) if key == "soa" => old.extend(new),
        (_, value) => {
            all.insert(key.to_owned(), value);
        }
    }
}

/// Stores the settings that differ from the defaults.
fn save_settings(connection: &Connection, zone: &Zone, all: &Object) -> rusqlite::Result<()> {
    let defaults = defaults();
    let mut changes = Object::new();
    for (key, value) in all.iter().filter(|(key, value)| defaults.get(*key) != Some(*value)) {
        let value = match (value, defaults.get(key)) {
            (Value::Object(new), Some(Value::Object(old))) if key == "soa" => {
                let differing = new.iter().filter(|(key, value)| old.get(*key) != Some(*value));
                differing.map(|(key, value)| (key.clone(), value.clone())).collect()
            }
            _ => value.clone(),
        };
        changes.insert(key.clone(), value);
    }
    if changes.is_empty() {
        connection
            .prepare_cached("DELETE FROM zone_dns_settings WHERE zone_id = ?1")?
            .execute([&zone.id])?;
        return Ok(());
    }
    let sql = "INSERT INTO zone_dns_settings (zone_id, changes) VALUES (?1, ?2) \
         ON CONFLICT (zone_id) DO UPDATE SET changes = ?2";
    connection
        .prepare_cached(sql)?
        .execute(params![zone.id, Value::Object(changes).to_string()])?;
    Ok(())
}

/// GET /zones/{id}/dns_settings.
pub(super) fn get_dns_settings(
    context: &RequestContext<'_>,
    zone: &Zone,
) -> HandlerResult<Success> {
    Ok(Success::One(Value::Object(current(context.connection, zone)?)))
}

/// PATCH /zones/{id}/dns_settings.
pub(super) fn patch_dns_settings(
    context: &RequestContext<'_>,
    zone: &Zone,
    body: &Object,
) -> HandlerResult<Success> {
    let previous = current(context.connection, zone)?;
    let updated = merged(&previous, body)?;
    check_plan(zone, &previous, &updated)?;
    save_settings(context.connection, zone, &updated)?;
    Ok(Success::One(Value::Object(updated)))
}

/// Applies the settings of a document without the limits of the plan: a real zone keeps its
/// settings when its plan is lowered.
///
/// # Errors
/// Describes the invalid member.
pub(super) fn plant_dns_settings(
    context: &RequestContext<'_>,
    zone: &Zone,
    member: &Value,
) -> HandlerResult<()> {
    let body = member
        .as_object()
        .ok_or_else(|| Refusal::unspecified("`dns_settings` must be an object"))?;
    let updated = merged(&current(context.connection, zone)?, body)?;
    Ok(save_settings(context.connection, zone, &updated)?)
}

/// Merges a PATCH into the settings and checks the result.
///
/// # Sources
/// `foundation_dns` and the type of name servers must match: the text of a refusal reported
/// 2026-07. ASSUMED: if only one is sent, the other follows.
fn merged(before: &Object, body: &Object) -> HandlerResult<Object> {
    let mut updated = before.clone();
    for (key, value) in body.iter().filter(|(_, value)| !value.is_null()) {
        check_member(key, value)?;
        match key.as_str() {
            "soa" => {
                let members = value.as_object().into_iter().flatten();
                let known_members =
                    members.filter(|(key, _)| before["soa"].get(key.as_str()).is_some());
                let accepted_members =
                    known_members.filter(|(key, value)| *key == "mname" || !value.is_null());
                let stored_members =
                    accepted_members.map(|(key, value)| (key.clone(), stored(value))).collect();
                lay(&mut updated, key, stored_members);
            }
            "internal_dns" => match value.get("reference_zone_id").filter(|v| !v.is_null()) {
                Some(id) => lay(&mut updated, key, json!({ "reference_zone_id": id })),
                None => {
                    updated.shift_remove(key);
                }
            },
            "nameservers" => lay(&mut updated, key, name_servers(value)),
            key if before.contains_key(key) => lay(&mut updated, key, stored(value)),
            _ => {}
        }
    }
    let is_advanced = updated["nameservers"]["type"] == "cloudflare.advanced";
    let is_given = |key: &str| body.get(key).is_some_and(|v| !v.is_null());
    match (
        is_given("foundation_dns"),
        is_given("nameservers"),
        updated["foundation_dns"] == is_advanced,
    ) {
        (_, _, true) | (false, false, _) => {}
        (true, true, false) => {
            return Err(Refusal::unspecified(
                "foundation_dns must match the Advanced Nameservers nameserver type",
            ));
        }
        (true, false, false) => {
            let kind = if is_advanced { "cloudflare.standard" } else { "cloudflare.advanced" };
            lay(&mut updated, "nameservers", json!({ "type": kind }));
        }
        (false, true, false) => lay(&mut updated, "foundation_dns", is_advanced.into()),
    }
    check_soa(&updated["soa"])?;
    Ok(updated)
}

/// Converts a value to its stored form: whole numbers lose the fraction `.0`, which the schema's
/// "number" allows.
fn stored(value: &Value) -> Value {
    whole_number(value).map_or_else(|| value.clone(), Value::from)
}

/// Returns the value if it is a whole number that is not negative.
fn whole_number(value: &Value) -> Option<u64> {
    let fractional = || {
        value
            .as_f64()
            .filter(|n| n.fract() == 0.0 && (0.0..=4e9).contains(n))
            .map(|n| format!("{n:.0}"))
    };
    value.as_u64().or_else(|| fractional()?.parse().ok())
}

fn is_within(value: &Value, range: &RangeInclusive<u32>) -> bool {
    whole_number(value).and_then(|n| u32::try_from(n).ok()).is_some_and(|n| range.contains(&n))
}

/// Converts name servers to their stored form: only the members that belong to the type.
///
/// ASSUMED: the default of `ns_set` is 1.
fn name_servers(value: &Value) -> Value {
    let kind = value["type"].as_str().unwrap_or_default();
    match kind {
        "custom.account" | "custom.tenant" | "custom.zone" => {
            json!({ "type": kind, "ns_set": value.get("ns_set").and_then(whole_number).unwrap_or(1) })
        }
        "custom" => json!({ "type": kind, "nameserver_set_id": value["nameserver_set_id"] }),
        _ => json!({ "type": kind }),
    }
}

/// Refuses a member that is invalid by itself.
fn check_member(key: &str, value: &Value) -> HandlerResult<()> {
    let refuse = |expected: &str| {
        Err(Refusal::unspecified(format!("Invalid value for {key}: it must be {expected}.")))
    };
    match key {
        "flatten_all_cnames" | "foundation_dns" | "multi_provider" | "secondary_overrides"
            if !value.is_boolean() =>
        {
            refuse("true or false")
        }
        "ns_ttl" if !is_within(value, &NS_TTL) => {
            refuse(&format!("between {} and {}", NS_TTL.start(), NS_TTL.end()))
        }
        "zone_mode" if !matches!(value.as_str(), Some("standard" | "cdn_only" | "dns_only")) => {
            refuse("standard, cdn_only or dns_only")
        }
        "internal_dns" if !value.is_object() => refuse("an object"),
        "internal_dns" => match value.get("reference_zone_id") {
            None | Some(Value::Null) => Ok(()),
            Some(Value::String(id)) if is_identifier(id) => Ok(()),
            Some(_) => refuse("the identifier of a zone"),
        },
        "soa" if !value.is_object() => refuse("an object"),
        "nameservers" => {
            let set = value.get("ns_set").filter(|v| !v.is_null());
            match value.get("type").and_then(Value::as_str) {
                Some("cloudflare.standard" | "cloudflare.advanced") => Ok(()),
                Some("custom.account" | "custom.tenant" | "custom.zone") => {
                    match set.map(whole_number) {
                        None | Some(Some(1..=5)) => Ok(()),
                        Some(_) => refuse("a set between 1 and 5"),
                    }
                }
                Some("custom") if value["nameserver_set_id"].is_string() => Ok(()),
                Some("custom") => refuse("given with a nameserver_set_id"),
                _ => refuse("of a known type"),
            }
        }
        _ => Ok(()),
    }
}

fn is_identifier(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Refuses SOA members that are out of range or inconsistent.
fn check_soa(soa: &Value) -> HandlerResult<()> {
    let refuse = |message: String| Err(Refusal::unspecified(message));
    for (key, range) in SOA_NUMBERS {
        if !is_within(&soa[key], &range) {
            let (least, most) = range.into_inner();
            return refuse(format!(
                "Invalid value for soa.{key}: it must be between {least} and {most}."
            ));
        }
    }
    if whole_number(&soa["retry"]) > whole_number(&soa["refresh"]) {
        return refuse(
            "Invalid value for soa.retry: it must not be greater than soa.refresh.".to_owned(),
        );
    }
    if whole_number(&soa["expire"]) < whole_number(&soa["refresh"]) {
        return refuse(
            "Invalid value for soa.expire: it must not be less than soa.refresh.".to_owned(),
        );
    }
    let is_host =
        |value: &Value| value.as_str().is_some_and(|text| name::parse_host_name(text).is_some());
    if !soa["mname"].is_null() && !is_host(&soa["mname"]) {
        return refuse("Invalid value for soa.mname: it must be a host name or null.".to_owned());
    }
    if !is_host(&soa["rname"]) {
        return refuse("Invalid value for soa.rname: it must be a host name.".to_owned());
    }
    Ok(())
}

/// Refuses changes that the zone's plan does not allow.
///
/// # Sources
/// Code 1003 for features that a plan lacks, and 403 with 1029 for internal DNS: probed by the
/// authors of a client. Plans: the facts of DNS settings. ASSUMED: the texts; other modes of a
/// zone and overrides in secondary zones need the enterprise plan; SOA, TTL of name servers and
/// `multi_provider` need none.
fn check_plan(zone: &Zone, before: &Object, after: &Object) -> HandlerResult<()> {
    let changed = |key: &str| before.get(key) != after.get(key);
    for limit in DNS_SETTING_VALUES.iter().filter(|limit| changed(limit.setting)) {
        if after.get(limit.setting).is_some_and(|value| is_refused(limit, &zone.plan, value)) {
            let (status, code) =
                if limit.setting == "internal_dns" { (403, 1029) } else { (400, 1003) };
            let about = limit.about.unwrap_or(limit.setting);
            let text = format!("{about} is not available to this zone.");
            return Err(Refusal::new(status, code, text));
        }
    }
    Ok(())
}
