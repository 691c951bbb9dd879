//! Zones in Cloudflare's JSON, and the requests of a zone.

use serde_json::{Map, Value as Json, json};

use super::record::{RecordPatch, create_body, patch_body};
use super::request::{Method, Request};
use crate::model::{LiveZone, Rdata, RecordForm, RecordId, Tier, ZoneId, ZoneName};

/// An invalid zone in a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a zone in the answer has no usable `{0}`")]
pub struct ZoneShapeError(&'static str);

/// Largest number of zones on one page of the list.
///
/// # Sources
/// developers.cloudflare.com/api/resources/zones (List Zones: per_page 5 to 50), read 2026-11-20.
pub const ZONES_PER_PAGE: u64 = 50;

/// Requested number of records on one page of the list. The documented maximum is 5,000,000; responses above about
/// 5,000 records have been seen to time out.
pub const RECORDS_PER_PAGE: u64 = 5000;

/// Parses a zone of a response, without its records.
///
/// # Errors
/// Without `id` or `name`.
pub fn read_zone(json: &Json) -> Result<LiveZone, ZoneShapeError> {
    let text = |name: &'static str| json.get(name).and_then(Json::as_str).filter(|t| !t.is_empty());
    let id = text("id").ok_or(ZoneShapeError("id"))?;
    let name = text("name").ok_or(ZoneShapeError("name"))?;
    let tier = json.pointer("/plan/legacy_id").and_then(Json::as_str);
    let servers = json.get("name_servers").and_then(Json::as_array).into_iter().flatten();
    Ok(LiveZone {
        tier: tier.map_or(Tier::Free, Tier::from_legacy_id),
        created_on: text("created_on").map(str::to_owned),
        name_servers: servers.filter_map(Json::as_str).map(str::to_ascii_lowercase).collect(),
        status: text("status").map(str::to_owned),
        account: json.pointer("/account/id").and_then(Json::as_str).filter(|t| !t.is_empty()).map(str::to_owned),
        ..LiveZone::new(ZoneName::reported(name), ZoneId(id.to_owned()))
    })
}

/// Finds a zone by name; `account` narrows the search.
#[must_use]
pub fn find_zone(name: &ZoneName, account: Option<&str>) -> Request {
    of_account(Request::new(Method::Get, "/zones").query("name", name.as_str()), account)
        .query("per_page", ZONES_PER_PAGE.to_string())
}

/// One page of all zones.
#[must_use]
pub fn list_zones(account: Option<&str>, page: u64) -> Request {
    of_account(Request::new(Method::Get, "/zones"), account)
        .query("order", "name")
        .query("direction", "asc")
        .query("per_page", ZONES_PER_PAGE.to_string())
        .query("page", page.to_string())
}

/// Limits a search to an account.
fn of_account(request: Request, account: Option<&str>) -> Request {
    match account {
        Some(id) => request.query("account.id", id),
        None => request,
    }
}

/// Reads one zone by its id.
#[must_use]
pub fn get_zone(id: &ZoneId) -> Request {
    Request::new(Method::Get, format!("/zones/{}", segment(&id.0)))
}

/// One page of a zone's records, in an order that does not change between pages.
#[must_use]
pub fn list_records(zone: &ZoneId, per_page: u64, page: u64) -> Request {
    Request::new(Method::Get, records_path(zone))
        .query("order", "name")
        .query("direction", "asc")
        .query("per_page", per_page.to_string())
        .query("page", page.to_string())
}

/// Reads the record quota of a zone and its use.
#[must_use]
pub fn record_usage(zone: &ZoneId) -> Request {
    Request::new(Method::Get, format!("{}/usage", records_path(zone)))
}

/// Creates one record.
#[must_use]
pub fn create_record(zone: &ZoneId, form: &RecordForm) -> Request {
    Request::new(Method::Post, records_path(zone)).body(create_body(form))
}

/// Changes one record.
#[must_use]
pub fn patch_record(zone: &ZoneId, id: &RecordId, data: &Rdata, patch: &RecordPatch) -> Request {
    Request::new(Method::Patch, record_path(zone, id)).body(Json::Object(patch_body(data, patch)))
}

/// Deletes one record.
#[must_use]
pub fn delete_record(zone: &ZoneId, id: &RecordId) -> Request {
    Request::new(Method::Delete, record_path(zone, id))
}

/// Several changes in one transaction, executed as deletes, patches, puts, posts.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes, read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    deletes: Vec<Json>,
    patches: Vec<Json>,
    posts: Vec<Json>,
}

impl Batch {
    /// Adds a delete.
    pub fn delete(&mut self, id: &RecordId) {
        self.deletes.push(json!({ "id": id.0 }));
    }

    /// Adds a change.
    pub fn patch(&mut self, id: &RecordId, data: &Rdata, patch: &RecordPatch) {
        let mut body = Map::from_iter([("id".to_owned(), json!(id.0))]);
        body.extend(patch_body(data, patch));
        self.patches.push(Json::Object(body));
    }

    /// Adds a create.
    pub fn post(&mut self, form: &RecordForm) {
        self.posts.push(create_body(form));
    }

    /// The request; empty lists are omitted.
    #[must_use]
    pub fn into_request(self, zone: &ZoneId) -> Request {
        let Self { deletes, patches, posts } = self;
        let lists = [("deletes", deletes), ("patches", patches), ("posts", posts)];
        let body = lists.into_iter().filter(|(_, l)| !l.is_empty()).map(|(n, l)| (n.to_owned(), Json::Array(l)));
        Request::new(Method::Post, format!("{}/batch", records_path(zone))).body(Json::Object(body.collect()))
    }
}

/// Path of a zone's records.
fn records_path(zone: &ZoneId) -> String {
    format!("/zones/{}/dns_records", segment(&zone.0))
}

/// Path of one record.
fn record_path(zone: &ZoneId, id: &RecordId) -> String {
    format!("{}/{}", records_path(zone), segment(&id.0))
}

/// An id as a path segment. Ids are hexadecimal; any other text in a hostile response must not change the path.
pub(super) fn segment(id: &str) -> String {
    id.bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() || b == b'-' || b == b'_' {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_cannot_leave_their_segment() {
        assert_eq!(get_zone(&ZoneId("../x?y".into())).path, "/zones/%2E%2E%2Fx%3Fy");
    }

    #[test]
    fn lists_without_entries_are_left_out() {
        let mut batch = Batch::default();
        batch.delete(&RecordId("a1".into()));
        let request = batch.into_request(&ZoneId("z1".into()));
        assert_eq!(request.path, "/zones/z1/dns_records/batch");
        assert_eq!(request.body.unwrap().to_string(), r#"{"deletes":[{"id":"a1"}]}"#);
    }

    #[test]
    fn zones_are_read_leniently() {
        let zone = read_zone(&json!({"id":"z","name":"Example.COM","plan":null,"name_servers":["ADA.ns.example.net"]}))
            .unwrap();
        assert_eq!(
            (zone.name.as_str(), zone.tier, &*zone.name_servers[0]),
            ("example.com", Tier::Free, "ada.ns.example.net")
        );
        assert!(read_zone(&json!({"name":"example.com"})).is_err());
    }
}
