//! Requests for the settings of a zone, DNSSEC and DNS settings.
//!
//! # Sources
//! developers.cloudflare.com/api/resources/zones (Get and Edit Zone Setting) and
//! developers.cloudflare.com/api/resources/dns (DNSSEC, DNS settings for a zone), read 2026-11-20.
//! The list of all settings ends on 2027-03-31, so only an import reads it; a plan reads each
//! setting by its name.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::record::value_to_json;
use super::request::segment;
use super::request::{Method, Request};
use crate::model::{Gather, LiveDnssec, LiveSetting, Value, ZoneId};

/// Reads all zone settings at once.
#[must_use]
pub fn list_settings(zone: &ZoneId) -> Request {
    Request::new(Method::Get, format!("/zones/{}/settings", segment(&zone.0)))
}

/// Reads one zone setting.
#[must_use]
pub fn get_setting(zone: &ZoneId, name: &str) -> Request {
    Request::new(Method::Get, setting_path(zone, name))
}

/// Changes one zone setting.
#[must_use]
pub fn patch_setting(zone: &ZoneId, name: &str, value: &Value) -> Request {
    Request::new(Method::Patch, setting_path(zone, name))
        .body(json!({ "value": value_to_json(value) }))
}

/// Reads the DNSSEC state of a zone.
#[must_use]
pub fn get_dnssec(zone: &ZoneId) -> Request {
    Request::new(Method::Get, format!("/zones/{}/dnssec", segment(&zone.0)))
}

/// Enables or disables DNSSEC.
#[must_use]
pub fn patch_dnssec(zone: &ZoneId, on: bool) -> Request {
    let status = if on { "active" } else { "disabled" };
    Request::new(Method::Patch, format!("/zones/{}/dnssec", segment(&zone.0)))
        .body(json!({ "status": status }))
}

/// Reads a zone's DNS settings.
#[must_use]
pub fn get_dns_settings(zone: &ZoneId) -> Request {
    Request::new(Method::Get, format!("/zones/{}/dns_settings", segment(&zone.0)))
}

/// Changes the given DNS settings of a zone and keeps the others.
#[must_use]
pub fn patch_dns_settings(zone: &ZoneId, members: &BTreeMap<String, Value>) -> Request {
    let body: Map<String, Json> =
        members.iter().map(|(name, value)| (name.clone(), value_to_json(value))).collect();
    Request::new(Method::Patch, format!("/zones/{}/dns_settings", segment(&zone.0)))
        .body(Json::Object(body))
}

fn setting_path(zone: &ZoneId, name: &str) -> String {
    format!("/zones/{}/settings/{}", segment(&zone.0), segment(name))
}

/// Parses a setting; `None` without a value.
#[must_use]
pub fn read_setting(json: &Json) -> Option<LiveSetting> {
    Some(LiveSetting::Value {
        value: from_json(json.get("value")?),
        editable: json.get("editable").and_then(Json::as_bool).unwrap_or(true),
        modified_on: json.get("modified_on").and_then(Json::as_str).map(str::to_owned),
    })
}

/// All settings of a zone, and the names of those whose form this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedSettings {
    /// The settings by name.
    pub settings: BTreeMap<String, LiveSetting>,
    /// The names of settings without a value.
    pub without_value: Vec<String>,
}

/// Parses a list of all settings; `None` if it is not a list of objects with an `id`.
#[must_use]
pub fn read_settings(json: &Json) -> Option<ListedSettings> {
    let mut listed = ListedSettings::default();
    for item in json.as_array()? {
        let name = item.get("id")?.as_str()?.to_owned();
        match read_setting(item) {
            Some(setting) => drop(listed.settings.insert(name, setting)),
            None => listed.without_value.push(name),
        }
    }
    Some(listed)
}

/// Parses the DNSSEC state; `None` without a status.
#[must_use]
pub fn read_dnssec(json: &Json) -> Option<LiveDnssec> {
    let text = |name: &str| {
        json.get(name).and_then(Json::as_str).filter(|t| !t.is_empty()).map(str::to_owned)
    };
    let names = ["dnssec_multi_signer", "dnssec_presigned", "dnssec_use_nsec3"];
    let is_on = |name: &&str| json.get(*name).and_then(Json::as_bool) == Some(true);
    let options = names.into_iter().filter(is_on).map(str::to_owned).collect();
    Some(LiveDnssec {
        status: text("status")?,
        ds: text("ds"),
        modified_on: text("modified_on"),
        options,
    })
}

/// Parses DNS settings.
#[must_use]
pub fn read_dns_settings(json: &Json) -> BTreeMap<String, Value> {
    match from_json(json) {
        Value::Map(members) => members,
        _ => BTreeMap::new(),
    }
}

/// Converts JSON to a value of any shape.
#[must_use]
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => n.as_i64().map_or_else(|| Value::Decimal(n.to_string()), Value::Integer),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(object) => {
            Value::Map(object.iter().map(|(name, value)| (name.clone(), from_json(value))).gather())
        }
    }
}
