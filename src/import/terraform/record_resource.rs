//! Translates `cloudflare_record` of version 4 and `cloudflare_dns_record` of version 5.

use std::cell::RefCell;

use super::Resource;
use super::attributes::Attributes;
use super::not_imported::Refusal;
use super::value::Term;
use super::zones::Zones;
use crate::import::import_result::{Entry, ImportResult, Translation, Written};
use crate::model::facts::{self, Slot};
use crate::model::{Fields, Settings, Value};

/// Members of `data` that repeat the name of an SRV record.
const NAME_OF_SRV: &[&str] = &["data.name", "data.proto", "data.service"];

/// Adds a record.
pub(super) fn record(
    resource: &Resource,
    zones: &Zones<'_>,
    found: &mut ImportResult,
) -> Result<Translation, Refusal> {
    let attributes = Attributes::new(resource);
    let zone = zones.of(resource)?;
    let needed = |name: &str| {
        attributes.text(name)?.ok_or_else(|| Refusal::Invalid(format!("it has no {name}")))
    };
    let (type_name, name) = (needed("type")?, needed("name")?);
    let (content, value) = (attributes.text("content")?, attributes.text("value")?);
    let content = content.or(value);
    // A state may have the fields of every type, all of them empty.
    let is_said =
        |data: &&Term| matches!(data, Term::Map(members) if !members.values().all(Term::is_empty));
    let written = match (attributes.object("data")?.filter(is_said), content) {
        (Some(data), content) => fields(&type_name, data, content.as_deref(), &attributes)?,
        (None, Some(content)) => {
            let has_priority = facts::type_facts(&type_name)
                .is_some_and(|facts| facts.field("priority").is_some());
            let priority = if has_priority { priority(&attributes)? } else { None };
            Written::Content(content, priority)
        }
        (None, None) => {
            return Err(Refusal::Invalid("it has neither `content` nor `data`".to_owned()));
        }
    };
    let ttl =
        match attributes.get("ttl") {
            Some(Term::Missing(missing)) => return Err(missing.clone().into()),
            None => None,
            Some(ttl) => Some(ttl.whole().ok_or_else(|| {
                Refusal::Invalid("its `ttl` is not a number of seconds".to_owned())
            })?),
        };
    attributes.object("settings")?;
    let refusal = RefCell::new(None);
    let settings = Settings::of(|name| {
        let is_on = match name {
            "private_routing" => attributes.switch(name),
            _ => attributes.switch_in("settings", name),
        };
        is_on.unwrap_or_else(|why| {
            refusal.replace(Some(why));
            None
        })
    });
    if let Some(refusal) = refusal.into_inner() {
        return Err(refusal);
    }
    let mut entry = Entry::new(&zone, &name, &type_name, written);
    entry.ttl = ttl;
    entry.comments = resource.comments.to_vec();
    entry.proxied = attributes.switch("proxied")?.unwrap_or_default();
    entry.comment = attributes.text("comment")?;
    entry.tags = attributes.texts("tags")?;
    entry.settings = settings;
    entry.not_translated = attributes.not_taken();
    Ok(found.record(&resource.kind, &resource.address, resource.place, entry))
}

/// Returns the priority beside the value.
fn priority(attributes: &Attributes<'_>) -> Result<Option<Value>, Refusal> {
    match attributes.get("priority") {
        Some(Term::Missing(missing)) => Err(missing.clone().into()),
        other => Ok(other.map(Term::to_value)),
    }
}

/// Returns the priority of a record that states it in `data`, beside it, or in both places.
///
/// State of version 4 has an empty `data.priority`, which is 0, for types whose priority the API
/// keeps beside `data` (`is_beside_data`).
///
/// # Errors
///
/// The two places contradict each other.
fn one_priority(
    in_data: Option<Value>,
    beside_data: &Value,
    is_beside_data: bool,
) -> Result<Value, Refusal> {
    let Some(in_data) = in_data else { return Ok(beside_data.clone()) };
    let [inner, outer] = [&in_data, beside_data].map(Value::to_string);
    if inner == outer || *beside_data == Value::Null {
        return Ok(in_data);
    }
    if is_beside_data && inner == "0" {
        return Ok(beside_data.clone());
    }
    Err(Refusal::Invalid(format!(
        "`data.priority` is {inner} and `priority` is {outer}; state one of them"
    )))
}

/// Returns the fields of a type in a `data` block. Version 4 stores the fields of all types; those
/// of other types are empty.
fn fields(
    type_name: &str,
    data: &Term,
    content: Option<&str>,
    attributes: &Attributes<'_>,
) -> Result<Written, Refusal> {
    if let Some(missing) = data.missing() {
        return Err(missing.clone().into());
    }
    let priority = priority(attributes)?;
    let Some(facts) = facts::type_facts(type_name) else {
        return Ok(Written::Text(content.unwrap_or_default().to_owned()));
    };
    if type_name.eq_ignore_ascii_case("SRV") {
        attributes.take(NAME_OF_SRV);
    }
    let Term::Map(members) = data else {
        return Err(Refusal::Invalid("`data` is not a block".to_owned()));
    };
    let mut fields = Fields::new();
    for field in facts.fields {
        attributes.member("data", field.name);
        let member =
            members.get(field.name).filter(|value| **value != Term::Null).map(Term::to_value);
        let value = match field.slot {
            Slot::Content => content.map(Value::from),
            Slot::Data | Slot::Top => member,
        };
        // Either version has the priority in `data` or beside it.
        let value = match &priority {
            Some(beside) if field.name == "priority" => {
                Some(one_priority(value, beside, field.slot == Slot::Top)?)
            }
            _ => value,
        };
        if let Some(value) = value {
            fields.insert(field.name.to_owned(), value);
        }
    }
    Ok(Written::Fields(fields))
}
