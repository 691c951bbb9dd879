//! The JSON Schema of a spec, draft-07, generated from the types in `syntax` and the facts of the
//! record types.
//!
//! The same schema drives editors (committed as `schema/spec.schema.json`) and the program's shape
//! check, so that both agree. Rules that depend on the record type (members of `data`, whether
//! `content` and `priority` are required) are added here as conditions, in a form that the YAML
//! language server completes well. The program checks them with the model, whose messages are
//! better.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::syntax::FileSyntax;
use crate::model::RecordType;
use crate::model::facts::{FieldFacts, FieldKind, Slot, TypeFacts};

/// Marks the few keys that accept `null`.
const NULLABLE: &str = "x-nullable";

/// Returns the schema.
#[must_use]
pub fn schema() -> Value {
    let mut schema = of::<FileSyntax>();
    titles(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), json!("zonewright spec"));
    }
    for section in ["zones", "profiles"] {
        let path = format!("/properties/{section}/additionalProperties/properties/records/items");
        if let Some(record) = schema.pointer_mut(&path).and_then(Value::as_object_mut) {
            record.insert(
                "allOf".to_owned(),
                RecordType::ALL.iter().flat_map(|t| conditions(t.facts())).collect(),
            );
        }
    }
    schema
}

/// Returns the schema of a file format. Absent keys are not `null`.
pub(super) fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07().for_deserialize().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    without_null(&mut schema);
    schema
}

/// Removes the `null` that every optional key adds. An absent key is not `null`.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.remove(NULLABLE).is_some() {
                return;
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|t| t != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
                branches.retain(|b| b.get("type").is_none_or(|t| t != "null"));
                if let [only] = branches.as_slice() {
                    // A single alternative is the schema itself. The key's description replaces its
                    // own.
                    let only = only.as_object().cloned().unwrap_or_default();
                    object.shift_remove("anyOf");
                    for (key, value) in only {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            if let Some(Value::Array(words)) = object.get_mut("enum") {
                words.retain(|w| !w.is_null());
            }
            object.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Gives every key a title, which editors show above its description.
fn titles(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                for (key, property) in properties {
                    if let Value::Object(property) = property {
                        property.entry("title").or_insert_with(|| json!(key));
                    }
                }
            }
            object.values_mut().for_each(titles);
        }
        Value::Array(items) => items.iter_mut().for_each(titles),
        _ => {}
    }
}

/// Returns the conditions that follow from the type of a record.
fn conditions(facts: &TypeFacts) -> Vec<Value> {
    let is_type = json!({ "const": facts.name });
    let record_of_type = json!({
        "properties": { "type": is_type, "state": { "not": { "const": "absent" } } },
        "required": ["type"],
    });
    let mut conditions = vec![json!({
        "if": { "properties": { "type": is_type }, "required": ["type"] },
        "then": { "properties": record_keys_schema(facts) },
    })];
    if facts.has_data() {
        let neither =
            json!({ "not": { "anyOf": [{ "required": ["content"] }, { "required": ["data"] }] } });
        conditions.push(
            json!({ "if": { "allOf": [record_of_type, neither] }, "then": { "required": ["data"] } }),
        );
    } else {
        conditions.push(json!({ "if": record_of_type, "then": { "required": ["content"] } }));
    }
    if facts.has_priority_beside() && !facts.has_data() {
        // Text with a blank includes its priority, as in a zone file.
        let bare = json!({ "type": "string", "pattern": r"^\S+$" });
        conditions.push(json!({
            "if": {
                "properties": {
                    "type": is_type,
                    "state": { "not": { "const": "absent" } },
                    "content": { "anyOf": [bare, { "type": "array", "items": bare }] },
                },
                "required": ["type", "content"],
            },
            "then": { "required": ["priority"] },
        }));
    }
    conditions
}

/// Returns the schema of the keys whose meaning depends on the record type.
fn record_keys_schema(facts: &TypeFacts) -> Value {
    let mut members = Map::new();
    let examples = facts.examples;
    let (content, data) = if facts.has_data() {
        let data_schema = data_schema_of(facts);
        (
            json!({ "description": format!("{}, as in a zone file, such as {}", facts.about, examples[0]) }),
            json!({ "anyOf": [data_schema, { "type": "array", "items": data_schema, "minItems": 1 }] }),
        )
    } else {
        let about = facts.field("content").map_or(facts.about, |f| f.about);
        let example = examples[0]
            .rsplit_once(' ')
            .filter(|_| facts.fields.len() > 1)
            .map_or(examples[0], |(_, c)| c);
        (json!({ "description": about, "examples": [example] }), json!(false))
    };
    members.insert("content".to_owned(), content);
    members.insert("data".to_owned(), data);
    if !facts.proxiable {
        members.insert("proxied".to_owned(), json!({ "enum": [false] }));
    }
    Value::Object(members)
}

/// Returns the schema of `data`.
fn data_schema_of(facts: &TypeFacts) -> Value {
    let properties: Map<String, Value> =
        facts.fields.iter().map(|f| (f.name.to_owned(), field(f))).collect();
    // Cloudflare has some priorities next to `data`. They may be in either place.
    let needed = |f: &&FieldFacts| f.slot == Slot::Data && !f.is_optional();
    let required: Vec<_> = facts.fields.iter().filter(needed).map(|f| f.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Returns the schema of one member of `data`.
fn field(facts: &FieldFacts) -> Value {
    let mut schema = match facts.kind {
        FieldKind::Integer { max } => json!({
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": max },
                { "type": "string", "pattern": r"^([0-9]+|.*\$\{.*\}.*)$" },
            ]
        }),
        FieldKind::Decimal { min, max, places } => json!({
            "anyOf": [
                { "type": "number", "minimum": in_units(min, places), "maximum": in_units(max, places) },
                { "type": "string", "pattern": r"^(-?[0-9]+(\.[0-9]+)?|.*\$\{.*\}.*)$" },
            ]
        }),
        FieldKind::Choice(words) => json!({
            "anyOf": [{ "enum": words }, { "type": "string", "pattern": r"^.*\$\{.*\}.*$" }]
        }),
        FieldKind::Ipv4
        | FieldKind::Ipv6
        | FieldKind::Host
        | FieldKind::HostOrRoot
        | FieldKind::CharacterStrings
        | FieldKind::HostKeepDot
        | FieldKind::Hex { .. }
        | FieldKind::Base64
        | FieldKind::SvcParams
        | FieldKind::Tag
        | FieldKind::Text
        | FieldKind::CharacterString => json!({ "type": ["string", "number"] }),
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), json!(facts.name));
        object.insert("description".to_owned(), json!(facts.about));
    }
    schema
}

/// Returns a number in units of its last decimal place, as JSON.
fn in_units(number: i64, places: u8) -> Value {
    let scale = 10i64.pow(places.into());
    if number % scale == 0 {
        return json!(number / scale);
    }
    #[expect(clippy::cast_precision_loss, reason = "the bounds of the facts have few digits")]
    let number = number as f64 / scale as f64;
    json!(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_take_null_and_every_key_is_described() {
        fn walk(schema: &Value, path: &str) {
            if let Value::Object(object) = schema {
                if let Some(Value::Object(properties)) =
                    object.get("properties").filter(|_| !path.contains("allOf"))
                {
                    for (key, property) in properties {
                        assert!(
                            property.get("description").is_some(),
                            "{path}/{key} has no description"
                        );
                        assert!(property.get("title").is_some(), "{path}/{key} has no title");
                        if property
                            .get("type")
                            .and_then(Value::as_array)
                            .is_some_and(|t| t.contains(&json!("null")))
                        {
                            assert!(
                                ["comment", "mname", "reference_zone_id"].contains(&key.as_str()),
                                "{path}/{key}"
                            );
                        }
                    }
                    assert_eq!(object.get("additionalProperties"), Some(&json!(false)), "{path}");
                }
                for (key, value) in object {
                    walk(value, &format!("{path}/{key}"));
                }
            }
        }
        let schema = schema();
        walk(&schema, "");
        assert!(!schema.to_string().contains("$ref"));
        assert_eq!(schema["required"], json!(["version"]));
    }
}
