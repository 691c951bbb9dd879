//! DNSSEC of a zone: GET, PATCH and DELETE /zones/{id}/dnssec.
//!
//! ```text
//!  disabled ──active──▶ pending ──(parent publishes, by switch)──▶ active
//!     ▲                   │disabled                                  │disabled
//!     ├───────────────────┘                                          ▼
//!     └────────────────────────(next GET)───────────────────── pending-disabled
//! ```
//!
//! # Sources
//! Members and states: developers.cloudflare.com/api, "Edit DNSSEC Status", and
//! developers.cloudflare.com/dns/dnssec/dnssec-states, read 2026-11-20. `modified_on` with `+00:00`
//! and null after a deletion: observed in the tests of the Terraform provider. ASSUMED: a zone
//! without DNSSEC shows no key; the key never changes; `pending` goes straight to `disabled`, as no
//! parent trusts the key yet; `pending-disabled` goes straight back to `active`, as the parent
//! still does; a request for the current state changes nothing.

use data_encoding::{BASE64, HEXUPPER};
use ring::digest::{Context, SHA256, digest};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};

use super::envelope::{HandlerResult, Refusal, Success};
use super::request_context::RequestContext;
use super::zone::Zone;

/// The states of a zone.
const STATES: &[&str] = &["active", "pending", "disabled", "pending-disabled", "error"];

/// The boolean options beside the state, in the order of the response.
const SWITCHES: [&str; 3] = ["dnssec_multi_signer", "dnssec_presigned", "dnssec_use_nsec3"];

/// The DNSSEC state of a zone in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dnssec {
    /// One of [`STATES`].
    status: String,
    /// Time of the last change; null if there was none or DNSSEC was deleted.
    modified_on: Option<String>,
    /// The values of [`SWITCHES`].
    switches: [bool; 3],
}

impl Default for Dnssec {
    /// Returns the state of a zone whose DNSSEC was never changed.
    fn default() -> Self {
        Self { status: "disabled".to_owned(), modified_on: None, switches: [false; 3] }
    }
}

impl Dnssec {
    pub(super) fn of(connection: &Connection, zone: &Zone) -> rusqlite::Result<Self> {
        let sql = "SELECT status, modified_on, multi_signer, presigned, use_nsec3 FROM zone_dnssec \
            WHERE zone_id = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let row = statement.query_row([&zone.id], |row| {
            let switches = [row.get(2)?, row.get(3)?, row.get(4)?];
            Ok(Self { status: row.get(0)?, modified_on: row.get(1)?, switches })
        });
        Ok(row.optional()?.unwrap_or_default())
    }

    /// Stores the state of the zone, replacing the previous one.
    fn save(&self, connection: &Connection, zone: &Zone) -> rusqlite::Result<()> {
        let sql = "INSERT INTO zone_dnssec (zone_id, status, modified_on, multi_signer, presigned, \
            use_nsec3) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (zone_id) DO UPDATE SET status = ?2, \
             modified_on = ?3, \
             multi_signer = ?4, presigned = ?5, use_nsec3 = ?6";
        let [multi_signer, presigned, use_nsec3] = self.switches;
        connection.prepare_cached(sql)?.execute(params![
            zone.id,
            self.status,
            self.modified_on,
            multi_signer,
            presigned,
            use_nsec3
        ])?;
        Ok(())
    }

    /// Returns the state in the form of the API.
    fn to_json(&self, zone: &Zone) -> Value {
        let mut out = Map::new();
        out.insert("status".to_owned(), self.status.clone().into());
        if self.status != "disabled" {
            out.extend(key_members(zone));
        }
        out.insert("modified_on".to_owned(), self.modified_on.as_deref().map(offset_form).into());
        for (name, value) in SWITCHES.iter().zip(self.switches) {
            out.insert((*name).to_owned(), value.into());
        }
        Value::Object(out)
    }

    /// Returns the state in the form of a document; `None` for a zone whose DNSSEC was never
    /// changed.
    pub(super) fn to_document(&self) -> Option<Map<String, Value>> {
        if *self == Self::default() {
            return None;
        }
        let mut out = Map::new();
        out.insert("status".to_owned(), self.status.clone().into());
        out.insert("modified_on".to_owned(), self.modified_on.clone().into());
        for (name, value) in SWITCHES.iter().zip(self.switches).filter(|(_, value)| *value) {
            out.insert((*name).to_owned(), value.into());
        }
        Some(out)
    }

    /// Applies the member of a document without the limits of the plan: a real zone keeps its state
    /// when its plan is lowered.
    ///
    /// # Errors
    /// Describes the invalid member.
    pub(super) fn plant(
        context: &RequestContext<'_>,
        zone: &Zone,
        member: &Value,
    ) -> HandlerResult<()> {
        let body =
            member.as_object().ok_or_else(|| Refusal::unspecified("`dnssec` must be an object"))?;
        let previous = Self::of(context.connection, zone)?;
        let mut updated = previous.clone();
        if let Some(status) = body.get("status") {
            updated.status = status
                .as_str()
                .filter(|s| STATES.contains(s))
                .ok_or_else(|| invalid_member("status"))?
                .to_owned();
        }
        updated.switch(body)?;
        match body.get("modified_on") {
            Some(moment) => updated.modified_on = moment.as_str().map(str::to_owned),
            None if updated != previous => updated.modified_on = Some(context.now.to_owned()),
            None => {}
        }
        if updated != previous {
            updated.save(context.connection, zone)?;
        }
        Ok(())
    }

    /// Applies the boolean options of a body.
    fn switch(&mut self, body: &Map<String, Value>) -> HandlerResult<()> {
        for (name, value) in SWITCHES.iter().zip(&mut self.switches) {
            if let Some(given) = body.get(*name).filter(|v| !v.is_null()) {
                *value = given.as_bool().ok_or_else(|| invalid_member(name))?;
            }
        }
        Ok(())
    }
}

/// Refuses a member that is missing or has the wrong type.
///
/// # Sources
/// Code 1002 with this text for `status`: observed 2018. ASSUMED: the same for the other members.
fn invalid_member(member: &str) -> Refusal {
    Refusal::new(400, 1002, format!("Invalid or missing \"{member}\""))
}

/// GET /zones/{id}/dnssec. Each read advances the state: a transition that was pending at the last
/// read may be complete now.
pub(super) fn get_dnssec(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<Success> {
    let mut dnssec = Dnssec::of(context.connection, zone)?;
    let next_status = match dnssec.status.as_str() {
        "pending" if context.profile.dnssec_activates => Some("active"),
        "pending-disabled" => Some("disabled"),
        _ => None,
    };
    if let Some(next) = next_status {
        next.clone_into(&mut dnssec.status);
        dnssec.modified_on = Some(context.now.to_owned());
        // A single statement, so it needs no transaction.
        dnssec.save(context.connection, zone)?;
    }
    Ok(Success::One(dnssec.to_json(zone)))
}

/// PATCH /zones/{id}/dnssec.
///
/// # Sources
/// The text of code 1017 for NSEC3 and presigned zones: observed in the tests of the Terraform
/// provider; the code, and that a zone that is not active yet gets it too: measured by an
/// integrator in 2026. ASSUMED: both switches need the enterprise plan.
pub(super) fn patch_dnssec(
    context: &RequestContext<'_>,
    zone: &Zone,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let previous = Dnssec::of(context.connection, zone)?;
    let wish = match body.get("status").filter(|v| !v.is_null()) {
        None if SWITCHES.iter().any(|s| body.contains_key(*s)) => None,
        None => return Err(invalid_member("status")),
        Some(status) => {
            let status = status.as_str().filter(|s| matches!(*s, "active" | "disabled"));
            Some(status.ok_or_else(|| invalid_member("status"))?)
        }
    };
    let mut updated = previous.clone();
    updated.switch(body)?;
    let plan_refused = || Refusal::new(400, 1017, "Invalid zone plan for action");
    let [_, presigned, use_nsec3] = updated.switches;
    let is_new = updated.switches != previous.switches;
    if is_new && (presigned || use_nsec3) && zone.plan != "enterprise" {
        return Err(plan_refused());
    }
    let status = match (wish, previous.status.as_str()) {
        (Some("active"), "disabled" | "error") if zone.status != "active" => {
            return Err(plan_refused());
        }
        (Some("active"), "disabled" | "error") => "pending",
        (Some("active"), "pending-disabled") => "active",
        (Some("disabled"), "active") => "pending-disabled",
        (Some("disabled"), "pending" | "error") => "disabled",
        (_, same) => same,
    };
    status.clone_into(&mut updated.status);
    if updated != previous {
        updated.modified_on = Some(context.now.to_owned());
        updated.save(context.connection, zone)?;
    }
    Ok(Success::One(updated.to_json(zone)))
}

/// DELETE /zones/{id}/dnssec.
///
/// # Sources
/// developers.cloudflare.com/api, "Delete DNSSEC Records", read 2026-11-20: the result is text.
/// ASSUMED: the text is empty; the options are reset too; code 1004 while DNSSEC is not disabled.
pub(super) fn delete_dnssec(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<Success> {
    if Dnssec::of(context.connection, zone)?.status != "disabled" {
        return Err(Refusal::unspecified(
            "DNSSEC must be disabled before its records can be deleted.",
        ));
    }
    context
        .connection
        .prepare_cached("DELETE FROM zone_dnssec WHERE zone_id = ?1")?
        .execute([&zone.id])?;
    Ok(Success::One(json!("")))
}

/// Formats a time with an offset in place of `Z`.
fn offset_form(moment: &str) -> String {
    moment.strip_suffix('Z').map_or_else(|| moment.to_owned(), |local| format!("{local}+00:00"))
}

/// Returns the members that describe the key.
///
/// The public key is not a point of the curve. All other members are derived from it like those of
/// a real key: a digest or a key tag that a client computes from the response matches.
fn key_members(zone: &Zone) -> Map<String, Value> {
    let half = |which: u8| {
        digest(&SHA256, format!("zonewright sandbox dnssec {} {which}", zone.id).as_bytes())
    };
    let public_key = [half(0).as_ref(), half(1).as_ref()].concat();
    // RFC 4034 section 2.1: flags 257, protocol 3, algorithm 13, then the key.
    let rdata: Vec<u8> = [1, 1, 3, 13].into_iter().chain(public_key.iter().copied()).collect();
    let (tag, ds) = (key_tag(&rdata), digest_for_parent(&zone.name, &rdata));
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put("flags", 257.into());
    put("algorithm", "13".into());
    put("key_type", "ECDSAP256SHA256".into());
    put("digest_type", "2".into());
    put("digest_algorithm", "SHA256".into());
    put("digest", ds.clone().into());
    put("ds", format!("{}. 3600 IN DS {tag} 13 2 {ds}", zone.name).into());
    put("key_tag", tag.into());
    put("public_key", BASE64.encode(&public_key).into());
    out
}

/// Computes the key tag: RFC 4034 appendix B.
fn key_tag(rdata: &[u8]) -> u32 {
    let sum: u32 = rdata
        .iter()
        .zip([8, 0].into_iter().cycle())
        .map(|(byte, shift)| u32::from(*byte) << shift)
        .sum();
    (sum + (sum >> 16)) & 0xffff
}

/// Computes the digest of a key for the parent: RFC 4034 section 5.1.4, in upper-case hexadecimal.
fn digest_for_parent(zone: &str, rdata: &[u8]) -> String {
    let mut hash = Context::new(&SHA256);
    for label in zone.split('.') {
        // A label has at most 63 octets.
        hash.update(&[u8::try_from(label.len()).unwrap_or(u8::MAX)]);
        hash.update(label.as_bytes());
    }
    hash.update(&[0]);
    hash.update(rdata);
    HEXUPPER.encode(hash.finish().as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_and_digest_of_a_known_key() {
        // RFC 6605 section 6.1.
        let key = "GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==";
        let bytes = BASE64.decode(key.as_bytes()).unwrap();
        let rdata = [&[1, 1, 3, 13], bytes.as_slice()].concat();
        assert_eq!(key_tag(&rdata), 55648);
        assert_eq!(
            digest_for_parent("example.net", &rdata),
            "B4C8C1FE2E7477127B27115656AD6256F424625BF5C1E2770CE6D6E37DF61D17"
        );
    }

    #[test]
    fn moments_carry_an_offset() {
        assert_eq!(offset_form("2026-02-03T10:15:30.123456Z"), "2026-02-03T10:15:30.123456+00:00");
    }
}
