//! Refuses records that cannot share a name.
//!
//! | new | existing | code |
//! |---|---|---|
//! | A, AAAA, CNAME | a name held by Workers | 81062 |
//! | any | the same type and value | 81058 (81057 in the old shape) |
//! | CNAME | A, AAAA or CNAME | 81053 |
//! | A, AAAA | CNAME | 81054 |
//! | any but NS and DS | NS, below the apex | 81056; if [`NsNeighbours`] accepts it, only for A, AAAA and CNAME |
//! | NS, below the apex | A, AAAA, CNAME | 81053 |
//! | NS, below the apex | any other but DS | 1004, unless [`NsNeighbours`] accepts it |
//! | DS, below the apex | no NS | 1004, if [`DsWithoutNs`] refuses it |
//!
//! # Sources
//! Codes and texts: observed 2025 and 2026, the older 81057 until 2024. NS beside other types:
//! developers.cloudflare.com/api, "Create DNS Record", read 2026-11-20, with DS excepted in the
//! newest SDK. ASSUMED: an equal record is reported before other conflicts; the zone's own apex NS
//! do not exclude; the codes for a new NS.

use rusqlite::params;

use super::envelope::{HandlerResult, Refusal};
use super::profile::{DsWithoutNs, NsNeighbours, RecordMembers};
use super::request_context::RequestContext;
use super::stored_record::Record;
use super::zone::Zone;

/// Longest content of all records of one name and type together, in characters.
const COMBINED_CONTENT: i64 = 8192;

/// Largest number of NS records of one delegated name, as Cloudflare documents it.
const NAME_SERVERS: i64 = 10;

/// Refuses a record that cannot share its name with the records there.
pub(super) fn check_conflicts(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> HandlerResult<()> {
    if is_repeated(context, zone, record)? {
        return Err(match context.profile.shape {
            RecordMembers::Modern | RecordMembers::Full => {
                Refusal::new(400, 81058, "An identical record already exists.")
            }
            RecordMembers::Seed => Refusal::new(400, 81057, "Record already exists."),
        });
    }
    let is_apex = record.name == zone.name;
    let is_address = matches!(record.kind.as_str(), "A" | "AAAA");
    let is_alias = record.kind == "CNAME";
    let has = |kind: &str| has_type(context, zone, record, kind);
    let host_taken =
        || Refusal::new(400, 81053, "An A, AAAA, or CNAME record with that host already exists.");
    if is_alias && (has("A")? || has("AAAA")? || has("CNAME")?) {
        return Err(host_taken());
    }
    if is_address && has("CNAME")? {
        return Err(Refusal::new(400, 81054, "A CNAME record with that host already exists."));
    }
    if is_address || is_alias {
        match context.recent.kind(context.profile, &zone.id, &record.name).as_deref() {
            Some("CNAME") if is_address => {
                return Err(Refusal::new(
                    400,
                    81054,
                    "A CNAME record with that host already exists.",
                ));
            }
            Some("A" | "AAAA" | "CNAME") if is_alias => return Err(host_taken()),
            _ => {}
        }
    }
    if !is_apex {
        if record.kind == "DS" && refuses_lone_ds(context) && !has("NS")? {
            return Err(Refusal::unspecified("DS records need NS records on the same name."));
        }
        if record.kind == "NS" {
            check_delegation(context, zone, record, host_taken)?;
        } else if record.kind != "DS"
            && (is_address || is_alias || !accepts_neighbours(context))
            && has("NS")?
        {
            return Err(Refusal::new(400, 81056, "NS records with that host already exist."));
        }
    }
    check_combined_content(context, zone, record)
}

/// Returns true if NS records can share a name with types other than A, AAAA and CNAME.
fn accepts_neighbours(context: &RequestContext<'_>) -> bool {
    context.profile.ns_neighbours == NsNeighbours::Accept
}

/// Returns true if DS records need NS records at their name.
fn refuses_lone_ds(context: &RequestContext<'_>) -> bool {
    context.profile.ds_without_ns == DsWithoutNs::Refuse
}

/// Refuses to delete the last NS record of a name that has DS records.
pub(super) fn check_deletion(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> HandlerResult<()> {
    let is_last =
        record.kind == "NS" && record.name != zone.name && !has_type(context, zone, record, "NS")?;
    if is_last && refuses_lone_ds(context) && has_type(context, zone, record, "DS")? {
        return Err(Refusal::unspecified(
            "The last NS record cannot be deleted while DS records exist on the same name.",
        ));
    }
    Ok(())
}

/// Returns true if the record duplicates another record of the zone.
fn is_repeated(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM records WHERE zone_id = ?1 AND name = ?2 AND type = ?3 AND identity = \
        ?4 AND id <> ?5";
    let mut statement = context.connection.prepare_cached(sql)?;
    statement.exists(params![zone.id, record.name, record.kind, record.identity, record.id])
}

/// Returns true if another record of this type exists at the name.
fn has_type(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
    kind: &str,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM records WHERE zone_id = ?1 AND name = ?2 AND type = ?3 AND id <> ?4";
    context.connection.prepare_cached(sql)?.exists(params![zone.id, record.name, kind, record.id])
}

/// Refuses a record that conflicts with one that Workers manage.
///
/// # Sources
/// Code 81062 and its text: observed 2025 and 2026.
pub(super) fn check_managed(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> HandlerResult<()> {
    if matches!(record.kind.as_str(), "A" | "AAAA" | "CNAME")
        && is_held_by_workers(context, zone, record)?
    {
        return Err(Refusal::new(
            400,
            81062,
            "A DNS record managed by Workers already exists on that host.",
        ));
    }
    Ok(())
}

/// Returns true if Workers own the name: they create an AAAA record for `100::` that cannot be
/// edited (observed 2025 and 2026).
fn is_held_by_workers(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM records WHERE zone_id = ?1 AND name = ?2 AND meta <> '{}' AND type = \
        'AAAA' \
         AND content = '100::' AND json_extract(meta, '$.read_only') = 1 AND id <> ?3";
    context.connection.prepare_cached(sql)?.exists(params![zone.id, record.name, record.id])
}

/// Refuses NS records that share a name with other types, and too many NS records.
fn check_delegation(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
    host_taken: impl Fn() -> Refusal,
) -> HandlerResult<()> {
    for kind in ["A", "AAAA", "CNAME"] {
        if has_type(context, zone, record, kind)? {
            return Err(host_taken());
        }
    }
    let sql = "SELECT 1 FROM records WHERE zone_id = ?1 AND name = ?2 AND type NOT IN ('NS', 'DS') \
        AND id <> ?3";
    if !accepts_neighbours(context)
        && context.connection.prepare_cached(sql)?.exists(params![
            zone.id,
            record.name,
            record.id
        ])?
    {
        return Err(Refusal::unspecified(
            "NS records cannot exist on the same name as any other record type.",
        ));
    }
    let sql = "SELECT COUNT(*) FROM records WHERE zone_id = ?1 AND name = ?2 AND type = 'NS' AND \
        id <> ?3";
    let mut statement = context.connection.prepare_cached(sql)?;
    let other_delegations: i64 =
        statement.query_row(params![zone.id, record.name, record.id], |row| row.get(0))?;
    if other_delegations >= NAME_SERVERS {
        return Err(Refusal::unspecified(format!(
            "A name can have at most {NAME_SERVERS} NS records."
        )));
    }
    Ok(())
}

/// Refuses a record set that is too long.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read 2026-11-20;
/// code 83011 and its text: observed 2026. ASSUMED: the length is that of `content` in responses.
fn check_combined_content(
    context: &RequestContext<'_>,
    zone: &Zone,
    record: &Record,
) -> HandlerResult<()> {
    let sql = "SELECT COALESCE(SUM(LENGTH(content)), 0) FROM records \
         WHERE zone_id = ?1 AND name = ?2 AND type = ?3 AND id <> ?4";
    let mut statement = context.connection.prepare_cached(sql)?;
    let combined_content: i64 = statement
        .query_row(params![zone.id, record.name, record.kind, record.id], |row| row.get(0))?;
    if combined_content + i64::try_from(record.content.chars().count()).unwrap_or(i64::MAX)
        > COMBINED_CONTENT
    {
        let message = format!(
            "Combined content length of records with this name and type must not exceed \
            {COMBINED_CONTENT}."
        );
        return Err(Refusal::invalid(83011, message));
    }
    Ok(())
}
