//! Zone files of octoDNS: one YAML file for each zone, or a directory with files for its names.
//!
//! # Sources
//! Record types and their members: octodns.readthedocs.io (records) and the documentation of octodns-cloudflare, read 2026-11-22.

use super::comments::{self, Comment};
use super::import_result::{Entry, ImportResult, Written, quoted};
use crate::diagnostic::{Source, findings};
use crate::model::{Fields, Settings, Value, ZoneName};
use crate::spec::{Yaml, YamlKind};

/// The TTL of records that state none, in seconds: octoDNS's `default_ttl`.
const DEFAULT_TTL: u32 = 3600;

/// Members of structured values: what octoDNS calls them, older spellings included, and what Cloudflare does.
const MEMBERS: &[(&str, &[(&str, &str)])] = &[
    ("CAA", &[("flags", "flags"), ("tag", "tag"), ("value", "value")]),
    ("DS", &[("key_tag", "key_tag"), ("algorithm", "algorithm"), ("digest_type", "digest_type"), ("digest", "digest")]),
    ("MX", &[("preference", "priority"), ("priority", "priority"), ("exchange", "content"), ("value", "content")]),
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
    ("SRV", &[("priority", "priority"), ("weight", "weight"), ("port", "port"), ("target", "target")]),
    ("SSHFP", &[("algorithm", "algorithm"), ("fingerprint_type", "type"), ("fingerprint", "fingerprint")]),
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

/// The members of structured values of a type, as pairs of octoDNS's name and Cloudflare's; `None` for other types.
pub(crate) fn members(type_name: &str) -> Option<&'static [(&'static str, &'static str)]> {
    MEMBERS.iter().find(|(of, _)| *of == type_name).map(|(_, names)| *names)
}

/// Whether a document is octoDNS's configuration, which names providers and zones but holds no record.
fn is_configuration(root: &Yaml) -> bool {
    root.get("providers").is_some() && root.get("zones").is_some()
}

/// Adds what a file of a zone declares.
pub(super) fn read(root: &Yaml, zone: &ZoneName, found: &mut ImportResult) {
    if is_configuration(root) {
        return;
    }
    found.zone(zone);
    found.leaving.octodns.insert(zone.clone());
    for (name, records) in root.members() {
        for record in records.items() {
            self::record(zone, name, record, found);
        }
    }
}

/// A record set.
fn record(zone: &ZoneName, name: &str, record: &Yaml, found: &mut ImportResult) {
    let type_name = record.get("type").and_then(Yaml::text).unwrap_or_default().to_ascii_uppercase();
    let shown = if name.is_empty() { "@" } else { name };
    let what = format!("{shown} {type_name} of {zone}");
    let place = record.get("type").map_or(record.place, |value| value.place);
    if type_name.is_empty() {
        found.refuse(findings::INVALID_IN_SOURCE, "record set", &what, place, "it has no type");
        return;
    }
    for feature in ["geo", "dynamic"] {
        if record.get(feature).is_some() {
            let why = format!("`{feature}` answers depend on who asks; Cloudflare has load balancing for that");
            found.refuse(findings::NOT_TRANSLATED, "record set", &what, place, &why);
            return;
        }
    }
    // An alias at the apex is a flattened CNAME at Cloudflare.
    let own_type = if type_name == "ALIAS" { "CNAME" } else { type_name.as_str() };
    if crate::model::RecordType::parse(own_type).is_none() {
        found.refuse(findings::NOT_TRANSLATED, "record set", &what, place, "Cloudflare has no such type of record");
        return;
    }
    let is_own_ns = own_type == "NS" && matches!(name, "" | "@");
    if is_own_ns {
        let why = "Cloudflare assigns the name servers of the zone itself";
        found.refuse(findings::NOT_TRANSLATED, "record set", &what, place, why);
        return;
    }
    let options = record.get("octodns").and_then(|own| own.get("cloudflare"));
    let option = |name: &str| options.and_then(|options| options.get(name));
    let is_on = |name: &str| option(name).and_then(Yaml::text).is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let ttl = match record.get("ttl") {
        _ if is_on("auto-ttl") => None,
        Some(ttl) => match ttl.text().and_then(|text| text.parse().ok()) {
            Some(seconds) => Some(seconds),
            None => {
                found.refuse(findings::INVALID_IN_SOURCE, "record set", &what, ttl.place, "`ttl` is not a number");
                return;
            }
        },
        None => Some(DEFAULT_TTL),
    };
    let values = record.get("values").or_else(|| record.get("value"));
    let Some(values) = values else {
        found.refuse(findings::INVALID_IN_SOURCE, "record set", &what, place, "it has no value");
        return;
    };
    let comments = comments(record, found);
    // A name is always relative there: `www.example.com` in example.com is `www.example.com.example.com`.
    let whole = if matches!(name, "" | "@") { name.to_owned() } else { format!("{name}.{zone}.") };
    for value in values.items() {
        let written = match written(own_type, value) {
            Ok(written) => written,
            Err(why) => {
                found.refuse(findings::INVALID_IN_SOURCE, "record", &what, value.place, &why);
                continue;
            }
        };
        let mut entry = Entry::new(zone, &whole, own_type, written);
        entry.ttl = ttl;
        entry.proxied = is_on("proxied");
        entry.comment = option("comment").and_then(Yaml::text).map(str::to_owned);
        let tags = option("tags").map(Yaml::items).unwrap_or_default();
        entry.tags = tags.iter().filter_map(Yaml::text).map(str::to_owned).collect();
        entry.settings = Settings::default();
        entry.comments.clone_from(&comments);
        found.record("record", &what, value.place, entry);
    }
}

/// The comments above a record set: above its own lines, and above its name.
fn comments(record: &Yaml, found: &ImportResult) -> Vec<Comment> {
    let Some(text) = found.sources.get(record.place.source).map(Source::text) else { return Vec::new() };
    let first = record.members().iter().map(|(_, value)| value.place.span.start).min();
    let at = usize::try_from(first.unwrap_or(record.place.span.start)).unwrap_or_default();
    let own = comments::above(text, at, &["#"]);
    let start = own.first().map_or_else(|| comments::line_start(text, at), |(at, _)| *at);
    let name = text.get(..start).and_then(|before| before.trim_end().rfind('\n')).map_or(0, |line| line + 1);
    let is_name = text[name..start].trim_end().ends_with(':');
    let mut all = if is_name { comments::above(text, name, &["#"]) } else { Vec::new() };
    all.extend(own);
    all
}

/// A value.
fn written(type_name: &str, value: &Yaml) -> Result<Written, String> {
    match &value.kind {
        // `;` is written `\;` in texts.
        YamlKind::Scalar(text) if type_name == "TXT" => Ok(Written::Text(quoted(&text.replace("\\;", ";")))),
        YamlKind::Scalar(text) => Ok(Written::Text(text.clone())),
        YamlKind::Map(_) if matches!(type_name, "SVCB" | "HTTPS") => Ok(Written::Fields(service(value))),
        YamlKind::Map(members) => {
            let names = self::members(type_name).unwrap_or_default();
            let mut fields = Fields::new();
            for (name, member) in members {
                let Some((_, own)) = names.iter().find(|(theirs, _)| theirs == name) else {
                    return Err(format!("`{name}` is not a member of {type_name} values"));
                };
                fields.insert((*own).to_owned(), Value::from(member.text().unwrap_or_default()));
            }
            Ok(Written::Fields(fields))
        }
        YamlKind::Null | YamlKind::List(_) => Err("the value is empty".to_owned()),
    }
}

/// The fields of a service binding, whose parameters octoDNS writes as a mapping.
fn service(value: &Yaml) -> Fields {
    let text = |name: &str| value.get(name).and_then(Yaml::text).unwrap_or_default();
    let parameters = value.get("svcparams").map(Yaml::members).unwrap_or_default();
    let parameter = |(name, value): &(String, Yaml)| match &value.kind {
        YamlKind::Null => name.clone(),
        _ => {
            let values: Vec<&str> = value.items().iter().filter_map(Yaml::text).collect();
            format!("{name}=\"{}\"", values.join(","))
        }
    };
    let parameters: Vec<String> = parameters.iter().map(parameter).collect();
    Fields::from([
        ("priority".to_owned(), Value::from(text("svcpriority"))),
        ("target".to_owned(), Value::from(text("targetname"))),
        ("value".to_owned(), Value::from(parameters.join(" "))),
    ])
}
