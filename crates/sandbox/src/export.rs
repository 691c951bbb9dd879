//! Exports a zone as a BIND zone file.
//!
//! # Sources
//! Layout, and the note behind each record:
//! developers.cloudflare.com/dns/manage-dns-records/how-to/import-and-export, read 2026-11-20.
//! ASSUMED: the values of SOA and apex NS, which Cloudflare chooses.

use std::fmt::Write as _;

use super::envelope::{HandlerResult, Success};
use super::request_context::RequestContext;
use super::stored_record::{COLUMNS, Record};
use super::txt;
use super::zone::{NAME_SERVERS, Zone};
use zonewright_model::facts::{self, FieldKind, Slot, TypeFacts};

/// GET /zones/{id}/dns_records/export.
pub(super) fn export(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<Success> {
    let sql = format!("SELECT {COLUMNS} FROM records WHERE zone_id = ?1 ORDER BY type, name, seq");
    let mut statement = context.connection.prepare_cached(&sql)?;
    let records =
        statement.query_map([&zone.id], Record::from_row)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let day = context.now.get(..19).unwrap_or(context.now).replace('T', " ");
    let (origin, [first, second]) = (&zone.name, NAME_SERVERS);
    let mut out = format!(
        ";;\n;; Domain:     {origin}.\n;; Exported:   {day}\n;;\n$ORIGIN {origin}.\n\n;; SOA \
        Record\n\
         {origin}\t3600\tIN\tSOA\t{first}. dns.example.net. 2050000000 10000 2400 604800 3600\n\n\
         ;; NS Records\n{origin}.\t86400\tIN\tNS\t{first}.\n{origin}.\t86400\tIN\tNS\t{second}.\n"
    );
    let mut heading = "";
    for record in &records {
        if record.kind != heading {
            heading = &record.kind;
            out.push_str(&format!("\n;; {heading} Records\n"));
        }
        let Record { name, ttl, kind, .. } = record;
        let value = facts::type_facts(kind)
            .map_or_else(|| record.content.clone(), |facts| presentation(facts, record));
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{name}.\t{ttl}\tIN\t{kind}\t{value} ; {}", comment_and_tags(record));
    }
    Ok(Success::Text(out))
}

/// Formats the value for a zone file: the fields in their order, host names with a final dot.
fn presentation(facts: &TypeFacts, record: &Record) -> String {
    let words = facts.fields.iter().map(|field| {
        let text = match field.slot {
            Slot::Content => record.content.clone(),
            Slot::Top => record.priority.unwrap_or_default().to_string(),
            Slot::Data => match record.data.as_ref().and_then(|d| d.get(field.name)) {
                Some(serde_json::Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            },
        };
        match field.kind {
            FieldKind::Host | FieldKind::HostOrRoot if text != "." => format!("{text}."),
            FieldKind::CharacterStrings if !text.trim_start().starts_with('"') => {
                txt::quote(text.as_bytes())
            }
            FieldKind::Host
            | FieldKind::HostOrRoot
            | FieldKind::CharacterStrings
            | FieldKind::Ipv4
            | FieldKind::Ipv6
            | FieldKind::Integer { .. }
            | FieldKind::Tag
            | FieldKind::HostKeepDot
            | FieldKind::Hex { .. }
            | FieldKind::Base64
            | FieldKind::Decimal { .. }
            | FieldKind::Choice(_)
            | FieldKind::SvcParams => text,
            FieldKind::Text | FieldKind::CharacterString => txt::quote(text.as_bytes()),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Formats comment and tags of a record as a note at the end of the line.
fn comment_and_tags(record: &Record) -> String {
    let mut tags: Vec<String> = record
        .tags
        .iter()
        .map(|tag| match tag.split_once(':') {
            Some((name, value)) if value.contains(['"', '=', ',', '\\']) => {
                format!("{name}:{}", serde_json::Value::from(value))
            }
            _ => tag.clone(),
        })
        .collect();
    tags.push(format!("cf-proxied:{}", record.proxied));
    if record.settings.get("flatten_cname") == Some(&serde_json::Value::Bool(true)) {
        tags.push("cf-flatten-cname".to_owned());
    }
    // The note always has `cf_tags=` at its end, so the same word inside a comment is not
    // ambiguous.
    let comment = record.comment.as_ref().map(|comment| format!("{comment} ")).unwrap_or_default();
    format!("{comment}cf_tags={}", tags.join(","))
}
