//! Reads the parts of a zone that no spec manages.

use serde_json::Value as Json;

use super::request::{Method, Request, segment};
use super::settings::from_json;
use crate::model::facts::resources::{ResourceAnswer, ResourceFacts};
use crate::model::{Value, ZoneId};

/// Reads a resource of a zone.
#[must_use]
pub fn get_resource(zone: &ZoneId, resource: &ResourceFacts) -> Request {
    Request::new(Method::Get, format!("/zones/{}/{}", segment(&zone.0), resource.path))
}

/// Describes the effect of a resource of a zone; `None` if it has no effect. `total` is the number
/// of items according to the response.
#[must_use]
pub fn resource_in_words(
    resource: &ResourceFacts,
    json: &Json,
    total: Option<u64>,
) -> Option<String> {
    let about = resource.about;
    match (resource.shows, json) {
        (ResourceAnswer::List { idle }, Json::Array(items)) => {
            let is_idle = |item: &&Json| {
                idle.is_some_and(|(member, value)| {
                    item.get(member).map(from_json) == Some(Value::from(value))
                })
            };
            let idle_items = items.iter().filter(is_idle).count();
            let item_count = total
                .and_then(|total| usize::try_from(total).ok())
                .unwrap_or_default()
                .max(items.len());
            let without_effect =
                if idle_items > 0 { format!(", {idle_items} of them off") } else { String::new() };
            (item_count > 0).then(|| format!("{about} ({item_count}{without_effect})"))
        }
        (ResourceAnswer::Object { usual, ignored }, Json::Object(members)) => {
            let changed = members
                .iter()
                .filter(|(name, _)| !ignored.contains(&name.as_str()))
                .filter_map(|(name, json)| {
                    let value = from_json(json);
                    let is_usual = match usual.iter().find(|(known, _)| known == name) {
                        Some((_, known)) => value == Value::from(*known),
                        None => is_idle(&value),
                    };
                    (!is_usual).then(|| format!("{name}: {}", value_shown(&value)))
                });
            let changed: Vec<String> = changed.collect();
            (!changed.is_empty()).then(|| format!("{about} ({})", changed.join(", ")))
        }
        (_, Json::Null) => None,
        _ => Some(format!("{about} (in a form that this version does not know)")),
    }
}

/// Returns true if a value of an unknown member turns nothing on.
fn is_idle(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Text(word) => matches!(word.as_str(), "" | "off" | "disabled" | "allow" | "none"),
        Value::List(items) => !items.iter().any(is_enabled),
        Value::Map(members) => members.values().all(is_idle),
        Value::Bool(true) | Value::Integer(_) | Value::Decimal(_) => false,
    }
}

/// Returns true if an item of a list is on. It is on unless its member `enabled` is false.
fn is_enabled(item: &Value) -> bool {
    !matches!(item, Value::Map(members) if members.get("enabled") == Some(&Value::Bool(false)))
}

/// Formats a value for a sentence. A list is formatted as the number of items that are on.
fn value_shown(value: &Value) -> String {
    /// Maximum length of a text, in characters.
    const LONGEST: usize = 40;
    match value {
        Value::List(items) => items.iter().filter(|item| is_enabled(item)).count().to_string(),
        other => other.to_string().chars().take(LONGEST).collect(),
    }
}
