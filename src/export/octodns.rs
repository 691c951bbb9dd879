//! Zone files of octoDNS, in the order that octoDNS enforces.
//!
//! # Sources
//! octodns.readthedocs.io (records) and the documentation of octodns-cloudflare, read 2026-11-22.
//! Names are in the natural order of the package natsort, which compares digits within names as
//! numbers.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::left_out::{name_and_type, name_settings};
use crate::diagnostic::one_line;
use crate::import::{natural_order, octodns_members};
use crate::model::facts::{self, FieldKind};
use crate::model::{DesiredRecord, DesiredZone, Facets, Fqdn, Rdata, RecordType, Value, sort_by};

/// Types whose value octoDNS writes as one text.
const TEXTS: &[&str] = &["A", "AAAA", "CNAME", "NS", "OPENPGPKEY", "PTR"];
/// Parameters of service bindings that octoDNS writes as a list.
const LISTS: &[&str] = &["alpn", "ipv4hint", "ipv6hint", "mandatory"];

pub(super) fn write_zone_yaml(zone: &DesiredZone, left_out: &mut Vec<String>) -> (String, usize) {
    let mut sets: BTreeMap<(&Fqdn, &str), Vec<&DesiredRecord>> = BTreeMap::new();
    for record in &zone.records {
        sets.entry((&record.name, record.data.type_name())).or_default().push(record);
    }
    let mut written = 0;
    let mut by_name: Vec<(String, Vec<Json>)> = Vec::new();
    for ((name, _), records) in &sets {
        let Some((set, values)) = write_set(zone, records, left_out) else { continue };
        written += values;
        // octoDNS always uses relative names, even where a spec needs the full name.
        let relative_name =
            name.as_str().strip_suffix(zone.name.as_str()).map(|rest| rest.trim_end_matches('.'));
        let name = relative_name.unwrap_or(name.as_str()).to_owned();
        match by_name.last_mut() {
            Some((last, sets)) if *last == name => sets.push(set),
            _ => by_name.push((name, vec![set])),
        }
    }
    sort_by(&mut by_name, |(a, _), (b, _)| natural_order(a, b));
    let mut out = String::from("---\n");
    let root: Map<String, Json> = by_name
        .into_iter()
        .map(|(name, mut sets)| {
            (name, if sets.len() == 1 { sets.remove(0) } else { Json::Array(sets) })
        })
        .collect();
    if root.is_empty() {
        out.push_str("{}\n");
    }
    write_block(&Json::Object(root), 0, &mut out);
    (out, written)
}

/// Writes a record set and returns the number of its values. Returns `None` if octoDNS can
/// represent none of them.
fn write_set(
    zone: &DesiredZone,
    records: &[&DesiredRecord],
    left_out: &mut Vec<String>,
) -> Option<(Json, usize)> {
    let is_apex = |record: &DesiredRecord| record.name == *zone.name.as_fqdn();
    let mut values = Vec::new();
    let mut written_records: Vec<&DesiredRecord> = Vec::new();
    for record in records {
        let outcome = match record.data.type_name() {
            "NS" if is_apex(record) => {
                Err("octoDNS leaves the name servers of the zone itself to Cloudflare")
            }
            "SRV" | "URI" if !is_of_service(zone.name.relative(&record.name)) => {
                Err("octoDNS requires a name such as `_service._protocol` for this type")
            }
            _ => convert_value(record),
        };
        match outcome {
            Ok(value) => {
                values.push(value);
                written_records.push(record);
                name_settings(zone, record, &[], left_out);
            }
            Err(why) => left_out.push(format!("{}: {why}", name_and_type(zone, record))),
        }
    }
    let first = *written_records.first()?;
    let octodns_options = options(&first.facets);
    if written_records.iter().any(|record| {
        options(&record.facets) != octodns_options
            || ttl_of_set(&record.facets) != ttl_of_set(&first.facets)
    }) {
        left_out.push(format!(
            "{}: octoDNS has one TTL, proxy status and comment for all values; those of the first \
            value are written",
            name_and_type(zone, first)
        ));
    }
    // A CNAME at the apex, which Cloudflare flattens, is an ALIAS in octoDNS.
    let kind = match first.data.type_name() {
        "CNAME" if is_apex(first) => "ALIAS",
        kind => kind,
    };
    let mut members = Map::new();
    if !octodns_options.is_empty() {
        members.insert("octodns".to_owned(), json!({ "cloudflare": octodns_options }));
    }
    members.insert("ttl".to_owned(), json!(ttl_of_set(&first.facets)));
    members.insert("type".to_owned(), json!(kind));
    if values.len() == 1 {
        members.insert("value".to_owned(), values.remove(0));
    } else {
        members.insert("values".to_owned(), Json::Array(values));
    }
    Some((Json::Object(members), written_records.len()))
}

/// Returns true if octoDNS treats a name as that of a service.
///
/// # Sources
/// octodns 1.22.0, `SrvNameValidator` and `UriNameValidator`, read 2026-11.
fn is_of_service(name: &str) -> bool {
    let mut labels = name.split('.');
    let service = labels.next().unwrap_or_default();
    let is_service =
        service == "*" || service.strip_prefix('_').is_some_and(|rest| !rest.is_empty());
    is_service && labels.next().is_some()
}

/// Returns the TTL of a record set, in seconds.
fn ttl_of_set(facets: &Facets) -> u32 {
    facets
        .ttl
        .filter(|ttl| !ttl.is_automatic())
        .map_or(facts::AUTOMATIC_TTL_SECONDS, |ttl| ttl.as_number())
}

/// Returns the options of octodns-cloudflare for a record set.
fn options(facets: &Facets) -> Map<String, Json> {
    let mut options = Map::new();
    let is_proxied = facets.proxied == Some(true);
    if !is_proxied && facets.ttl.is_none_or(|ttl| ttl.is_automatic()) {
        options.insert("auto-ttl".to_owned(), json!(true));
    }
    if let Some(comment) =
        facets.comment.as_ref().and_then(|comment| comment.text()).filter(|text| !text.is_empty())
    {
        options.insert("comment".to_owned(), json!(comment));
    }
    if is_proxied {
        options.insert("proxied".to_owned(), json!(true));
    }
    if let Some(tags) = facets.tags.as_ref().filter(|tags| !tags.is_empty()) {
        options.insert("tags".to_owned(), tags.iter().map(|tag| json!(tag.as_str())).collect());
    }
    options
}

/// Converts a value, or returns the reason why octoDNS cannot represent it.
fn convert_value(record: &DesiredRecord) -> Result<Json, &'static str> {
    let kind = record.data.type_name();
    let fields = record.data.fields();
    match kind {
        "TXT" => escape_semicolons(record),
        "SVCB" | "HTTPS" => service(&record.data),
        _ if TEXTS.contains(&kind) => {
            let is_host = matches!(kind, "CNAME" | "NS" | "PTR");
            Ok(convert_part(&Value::from(record.data.presentation()), is_host))
        }
        _ => {
            let names = octodns_members(kind).ok_or("octoDNS has no such type of record")?;
            let facts = facts::type_facts(kind).ok_or("octoDNS has no such type of record")?;
            let mut members: BTreeMap<String, Json> = BTreeMap::new();
            for field in facts.fields {
                let value = fields.get(field.name).ok_or("a part of its value is missing")?;
                let theirs =
                    names.iter().find(|(_, own)| *own == field.name).map(|(theirs, _)| *theirs);
                let theirs = theirs.ok_or("octoDNS cannot express a part of its value")?;
                let is_host = matches!(
                    field.kind,
                    FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot
                );
                members.insert(theirs.to_owned(), convert_part(value, is_host));
            }
            Ok(Json::Object(members.into_iter().collect()))
        }
    }
}

/// Converts one part of a value. Host names get a final dot.
fn convert_part(value: &Value, is_host: bool) -> Json {
    match value {
        Value::Integer(n) => json!(n),
        Value::Decimal(text) => text.parse::<f64>().map_or_else(|_| json!(text), |n| json!(n)),
        Value::Text(text) if is_host && !text.ends_with('.') => json!(format!("{text}.")),
        other => json!(other.to_string()),
    }
}

/// Escapes `;` in a text, as octoDNS requires.
fn escape_semicolons(record: &DesiredRecord) -> Result<Json, &'static str> {
    let Rdata::Txt(txt) = &record.data else { return Err("it is not a text") };
    let text = std::str::from_utf8(txt.as_bytes()).map_err(|_| "octoDNS allows ASCII only")?;
    if text.contains(|c: char| !(' '..='~').contains(&c)) {
        return Err("octoDNS allows printable ASCII only");
    }
    if text.contains(['"', '\\']) {
        return Err("octoDNS does not say how quotes and backslashes are written");
    }
    let reread =
        Rdata::from_text(RecordType::Txt, &format!("\"{text}\"")).map(|data| data.at(&record.name));
    if reread.as_ref() != Ok(&record.data) {
        return Err("octoDNS does not keep the division of a text into strings");
    }
    Ok(json!(text.replace(';', "\\;")))
}

/// Converts the parameters of a service binding to a mapping.
fn service(data: &Rdata) -> Result<Json, &'static str> {
    let text = data.presentation();
    let mut words = text.splitn(3, ' ');
    let priority =
        words.next().and_then(|word| word.parse::<u16>().ok()).ok_or("its priority is missing")?;
    let target = words.next().ok_or("its target is missing")?;
    let parameters = words.next().unwrap_or_default();
    if parameters.contains('\\') || parameters.contains("\" \"") {
        return Err("a parameter needs escapes");
    }
    let mut members: Vec<(String, Json)> = Vec::new();
    for parameter in parameters.split(' ').filter(|word| !word.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim_matches('"');
        let json = match value {
            "" => Json::Null,
            _ if LISTS.contains(&name) => value.split(',').map(|item| json!(item)).collect(),
            _ => json!(value),
        };
        members.push((name.to_owned(), json));
    }
    sort_by(&mut members, |(a, _), (b, _)| natural_order(a, b));
    let mut value = Map::new();
    if !members.is_empty() {
        value.insert("svcparams".to_owned(), Json::Object(members.into_iter().collect()));
    }
    value.insert("svcpriority".to_owned(), json!(priority));
    value.insert("targetname".to_owned(), json!(target));
    Ok(Json::Object(value))
}

/// Writes a mapping in block style.
fn write_block(value: &Json, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                let name = if name.is_empty() { "''".to_owned() } else { one_line(name) };
                out.push_str(&format!("{pad}{name}:"));
                nested(value, indent + 2, out);
            }
        }
        Json::Array(items) => {
            for item in items {
                match item {
                    Json::Object(_) => {
                        let mut inner = String::new();
                        write_block(item, indent + 2, &mut inner);
                        out.push_str(&format!("{pad}- {}", inner.trim_start()));
                    }
                    other => out.push_str(&format!("{pad}- {}\n", single(other))),
                }
            }
        }
        other => out.push_str(&format!("{pad}{}\n", single(other))),
    }
}

/// Writes the value after a key.
fn nested(value: &Json, indent: usize, out: &mut String) {
    match value {
        Json::Object(_) | Json::Array(_) => {
            out.push('\n');
            write_block(value, indent, out);
        }
        Json::Null => out.push('\n'),
        other => out.push_str(&format!(" {}\n", single(other))),
    }
}

/// Writes a scalar.
fn single(value: &Json) -> String {
    match value {
        Json::String(text) => one_line(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_natural_order() {
        let mut names = ["b", "a10", "a2", "", "*", "10", "9", "a", "a2b", "_x", "a02c"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["", "9", "10", "*", "_x", "a", "a2", "a2b", "a02c", "a10", "b"]);
    }
}
