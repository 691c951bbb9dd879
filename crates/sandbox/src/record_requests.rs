//! Creates, changes and deletes single records.
//!
//! | operation | new record |
//! |---|---|
//! | POST | the body |
//! | PATCH | the existing record, with the members of the body in place of its own |
//! | PUT | the body; omitted members return to the default (observed 2026-09) |

use serde_json::{Map, Value, json};

use super::envelope::{HandlerResult, Refusal, Success};
use super::name;
use super::record_attributes;
use super::record_conflicts;
use super::record_value::{self, RecordPlace, SentValue};
use super::request_context::RequestContext;
use super::store;
use super::stored_record::{PRIVATE_ROUTING, Record};
use super::zone::Zone;
use zonewright_model::facts::{self, TypeFacts};

/// Top-level domains under which records cannot be written by API: code 1038, observed.
const CLOSED_DOMAINS: &[&str] = &["cf", "ga", "gq", "ml", "tk"];

/// GET of one record.
pub(super) fn get_record(
    context: &RequestContext<'_>,
    zone: &Zone,
    id: &str,
) -> HandlerResult<Success> {
    Ok(Success::One(find_record(context, zone, id)?.to_json(zone, context.profile.shape)))
}

/// Returns the usage of the zone's quota.  # Sources Members: developers.cloudflare.com/api, "DNS
/// Records Usage", read 2026-11-20, and the models of the official SDKs (Python 5.9.0, TypeScript
/// 7.3.0), where a null `record_quota` means that the account's quota applies. ASSUMED: no account
/// has one.
pub(super) fn usage(context: &RequestContext<'_>, zone: &Zone) -> Success {
    Success::One(
        json!({ "record_quota": zone.quota(context.profile), "record_usage": zone.record_count }),
    )
}

/// Finds the record with this identifier.
///
/// # Errors
/// 404 with code 81044: observed 2026.
fn find_record(context: &RequestContext<'_>, zone: &Zone, id: &str) -> HandlerResult<Record> {
    let record = Record::find(context.connection, zone, id)?;
    record.ok_or_else(|| Refusal::new(404, 81044, "Record does not exist."))
}

/// The author of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    Client,
    /// A seed document, which may also contain records that only Cloudflare creates.
    Document,
}

/// Creates a record; the caller checks the quota.
pub(super) fn create_record(
    context: &RequestContext<'_>,
    zone: &Zone,
    body: &Map<String, Value>,
) -> HandlerResult<Record> {
    let mut record = draft(context, zone, body, Writer::Client)?;
    record.id = store::next_id(context.connection, context.seed)?;
    record.insert(context.connection, zone)?;
    Ok(record)
}

/// Checks a body and returns its record, without an identifier and not stored.
pub(super) fn draft(
    context: &RequestContext<'_>,
    zone: &Zone,
    body: &Map<String, Value>,
    writer: Writer,
) -> HandlerResult<Record> {
    refuse_closed_domain(zone, writer)?;
    let facts = record_type(body)?;
    let mut record = Record {
        id: String::new(),
        name: String::new(),
        kind: facts.name.to_owned(),
        content: String::new(),
        priority: None,
        data: None,
        ttl: 0,
        proxied: false,
        comment: None,
        tags: Vec::new(),
        settings: Map::new(),
        meta: Map::new(),
        locked: false,
        created_on: context.now.to_owned(),
        modified_on: context.now.to_owned(),
        comment_modified_on: None,
        tags_modified_on: None,
        identity: String::new(),
    };
    fill(context, zone, facts, &mut record, body, writer)?;
    Ok(record)
}

/// Refuses another record in a zone that is full.
///
/// # Sources
/// Code 81045 and its text: observed.
pub(super) fn check_quota(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<()> {
    // The count in `zone` is from the beginning of the request; a batch may have changed it since.
    let sql = "SELECT record_count FROM zones WHERE id = ?1";
    let used: u32 =
        context.connection.prepare_cached(sql)?.query_row([&zone.id], |row| row.get(0))?;
    // Checked after the record was added, so that its other problems are reported first.
    if usize::try_from(used).unwrap_or(usize::MAX) > zone.quota(context.profile) {
        return Err(Refusal::new(400, 81045, "Record quota exceeded."));
    }
    Ok(())
}

/// PATCH of one record: members that the body omits stay (observed 2026-09).
///
/// ASSUMED: `data` is replaced as a whole, `settings` member by member; null leaves a member
/// unchanged, `tags` too, but clears `comment`. The library of DNSControl 4 sends `"tags": null`
/// with each change that does not concern tags.
pub(super) fn patch_record(
    context: &RequestContext<'_>,
    zone: &Zone,
    id: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Record> {
    refuse_closed_domain(zone, Writer::Client)?;
    let previous = find_record(context, zone, id)?;
    let facts = facts_of(&previous)?;
    refuse_type_change(facts, body)?;
    let mut merged = Map::from_iter([
        ("name".to_owned(), json!(previous.name)),
        ("content".to_owned(), json!(previous.content)),
        ("ttl".to_owned(), json!(previous.ttl)),
        ("proxied".to_owned(), json!(previous.proxied)),
        ("comment".to_owned(), json!(previous.comment)),
        ("tags".to_owned(), json!(previous.tags)),
        ("settings".to_owned(), json!(previous.settings)),
        (PRIVATE_ROUTING.to_owned(), json!(previous.settings.get(PRIVATE_ROUTING))),
        ("priority".to_owned(), json!(previous.priority)),
        ("data".to_owned(), json!(previous.data)),
    ]);
    for (key, value) in body {
        match (key.as_str(), value) {
            ("comment", _) => {
                merged.insert(key.clone(), value.clone());
            }
            (_, Value::Null) => {}
            ("settings", Value::Object(members)) => {
                let mut settings = previous.settings.clone();
                settings.extend(members.clone());
                merged.insert(key.clone(), Value::Object(settings));
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    rewrite(context, zone, facts, &previous, &merged)
}

/// PUT of one record.
pub(super) fn replace_record(
    context: &RequestContext<'_>,
    zone: &Zone,
    id: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Record> {
    refuse_closed_domain(zone, Writer::Client)?;
    let previous = find_record(context, zone, id)?;
    let facts = facts_of(&previous)?;
    record_type(body)?;
    refuse_type_change(facts, body)?;
    rewrite(context, zone, facts, &previous, body)
}

/// Replaces a record, but keeps the members that only Cloudflare sets.
fn rewrite(
    context: &RequestContext<'_>,
    zone: &Zone,
    facts: &TypeFacts,
    before: &Record,
    body: &Map<String, Value>,
) -> HandlerResult<Record> {
    refuse_read_only(before)?;
    let mut updated = Record { modified_on: context.now.to_owned(), ..before.clone() };
    fill(context, zone, facts, &mut updated, body, Writer::Client)?;
    updated.update(context.connection, zone)?;
    Ok(updated)
}

/// DELETE; returns the record before its deletion.
pub(super) fn delete_record(
    context: &RequestContext<'_>,
    zone: &Zone,
    id: &str,
) -> HandlerResult<Record> {
    refuse_closed_domain(zone, Writer::Client)?;
    let record = find_record(context, zone, id)?;
    refuse_read_only(&record)?;
    record_conflicts::check_deletion(context, zone, &record)?;
    record.remove(context.connection, zone)?;
    Ok(record)
}

/// Checks a body and writes it into a record, which initially has the previous state.
fn fill(
    context: &RequestContext<'_>,
    zone: &Zone,
    facts: &TypeFacts,
    record: &mut Record,
    body: &Map<String, Value>,
    writer: Writer,
) -> HandlerResult<()> {
    let invalid_name = || Refusal::invalid(9000, "DNS name is invalid.");
    record.name = match body.get("name") {
        // ASSUMED: the code of a missing name, by analogy with `priority`.
        None | Some(Value::Null) => {
            return Err(Refusal::invalid(9100, "name is a required field."));
        }
        Some(name) => {
            name.as_str().and_then(|n| name::record_name(n, &zone.name)).ok_or_else(invalid_name)?
        }
    };
    let sent = SentValue {
        content: body.get("content").cloned(),
        data: body.get("data").cloned(),
        priority: body.get("priority").cloned(),
    };
    let value = record_value::read_value(
        facts,
        &sent,
        &RecordPlace { name: &record.name, zone: &zone.name },
        context.profile,
    )?;
    record.content = value.content;
    record.data = value.data;
    record.priority = value.priority;
    record.identity = value.identity;
    record.proxied = record_attributes::proxied(
        facts,
        body.get("proxied"),
        value.address,
        context.profile.own_network,
    )?;
    record_attributes::refuse_proxied_target(facts, &record.content, record.proxied)?;
    record.ttl = record_attributes::read_ttl(
        zone,
        body.get("ttl"),
        record.proxied,
        context.profile.proxied_ttl,
    )?;
    record.settings =
        record_attributes::settings(facts, zone, body.get("settings"), record.proxied)?;
    if record_attributes::private_routing(facts, body.get(PRIVATE_ROUTING))? {
        record.settings.insert(PRIVATE_ROUTING.to_owned(), true.into());
    }
    // ASSUMED: the timestamps of comment and tags change only with their values.
    let comment = record_attributes::comment(zone, body.get("comment"))?;
    if comment != record.comment {
        record.comment_modified_on = comment.is_some().then(|| context.now.to_owned());
        record.comment = comment;
    }
    let tags = record_attributes::tags(zone, body.get("tags"))?;
    if tags != record.tags {
        record.tags_modified_on = (!tags.is_empty()).then(|| context.now.to_owned());
        record.tags = tags;
    }
    if record.kind == "CNAME" && record.content == record.name {
        return Err(Refusal::invalid(9039, "CNAME content cannot reference itself."));
    }
    if writer == Writer::Client {
        refuse_routed_mail(context, zone, record)?;
        record_conflicts::check_managed(context, zone, record)?;
    }
    record_conflicts::check_conflicts(context, zone, record)
}

/// Returns the type in a body.
///
/// ASSUMED: code 1004 for types that the sandbox does not know, 9100 for a missing type.
fn record_type(body: &Map<String, Value>) -> HandlerResult<&'static TypeFacts> {
    match body.get("type") {
        None | Some(Value::Null) => Err(Refusal::invalid(9100, "type is a required field.")),
        Some(kind) => kind
            .as_str()
            .and_then(|k| facts::all_types().iter().copied().find(|f| f.name == k))
            .ok_or_else(|| {
                Refusal::unspecified(format!(
                    "DNS Validation Error: {kind} is not a supported type."
                ))
            }),
    }
}

/// Returns the facts of a stored record's type.
fn facts_of(record: &Record) -> HandlerResult<&'static TypeFacts> {
    facts::type_facts(&record.kind).ok_or_else(|| {
        Refusal::unspecified(format!("DNS Validation Error: {} cannot be changed.", record.kind))
    })
}

/// Refuses a change of type.
///
/// # Sources
/// Unsupported since 2026-06-30: developers.cloudflare.com/fundamentals/api/reference/deprecations,
/// read 2026-11-20. ASSUMED: the code.
fn refuse_type_change(facts: &TypeFacts, body: &Map<String, Value>) -> HandlerResult<()> {
    match body.get("type") {
        None | Some(Value::Null) => Ok(()),
        Some(kind) if kind == facts.name => Ok(()),
        Some(_) => Err(Refusal::unspecified("DNS Validation Error")),
    }
}

/// Refuses changes of a record that Cloudflare manages.
///
/// # Sources
/// Code 1043 and its text: observed 2025 and 2026.
fn refuse_read_only(record: &Record) -> HandlerResult<()> {
    if record.is_read_only() {
        let message = "Unable to edit this record as this has been configured as read only.";
        return Err(Refusal::new(400, 1043, message));
    }
    Ok(())
}

/// Refuses MX records in a zone that uses Email Routing, shown by `meta.email_routing` on any
/// record.
///
/// # Sources
/// Code 890190 and its text: observed 2025 and 2026.
fn refuse_routed_mail(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> HandlerResult<()> {
    if record.kind != "MX" {
        return Ok(());
    }
    let sql = "SELECT 1 FROM records WHERE zone_id = ?1 AND meta <> '{}' AND json_extract(meta, \
        '$.email_routing') = 1";
    if context.connection.prepare_cached(sql)?.exists([&zone.id])? {
        let message = "This zone is managed by Email Routing. Disable Email Routing to add/modify \
            MX records.";
        return Err(Refusal::new(400, 890_190, message));
    }
    Ok(())
}

/// Refuses writes under domains that Cloudflare closed to the API.
fn refuse_closed_domain(zone: &Zone, writer: Writer) -> HandlerResult<()> {
    if writer == Writer::Client
        && zone.name.rsplit('.').next().is_some_and(|last| CLOSED_DOMAINS.contains(&last))
    {
        let message = "You cannot use this API for domains with a .cf, .ga, .gq, .ml, or .tk TLD \
            (top-level domain).";
        return Err(Refusal::new(403, 1038, message));
    }
    Ok(())
}
