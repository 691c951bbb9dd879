//! Translates resources of Cloudflare's provider, version 4 or 5, into what they declare.
//!
//! # Sources
//! registry.terraform.io/providers/cloudflare/cloudflare, documentation of 4.52 and 5.x, read 2026-11-22.

use std::collections::BTreeMap;

use super::not_imported::{Refusal, UnknownZone, other, refuse, without_zone};
use super::rulesets::{self, FirewallRule};
use super::value::{Missing, Term};
use super::zones::Zones;
use super::{ASSIGNED, GivenZones, Resource, rate_limits};
use crate::diagnostic::{Place, findings};
use crate::import::import_result::{Entry, ImportResult, Translation, Written};
use crate::model::facts::settings;
use crate::model::facts::{self, Slot};
use crate::model::{Fields, Gather, Settings, Value, ZoneName};

/// Members of `cloudflare_zone_settings_override` whose name in the API differs.
const RENAMED_SETTINGS: &[(&str, &str)] = &[("zero_rtt", "0rtt")];

/// Kinds that are translated and have values of their own.
const TRANSLATED: &[&str] = &[
    "cloudflare_record",
    "cloudflare_dns_record",
    "cloudflare_zone_settings_override",
    "cloudflare_zone_setting",
    "cloudflare_ruleset",
    "cloudflare_filter",
    "cloudflare_firewall_rule",
    "cloudflare_rate_limit",
];
/// Members that refer to another resource by its id.
const REFERENCES: &[&str] = &["id", "zone_id", "account_id", "filter_id"];

/// Adds what the resources declare.
pub(in crate::import) fn translate(resources: &[Resource], given: &GivenZones, found: &mut ImportResult) {
    let zones = &Zones::new(resources, given);
    let mut unknown_zones: BTreeMap<UnknownZone, Vec<&Resource>> = BTreeMap::new();
    let mut rules: Vec<FirewallRule<'_>> = Vec::new();
    let mut rate_limits = rate_limits::Translated::new();
    for resource in resources {
        let before = found.imported_so_far();
        let outcome = match resource.kind.as_str() {
            kind if TRANSLATED.contains(&kind) && has_assigned_id(&resource.values) => {
                let why = "it contains an id that Cloudflare assigns, which is not in these files";
                Err(Missing::unknown(why, resource.place).into())
            }
            "cloudflare_record" | "cloudflare_dns_record" => record(resource, zones, found),
            "cloudflare_zone" => zone(resource, found),
            "cloudflare_zone_settings_override" => settings_override(resource, zones, found),
            "cloudflare_zone_setting" => zone_setting(resource, zones, found),
            "cloudflare_zone_dnssec" => dnssec(resource, zones, found),
            "cloudflare_ruleset" => rulesets::ruleset(resource, zones, found),
            "cloudflare_rate_limit" => rate_limits::rate_limit(resource, zones, &mut rate_limits, found),
            // A filter means nothing without its firewall rule.
            "cloudflare_filter" => Ok(()),
            "cloudflare_firewall_rule" => match zones.of(resource) {
                Ok(zone) => {
                    rules.push(FirewallRule { zone, resource });
                    Ok(())
                }
                Err(refusal) => Err(refusal),
            },
            kind if kind.starts_with("data.") || !kind.starts_with("cloudflare_") => Ok(()),
            _ => Err(Refusal::Untranslatable(other(resource))),
        };
        if resource.kind.starts_with("cloudflare_") {
            let is_imported = found.imported_so_far() > before;
            found.leaving.terraform.insert(resource.address.clone(), is_imported);
        }
        match outcome {
            Ok(()) => {}
            Err(Refusal::Zone(zone)) => unknown_zones.entry(zone).or_default().push(resource),
            Err(refusal) => refuse(resource, refusal, found),
        }
    }
    rulesets::firewall_rules(&rules, resources, found);
    rate_limits::report(&rate_limits, found);
    for (zone, resources) in unknown_zones {
        without_zone(&zone, &resources, found);
    }
}

/// Whether a resource contains the id of another one where it is more than a reference.
fn has_assigned_id(values: &Term) -> bool {
    let Term::Map(members) = values else { return false };
    let others = members.iter().filter(|(name, _)| !REFERENCES.contains(&name.as_str()));
    let mut open: Vec<&Term> = others.map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        match value {
            Term::Text(text) if text.contains(ASSIGNED) => return true,
            Term::List(items) => open.extend(items),
            Term::Map(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}

/// A member that must be known, as text.
fn text(values: &Term, name: &str) -> Result<Option<String>, Refusal> {
    match values.get(name) {
        Some(Term::Missing(missing)) => Err(missing.clone().into()),
        value => Ok(value.and_then(Term::text)),
    }
}

/// `cloudflare_zone`.
fn zone(resource: &Resource, found: &mut ImportResult) -> Result<(), Refusal> {
    let name = match text(&resource.values, "zone")? {
        Some(name) => name,
        None => text(&resource.values, "name")?.unwrap_or_default(),
    };
    let name = ZoneName::parse(&name).map_err(|error| Refusal::Invalid(error.to_string()))?;
    found.zone(&name);
    found.count(&resource.kind, Translation::Whole);
    Ok(())
}

/// `cloudflare_record` of version 4, `cloudflare_dns_record` of version 5.
fn record(resource: &Resource, zones: &Zones<'_>, found: &mut ImportResult) -> Result<(), Refusal> {
    let values = &resource.values;
    let zone = zones.of(resource)?;
    let type_name = text(values, "type")?.ok_or_else(|| Refusal::Invalid("it has no type".to_owned()))?;
    let name = text(values, "name")?.ok_or_else(|| Refusal::Invalid("it has no name".to_owned()))?;
    let content = match text(values, "content")? {
        Some(content) => Some(content),
        None => text(values, "value")?,
    };
    let priority = match values.get("priority") {
        Some(Term::Missing(missing)) => return Err(missing.clone().into()),
        other => other.map(Term::to_value),
    };
    let written = match (values.object("data"), content) {
        (Some(data), content) => fields(&type_name, data, content.as_deref(), priority)?,
        (None, Some(content)) => {
            let has_priority = facts::of(&type_name).is_some_and(|facts| facts.field("priority").is_some());
            Written::Content(content, priority.filter(|_| has_priority))
        }
        (None, None) => return Err(Refusal::Invalid("it has neither `content` nor `data`".to_owned())),
    };
    let flag = |name: &str| match values.get(name) {
        Some(Term::Missing(missing)) => Err(Refusal::from(missing.clone())),
        None => Ok(None),
        Some(flag) => {
            let why = || Refusal::Invalid(format!("its `{name}` is neither true nor false"));
            flag.truth().map(Some).ok_or_else(why)
        }
    };
    let settings = values.object("settings");
    let setting = |name: &str| match name {
        "private_routing" => values.get(name),
        _ => settings.and_then(|settings| settings.get(name)),
    };
    let ttl = match values.get("ttl") {
        Some(Term::Missing(missing)) => return Err(missing.clone().into()),
        None => None,
        Some(ttl) => {
            Some(ttl.whole().ok_or_else(|| Refusal::Invalid("its `ttl` is not a number of seconds".to_owned()))?)
        }
    };
    if let Some(missing) = values.get("tags").and_then(Term::missing) {
        return Err(missing.clone().into());
    }
    let mut entry = Entry::new(&zone, &name, &type_name, written);
    entry.ttl = ttl;
    entry.comments = resource.comments.to_vec();
    entry.proxied = flag("proxied")?.unwrap_or_default();
    entry.comment = text(values, "comment")?;
    entry.tags = values.get("tags").map(Term::items).unwrap_or_default().iter().filter_map(Term::text).collect();
    entry.settings = Settings::of(|name| setting(name).and_then(Term::truth));
    found.record(&resource.kind, &resource.address, resource.place, entry);
    Ok(())
}

/// The fields of a type in a `data` block. Version 4 stores the fields of all types, the others empty.
fn fields(type_name: &str, data: &Term, content: Option<&str>, priority: Option<Value>) -> Result<Written, Refusal> {
    if let Some(missing) = data.missing() {
        return Err(missing.clone().into());
    }
    let Some(facts) = facts::of(type_name) else {
        return Ok(Written::Text(content.unwrap_or_default().to_owned()));
    };
    let Term::Map(members) = data else { return Err(Refusal::Invalid("`data` is not a block".to_owned())) };
    let mut fields = Fields::new();
    for field in facts.fields {
        let member = members.get(field.name).filter(|value| **value != Term::Null).map(Term::to_value);
        let value = match field.slot {
            Slot::Content => content.map(Value::from),
            Slot::Data => member,
            Slot::Top => member,
        };
        // Priority is in `data` or beside it, in either version.
        let value = value.or_else(|| priority.clone().filter(|_| field.name == "priority"));
        if let Some(value) = value {
            fields.insert(field.name.to_owned(), value);
        }
    }
    Ok(Written::Fields(fields))
}

/// `cloudflare_zone_settings_override` of version 4.
fn settings_override(resource: &Resource, zones: &Zones<'_>, found: &mut ImportResult) -> Result<(), Refusal> {
    let zone = zones.of(resource)?;
    let Some(Term::Map(members)) = resource.values.object("settings") else {
        return Err(Refusal::Invalid("it has no settings".to_owned()));
    };
    for (name, value) in members.iter().filter(|(_, value)| !value.is_empty()) {
        let name = RENAMED_SETTINGS.iter().find(|(theirs, _)| theirs == name).map_or(name.as_str(), |(_, api)| *api);
        let what = format!("{}.settings.{name}", resource.address);
        if let Some(missing) = value.missing() {
            found.refuse(findings::UNKNOWN_VALUE, &resource.kind, &what, missing.place, &missing.why);
            continue;
        }
        // A block with one object: `security_header` and others.
        let value = match value {
            Term::List(list) if list.len() == 1 && matches!(list[0], Term::Map(_)) => &list[0],
            other => other,
        };
        let value = match (name, without_empty(value)) {
            // The block holds the members of the only member that the API has.
            ("security_header", Value::Map(members)) => {
                Value::Map([("strict_transport_security".to_owned(), Value::Map(members))].into_iter().gather())
            }
            (_, value) => value,
        };
        setting(found, &resource.kind, &zone, name, value, resource.place, &what);
    }
    Ok(())
}

/// `cloudflare_zone_setting` of version 5.
fn zone_setting(resource: &Resource, zones: &Zones<'_>, found: &mut ImportResult) -> Result<(), Refusal> {
    let zone = zones.of(resource)?;
    let name = text(&resource.values, "setting_id")?.unwrap_or_default();
    match resource.values.get("value") {
        Some(value) if value.missing().is_none() => {
            setting(found, &resource.kind, &zone, &name, without_empty(value), resource.place, &resource.address);
            Ok(())
        }
        Some(value) => match value.missing() {
            Some(missing) => Err(missing.clone().into()),
            None => Ok(()),
        },
        None => Err(Refusal::Untranslatable("the setting has no `value`".to_owned())),
    }
}

/// Adds a setting that specs know.
fn setting(found: &mut ImportResult, kind: &str, zone: &ZoneName, name: &str, value: Value, place: Place, what: &str) {
    match settings::of(name) {
        Some(facts) if facts.plan.is_some() => {
            found.setting(zone, name, value, place);
            found.count(kind, Translation::Whole);
        }
        _ => found.refuse(findings::NOT_TRANSLATED, kind, what, place, "the setting cannot be changed by a spec"),
    }
}

/// A value without members that are empty or null, at any depth.
pub(super) fn without_empty(value: &Term) -> Value {
    match value {
        Term::Map(map) => {
            // Blocks with one object.
            let inner = |value: &Term| match value {
                Term::List(list) if list.len() == 1 && matches!(list[0], Term::Map(_)) => without_empty(&list[0]),
                other => without_empty(other),
            };
            let members = map.iter().filter(|(_, value)| !value.is_empty());
            Value::Map(members.map(|(name, value)| (name.clone(), inner(value))).gather())
        }
        other => other.to_value(),
    }
}

/// `cloudflare_zone_dnssec`: version 4 has no wanted status, its presence turns DNSSEC on.
fn dnssec(resource: &Resource, zones: &Zones<'_>, found: &mut ImportResult) -> Result<(), Refusal> {
    let zone = zones.of(resource)?;
    let is_on = !matches!(text(&resource.values, "status")?.as_deref(), Some("disabled" | "pending-disabled"));
    found.dnssec(&zone, is_on, resource.place);
    found.count(&resource.kind, Translation::Whole);
    Ok(())
}
