//! The public API of the package `zonewright` is as `docs/internals/public-api.txt` lists it.
//!
//! `.ci/run` lets rustdoc describe the package as JSON, with hidden modules, and then runs the test
//! that reads it. Items of `zonewright-model` that `reconcile` hands out are listed by their names
//! alone.

use std::fmt::Write;

use serde_json::Value as Json;

use crate::generated::up_to_date;

/// The file in which `.ci/run` leaves the description from rustdoc.
const DESCRIPTION: &str = "target/doc/zonewright.json";

#[test]
#[ignore = "needs a description of the library from rustdoc, which .ci/run makes"]
fn the_public_api_is_as_listed() {
    let description = std::fs::read_to_string(DESCRIPTION).unwrap();
    let description: Json = serde_json::from_str(&description).unwrap();
    let mut api = Api { description: &description, lines: Vec::new() };
    api.list_module(&description["root"], "zonewright");
    api.lines.sort();
    up_to_date("docs/internals/public-api.txt", &(api.lines.join("\n") + "\n"));
}

/// A description from rustdoc, and the lines of the items in it.
struct Api<'a> {
    description: &'a Json,
    lines: Vec<String>,
}

impl<'a> Api<'a> {
    fn item(&self, id: &Json) -> Option<&'a Json> {
        self.description["index"].get(id.to_string())
    }

    fn list_module(&mut self, id: &Json, path: &str) {
        let Some(module) = self.item(id) else { return };
        elements(&module["inner"]["module"]["items"]).for_each(|id| self.list_shown(id, path));
    }

    /// Lists an item that is neither private nor marked as hidden. A re-export shows an item of a
    /// hidden module.
    fn list_shown(&mut self, id: &Json, path: &str) {
        let is_shown = |item: &Json| !item["attrs"].to_string().contains("doc(hidden)");
        if self.item(id).is_some_and(is_shown) {
            self.list_item(id, path, None);
        }
    }

    fn list_item(&mut self, id: &Json, path: &str, name: Option<&str>) {
        let Some(item) = self.item(id) else {
            let target = &self.description["paths"][id.to_string()]["path"];
            let target: Vec<_> = elements(target).filter_map(Json::as_str).collect();
            return self.lines.push(format!("{path}::{} = {}", name.unwrap(), target.join("::")));
        };
        let (kind, inner) = item["inner"].as_object().unwrap().iter().next().unwrap();
        let name = name.or(item["name"].as_str()).unwrap_or_default();
        let path = format!("{path}::{name}");
        let is_growing = item["attrs"].to_string().contains("non_exhaustive");
        let growing = if is_growing { "non_exhaustive " } else { "" };
        match kind.as_str() {
            "use" => {
                let parent = path.rsplit_once("::").unwrap().0.to_owned();
                self.list_item(&inner["id"], &parent, inner["name"].as_str());
            }
            "module" => self.list_module(id, &path),
            "function" => self.lines.push(format!("{path}{}", signature(inner))),
            "struct_field" => self.lines.push(format!("{path}: {}", type_name(inner))),
            "constant" | "assoc_const" => {
                self.lines.push(format!("{path}: const {}", type_name(&inner["type"])));
            }
            "type_alias" => self.lines.push(format!("{path} = {}", type_name(&inner["type"]))),
            "variant" => {
                self.lines.push(format!("{growing}variant {path}"));
                self.list_fields(&inner["kind"], &path);
            }
            "trait" => {
                self.lines.push(format!("trait {path}"));
                elements(&inner["items"]).for_each(|id| self.list_shown(id, &path));
            }
            "struct" | "enum" => {
                self.lines.push(format!("{growing}{kind} {path}"));
                self.list_fields(&inner["kind"], &path);
                elements(&inner["variants"]).for_each(|id| self.list_shown(id, &path));
                self.list_impls(&inner["impls"], &path);
            }
            _ => {}
        }
    }

    fn list_fields(&mut self, kind: &Json, path: &str) {
        let named = kind.as_object().and_then(|kind| kind.values().next()).unwrap_or(&Json::Null);
        let fields = named.get("fields").unwrap_or(named);
        elements(fields).for_each(|id| self.list_shown(id, path));
    }

    /// Lists methods, and the traits that the type implements by itself.
    fn list_impls(&mut self, impls: &Json, path: &str) {
        let mut traits = Vec::new();
        for id in elements(impls) {
            let Some(item) = self.item(id) else { continue };
            let block = &item["inner"]["impl"];
            if block["is_synthetic"] == true || !block["blanket_impl"].is_null() {
                continue;
            }
            if block["trait"].is_null() {
                elements(&block["items"]).for_each(|id| self.list_shown(id, path));
            } else {
                traits.push(path_name(&block["trait"]));
            }
        }
        // The compiler adds these to derived traits.
        traits.retain(|name| !["StructuralPartialEq", "TrivialClone"].contains(&name.as_str()));
        traits.sort();
        if !traits.is_empty() {
            self.lines.push(format!("impl {} for {path}", traits.join(" + ")));
        }
    }
}

fn elements(list: &Json) -> impl Iterator<Item = &Json> {
    list.as_array().into_iter().flatten()
}

fn signature(function: &Json) -> String {
    let inputs = elements(&function["sig"]["inputs"]).map(|input| {
        let (name, of) = (input[0].as_str().unwrap(), type_name(&input[1]));
        if name == "self" { of } else { format!("{name}: {of}") }
    });
    let mut text = format!("({})", inputs.collect::<Vec<_>>().join(", "));
    if function["header"]["is_async"] == true {
        text.insert_str(0, " async ");
    }
    if !function["sig"]["output"].is_null() {
        write!(text, " -> {}", type_name(&function["sig"]["output"])).unwrap();
    }
    text
}

/// Returns the last part of a path, with its arguments.
fn path_name(path: &Json) -> String {
    let name = path["path"].as_str().or(path["name"].as_str()).unwrap_or_default();
    let name = name.rsplit("::").next().unwrap();
    let arguments = &path["args"];
    if let Some(called) = arguments.get("parenthesized") {
        let inputs: Vec<_> = elements(&called["inputs"]).map(type_name).collect();
        let output = match &called["output"] {
            Json::Null => String::new(),
            output => format!(" -> {}", type_name(output)),
        };
        return format!("{name}({}){output}", inputs.join(", "));
    }
    let bracketed = &arguments["angle_bracketed"];
    let given = elements(&bracketed["args"]).map(|argument| match argument {
        Json::Object(kind) => match kind.iter().next() {
            Some((kind, lifetime)) if kind == "lifetime" => lifetime.as_str().unwrap().to_owned(),
            Some((_, given)) => type_name(given),
            None => String::new(),
        },
        _ => "_".to_owned(),
    });
    let bound = elements(&bracketed["constraints"]).map(|constraint| {
        let equal = &constraint["binding"]["equality"]["type"];
        format!("{} = {}", constraint["name"].as_str().unwrap_or_default(), type_name(equal))
    });
    let arguments: Vec<_> = given.chain(bound).collect();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}<{}>", arguments.join(", ")) }
}

fn bounds(bounds: &Json) -> String {
    let names = elements(bounds).map(|bound| match bound.get("trait_bound") {
        Some(bound) => path_name(&bound["trait"]),
        None => bound["outlives"].as_str().unwrap_or("?").to_owned(),
    });
    names.collect::<Vec<_>>().join(" + ")
}

fn type_name(of: &Json) -> String {
    let Some((kind, inner)) = of.as_object().and_then(|of| of.iter().next()) else {
        return "_".to_owned();
    };
    match kind.as_str() {
        "primitive" | "generic" => inner.as_str().unwrap().to_owned(),
        "resolved_path" => path_name(inner),
        "tuple" => format!("({})", elements(inner).map(type_name).collect::<Vec<_>>().join(", ")),
        "slice" => format!("[{}]", type_name(inner)),
        "array" => format!("[{}; {}]", type_name(&inner["type"]), inner["len"]),
        "impl_trait" => format!("impl {}", bounds(inner)),
        "dyn_trait" => {
            let names: Vec<_> =
                elements(&inner["traits"]).map(|bound| path_name(&bound["trait"])).collect();
            format!("dyn {}", names.join(" + "))
        }
        "borrowed_ref" => {
            let lifetime = inner["lifetime"].as_str().map(|name| format!("{name} "));
            let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
            format!("&{}{mutable}{}", lifetime.unwrap_or_default(), type_name(&inner["type"]))
        }
        "qualified_path" => {
            format!("{}::{}", type_name(&inner["self_type"]), inner["name"].as_str().unwrap())
        }
        other => other.to_owned(),
    }
}
