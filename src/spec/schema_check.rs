//! Checks that a tree has the shape of a spec: keys, kinds of values, allowed words, required keys.
//!
//! Takes a tree. Returns findings and the same tree without the refused parts, so that the rest can
//! be read and checked too. The shape is compiled from the JSON Schema, the single source for
//! editors and for the program. Conditions on the record type (`if`/`then`) are left to the model,
//! whose messages are better.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

use super::suggest::{foreign_key, foreign_type, hint, nearest, switch_meant};
use super::yaml_tree::{Kind, Meaning, NodeId, Tree};
use crate::diagnostic::{Diagnostics, Place, findings, names_credential};
use crate::model::Danger;

/// Kinds of values, as JSON Schema names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Kinds {
    null: bool,
    boolean: bool,
    integer: bool,
    number: bool,
    string: bool,
    array: bool,
    object: bool,
}

#[derive(Debug, Default)]
pub(super) struct CompiledSchema {
    kinds: Kinds,
    /// Known keys, in the order of the schema.
    keys: Vec<String>,
    properties: HashMap<String, CompiledSchema>,
    /// The schema of values under free keys.
    free: Option<Box<CompiledSchema>>,
    required: Vec<String>,
    words: Vec<String>,
    /// A value that fits, and the pattern of such values.
    example: Option<(String, String)>,
    range: Option<(i64, i64)>,
    items: Option<Box<CompiledSchema>>,
    needs_item: bool,
    alternatives: Vec<CompiledSchema>,
    is_record_type: bool,
    /// True if any value is valid.
    is_free: bool,
}

/// The results of the check other than findings.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// Places of values that may be secrets, which must not be shown.
    pub(super) secrets: Vec<Place>,
    /// Starts of mappings from which a known or misspelt key was removed, and of lists from which
    /// an item was removed. Nothing is reported as missing there.
    pub(super) reduced: HashSet<u32>,
}

/// Checks the tree of a spec, and removes refused parts.
///
/// The nodes in `failed` have no value, which has been reported. They are removed silently.
pub(super) fn check(
    tree: &mut Tree,
    failed: &HashSet<NodeId>,
    diagnostics: &mut Diagnostics,
) -> Checked {
    static SHAPE: OnceLock<CompiledSchema> = OnceLock::new();
    check_with_schema(
        SHAPE.get_or_init(|| CompiledSchema::new(&super::schema::schema())),
        "the spec",
        tree,
        failed,
        diagnostics,
    )
}

/// Checks a tree against a schema, and removes refused parts. Messages call the whole file `name`.
pub(super) fn check_with_schema(
    compiled: &CompiledSchema,
    name: &'static str,
    tree: &mut Tree,
    failed: &HashSet<NodeId>,
    diagnostics: &mut Diagnostics,
) -> Checked {
    let mut check = Check { tree, failed, diagnostics, left: Checked::default() };
    let root = check.tree.root;
    check.node(root, compiled, Name::File(name));
    check.left
}

/// Compiles the parts of a schema that are checked here.
fn compile_schema(schema: &Value) -> CompiledSchema {
    let judged = ["type", "anyOf", "oneOf", "enum", "const", "properties"];
    let is_free = schema.is_object() && judged.iter().all(|key| schema.get(*key).is_none());
    let mut compiled = CompiledSchema { is_free, ..CompiledSchema::default() };
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one.as_str()],
        _ => vec![],
    };
    for name in types {
        match name {
            "null" => compiled.kinds.null = true,
            "boolean" => compiled.kinds.boolean = true,
            "integer" => compiled.kinds.integer = true,
            "number" => compiled.kinds.number = true,
            "string" => compiled.kinds.string = true,
            "array" => compiled.kinds.array = true,
            _ => compiled.kinds.object = true,
        }
    }
    let list = |key: &str| schema[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = |values: &[Value]| {
        values.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    compiled.words = texts(list("enum"));
    // schemars writes an enumeration with descriptions as one alternative for each word.
    for branch in list("oneOf") {
        compiled.words.extend(branch["const"].as_str().map(str::to_owned));
        compiled
            .words
            .extend(texts(branch["enum"].as_array().map(Vec::as_slice).unwrap_or_default()));
        compiled.kinds.string = true;
    }
    compiled.is_record_type = schema.get("enumDescriptions").is_some();
    compiled.example = texts(list("examples"))
        .into_iter()
        .next()
        .zip(schema["pattern"].as_str().map(str::to_owned));
    compiled.required = texts(list("required"));
    if let Value::Object(properties) = &schema["properties"] {
        compiled.keys = properties.keys().cloned().collect();
        compiled.properties =
            properties.iter().map(|(key, value)| (key.clone(), compile_schema(value))).collect();
    }
    compiled.free = schema["additionalProperties"]
        .is_object()
        .then(|| compile_schema(&schema["additionalProperties"]).into());
    compiled.items = schema["items"].is_object().then(|| compile_schema(&schema["items"]).into());
    compiled.needs_item = schema["minItems"].as_u64().is_some_and(|n| n > 0);
    compiled.range = schema["minimum"].as_i64().zip(schema["maximum"].as_i64());
    compiled.alternatives = list("anyOf").iter().map(compile_schema).collect();
    for alternative in &compiled.alternatives {
        compiled.kinds = compiled.kinds.or(alternative.kinds);
    }
    compiled
}

impl CompiledSchema {
    /// Compiles the schema of a file. The version is checked by the parser, before the shape.
    pub(super) fn new(schema: &Value) -> Self {
        let mut compiled = compile_schema(schema);
        compiled.required.clear();
        compiled
    }

    /// Returns a number with the unit that values have, such as `10%`; `None` if the result does not
    /// fit either.
    fn with_unit(&self, number: &str) -> Option<String> {
        let (example, pattern) = self.example.as_ref()?;
        let value = format!("{number}{}", example.trim_start_matches(|c: char| c.is_ascii_digit()));
        regex::Regex::new(pattern).ok()?.is_match(&value).then_some(value)
    }

    /// Returns true if a word is allowed.
    fn allows_value(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
            || self.alternatives.iter().any(|a| a.allows_value(word))
    }
}

impl Kinds {
    /// Returns the kinds that either accepts.
    fn or(self, other: Self) -> Self {
        Self {
            null: self.null || other.null,
            boolean: self.boolean || other.boolean,
            integer: self.integer || other.integer,
            number: self.number || other.number,
            string: self.string || other.string,
            array: self.array || other.array,
            object: self.object || other.object,
        }
    }

    /// Returns true if a node has one of these kinds.
    fn take(self, tree: &Tree, id: NodeId) -> bool {
        match (&tree.node(id).kind, tree.meaning(id)) {
            (Kind::Sequence(_), _) => self.array,
            (Kind::Mapping(_), _) => self.object,
            (_, Some(Meaning::Null)) => self.null,
            (_, Some(Meaning::Bool(_))) => self.boolean,
            (_, Some(Meaning::Integer(_))) => self.integer || self.number,
            (_, Some(Meaning::Number)) => self.number,
            (_, Some(Meaning::Text) | None) => self.string,
        }
    }

    /// Returns the kinds as text for messages.
    fn words(self) -> String {
        let mut words = Vec::new();
        if self.string {
            words.push("text");
        }
        // Wherever text is valid, numbers are read as text. Naming both would not help.
        if self.integer || (self.number && !self.string) {
            words.push("a number");
        }
        if self.boolean {
            words.push("true or false");
        }
        if self.array {
            words.push("a list");
        }
        if self.object {
            words.push("a mapping");
        }
        if self.null {
            words.push("null");
        }
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.concat(),
        }
    }
}

/// The name of a node in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name<'n> {
    /// The whole file, by its kind.
    File(&'static str),
    /// The value of a key.
    Key(&'n str),
    /// An item of the list at a key.
    Item(&'n str),
}

impl Name<'_> {
    /// Returns the name of an item below this name.
    fn item(self) -> Self {
        match self {
            Self::File(name) => Self::File(name),
            Self::Key(key) | Self::Item(key) => Self::Item(key),
        }
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name) => f.write_str(name),
            Self::Key(key) => write!(f, "`{}`", super::clip(key)),
            Self::Item(key) => write!(f, "an item of `{}`", super::clip(key)),
        }
    }
}

/// The state of the check.
struct Check<'a> {
    tree: &'a mut Tree,
    failed: &'a HashSet<NodeId>,
    diagnostics: &'a mut Diagnostics,
    left: Checked,
}

impl Check<'_> {
    /// Checks a node. Returns true if it is kept.
    fn node(&mut self, id: NodeId, compiled: &CompiledSchema, name: Name<'_>) -> bool {
        if self.failed.contains(&id) || super::is_enough(self.diagnostics) {
            return false;
        }
        if compiled.is_free {
            return true;
        }
        if !compiled.kinds.take(self.tree, id) {
            self.wrong_kind(id, compiled, name);
            return false;
        }
        if !compiled.alternatives.is_empty() {
            let is_scalar = matches!(self.tree.node(id).kind, Kind::Scalar(..));
            // The model checks scalars with alternatives (a time to live, a priority), because it
            // knows more.
            let fitting = compiled
                .alternatives
                .iter()
                .find(|a| a.kinds.take(self.tree, id))
                .filter(|_| !is_scalar);
            return fitting.is_none_or(|alternative| self.node(id, alternative, name));
        }
        match &mut self.tree.node_mut(id).kind {
            Kind::Scalar(..) => self.scalar(id, compiled, name),
            Kind::Sequence(items) => {
                let mut items = std::mem::take(items);
                let (was_empty, length) = (items.is_empty(), items.len());
                if let Some(compiled) = &compiled.items {
                    items.retain(|item| self.node(*item, compiled, name.item()));
                }
                if items.len() < length {
                    self.left.reduced.insert(self.tree.node(id).span.start);
                }
                if let Kind::Sequence(place) = &mut self.tree.node_mut(id).kind {
                    *place = items;
                }
                if was_empty && compiled.needs_item {
                    let place = self.tree.place(id);
                    self.diagnostics.push(
                        findings::OUT_OF_RANGE.at(place, format!("{name} is an empty list")).help(
                            "write at least one value; to remove records write `state: absent`",
                        ),
                    );
                    return false;
                }
                true
            }
            Kind::Mapping(_) => {
                self.mapping(id, compiled, name);
                true
            }
        }
    }

    /// Checks a single value of the right kind.
    fn scalar(&mut self, id: NodeId, compiled: &CompiledSchema, name: Name<'_>) -> bool {
        let (text, place) = (self.tree.text(id), self.tree.place(id));
        if !compiled.words.is_empty() && !compiled.words.iter().any(|w| w == text) {
            let diagnostic = if compiled.is_record_type && text.eq_ignore_ascii_case("SOA") {
                findings::SERVICE_TYPE
                    .at(place, "SOA records are written by Cloudflare")
                    .help("remove the record; Cloudflare answers SOA queries by itself")
            } else if compiled.is_record_type
                && let Some(help) = foreign_type(text)
            {
                findings::UNKNOWN_WORD
                    .at(place, format!("`{}` is not a type of records", super::clip(text)))
                    .help(help)
            } else {
                findings::UNKNOWN_WORD
                    .at(place, format!("`{}` is not a valid value for {name}", super::clip(text)))
                    .help(match switch_meant(text).filter(|word| compiled.allows_value(word)) {
                        Some(word) => format!("write `{word}`"),
                        None => hint(text, compiled.words.iter().map(String::as_str), "words"),
                    })
            };
            self.diagnostics.push(diagnostic);
            return false;
        }
        if let (Some((least, most)), Some(Meaning::Integer(number))) =
            (compiled.range, self.tree.meaning(id))
            && !(least..=most).contains(&number)
        {
            self.diagnostics.push(
                findings::OUT_OF_RANGE
                    .at(place, format!("{name} is {number}"))
                    .help(format!("write a number from {least} to {most}")),
            );
            return false;
        }
        true
    }

    /// Checks the keys of a mapping and their values, and removes refused ones.
    fn mapping(&mut self, id: NodeId, compiled: &CompiledSchema, name: Name<'_>) {
        let Kind::Mapping(entries) = &mut self.tree.node_mut(id).kind else { return };
        let mut entries = std::mem::take(entries);
        let present: Vec<NodeId> = if compiled.required.is_empty() {
            Vec::new()
        } else {
            entries.iter().map(|e| e.key).collect()
        };
        let handle = entries.first().map_or(self.tree.place(id), |e| self.tree.place(e.key));
        let mut meant_keys = Vec::new();
        let start = self.tree.node(id).span.start;
        entries.retain(|entry| {
            let key = self.tree.text(entry.key);
            if let Some((key, compiled)) = compiled.properties.get_key_value(key) {
                let kept = self.node(entry.value, compiled, Name::Key(key));
                if !kept {
                    self.left.reduced.insert(start);
                }
                return kept;
            }
            if let Some(free) = &compiled.free
                && (!names_credential(key)
                    || name != Name::Key("variables") && free.kinds.take(self.tree, entry.value))
            {
                if self.failed.contains(&entry.key) {
                    return false;
                }
                let key = key.to_owned();
                return self.node(entry.value, free, Name::Key(&key));
            }
            if super::is_enough(self.diagnostics) {
                return false;
            }
            let foreign =
                foreign_key(key).filter(|meant_keys| compiled.properties.contains_key(*meant_keys));
            if let Some(key) =
                foreign.or_else(|| nearest(key, compiled.keys.iter().map(String::as_str)))
            {
                meant_keys.push(key);
                self.left.reduced.insert(start);
            }
            self.unknown_key(entry.key, entry.value, compiled);
            false
        });
        if let Kind::Mapping(place) = &mut self.tree.node_mut(id).kind {
            *place = entries;
        }
        for required in &compiled.required {
            if !meant_keys.contains(&required.as_str())
                && !present.iter().any(|key| self.tree.text(*key) == required)
            {
                self.diagnostics.push(
                    findings::MISSING_KEY
                        .at(handle, format!("`{required}` is missing {}", in_what(name)))
                        .help(format!("add `{required}:`")),
                );
            }
        }
    }

    /// Reports a key that is not in the schema.
    fn unknown_key(&mut self, id: NodeId, value: NodeId, compiled: &CompiledSchema) {
        let (key, place) = (self.tree.text(id), self.tree.place(id));
        if names_credential(key) {
            self.diagnostics.push(super::secrets::found(
                place,
                "this key names a credential; its value is not shown",
            ));
            self.left.secrets.push(self.tree.place(value));
            return;
        }
        if let Some(meant) =
            foreign_key(key).filter(|meant| compiled.properties.contains_key(*meant))
        {
            let detail = format!("there is no key `{}` here", super::clip(key));
            self.diagnostics
                .push(findings::UNKNOWN_KEY.at(place, detail).help(format!("write `{meant}`")));
            return;
        }
        // The consent of an earlier version was narrower, so the author must choose the new one.
        if let Some(danger) =
            Danger::successor(key).filter(|danger| compiled.properties.contains_key(danger.code()))
        {
            self.diagnostics.push(
                findings::UNKNOWN_KEY
                    .at(place, Danger::unknown(key))
                    .help(format!("write `{}` if that is accepted as well", danger.code())),
            );
            return;
        }
        let keys = compiled.keys.iter().map(String::as_str);
        self.diagnostics.push(
            findings::UNKNOWN_KEY
                .at(place, format!("there is no key `{}` here", super::clip(key)))
                .help(hint(key, keys, "keys")),
        );
    }

    /// Reports a value of the wrong kind.
    fn wrong_kind(&mut self, id: NodeId, compiled: &CompiledSchema, name: Name<'_>) {
        if let (Kind::Sequence(_), Name::Key(key @ ("owasp" | "cloudflare"))) =
            (&self.tree.node(id).kind, name)
        {
            let place = self.tree.handle(id);
            self.diagnostics.push(super::waf::several_deployments(key, place));
            return;
        }
        let text = self.tree.text(id);
        let expected = compiled.kinds.words();
        let (found, place) = match (&self.tree.node(id).kind, self.tree.meaning(id)) {
            (Kind::Sequence(_), _) => ("a list".to_owned(), self.tree.handle(id)),
            (Kind::Mapping(_), _) => ("a mapping".to_owned(), self.tree.handle(id)),
            (_, Some(Meaning::Null)) if text.is_empty() => {
                ("nothing".to_owned(), self.tree.place(id))
            }
            _ => (format!("`{}`", super::clip(text)), self.tree.place(id)),
        };
        let kinds = compiled.kinds;
        let help = match self.tree.meaning(id) {
            Some(Meaning::Null) if text.is_empty() && kinds.string => {
                "write a value, or remove the key".to_owned()
            }
            Some(Meaning::Null) if kinds.array => {
                "write `[]` for an empty list, or remove the key".to_owned()
            }
            Some(Meaning::Null) if kinds.object => {
                "write `{}` for an empty mapping, or remove the key".to_owned()
            }
            Some(Meaning::Null) if text.is_empty() => "write a value, or remove the key".to_owned(),
            Some(Meaning::Bool(_)) if compiled.allows_value("on") => {
                let on = matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "y");
                format!("write `{}`", if on { "on" } else { "off" })
            }
            Some(Meaning::Null | Meaning::Bool(_)) if kinds.string => {
                format!("write \"{text}\" in quotes if it is meant as text, or remove the key")
            }
            Some(Meaning::Text) if kinds.boolean && nearest(text, ["true", "false"]).is_some() => {
                format!("write {} without quotes", text.to_lowercase())
            }
            Some(Meaning::Text) if kinds.boolean => match &*text.to_lowercase() {
                "yes" | "on" | "y" => "write true".to_owned(),
                "no" | "off" | "n" => "write false".to_owned(),
                _ => "write true or false".to_owned(),
            },
            Some(_) if kinds.array => match name {
                Name::Key(key) => format!("write `{key}: [{}]`", super::clip(text)),
                Name::File(_) | Name::Item(_) => format!("write `[{}]`", super::clip(text)),
            },
            Some(_) if kinds.object && matches!(name, Name::Item("disable" | "enable")) => {
                format!("write `{{ rule: {}, reason: … }}`", super::clip(text))
            }
            Some(_) if kinds.object => "write `key: value` pairs below it, indented".to_owned(),
            None if kinds.string => {
                "write the value itself, in quotes if it begins with `{` or `[`".to_owned()
            }
            None if kinds.array => "write each item after a `- `".to_owned(),
            None if kinds.object => "write `key: value` pairs, not a list".to_owned(),
            _ => match (compiled.with_unit(text), &compiled.example) {
                (Some(value), _) => format!("write `{value}`"),
                (None, Some((example, _))) => format!("write {expected}, such as `{example}`"),
                (None, None) => format!("write {expected}"),
            },
        };
        self.diagnostics.push(
            findings::WRONG_KIND
                .at(place, format!("{name} should be {expected}, not {found}"))
                .help(help),
        );
    }
}

/// Returns "in this record" or similar, for the node in which something is missing.
fn in_what(name: Name<'_>) -> &'static str {
    if name == Name::Item("records") { "in this record" } else { "here" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_said_in_words() {
        let kinds = |schema: serde_json::Value| compile_schema(&schema).kinds.words();
        assert_eq!(kinds(serde_json::json!({ "type": ["string", "number"] })), "text");
        assert_eq!(kinds(serde_json::json!({ "type": "boolean" })), "true or false");
        assert_eq!(
            kinds(
                serde_json::json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "array" }] })
            ),
            "text, a number or a list"
        );
    }

    #[test]
    fn words_come_from_both_forms_of_enumerations() {
        let words = |schema: serde_json::Value| compile_schema(&schema).words;
        assert_eq!(words(serde_json::json!({ "type": "string", "enum": ["a", "b"] })), ["a", "b"]);
        assert_eq!(
            words(serde_json::json!({ "oneOf": [{ "const": "a" }, { "const": "b" }] })),
            ["a", "b"]
        );
    }
}
