//! docs/spec.md: every key of the spec and of the policy file, from their schemas. The examples
//! are values of the files in tests/cases/spec-page, which use every key and are valid.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use serde_json::{Map, Value as Json};
use zonewright::diagnostic::{Severity, Sources};
use zonewright::schema::{Kind, schema};
use zonewright::spec::{Input, Options, load};

use crate::generated::up_to_date;

/// The files that the examples are taken from; the first one includes the others.
const SPEC: [&str; 2] =
    ["tests/cases/spec-page/spec.yaml", "tests/cases/spec-page/zones/more.yaml"];
const POLICY: [&str; 1] = ["tests/cases/spec-page/policy.yaml"];

/// Maximum length of an example in a table, in characters.
const LONGEST_EXAMPLE: usize = 70;

/// What the keys at a path of a file describe: the beginning of the heading of their table.
const SUBJECTS: [(&str, &str, &str); 21] = [
    ("Spec", "", "A file"),
    ("Spec", "defaults", "Defaults of records"),
    ("Spec", "zones NAME", "A zone"),
    ("Spec", "zones NAME records []", "A record"),
    ("Spec", "zones NAME records [] content", "The value of each record type as text"),
    ("Spec", "zones NAME records [] data", "The value of each record type by its parts"),
    ("Spec", "zones NAME ignore []", "What pruning leaves alone"),
    ("Spec", "zones NAME allow", "Consents"),
    ("Spec", "zones NAME dns_settings", "DNS settings"),
    ("Spec", "zones NAME waf", "Protection"),
    ("Spec", "zones NAME waf owasp", "The OWASP ruleset"),
    ("Spec", "zones NAME waf cloudflare", "The Cloudflare Managed Ruleset"),
    ("Spec", "zones NAME waf exceptions []", "An exception"),
    ("Spec", "zones NAME waf custom []", "A custom rule"),
    ("Spec", "zones NAME waf rate_limits []", "A rate limit"),
    ("Spec", "zones NAME waf accept []", "Weaker protection that is accepted"),
    ("Spec", "zones NAME expect []", "An expectation"),
    ("Spec", "profiles NAME", "A profile"),
    ("Policy", "", "The policy file"),
    ("Policy", "allow", "Consents of the policy file"),
    ("Policy", "zones NAME", "A zone of the policy file"),
];

const HEAD: &str = "\
# The spec, key by key

Every key of the spec and of the policy file, generated from their schemas. `zonewright schema spec` prints the schema for editors.

- A key that is left out leaves Cloudflare's value alone, unless its row names a default.
- Text may be written as a number where that is one, and may contain `${VARIABLE}`.
- A key that is not listed here is an error.
- In headings, NAME is a name that you choose, and `[]` stands for each item of a list.

CONTENTS

## What zones share

```yaml
profiles:                          # in any file of the spec
  mail:
    records:
      - { name: \"@\", type: MX, priority: 10, content: mx1.example.net }
      - { name: \"@\", type: TXT, content: \"v=spf1 include:_spf.example.net -all\" }
      - { name: _dmarc, type: TXT, content: \"v=DMARC1; p=reject; rua=mailto:dmarc@${ZONE}\" }
zones:
  example.com: { use: [mail] }
  example.org:
    use: [mail]
    records:
      - { name: _dmarc, type: TXT, state: absent }
```

- The zone's own values win, key by key. Its records of a name and type replace those of the profile, and `state: absent` removes them. TXT
  records replace each other only if they serve the same purpose: a verification does not replace the SPF policy.
- It is an error if two profiles of a zone contradict each other, unless the zone decides.
- `${ZONE}` in a profile is the name of the zone, unless the spec has a variable `ZONE`.
- `zonewright validate --print` names the profile, file and line of each value.
";

/// Tables of a page, one for each object of a schema. An object in several places has one table.
struct Page<'a> {
    /// The kind of file, and the beginning of its headings.
    file: &'static str,
    examples: &'a [Json],
    tables: String,
    /// Links to the tables that have a subject.
    contents: Vec<String>,
    /// The keys of the objects that have a table.
    told: BTreeSet<Vec<String>>,
    without_example: Vec<String>,
}

impl Page<'_> {
    /// Adds tables for the values that a part of the schema allows.
    fn add(&mut self, part: &Json, path: &[String]) {
        for choice in choices(part) {
            if let Some(keys) = choice["properties"].as_object() {
                self.add_object(keys, path, description(part));
            }
            for (member, step) in [("additionalProperties", "NAME"), ("items", "[]")] {
                if choice[member].is_object() {
                    self.add(&choice[member], &with(path, step));
                }
            }
            self.add_record_types(choice, path);
        }
    }

    /// Adds the heading of the table of a path.
    fn add_heading(&mut self, path: &[String]) {
        let step = |step: &String| match step.as_str() {
            "NAME" | "[]" => step.clone(),
            key => format!("`{key}`"),
        };
        let steps: Vec<String> = path.iter().map(step).collect();
        let steps = steps.join(" ").replace(" []", "[]");
        let place = (self.file, path.join(" "));
        let subject =
            SUBJECTS.iter().find(|(file, path, _)| (*file, *path) == (place.0, &*place.1));
        let heading = match subject {
            Some((_, _, subject)) if steps.is_empty() => (*subject).to_owned(),
            Some((_, _, subject)) => format!("{subject}: {steps}"),
            None => format!("{} {steps}", self.file),
        };
        if let Some((_, _, subject)) = subject {
            self.contents.push(format!("[{subject}](#{})", anchor(&heading)));
        }
        let _ = write!(self.tables, "\n## {heading}\n\n");
    }

    fn add_object(&mut self, keys: &Map<String, Json>, path: &[String], about: &str) {
        if !self.told.insert(keys.keys().cloned().collect()) {
            return;
        }
        self.add_heading(path);
        if !about.is_empty() {
            let _ = writeln!(self.tables, "{about}\n");
        }
        self.tables += "| key | value | default | example | |\n|---|---|---|---|---|\n";
        for (name, key) in keys {
            let path = with(path, name);
            let found = values_at(self.examples, &path);
            let codes = path.iter().any(|step| step == "allow") && name != "allow";
            if found.is_empty() && !codes {
                self.without_example.push(path.join("."));
            }
            let example = found.into_iter().find(|text| text.chars().count() <= LONGEST_EXAMPLE);
            let row = [
                format!("`{name}`"),
                kind(key),
                key.get("default").map(|value| code(&flow(value))).unwrap_or_default(),
                example.as_deref().map(code).unwrap_or_default(),
                description(key).replace("\n\n", " "),
            ];
            let _ = writeln!(
                self.tables,
                "| {} |",
                row.map(|cell| cell.replace('|', "\\|")).join(" | ")
            );
        }
        // Profiles share tables with zones, which come first.
        let is_profiles = |(name, _): &(&String, &Json)| *name == "profiles";
        let (shared, own): (Vec<_>, Vec<_>) = keys.iter().partition(is_profiles);
        for (name, key) in own.into_iter().chain(shared) {
            self.add(key, &with(path, name));
        }
    }

    /// Adds how each record type writes its value, which the schema has as conditions.
    fn add_record_types(&mut self, record: &Json, path: &[String]) {
        let mut contents = String::new();
        let mut parts = String::new();
        for condition in record["allOf"].as_array().into_iter().flatten() {
            let record_type = condition.pointer("/if/properties/type/const").and_then(Json::as_str);
            let content = condition.pointer("/then/properties/content");
            let (Some(record_type), Some(content)) = (record_type, content) else { continue };
            let example = content.pointer("/examples/0").map(flow);
            let _ = writeln!(
                contents,
                "| {record_type} | {} | {} |",
                example.as_deref().map(code).unwrap_or_default(),
                description(content),
            );
            let Some(data) = condition.pointer("/then/properties/data/anyOf/0/properties") else {
                continue;
            };
            for (name, part) in data.as_object().into_iter().flatten() {
                let of_type = |value: &&Json| value["type"] == record_type;
                let example = records(self.examples)
                    .filter(of_type)
                    .find_map(|record| record["data"].get(name));
                if example.is_none() {
                    self.without_example.push(format!("data of {record_type}: {name}"));
                }
                let _ = writeln!(
                    parts,
                    "| {record_type} | `{name}` | {} | {} | {} |",
                    kind(part),
                    example.map(|value| code(&short(value))).unwrap_or_default(),
                    description(part),
                );
            }
        }
        // The records of profiles have the table of the records of zones.
        if !contents.is_empty() && path[0] == "zones" {
            self.add_heading(&with(path, "content"));
            self.tables += "| type | example | |\n|---|---|---|\n";
            self.tables += &contents;
            self.add_heading(&with(path, "data"));
            self.tables += "| type | key | value | example | |\n|---|---|---|---|---|\n";
            self.tables += &parts;
        }
    }
}

fn with(path: &[String], step: &str) -> Vec<String> {
    path.iter().cloned().chain([step.to_owned()]).collect()
}

/// Returns a part of a schema and its alternatives.
fn choices(part: &Json) -> Vec<&Json> {
    let inner = ["anyOf", "oneOf"].into_iter().filter_map(|key| part[key].as_array()).flatten();
    std::iter::once(part).chain(inner.flat_map(choices)).collect()
}

fn description(part: &Json) -> &str {
    part["description"].as_str().unwrap_or_default()
}

/// Returns what a key takes, in words.
fn kind(part: &Json) -> String {
    let mut kinds = Vec::new();
    for choice in choices(part) {
        for name in names_of_types(choice) {
            if !kinds.contains(&name) {
                kinds.push(name);
            }
        }
    }
    // Text beside an integer is the integer from a variable.
    if kinds.iter().any(|name| name.starts_with("integer")) {
        kinds.retain(|name| name != "text");
    }
    kinds.join(", ")
}

fn names_of_types(choice: &Json) -> Vec<String> {
    if let Some(value) = choice.get("const") {
        return vec![code(&flow(value))];
    }
    if let Some(values) = choice["enum"].as_array() {
        return values.iter().map(|value| code(&flow(value))).collect();
    }
    let types: Vec<&str> = match &choice["type"] {
        Json::String(name) => vec![name],
        Json::Array(names) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let number = |name: &&str| *name == "number" && types.contains(&"string");
    types.iter().filter(|name| !number(name)).map(|name| name_of_type(name, choice)).collect()
}

fn name_of_type(name: &str, choice: &Json) -> String {
    match name {
        "string" => "text".to_owned(),
        "boolean" => "`true`, `false`".to_owned(),
        "null" => "`null`".to_owned(),
        "array" => match kind(&choice["items"]) {
            items if items.is_empty() => "list".to_owned(),
            items => format!("list of {items}"),
        },
        "object" if choice["properties"].is_object() => "keys, see below".to_owned(),
        "object" => "map".to_owned(),
        name => match (choice["minimum"].as_i64(), choice["maximum"].as_i64()) {
            (Some(least), Some(most)) => format!("{name} {least}–{most}"),
            (Some(least), None) => format!("{name}, at least {least}"),
            _ => name.to_owned(),
        },
    }
}

fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Returns all values at a path, as one writes them on a line.
fn values_at(files: &[Json], path: &[String]) -> Vec<String> {
    let mut values: Vec<&Json> = files.iter().collect();
    for step in path {
        values = values
            .into_iter()
            .flat_map(|value| -> Vec<&Json> {
                match (step.as_str(), value) {
                    ("NAME", Json::Object(members)) => members.values().collect(),
                    ("[]", Json::Array(items)) => items.iter().collect(),
                    (key, value) => value.get(key).into_iter().collect(),
                }
            })
            .collect();
    }
    values.into_iter().map(flow).collect()
}

/// Returns the records of all zones.
fn records(files: &[Json]) -> impl Iterator<Item = &Json> {
    let zones = files.iter().filter_map(|file| file["zones"].as_object()).flat_map(Map::values);
    zones.filter_map(|zone| zone["records"].as_array()).flatten()
}

/// Returns a value in YAML's flow form.
fn flow(value: &Json) -> String {
    match value {
        Json::Object(members) => {
            let member = |(key, value): (&String, &Json)| format!("{key}: {}", flow(value));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Json::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Json::String(text) => {
            let plain = text
                .starts_with(|c: char| c.is_ascii_alphanumeric() || "/_.$(".contains(c))
                && !text.contains([',', '[', ']', '{', '}', '#', '"', '\''])
                && !text.contains(": ")
                && serde_yaml::from_str::<Json>(text).is_ok_and(|read| read.is_string());
            if plain { text.clone() } else { value.to_string() }
        }
        value => value.to_string(),
    }
}

/// Returns a value, cut where it is long.
fn short(value: &Json) -> String {
    let text = flow(value);
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Returns the tables of a schema with examples from files, and links to them.
fn tables(file: &'static str, kind: Kind, files: &[&str]) -> (String, Vec<String>) {
    let examples: Vec<Json> = files
        .iter()
        .map(|path| serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    let mut page = Page {
        file,
        examples: &examples,
        tables: String::new(),
        contents: Vec::new(),
        told: BTreeSet::new(),
        without_example: Vec::new(),
    };
    page.add(&schema(kind), &[]);
    assert!(
        page.without_example.is_empty(),
        "tests/cases/spec-page has no example of: {}",
        page.without_example.join(", ")
    );
    (page.tables, page.contents)
}

#[test]
fn the_page_about_the_spec() {
    let (spec, mut contents) = tables("Spec", Kind::Spec, &SPEC);
    let (policy, of_policy) = tables("Policy", Kind::Policy, &POLICY);
    contents.extend(of_policy);
    assert_eq!(contents.len(), SUBJECTS.len(), "{contents:?}");
    let head = HEAD.replace("CONTENTS", &contents.join(" · "));
    up_to_date("docs/spec.md", &format!("{head}{spec}{policy}"));
}

#[test]
fn the_examples_of_the_page_about_the_spec_are_valid() {
    let mut sources = Sources::default();
    let outcome = load(&[Input::Path(SPEC[0].into())], &Options::default(), &mut sources);
    let errors: Vec<_> =
        outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty() && outcome.desired.is_some(), "{errors:?}");
}
