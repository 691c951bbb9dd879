//! Writes the model as YAML, for `validate --print`.
//!
//! The output is explicit and canonical: one entry for each record, names relative to the zone, no
//! defaults, variables or includes. Reading it yields an equal [`Desired`], apart from places and
//! spellings.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::write_yaml::{scalar, to_yaml};
use crate::diagnostic::Place;
use crate::diagnostic::escape_variables as escape;
use crate::model::{
    Attribute, Danger, Desired, DesiredRecord, DesiredSettings, DesiredZone, IgnorePattern, Rdata,
    STRING_OCTETS, Suppression, SuppressionScope, Tombstone, Unmanaged, Value, ZoneName,
    facts::Slot,
};

/// Returns the resolved spec as YAML.
#[must_use]
pub fn print(desired: &Desired) -> String {
    #[derive(Serialize)]
    struct File {
        version: u32,
        zones: Map<String, Json>,
    }
    let zones = desired
        .zones
        .values()
        .map(|z| (z.name.to_string(), zone(z, &desired.suppressions)))
        .collect();
    to_yaml(&File { version: 1, zones })
}

/// Returns everything that a spec says about one of its zones as text: equal for zones that are
/// wanted alike.
#[must_use]
pub fn zone_text(of_zone: &DesiredZone, spec: &Desired) -> String {
    zone(of_zone, &spec.suppressions).to_string()
}

/// Returns a record as an entry of `records`. A text has no quotes of its own, as people write it,
/// if it means the same without them.
#[must_use]
pub fn record_entry(zone: &ZoneName, one: &DesiredRecord) -> Json {
    let mut entry = record_json(zone, one, &[]);
    if let Rdata::Txt(_) = one.data
        && let Some(text) = entry.get("content").and_then(Json::as_str).and_then(unquoted)
    {
        entry["content"] = json!(text);
    }
    entry
}

/// Returns a text without the quotes of its character strings. Returns `None` if it would mean
/// something else: if it has escapes, or would be divided at other places.
pub(super) fn unquoted(content: &str) -> Option<String> {
    let inner = content.strip_prefix('"')?.strip_suffix('"')?;
    let parts: Vec<&str> = inner.split("\" \"").collect();
    let (last, full) = parts.split_last()?;
    let text = parts.concat();
    let is_same = full.iter().all(|part| part.len() == STRING_OCTETS)
        && !last.is_empty()
        && last.len() <= STRING_OCTETS;
    (is_same && !text.contains(['"', '\\']) && text.trim() == text).then_some(text)
}

/// Returns a text as a spec writes it, with substitutions escaped.
#[must_use]
pub fn written(text: &str) -> String {
    escape(text)
}

/// Returns a value as a spec writes it.
#[must_use]
pub fn written_value(value: &Value) -> Json {
    scalar(value)
}

/// Returns a zone as YAML. Lints that its file accepts are written as accepted by the zone.
pub(super) fn zone(zone: &DesiredZone, suppressions: &[Suppression]) -> Json {
    let DesiredZone {
        name,
        id,
        place,
        tier,
        unmanaged,
        ignore,
        allow,
        create,
        settings,
        waf,
        records,
        tombstones,
        expect,
    } = zone;
    let mut map = Map::new();
    if let Some(id) = id {
        map.insert("id".to_owned(), json!(id.0));
    }
    if let Some((tier, _)) = tier {
        map.insert("plan".to_owned(), json!(tier.facts().name));
    }
    if *unmanaged == Unmanaged::Prune {
        map.insert("unmanaged".to_owned(), json!("prune"));
    }
    if !ignore.is_empty() {
        map.insert("ignore".to_owned(), ignore.iter().map(ignore_pattern).collect());
    }
    if !allow.is_empty() {
        map.insert("allow".to_owned(), accepted_dangers(allow));
    }
    if *create {
        map.insert("create".to_owned(), json!(true));
    }
    let DesiredSettings { settings, dnssec, dns_settings } = settings;
    let values_json = |values: &BTreeMap<String, (Value, Place)>| -> Json {
        values
            .iter()
            .map(|(name, (value, _))| (name.clone(), scalar(value)))
            .collect::<Map<_, _>>()
            .into()
    };
    if !settings.is_empty() {
        map.insert("settings".to_owned(), values_json(settings));
    }
    if let Some((on, _)) = dnssec {
        map.insert("dnssec".to_owned(), json!(if *on { "on" } else { "off" }));
    }
    if !dns_settings.is_empty() {
        map.insert("dns_settings".to_owned(), values_json(dns_settings));
    }
    if let Some(waf) = waf {
        map.insert("waf".to_owned(), super::waf::waf(waf));
    }
    let is_own = |suppression: &&Suppression| match &suppression.scope {
        SuppressionScope::Zone(zone) => zone == name,
        SuppressionScope::File => suppression.place.is_some_and(|own| own.source == place.source),
        SuppressionScope::Everything | SuppressionScope::Entry(_) => false,
    };
    insert_lints(&mut map, suppressions.iter().filter(is_own));
    if !expect.is_empty() {
        map.insert(
            "expect".to_owned(),
            expect.iter().map(|e| super::expect::emit(name, e)).collect(),
        );
    }
    let present = records.iter().map(|r| record_json(name, r, suppressions));
    let absent = tombstones.iter().map(|t| tombstone(name, t));
    map.insert("records".to_owned(), present.chain(absent).collect());
    Json::Object(map)
}

/// Adds accepted lints with their reasons, if there are any.
fn insert_lints<'s>(map: &mut Map<String, Json>, own: impl Iterator<Item = &'s Suppression>) {
    let lints: Map<_, _> = own.map(|s| (s.code.clone(), json!(escape(&s.reason)))).collect();
    if !lints.is_empty() {
        map.insert("lint".to_owned(), Json::Object(lints));
    }
}

/// Returns accepted dangers with their reasons.
fn accepted_dangers(allow: &BTreeMap<Danger, String>) -> Json {
    allow
        .iter()
        .map(|(danger, reason)| (danger.code().to_owned(), json!(escape(reason))))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns an item of `ignore`.
fn ignore_pattern(pattern: &IgnorePattern) -> Json {
    let IgnorePattern { name, record_type, content, tag, reason, place: _ } = pattern;
    let parts = [
        ("name", name.as_ref().map(glob::Pattern::as_str)),
        ("type", record_type.as_deref()),
        ("content", content.as_ref().map(glob::Pattern::as_str)),
        ("tag", tag.as_deref()),
        ("reason", reason.as_deref()),
    ];
    Json::Object(
        parts.into_iter().filter_map(|(k, v)| Some((k.to_owned(), json!(escape(v?))))).collect(),
    )
}

fn record_json(zone: &ZoneName, record: &DesiredRecord, suppressions: &[Suppression]) -> Json {
    let DesiredRecord { name, data, facets, protect, allow, expires, spelling } = record;
    let mut map = entry_head(zone, name, data.type_name());
    put_value(&mut map, data);
    let mut settings = Map::new();
    for attribute in facets.attributes() {
        let members = match attribute {
            Attribute::Setting(..) => &mut settings,
            _ => &mut map,
        };
        members.insert(attribute.name().to_owned(), scalar(&attribute.value()));
    }
    if !settings.is_empty() {
        map.insert("settings".to_owned(), Json::Object(settings));
    }
    if *protect {
        map.insert("protect".to_owned(), json!(true));
    }
    if let Some(day) = expires {
        map.insert("expires".to_owned(), json!(day));
    }
    if let Some(allow) = allow {
        map.insert("allow".to_owned(), accepted_dangers(allow));
    }
    let is_own = |s: &&Suppression| matches!(&s.scope, SuppressionScope::Entry(entry) if entry.contains(spelling.entry));
    insert_lints(&mut map, suppressions.iter().filter(is_own));
    Json::Object(map)
}

fn tombstone(zone: &ZoneName, tombstone: &Tombstone) -> Json {
    let Tombstone { name, record_type, data, expired, protect, allow, spelling: _ } = tombstone;
    let mut map = entry_head(zone, name, record_type.as_str());
    if let Some(data) = data {
        put_value(&mut map, data);
    }
    match expired {
        Some(day) => map.insert("expires".to_owned(), json!(day)),
        None => map.insert("state".to_owned(), json!("absent")),
    };
    if *protect {
        map.insert("protect".to_owned(), json!(true));
    }
    if let Some(allow) = allow {
        map.insert("allow".to_owned(), accepted_dangers(allow));
    }
    Json::Object(map)
}

/// Returns an entry with its name and type.
fn entry_head(zone: &ZoneName, name: &crate::model::Fqdn, type_name: &str) -> Map<String, Json> {
    Map::from_iter([
        ("name".to_owned(), json!(zone.relative(name))),
        ("type".to_owned(), json!(type_name)),
    ])
}

/// Adds the value: `data` for types with parts, `content` and `priority` for the others.
fn put_value(map: &mut Map<String, Json>, data: &Rdata) {
    let fields = data.fields();
    let Some(record_type) = data.record_type() else {
        map.insert("content".to_owned(), json!(escape(&data.presentation())));
        return;
    };
    let facts = record_type.facts();
    let field_values = facts.fields.iter().filter_map(|f| Some((f, scalar(fields.get(f.name)?))));
    if facts.has_data() {
        let parts = field_values.map(|(f, v)| (f.name.to_owned(), v)).collect();
        map.insert("data".to_owned(), Json::Object(parts));
        return;
    }
    for (field, value) in field_values {
        let key = match field.slot {
            Slot::Content => "content",
            Slot::Top | Slot::Data => field.name,
        };
        map.insert(key.to_owned(), value);
    }
}
