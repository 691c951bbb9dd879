//! Reads states and plans as JSON: `terraform.tfstate` (format 4), and `show -json` of a state or
//! plan.
//!
//! # Sources
//! developer.hashicorp.com/terraform/internals/json-format (values representation), read
//! 2026-11-22; the state file by its members.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::Resource;
use super::value::{Missing, Term};
use crate::diagnostic::Place;
use crate::model::Gather;

/// Returns true if a document is a state or a plan.
pub(in crate::import) fn is_document(json: &Json) -> bool {
    json.get("terraform_version").is_some() || json.get("format_version").is_some()
}

/// Returns the resources of a state or plan. The error is the reason why it cannot be used.
pub(in crate::import) fn read(json: &Json, file: &str) -> Result<Vec<Resource>, String> {
    let mut resources = read_all(json)?;
    let origin: Arc<str> = file.into();
    resources.iter_mut().for_each(|resource| resource.origin = Arc::clone(&origin));
    Ok(resources)
}

fn read_all(json: &Json) -> Result<Vec<Resource>, String> {
    let mut resources = Vec::new();
    if let Some(version) = json.get("version") {
        if version != 4 {
            return Err(format!("the state has format {version}; only format 4 is understood"));
        }
        for resource in list(json, "resources") {
            state_resource(resource, &mut resources);
        }
        return Ok(resources);
    }
    let root =
        json.pointer("/planned_values/root_module").or_else(|| json.pointer("/values/root_module"));
    if let Some(root) = root {
        module(root, &mut resources);
    }
    unknown_values(json, &mut resources);
    // A plan keeps the data sources that were read in its prior state.
    if let Some(root) = json.pointer("/prior_state/values/root_module") {
        let mut prior = Vec::new();
        module(root, &mut prior);
        resources.extend(prior.into_iter().filter(|resource| resource.kind.starts_with("data.")));
    }
    if root.is_none() && json.get("resource_changes").is_none() && json.get("values").is_none() {
        return Err(
            "it is neither a state nor a plan; make it with `terraform show -json`".to_owned()
        );
    }
    Ok(resources)
}

/// Marks the values that a plan does not know yet as missing if the configuration sets them. Values
/// that Cloudflare computes are not needed.
fn unknown_values(plan: &Json, resources: &mut [Resource]) {
    let mut written = BTreeMap::new();
    if let Some(root) = plan.pointer("/configuration/root_module") {
        expressions(root, "", &mut written);
    }
    let changes = list(plan, "resource_changes").iter();
    let unknown = |change: &'_ Json| {
        change.pointer("/change/after_unknown").and_then(Json::as_object).cloned()
    };
    let unknown: BTreeMap<&str, _> =
        changes.map(|change| (text(change, "address"), unknown(change))).gather();
    for resource in resources {
        let Some(Some(unknown)) = unknown.get(resource.address.as_str()) else { continue };
        let Some(written) = written.get(&without_keys(&resource.address)) else { continue };
        let Term::Map(values) = &mut resource.values else { continue };
        let is_unknown = |(name, value): &(&String, &Json)| {
            **value == Json::Bool(true)
                && *name != "zone_id"
                && written.get(name.as_str()).is_some()
        };
        for (name, _) in unknown.iter().filter(is_unknown) {
            let why = format!("`{name}` is known only after `terraform apply`");
            values.insert(name.clone(), Term::Missing(Missing::unknown(why, Place::NOWHERE)));
        }
    }
}

/// Collects the expressions of a plan's configuration by resource address, for a module and the
/// modules that it calls.
fn expressions<'j>(module: &'j Json, prefix: &str, out: &mut BTreeMap<String, &'j Json>) {
    for resource in list(module, "resources") {
        let expressions = resource.get("expressions");
        out.extend(expressions.map(|own| (format!("{prefix}{}", text(resource, "address")), own)));
    }
    for (name, call) in module.get("module_calls").and_then(Json::as_object).into_iter().flatten() {
        if let Some(inner) = call.get("module") {
            expressions(inner, &format!("{prefix}module.{name}."), out);
        }
    }
}

/// Removes the keys of instances from an address, such as `module.a["x"].b.c[0]`.
fn without_keys(address: &str) -> String {
    let (mut out, mut in_key, mut in_quotes, mut is_escaped) = (String::new(), false, false, false);
    for c in address.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_quotes => is_escaped = true,
            '"' if in_key => in_quotes = !in_quotes,
            '[' if !in_quotes => in_key = true,
            ']' if !in_quotes => in_key = false,
            _ if in_key => {}
            c => out.push(c),
        }
    }
    out
}

/// Returns a list member; empty if absent.
fn list<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    json.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns a text member; empty if absent.
fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Returns the kind of a resource or data source.
fn kind(json: &Json) -> String {
    let prefix = if text(json, "mode") == "data" { "data." } else { "" };
    format!("{prefix}{}", text(json, "type"))
}

/// Returns the values of a resource with sensitive ones hidden.
fn without_sensitive(values: Option<&Json>, is_sensitive: impl Fn(&str) -> bool) -> Term {
    let Some(Json::Object(members)) = values else { return Term::Null };
    let member = |(name, value): (&String, &Json)| {
        let value = Term::from_json(value);
        let is_hidden = !value.is_empty() && is_sensitive(name);
        let hidden = || {
            Term::Missing(Missing::sensitive(&format!("`{name}`"), value.clone(), Place::NOWHERE))
        };
        (name.clone(), if is_hidden { hidden() } else { value })
    };
    Term::Map(members.iter().map(member).gather())
}

/// Returns the values of an object that Terraform replaced and could not delete yet.
fn deposed() -> Term {
    let why =
        "it is a deposed object, which the next `terraform apply` deletes; run it and import again";
    Term::Missing(Missing::unknown(why, Place::NOWHERE))
}

/// Returns true if a value contains `true` at any depth.
fn holds_true(json: &Json) -> bool {
    match json {
        Json::Bool(is_true) => *is_true,
        Json::Array(items) => items.iter().any(holds_true),
        Json::Object(members) => members.values().any(holds_true),
        _ => false,
    }
}

/// Adds the instances of a resource in a state file.
fn state_resource(resource: &Json, out: &mut Vec<Resource>) {
    let kind = kind(resource);
    let module = resource
        .get("module")
        .and_then(Json::as_str)
        .map(|module| format!("{module}."))
        .unwrap_or_default();
    for instance in list(resource, "instances") {
        let key = match instance.get("index_key") {
            Some(key) => format!("[{key}]"),
            None => String::new(),
        };
        let is_deposed = instance.get("deposed").is_some();
        out.push(Resource {
            address: format!("{module}{kind}.{}{key}", text(resource, "name")),
            kind: kind.clone(),
            values: if is_deposed {
                deposed()
            } else {
                without_sensitive(instance.get("attributes"), |name| {
                    let first =
                        |path: &Json| path.pointer("/0/value").and_then(Json::as_str) == Some(name);
                    list(instance, "sensitive_attributes").iter().any(first)
                })
            },
            place: Place::NOWHERE,
            comments: Arc::default(),
            origin: Arc::default(),
            is_complete: true,
        });
    }
}

/// Adds the resources of a module of `show -json` and of its child modules. The depth is limited,
/// because the JSON reader limits it.
fn module(json: &Json, out: &mut Vec<Resource>) {
    for resource in list(json, "resources") {
        out.push(Resource {
            address: text(resource, "address").to_owned(),
            kind: kind(resource),
            values: if resource.get("deposed_key").is_some() {
                deposed()
            } else {
                without_sensitive(resource.get("values"), |name| {
                    let sensitive_values = resource.get("sensitive_values");
                    sensitive_values.and_then(|all| all.get(name)).is_some_and(holds_true)
                })
            },
            place: Place::NOWHERE,
            comments: Arc::default(),
            origin: Arc::default(),
            is_complete: true,
        });
    }
    for child in list(json, "child_modules") {
        module(child, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_does_not_know_is_missing_where_the_configuration_sets_it() {
        assert_eq!(without_keys(r#"module.a["x.y\"]"].b.c[0]"#), "module.a.b.c");
        let address = "module.m[\"k\"].cloudflare_dns_record.r[\"a\"]";
        let values = serde_json::json!({ "name": "www", "type": "A", "ttl": 300 });
        let resource = serde_json::json!({ "address": address, "mode": "managed", "type": "cloudflare_dns_record", "values": values });
        let unknown =
            serde_json::json!({ "content": true, "settings": true, "id": true, "zone_id": true });
        let written = serde_json::json!({ "content": { "references": ["aws_eip.x"] }, "zone_id": {}, "name": {} });
        let plan = serde_json::json!({
            "format_version": "1.2",
            "planned_values": { "root_module": { "child_modules": [{ "resources": [resource] }] } },
            "resource_changes": [{ "address": address, "change": { "after_unknown": unknown } }],
            "configuration": { "root_module": { "module_calls": { "m": { "module": {
                "resources": [{ "address": "cloudflare_dns_record.r", "expressions": written }] } } } } },
        });
        let read = read(&plan, "plan.json").unwrap();
        let Term::Map(values) = &read[0].values else { panic!("{read:?}") };
        let missing: Vec<&String> =
            values.iter().filter(|(_, v)| v.missing().is_some()).map(|(name, _)| name).collect();
        assert_eq!(missing, ["content"]);
    }
}
