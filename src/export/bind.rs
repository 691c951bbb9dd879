//! Zone files in the format of Cloudflare's own export. Comments after the records hold proxy
//! status, comments and tags.
//!
//! # Sources
//! RFC 1035 section 5.1 (master files), and
//! developers.cloudflare.com/dns/manage-dns-records/how-to/import-and-export (`cf_tags`), read
//! 2026-11-26.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::left_out::{name_and_type, name_settings};
use crate::model::facts::{self, FieldKind};
use crate::model::{DesiredRecord, DesiredZone, Fqdn, Rdata, Ttl};

/// Primary server in the SOA record if no server is known. A zone file without an SOA record cannot
/// be loaded (RFC 2606 section 2: no such host).
const UNKNOWN_SERVER: &str = "name-server.invalid";
/// TTL of Cloudflare's name server records, in seconds.
const SERVER_TTL: u32 = 86_400;

pub(super) fn write_zone_file(
    zone: &DesiredZone,
    name_servers: &[String],
    left_out: &mut Vec<String>,
) -> (String, usize) {
    let origin = zone.name.as_fqdn();
    let mut out = format!("$ORIGIN {}\n", origin.absolute());
    let own_servers: Vec<String> = zone
        .records
        .iter()
        .filter(|record| record.data.type_name() == "NS" && record.name == *origin)
        .map(|record| record.data.presentation().trim_end_matches('.').to_owned())
        .collect();
    let unknown = [UNKNOWN_SERVER.to_owned()];
    let servers = match (name_servers, own_servers.as_slice()) {
        ([], []) => {
            left_out.push(format!(
                "a spec does not contain the zone's name servers; {UNKNOWN_SERVER} is written in \
                their place; name them \
                 with --name-server"
            ));
            &unknown
        }
        ([], own) => own,
        (given, _) => given,
    };
    let first = servers.first().map_or(UNKNOWN_SERVER, String::as_str).trim_end_matches('.');
    // The timers are Cloudflare's. The serial number is that of a first version.
    let _ = writeln!(
        out,
        "@\t3600\tIN\tSOA\t{first}. hostmaster.{} 1 10000 2400 604800 1800",
        origin.absolute()
    );
    for server in servers.iter().filter(|server| !own_servers.contains(server)) {
        let _ = writeln!(out, "@\t{SERVER_TTL}\tIN\tNS\t{}.", server.trim_end_matches('.'));
    }
    let mut types: HashMap<&Fqdn, (usize, usize)> = HashMap::new();
    for record in &zone.records {
        let (aliases, others) = types.entry(&record.name).or_default();
        *if record.data.type_name() == "CNAME" { aliases } else { others } += 1;
    }
    let mut written = 0;
    for record in &zone.records {
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '*' | '/');
        let (aliases, others) = types.get(&record.name).copied().unwrap_or_default();
        let why = if record.data.record_type().is_none() {
            Some("this version does not understand its value")
        } else if !record.name.as_str().chars().all(is_plain) {
            Some("its name has characters that zone files need escapes for")
        } else if record.data.type_name() == "CNAME" && record.name == *origin {
            Some("a zone file has no CNAME at the apex; Cloudflare flattens it")
        } else if record.data.type_name() == "CNAME" && aliases + others > 1 {
            Some("in a zone file, a name with a CNAME has no other record")
        } else {
            None
        };
        match why {
            Some(why) => left_out.push(format!("{}: {why}", name_and_type(zone, record))),
            None => {
                written += 1;
                write_line(zone, record, &mut out, left_out);
            }
        }
    }
    (out, written)
}

fn write_line(
    zone: &DesiredZone,
    record: &DesiredRecord,
    out: &mut String,
    left_out: &mut Vec<String>,
) {
    name_settings(zone, record, &["flatten_cname"], left_out);
    let facets = &record.facets;
    let ttl = facets.ttl.unwrap_or(Ttl::AUTOMATIC).as_number();
    let name =
        if record.name == *zone.name.as_fqdn() { "@".to_owned() } else { record.name.absolute() };
    let data = &record.data;
    let _ = write!(out, "{name}\t{ttl}\tIN\t{}\t{}", data.type_name(), value_with_dots(data));
    let mut tags = Vec::new();
    tags.extend(facets.tags.iter().flatten().map(|tag| with_quotes(tag.as_str())));
    // Cloudflare writes this tag after records of every type.
    tags.push(format!("cf-proxied:{}", facets.proxied.unwrap_or_default()));
    if facets.settings.flatten_cname == Some(true) {
        tags.push("cf-flatten-cname".to_owned());
    }
    let comment = facets.comment.as_ref().and_then(|comment| comment.text()).unwrap_or_default();
    let gap = if comment.is_empty() { "" } else { " " };
    let _ = writeln!(out, "\t; {comment}{gap}cf_tags={}", tags.join(","));
}

/// Writes host names with a final dot; without one, they would be relative.
fn value_with_dots(data: &Rdata) -> String {
    let fields = facts::type_facts(data.type_name()).map_or(&[][..], |facts| facts.fields);
    let is_host = |n: usize| {
        let kind = fields.get(n).map(|field| field.kind);
        matches!(kind, Some(FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot))
    };
    let text = data.presentation();
    if !(0..fields.len()).any(is_host) {
        return text;
    }
    let word = |(n, word): (usize, &str)| match word {
        host if is_host(n) && !host.ends_with('.') => format!("{host}."),
        other => other.to_owned(),
    };
    split_words(&text).into_iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// Splits a value into words. A quoted text is one word.
fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            ' ' if !is_quoted && !is_escaped => {
                words.push(&text[start..at]);
                start = at + 1;
            }
            '"' if !is_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    words.push(&text[start..]);
    words
}

/// Writes the value of a tag as a JSON string where the list of tags requires it.
fn with_quotes(tag: &str) -> String {
    match tag.split_once(':') {
        Some((name, value)) if value.contains(['"', '=', ',', '\\']) => {
            format!("{name}:{}", serde_json::Value::from(value))
        }
        _ => tag.to_owned(),
    }
}
