//! Reports records that contradict each other. They may belong to two zones of one name, such as
//! those of a staging and a production environment whose zone only `--zone-name` states, or to one
//! zone that has a record twice with different attributes.

use std::collections::{BTreeMap, BTreeSet};

use super::Resource;
use super::value::Term;
use super::zones::Zones;
use crate::import::import_result::{ImportResult, skip_one_of};
use crate::model::{Fqdn, ZoneName};

/// Types of records that lead to a server. The records of a name come from one environment.
const ADDRESSES: &[&str] = &["A", "AAAA", "CNAME", "HTTPS", "SVCB"];
/// Attributes that a record has once.
const ATTRIBUTES: &[&str] = &["comment", "proxied", "tags", "ttl"];

/// Records that environments declare for one purpose, by environment.
type ByView<'r> = BTreeMap<&'r str, (BTreeSet<String>, &'r Resource)>;

/// Reports contradicting records, once for each pair of environments.
pub(super) fn report_records(resources: &[Resource], zones: &Zones<'_>, found: &mut ImportResult) {
    let mut purposes: BTreeMap<(ZoneName, Fqdn, String), ByView<'_>> = BTreeMap::new();
    let mut values: BTreeMap<(ZoneName, Fqdn, String), &Resource> = BTreeMap::new();
    let mut aliases: BTreeMap<(ZoneName, Fqdn), &Resource> = BTreeMap::new();
    let kinds = ["cloudflare_record", "cloudflare_dns_record"];
    for resource in resources.iter().filter(|resource| kinds.contains(&resource.kind.as_str())) {
        let text = |name: &str| resource.values.get(name).and_then(Term::text);
        let (Ok(zone), Some(name), Some(type_name)) =
            (zones.of(resource), text("name"), text("type"))
        else {
            continue;
        };
        let Ok(name) = zone.resolve(&name) else { continue };
        let type_name = type_name.to_ascii_uppercase();
        let value = value(resource);
        if type_name == "CNAME" {
            let first = *aliases.entry((zone.clone(), name.clone())).or_insert(resource);
            if zones.view(first) == zones.view(resource) && target(first) != target(resource) {
                let (one, other) = choices(first, resource);
                let what = format!(
                    "{zone}: {one} and {other} give {name} a CNAME with different targets; a name \
                    has one"
                );
                found.contradiction(what, [first.place, resource.place], skip_one_of(&one, &other));
            }
        }
        let purpose = purpose(&type_name, &value);
        let view = purposes.entry((zone.clone(), name.clone(), purpose)).or_default();
        let (all, _) =
            view.entry(zones.view(resource)).or_insert_with(|| (BTreeSet::new(), resource));
        all.insert(format!("{type_name} {value} {}", attributes(resource)));
        let first = *values
            .entry((zone.clone(), name.clone(), format!("{type_name} {value}")))
            .or_insert(resource);
        if zones.view(first) == zones.view(resource) && attributes(first) != attributes(resource) {
            let (one, other) = choices(first, resource);
            let what = format!(
                "{zone}: {one} and {other} are the same record of {name} with different attributes"
            );
            found.contradiction(what, [first.place, resource.place], skip_one_of(&one, &other));
        }
    }
    let mut reported: BTreeSet<(ZoneName, &str, &str)> = BTreeSet::new();
    for ((zone, name, _), views) in &purposes {
        let mut views = views.iter();
        let Some((first_view, (first_records, first))) = views.next() else { continue };
        for (view, (_, resource)) in views.filter(|(_, (records, _))| records != first_records) {
            if reported.insert((zone.clone(), first_view, view)) {
                let (one, other) = if first.origin == resource.origin {
                    choices(first, resource)
                } else {
                    (first.origin.to_string(), resource.origin.to_string())
                };
                let what = format!(
                    "{zone}: {} of {} and {} of {} give different records for {name}, and may be \
                    about different zones",
                    first.address, first.origin, resource.address, resource.origin
                );
                found.contradiction(what, [first.place, resource.place], skip_one_of(&one, &other));
            }
        }
    }
}

/// Returns distinct names for two resources: their addresses, or else their places.
fn choices(first: &Resource, second: &Resource) -> (String, String) {
    if first.address == second.address {
        (first.origin.to_string(), second.origin.to_string())
    } else {
        (first.address.clone(), second.address.clone())
    }
}

/// Returns the value of a record in either version of the provider.
fn value(resource: &Resource) -> String {
    let values = &resource.values;
    let text = values.get("content").or_else(|| values.get("value")).and_then(Term::text);
    let priority = values.get("priority").and_then(Term::text).unwrap_or_default();
    match (text, values.object("data")) {
        (_, Some(Term::Map(members))) => {
            let fields = members.iter().filter(|(_, value)| !value.is_empty());
            let fields =
                fields.filter_map(|(name, value)| Some(format!("{name}={}", value.text()?)));
            fields.collect::<Vec<_>>().join(" ")
        }
        (text, _) => format!("{priority} {}", text.unwrap_or_default()),
    }
}

/// Returns the target of a CNAME.
fn target(resource: &Resource) -> String {
    value(resource).trim().trim_end_matches('.').to_ascii_lowercase()
}

/// Returns the attributes of a record beside its value. Unset attributes are not compared.
fn attributes(resource: &Resource) -> String {
    let is_proxied = resource.values.get("proxied").and_then(Term::truth) == Some(true);
    let attributes = ATTRIBUTES.iter().filter_map(|name| {
        let value = resource.values.get(name)?;
        let is_default = match *name {
            "proxied" => !is_proxied,
            "ttl" => is_proxied || value.whole() == Some(1),
            _ => false,
        };
        let mut texts: Vec<String> = value.items().iter().filter_map(Term::text).collect();
        texts.sort();
        (!is_default).then(|| format!("{name}={texts:?}"))
    });
    attributes.collect::<Vec<_>>().join(" ")
}

/// Returns the purpose of a record. Environments that declare different records for one purpose
/// contradict each other.
fn purpose(type_name: &str, value: &str) -> String {
    if ADDRESSES.contains(&type_name) {
        return "addresses".to_owned();
    }
    if type_name == "TXT" {
        // TXT records for different readers do not contradict each other.
        let text = value.trim().trim_matches('"');
        let reader = text.split([';', ' ']).next().filter(|word| word.starts_with("v="));
        return format!("TXT {}", reader.unwrap_or(text));
    }
    type_name.to_owned()
}
