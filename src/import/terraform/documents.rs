//! States and plans as JSON: `terraform.tfstate` (format 4), and `show -json` of a state or plan.
//!
//! # Sources
//! developer.hashicorp.com/terraform/internals/json-format (values representation), read 2026-11-22; the state file by its members.

use std::sync::Arc;

use serde_json::Value as Json;

use super::Resource;
use super::value::Term;
use crate::diagnostic::Place;

/// Whether a document is a state or a plan.
pub(in crate::import) fn is_document(json: &Json) -> bool {
    json.get("terraform_version").is_some() || json.get("format_version").is_some()
}

/// The resources of a state or plan; otherwise why it cannot be used.
pub(in crate::import) fn read(json: &Json) -> Result<Vec<Resource>, String> {
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
    let root = json.pointer("/planned_values/root_module").or_else(|| json.pointer("/values/root_module"));
    if let Some(root) = root {
        module(root, &mut resources);
    }
    // A plan has the data sources that were read in the state before it.
    if let Some(root) = json.pointer("/prior_state/values/root_module") {
        let mut prior = Vec::new();
        module(root, &mut prior);
        resources.extend(prior.into_iter().filter(|resource| resource.kind.starts_with("data.")));
    }
    if root.is_none() && json.get("resource_changes").is_none() && json.get("values").is_none() {
        return Err("it is neither a state nor a plan; make it with `terraform show -json`".to_owned());
    }
    Ok(resources)
}

/// A member that is a list.
fn list<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    json.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A member that is text.
fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The kind of a resource or data source.
fn kind(json: &Json) -> String {
    let prefix = if text(json, "mode") == "data" { "data." } else { "" };
    format!("{prefix}{}", text(json, "type"))
}

/// A resource of a state file, with its instances.
fn state_resource(resource: &Json, out: &mut Vec<Resource>) {
    let kind = kind(resource);
    let module = resource.get("module").and_then(Json::as_str).map(|module| format!("{module}.")).unwrap_or_default();
    for instance in list(resource, "instances") {
        let key = match instance.get("index_key") {
            Some(key) => format!("[{key}]"),
            None => String::new(),
        };
        // An object that will be deleted by the next apply.
        if instance.get("deposed").is_some() {
            continue;
        }
        out.push(Resource {
            address: format!("{module}{kind}.{}{key}", text(resource, "name")),
            kind: kind.clone(),
            values: instance.get("attributes").map_or(Term::Null, Term::from_json),
            place: Place::NOWHERE,
            comments: Arc::default(),
        });
    }
}

/// The resources of a module of `show -json`, and of those below it. The reader bounds the depth of the document.
fn module(json: &Json, out: &mut Vec<Resource>) {
    for resource in list(json, "resources") {
        out.push(Resource {
            address: text(resource, "address").to_owned(),
            kind: kind(resource),
            values: resource.get("values").map_or(Term::Null, Term::from_json),
            place: Place::NOWHERE,
            comments: Arc::default(),
        });
    }
    for child in list(json, "child_modules") {
        module(child, out);
    }
}
