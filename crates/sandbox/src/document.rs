//! The state as a JSON document: loading and dumping it.
//!
//! ```json
//! {"format": 1, "kind": "sandbox", "zones": [{"name": "example.com", "plan": "free", "records": [{"type": "A", "name": "www", "content": "192.0.2.1"}]}]}
//! ```
//!
//! A zone may also have `settings`, `dnssec` and `dns_settings`, with what differs from the
//! defaults, `resources` by their path, and `rulesets`; beside the zones there may be
//! `account_rulesets` and `managed_rulesets`.
//!
//! A record has the form of a create body, plus what only Cloudflare sets: `id`, `meta`, `locked`
//! and the timestamps. [`plant_document`] accepts what [`dump`] returns and restores the same state.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::dns_settings;
use super::dnssec::Dnssec;
use super::envelope::{HandlerResult, Refusal};
use super::record_requests::{self, Writer};
use super::request_context::RequestContext;
use super::resources;
use super::rulesets;
use super::settings;
use super::store;
use super::stored_record::{PRIVATE_ROUTING, Record};
use super::zone::Zone;
use super::{SandboxError, name, profile};

/// The document of `sandbox dump` and `sandbox seed`. A file for `seed` may leave out every member
/// that the sandbox can choose itself.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: &'static str,
    /// Number of ids that the sandbox has assigned.
    counter: i64,
    /// The zones, in the order of their creation.
    zones: Vec<ZoneEntry>,
    /// The rulesets of accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_rulesets: Option<Vec<Value>>,
    /// Managed rulesets that replace the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    managed_rulesets: Option<Vec<Value>>,
}

/// The version of the format that is written and read.
const FORMAT: u32 = 1;

const KIND: &str = "sandbox";

/// A zone.
#[derive(Debug, Serialize, JsonSchema)]
struct ZoneEntry {
    name: String,
    /// Its plan: `free`, `pro`, `business` or `enterprise`.
    plan: String,
    id: String,
    status: String,
    paused: bool,
    #[serde(rename = "type")]
    kind: String,
    account: AccountEntry,
    created_on: String,
    modified_on: String,
    activated_on: Option<String>,
    /// Zone settings that differ from the default, each with its value and the time of its change.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Map<String, Value>>,
    /// DNSSEC, if it differs from the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    dnssec: Option<Map<String, Value>>,
    /// DNS settings that differ from the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    dns_settings: Option<Value>,
    /// Page rules and other resources of a zone, by their path below the zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Map<String, Value>>,
    /// The records, in the order of their creation.
    records: Vec<RecordEntry>,
    /// The rulesets, in the form of the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    rulesets: Option<Vec<Value>>,
}

/// An account.
#[derive(Debug, Serialize, JsonSchema)]
struct AccountEntry {
    id: String,
    name: String,
}

/// A record in the form of a create body, without the members that have their default.
#[derive(Debug, Serialize, JsonSchema)]
struct RecordEntry {
    id: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// The members of the value, for types with a `data` object.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Map<String, Value>>,
    /// The value, for all other types.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u32>,
    /// Seconds; 1 is automatic.
    ttl: u32,
    proxied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_routing: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    settings: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    meta: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locked: Option<bool>,
    created_on: String,
    modified_on: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment_modified_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags_modified_on: Option<String>,
}

/// Counts the changes of loading a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeedReport {
    /// Zones created.
    pub zones: usize,
    /// Records created.
    pub records: usize,
    /// Records that existed already.
    pub present: usize,
}

/// A part of a document that the sandbox refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPart {
    /// The zone, or the document.
    pub place: String,
    /// The refused part, such as a record with its name and type.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// The treatment of parts that the sandbox refuses.
enum OnRefusal<'r> {
    /// Nothing is loaded.
    Fail,
    /// Refused parts are left out and listed.
    LeaveOut(&'r mut Vec<RefusedPart>),
}

impl OnRefusal<'_> {
    /// Adds a refusal to the list, or returns it as an error.
    fn take(
        &mut self,
        result: Result<(), SandboxError>,
        place: &str,
        what: &str,
    ) -> Result<(), SandboxError> {
        match (self, result) {
            (Self::LeaveOut(all), Err(SandboxError::Document { problem, .. })) => {
                all.push(RefusedPart {
                    place: place.to_owned(),
                    what: what.to_owned(),
                    why: problem,
                });
                Ok(())
            }
            (_, result) => result,
        }
    }
}

/// Loads a document. The caller opens the transaction.
///
/// Records pass the same checks as the records of a POST, except for the quota: a real zone can
/// exceed it too, after its plan was lowered.
pub(super) fn plant_document(
    context: &RequestContext<'_>,
    document: &Value,
) -> Result<SeedReport, SandboxError> {
    load_document(context, document, &mut OnRefusal::Fail)
}

/// Loads the parts of a document that the sandbox accepts. Returns the refused parts.
pub(super) fn copy(
    context: &RequestContext<'_>,
    document: &Value,
) -> Result<(SeedReport, Vec<RefusedPart>), SandboxError> {
    let mut refused = Vec::new();
    let report = load_document(context, document, &mut OnRefusal::LeaveOut(&mut refused))?;
    Ok((report, refused))
}

fn load_document(
    context: &RequestContext<'_>,
    document: &Value,
    on_refusal: &mut OnRefusal<'_>,
) -> Result<SeedReport, SandboxError> {
    let mut report = SeedReport::default();
    let expected = [("format", Value::from(FORMAT)), ("kind", Value::from(KIND))];
    for (key, expected) in expected {
        if let Some(given) = document.get(key).filter(|given| **given != expected) {
            return Err(SandboxError::document(
                "the document",
                format!("`{key}` is {given}, and should be {expected}"),
            ));
        }
    }
    for (index, ruleset) in
        list_member(document, "managed_rulesets", "the document")?.iter().enumerate()
    {
        let planted =
            rulesets::plant_managed(context, ruleset, &format!("managed_rulesets[{index}]"));
        on_refusal.take(planted, "the document", &ruleset_label(ruleset))?;
    }
    for (index, entry) in list_member(document, "zones", "the document")?.iter().enumerate() {
        let place = format!("zones[{index}]");
        let mut zone = None;
        let planted =
            plant_zone(context, entry, &place, &mut report).map(|planted| zone = Some(planted));
        on_refusal.take(planted, &text_member(entry, "name").unwrap_or_default(), "the zone")?;
        let Some(zone) = zone else { continue };
        plant_surroundings(context, &zone, entry, &place, on_refusal)?;
        for (index, body) in list_member(entry, "records", &place)?.iter().enumerate() {
            let place = format!("{place}.records[{index}]");
            let body = body
                .as_object()
                .ok_or_else(|| SandboxError::document(&place, "must be an object"))?;
            let planted = plant_record(context, &zone, body, &place, &mut report);
            let word = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default();
            on_refusal.take(
                planted,
                &zone.name,
                &format!("the record {} {}", word("name"), word("type")),
            )?;
        }
        for (index, ruleset) in list_member(entry, "rulesets", &place)?.iter().enumerate() {
            let planted = rulesets::plant_zone(
                context,
                &zone,
                ruleset,
                &format!("{place}.rulesets[{index}]"),
            );
            on_refusal.take(planted, &zone.name, &ruleset_label(ruleset))?;
        }
    }
    for (index, ruleset) in
        list_member(document, "account_rulesets", "the document")?.iter().enumerate()
    {
        let planted =
            rulesets::plant_account(context, ruleset, &format!("account_rulesets[{index}]"));
        on_refusal.take(planted, "the account", &ruleset_label(ruleset))?;
    }
    // Identifiers that the dumped sandbox has used must not be used again.
    if let Some(counter) = document.get("counter").and_then(Value::as_i64)
        && counter > store::stored_number(context.connection, "counter")?
    {
        store::set_number(context.connection, "counter", counter)?;
    }
    Ok(report)
}

fn ruleset_label(ruleset: &Value) -> String {
    let name = ["name", "phase", "id"]
        .iter()
        .find_map(|key| text_member(ruleset, key))
        .unwrap_or_default();
    format!("the ruleset {name}")
}

/// Returns a list; empty if it is absent.
fn list_member<'a>(parent: &'a Value, key: &str, place: &str) -> Result<&'a [Value], SandboxError> {
    match parent.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(SandboxError::document(place, format!("`{key}` must be a list"))),
    }
}

/// Returns the text of a member, if it is present.
fn text_member(parent: &Value, key: &str) -> Option<String> {
    parent.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the zone of an entry; creates it if it is missing.
fn plant_zone(
    context: &RequestContext<'_>,
    entry: &Value,
    place: &str,
    report: &mut SeedReport,
) -> Result<Zone, SandboxError> {
    let written_name = text_member(entry, "name").unwrap_or_default();
    let name = name::parse_host_name(&written_name).ok_or_else(|| {
        SandboxError::document(place, format!("`{written_name}` is not a zone name"))
    })?;
    if let Some(zone) = Zone::named(context.connection, &name)? {
        return Ok(zone);
    }
    let plan = text_member(entry, "plan").unwrap_or_else(|| context.profile.tier.clone());
    if profile::tier(&plan).is_none() {
        return Err(SandboxError::document(place, format!("`{plan}` is not a plan")));
    }
    let id = match text_member(entry, "id") {
        Some(id) => id,
        None => store::next_id(context.connection, context.seed)?,
    };
    let mut zone = Zone::active(id, name, &plan, context.now);
    zone.created_on = text_member(entry, "created_on").unwrap_or(zone.created_on);
    zone.modified_on = text_member(entry, "modified_on").unwrap_or_else(|| zone.created_on.clone());
    if let Some(activated_on) = entry.get("activated_on") {
        zone.activated_on = activated_on.as_str().map(str::to_owned);
    }
    zone.status = text_member(entry, "status").unwrap_or(zone.status);
    zone.kind = text_member(entry, "type").unwrap_or(zone.kind);
    zone.paused = entry.get("paused").and_then(Value::as_bool).unwrap_or(false);
    if let Some(account) = entry.get("account") {
        zone.account_id = text_member(account, "id").unwrap_or(zone.account_id);
        zone.account_name = text_member(account, "name").unwrap_or(zone.account_name);
    }
    zone.save(context.connection)?;
    report.zones += 1;
    Ok(zone)
}

/// Applies a zone's settings and rulesets, also to a zone that exists already.
fn plant_surroundings(
    context: &RequestContext<'_>,
    zone: &Zone,
    entry: &Value,
    place: &str,
    on_refusal: &mut OnRefusal<'_>,
) -> Result<(), SandboxError> {
    type Planter = fn(&RequestContext<'_>, &Zone, &Value) -> HandlerResult<()>;
    let planters: [(&str, Planter); 4] = [
        ("settings", settings::plant_settings),
        ("dnssec", Dnssec::plant),
        ("dns_settings", dns_settings::plant_dns_settings),
        ("resources", resources::plant_resources),
    ];
    for (key, planter) in planters {
        if let Some(member) = entry.get(key).filter(|member| !member.is_null()) {
            let place = format!("{place}.{key}");
            let planted = planter(context, zone, member)
                .map_err(|refusal| SandboxError::refused(&place, &refusal));
            on_refusal.take(planted, &zone.name, &key.replace('_', " "))?;
        }
    }
    Ok(())
}

/// Creates a record from a body, and sets the members that only Cloudflare sets.
fn plant_record(
    context: &RequestContext<'_>,
    zone: &Zone,
    body: &Map<String, Value>,
    place: &str,
    report: &mut SeedReport,
) -> Result<(), SandboxError> {
    let created = match record_requests::draft(context, zone, body, Writer::Document) {
        Ok(record) => record,
        Err(refusal) if matches!(refusal.code(), 81057 | 81058) => {
            report.present += 1;
            return Ok(());
        }
        Err(refusal) => return Err(SandboxError::refused(place, &refusal)),
    };
    report.records += 1;
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = match text("id") {
        Some(id) => id,
        None => store::next_id(context.connection, context.seed)?,
    };
    let created_on = text("created_on").unwrap_or(created.created_on);
    let record = Record {
        id,
        modified_on: text("modified_on").unwrap_or_else(|| created_on.clone()),
        created_on,
        meta: body.get("meta").and_then(Value::as_object).cloned().unwrap_or_default(),
        locked: body.get("locked").and_then(Value::as_bool).unwrap_or(false),
        comment_modified_on: text("comment_modified_on").or(created.comment_modified_on),
        tags_modified_on: text("tags_modified_on").or(created.tags_modified_on),
        ..created
    };
    record
        .insert(context.connection, zone)
        .map_err(|error| SandboxError::refused(place, &Refusal::from(error)))
}

/// Returns the whole state as a document.
///
/// # Order
/// Zones and records in the order of their creation.
pub(super) fn dump(context: &RequestContext<'_>) -> Result<Value, SandboxError> {
    let mut zones = Vec::new();
    for zone in Zone::all(context.connection)? {
        let sql = format!(
            "SELECT {} FROM records WHERE zone_id = ?1 ORDER BY seq",
            super::stored_record::COLUMNS
        );
        let mut statement = context.connection.prepare_cached(&sql)?;
        let records = statement.query_map([&zone.id], Record::from_row)?;
        let records =
            records.map(|row| row.map(RecordEntry::from)).collect::<rusqlite::Result<Vec<_>>>()?;
        zones.push(ZoneEntry {
            settings: settings::to_document(context.connection, &zone)?,
            dnssec: Dnssec::of(context.connection, &zone)?.to_document(),
            dns_settings: dns_settings::changes(context.connection, &zone)?,
            resources: resources::to_document(context.connection, &zone)?,
            records,
            rulesets: rulesets::zone_rulesets(context, &zone)?,
            name: zone.name,
            plan: zone.plan,
            id: zone.id,
            status: zone.status,
            paused: zone.paused,
            kind: zone.kind,
            account: AccountEntry { id: zone.account_id, name: zone.account_name },
            created_on: zone.created_on,
            modified_on: zone.modified_on,
            activated_on: zone.activated_on,
        });
    }
    let document = Document {
        format: FORMAT,
        kind: KIND,
        counter: store::stored_number(context.connection, "counter")?,
        zones,
        account_rulesets: rulesets::of_accounts(context)?,
        managed_rulesets: rulesets::of_vendor(context)?,
    };
    Ok(serde_json::to_value(document).expect("it holds texts, numbers and JSON values"))
}

impl From<Record> for RecordEntry {
    fn from(record: Record) -> Self {
        // Every member is listed, so that the compiler rejects a new member that is missing here.
        let Record {
            id,
            name,
            kind,
            content,
            priority,
            data,
            ttl,
            proxied,
            comment,
            tags,
            mut settings,
            meta,
            locked,
            created_on,
            modified_on,
            comment_modified_on,
            tags_modified_on,
            identity: _,
        } = record;
        Self {
            id,
            name,
            kind,
            content: data.is_none().then_some(content),
            data,
            priority,
            ttl,
            proxied,
            private_routing: settings.shift_remove(PRIVATE_ROUTING),
            settings,
            meta,
            comment,
            tags,
            locked: locked.then_some(true),
            created_on,
            modified_on,
            comment_modified_on,
            tags_modified_on,
        }
    }
}
