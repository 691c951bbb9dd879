//! Converts record values from octoDNS's own grammar.
//!
//! # Sources
//! octodns.readthedocs.io (records); octodns 1.22.0, `record/` (reading of members), and
//! octodns-cloudflare 1.2.0, `_contents_for_…` (values for Cloudflare), read 2026-11.

use super::zone_content::Notes;
use crate::diagnostic::Place;
use crate::import::import_result::{Written, quoted};
use crate::model::{Fields, STRING_OCTETS, Value};
use crate::spec::{PythonScalar, Yaml, YamlKind};

/// Members of structured values: octoDNS's names, older spellings included, and Cloudflare's names.
const MEMBERS: &[(&str, &[(&str, &str)])] = &[
    ("CAA", &[("flags", "flags"), ("tag", "tag"), ("value", "value")]),
    (
        "DS",
        &[
            ("key_tag", "key_tag"),
            ("algorithm", "algorithm"),
            ("digest_type", "digest_type"),
            ("digest", "digest"),
        ],
    ),
    (
        "MX",
        &[
            ("preference", "priority"),
            ("priority", "priority"),
            ("exchange", "content"),
            ("value", "content"),
        ],
    ),
    (
        "NAPTR",
        &[
            ("order", "order"),
            ("preference", "preference"),
            ("flags", "flags"),
            ("service", "service"),
            ("regexp", "regex"),
            ("replacement", "replacement"),
        ],
    ),
    (
        "SRV",
        &[("priority", "priority"), ("weight", "weight"), ("port", "port"), ("target", "target")],
    ),
    (
        "SSHFP",
        &[("algorithm", "algorithm"), ("fingerprint_type", "type"), ("fingerprint", "fingerprint")],
    ),
    (
        "TLSA",
        &[
            ("certificate_usage", "usage"),
            ("selector", "selector"),
            ("matching_type", "matching_type"),
            ("certificate_association_data", "certificate"),
        ],
    ),
    (
        "LOC",
        &[
            ("lat_degrees", "lat_degrees"),
            ("lat_minutes", "lat_minutes"),
            ("lat_seconds", "lat_seconds"),
            ("lat_direction", "lat_direction"),
            ("long_degrees", "long_degrees"),
            ("long_minutes", "long_minutes"),
            ("long_seconds", "long_seconds"),
            ("long_direction", "long_direction"),
            ("altitude", "altitude"),
            ("size", "size"),
            ("precision_horz", "precision_horz"),
            ("precision_vert", "precision_vert"),
        ],
    ),
    ("URI", &[("priority", "priority"), ("weight", "weight"), ("target", "target")]),
];

/// Returns the members of structured values of a type as pairs of octoDNS's and Cloudflare's names;
/// `None` for other types.
pub(crate) fn members(type_name: &str) -> Option<&'static [(&'static str, &'static str)]> {
    MEMBERS.iter().find(|(of, _)| *of == type_name).map(|(_, names)| *names)
}

/// Members that octoDNS reads with Python's `int`.
const INTEGERS: &[&str] = &[
    "algorithm",
    "certificate_usage",
    "digest_type",
    "fingerprint_type",
    "key_tag",
    "lat_degrees",
    "lat_minutes",
    "long_degrees",
    "long_minutes",
    "matching_type",
    "order",
    "port",
    "preference",
    "priority",
    "selector",
    "svcpriority",
    "weight",
];

/// Members that octoDNS reads with Python's `float`.
const FLOATS: &[&str] =
    &["lat_seconds", "long_seconds", "altitude", "size", "precision_horz", "precision_vert"];

/// Members that octoDNS reads with Python's `str`.
const TEXTS: &[&str] = &["certificate_association_data", "digest", "fingerprint"];

/// Older and current names of the members of DS values.
const OLD_DS: &[(&str, &str)] = &[
    ("flags", "key_tag"),
    ("protocol", "algorithm"),
    ("algorithm", "digest_type"),
    ("public_key", "digest"),
];

/// Message for a value that YAML reads as a number, a date or a boolean, which octoDNS refuses.
const NOT_A_TEXT: &str = "the value is not in quotes, so YAML reads it as a number, a date or a \
    boolean; it is read as written";

/// Rules by which octoDNS reads the values of one provider for one target.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueRules {
    /// True if texts contain `\;` for `;`.
    pub(super) has_escaped_semicolons: bool,
    /// True if the provider of Cloudflare sends the values.
    pub(super) is_for_cloudflare: bool,
    /// True if the zone is an alias: octoDNS copies its records and parses each text twice.
    pub(super) is_copied: bool,
}

/// Reads a value of a record type.
pub(super) fn read_value(
    type_name: &str,
    value: &Yaml,
    rules: ValueRules,
    notes: &mut Notes,
) -> Result<Written, String> {
    match &value.kind {
        YamlKind::Scalar(text) => {
            if !matches!(value.python(), Some(PythonScalar::Text(_))) {
                notes.refused_by_octodns(value.place, NOT_A_TEXT);
            }
            if type_name == "TXT" {
                return Ok(Written::Text(txt_content(text, value, rules, notes)));
            }
            if members(type_name).is_some() || is_service(type_name) {
                notes.refused_by_octodns(
                    value.place,
                    format!("a value of {type_name} is a mapping"),
                );
            }
            if HAS_TARGET.contains(&type_name) {
                check_target(type_name, text, value.place, notes);
            }
            Ok(Written::Text(text.clone()))
        }
        YamlKind::Map(_) if is_service(type_name) => {
            Ok(Written::Fields(service_fields(value, notes)))
        }
        YamlKind::Map(own) => match members(type_name) {
            Some(names) => Ok(Written::Fields(fields(type_name, names, own, rules, notes))),
            None => Err(format!("a value of {type_name} is a text, not a mapping")),
        },
        YamlKind::Null | YamlKind::List(_) => Err("the value is empty".to_owned()),
    }
}

/// Types whose value is a target.
const HAS_TARGET: &[&str] = &["ALIAS", "CNAME", "DNAME", "NS", "PTR"];

/// Notes a target without a final dot. octoDNS refuses it, and a lenient octoDNS sends it as it is,
/// which Cloudflare reads as a full name.
fn check_target(type_name: &str, target: &str, place: Place, notes: &mut Notes) {
    if !target.ends_with('.') {
        let why = format!("a target of {type_name} has no final dot; it is read as a full name");
        notes.refused_by_octodns(place, why);
    }
}

/// Returns true if values of a type have service parameters.
fn is_service(type_name: &str) -> bool {
    matches!(type_name, "SVCB" | "HTTPS")
}

/// Returns the content of a TXT record as octoDNS sends it: quoted strings with escapes.
fn txt_content(text: &str, value: &Yaml, rules: ValueRules, notes: &mut Notes) -> String {
    let escaped =
        if rules.has_escaped_semicolons { text.to_owned() } else { text.replace(';', "\\;") };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut before_semicolons =
        escaped.match_indices(';').filter_map(|(at, _)| escaped[..at].chars().next_back());
    if before_semicolons.any(is_word) {
        let why =
            "`;` needs a backslash in front, unless the provider has `escaped_semicolons: false`";
        notes.refused_by_octodns(value.place, why);
    }
    if escaped.contains("\\\\;") {
        notes.refused_by_octodns(value.place, "a text has two backslashes in front of `;`");
    }
    if !escaped.is_ascii() {
        notes.refused_by_octodns(value.place, "a text has a character that is not ASCII");
    }
    let mut inner = escaped.as_str();
    if let Some(after_quote) = escaped.strip_prefix('"') {
        inner = without_last(after_quote);
        if !after_quote.ends_with('"') {
            let why =
                "the text begins with a quote, so octoDNS removes its first and its last character";
            notes.read_otherwise(value.place, why);
        }
    } else if inner.contains("\" \"") {
        notes.read_otherwise(value.place, "octoDNS removes `\" \"` from the text");
    }
    let mut joined = inner.replace("\" \"", "");
    if rules.is_copied {
        let inner_text = joined.strip_prefix('"').map_or(joined.as_str(), without_last);
        joined = inner_text.replace("\" \"", "");
    }
    chunked(&joined).unwrap_or_else(|| {
        notes.refused_by_octodns(
            value.place,
            "a text ends with a backslash, or has 255 of them in a row",
        );
        quoted(&joined.replace("\\;", ";"))
    })
}

/// Removes the last character of a text.
fn without_last(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next_back();
    letters.as_str()
}

/// Splits a text into quoted strings like octoDNS; `None` if octoDNS would not terminate.
fn chunked(text: &str) -> Option<String> {
    let letters: Vec<char> = text.replace('"', "\\\"").chars().collect();
    let mut chunks: Vec<String> = Vec::new();
    let mut start = 0;
    while start < letters.len() {
        let mut length = STRING_OCTETS.min(letters.len() - start);
        while letters[start + length - 1] == '\\' {
            length -= 1;
            if length == 0 {
                return None;
            }
        }
        chunks.push(letters[start..start + length].iter().collect());
        start += length;
    }
    // octoDNS counts characters, Cloudflare octets.
    if chunks.iter().any(|chunk| chunk.len() > STRING_OCTETS) {
        return Some(quoted(&text.replace("\\;", ";")));
    }
    Some(format!("\"{}\"", chunks.join("\" \"")).replace("\\;", ";"))
}

/// Reads the members of a structured value.
fn fields(
    type_name: &str,
    names: &[(&str, &str)],
    own: &[(String, Yaml)],
    rules: ValueRules,
    notes: &mut Notes,
) -> Fields {
    let has = |name: &str| own.iter().any(|(key, _)| key == name);
    let is_old = type_name == "DS" && (has("public_key") || has("flags"));
    let mut fields = Fields::new();
    for (key, member) in own {
        // octoDNS prefers the newer of two spellings of a member.
        let is_older = type_name == "MX"
            && ((key == "priority" && has("preference")) || (key == "value" && has("exchange")));
        let today = match OLD_DS.iter().find(|(old, _)| is_old && old == key) {
            Some((_, today)) => today,
            None if is_old => "",
            None => key.as_str(),
        };
        let name = names.iter().find(|(theirs, _)| *theirs == today && !is_older);
        let Some((_, name)) = name else {
            notes.read_otherwise(
                member.place,
                format!("octoDNS ignores `{key}` in a value of {type_name}"),
            );
            continue;
        };
        let mut text = member_text(today, type_name, member, notes);
        if type_name == "SRV"
            && today == "target"
            && rules.is_for_cloudflare
            && !text.ends_with('.')
        {
            text.pop();
            let why = format!(
                "octoDNS cuts off the last character of a target without a final dot, so it \
                publishes `{text}`"
            );
            notes.read_otherwise(member.place, why);
        }
        if type_name == "MX" && *name == "content" {
            check_target(type_name, &text, member.place, notes);
        }
        if type_name == "NAPTR" && today == "flags" {
            text = text.to_uppercase();
        }
        fields.insert((*name).to_owned(), Value::from(text.as_str()));
    }
    let defaults: &[&str] = match type_name {
        "CAA" => &["flags"],
        "TLSA" => &["usage", "selector", "matching_type"],
        _ => &[],
    };
    for name in defaults {
        fields.entry((*name).to_owned()).or_insert_with(|| Value::from("0"));
    }
    fields
}

/// Returns the text that octoDNS makes of a member. A member that octoDNS cannot use is returned as
/// written.
fn member_text(name: &str, type_name: &str, member: &Yaml, notes: &mut Notes) -> String {
    let written = member.text().unwrap_or_default();
    let scalar = member.python().unwrap_or(PythonScalar::Null);
    let is_integer = INTEGERS.contains(&name) || (name == "flags" && type_name == "CAA");
    let read = if is_integer {
        scalar.to_integer().map(|number| number.to_string())
    } else if FLOATS.contains(&name) {
        // The model parses numbers in texts itself; only values that YAML changes are converted.
        match &scalar {
            PythonScalar::Text(text) => Some(text.clone()),
            PythonScalar::Integer(_) | PythonScalar::Float(_) => Some(scalar.python_text()),
            PythonScalar::Null | PythonScalar::Bool(_) | PythonScalar::Timestamp(_) => None,
        }
    } else if TEXTS.contains(&name) {
        Some(scalar.python_text())
    } else {
        matches!(scalar, PythonScalar::Text(_)).then(|| written.to_owned())
    };
    let Some(read) = read else {
        notes.refused_by_octodns(
            member.place,
            format!("`{name}` has a value that octoDNS cannot read"),
        );
        return written.to_owned();
    };
    let is_float =
        FLOATS.contains(&name) && read.parse::<f64>().ok() == written.parse::<f64>().ok();
    if read != written && !is_float {
        notes.read_otherwise(member.place, format!("octoDNS reads `{name}: {written}` as {read}"));
    }
    read
}

/// Service parameters that octoDNS writes as lists.
const LISTS: &[&str] = &["alpn", "ipv4hint", "ipv6hint", "mandatory"];
/// Service parameter without a value.
const NO_VALUE: &str = "no-default-alpn";

/// Reads a service binding. octoDNS writes its parameters as a mapping.
fn service_fields(value: &Yaml, notes: &mut Notes) -> Fields {
    let parameters = value.get("svcparams").map(Yaml::members).unwrap_or_default();
    for (name, value) in parameters {
        let is_list = matches!(value.kind, YamlKind::List(_));
        let is_text = |item: &Yaml| matches!(item.python(), Some(PythonScalar::Text(_)));
        if LISTS.contains(&name.as_str()) != is_list && name != NO_VALUE {
            let form = if is_list { "one text" } else { "a list" };
            notes.refused_by_octodns(value.place, format!("the parameter `{name}` must be {form}"));
        } else if name != NO_VALUE && !value.items().iter().all(is_text) {
            notes.refused_by_octodns(
                value.place,
                format!("the parameter `{name}` has a value that is not a text"),
            );
        }
    }
    let parameter = |(name, value): &(String, Yaml)| match &value.kind {
        YamlKind::Null => name.clone(),
        _ => {
            let values: Vec<&str> = value.items().iter().filter_map(Yaml::text).collect();
            format!("{name}=\"{}\"", values.join(","))
        }
    };
    let parameters: Vec<String> = parameters.iter().map(parameter).collect();
    if let Some((target, text)) = value.get("targetname").and_then(|t| Some((t, t.text()?))) {
        check_target("HTTPS and SVCB", text, target.place, notes);
    }
    let priority =
        value.get("svcpriority").map(|member| member_text("svcpriority", "SVCB", member, notes));
    Fields::from([
        ("priority".to_owned(), Value::from(priority.unwrap_or_default().as_str())),
        (
            "target".to_owned(),
            Value::from(value.get("targetname").and_then(Yaml::text).unwrap_or_default()),
        ),
        ("value".to_owned(), Value::from(parameters.join(" ").as_str())),
    ])
}
