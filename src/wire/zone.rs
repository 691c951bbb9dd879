//! Converts zones from Cloudflare's JSON, and builds the requests that find, read and create a
//! zone.
//!
//! # Sources
//! developers.cloudflare.com/api/resources/zones (Create Zone), read 2026-11-20.

use serde_json::{Map, Value as Json, json};

use super::pages::{ZONES_PER_PAGE, page_of};
use super::request::{Method, Request, segment};
use crate::model::{LiveZone, Tier, ZoneId, ZoneName};

/// An invalid zone in a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a zone in the response has no usable `{0}`")]
pub struct InvalidZone(&'static str);

/// Parses a zone of a response, without its records.
///
/// # Errors
/// Fails without `id` or `name`.
pub fn read_zone(json: &Json) -> Result<LiveZone, InvalidZone> {
    let text = |name: &'static str| json.get(name).and_then(Json::as_str).filter(|t| !t.is_empty());
    let id = text("id").ok_or(InvalidZone("id"))?;
    let name = text("name").ok_or(InvalidZone("name"))?;
    let tier = json.pointer("/plan/legacy_id").and_then(Json::as_str);
    let servers = json.get("name_servers").and_then(Json::as_array).into_iter().flatten();
    Ok(LiveZone {
        tier: tier.map_or(Tier::Unknown, Tier::from_legacy_id),
        created_on: text("created_on").map(str::to_owned),
        name_servers: servers.filter_map(Json::as_str).map(str::to_ascii_lowercase).collect(),
        status: text("status").map(str::to_owned),
        is_paused: json.get("paused").and_then(Json::as_bool).unwrap_or(false),
        setup: text("type").map(str::to_owned),
        account: json
            .pointer("/account/id")
            .and_then(Json::as_str)
            .filter(|t| !t.is_empty())
            .map(str::to_owned),
        ..LiveZone::new(ZoneName::reported(name), ZoneId(id.to_owned()))
    })
}

/// Returns the members that [`read_zone`] reads, for a snapshot. The others contain names and
/// addresses of owners.
#[must_use]
pub fn kept_of_zone(zone: &Json) -> Json {
    const KEPT: [&str; 7] =
        ["id", "name", "status", "paused", "type", "name_servers", "created_on"];
    let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), zone.get(*name)?.clone())));
    let mut kept: Map<String, Json> = kept.collect();
    if let Some(tier) = zone.pointer("/plan/legacy_id") {
        kept.insert("plan".to_owned(), json!({ "legacy_id": tier }));
    }
    if let Some(account) = zone.pointer("/account/id") {
        kept.insert("account".to_owned(), json!({ "id": account }));
    }
    Json::Object(kept)
}

/// Finds a zone by name; `account` narrows the search.
#[must_use]
pub fn find_zone(name: &str, account: Option<&str>) -> Request {
    of_account(Request::new(Method::Get, "/zones").query("name", name), account)
        .query("per_page", ZONES_PER_PAGE.to_string())
}

/// Reads one page of all zones.
#[must_use]
pub fn zone_page(account: Option<&str>, page: u64) -> Request {
    page_of(of_account(Request::new(Method::Get, "/zones"), account), ZONES_PER_PAGE, page)
}

/// Limits a search to an account.
fn of_account(request: Request, account: Option<&str>) -> Request {
    match account {
        Some(id) => request.query("account.id", id),
        None => request,
    }
}

/// Creates a zone.
#[must_use]
pub fn create_zone(name: &ZoneName, account: Option<&str>) -> Request {
    let mut body = Map::from_iter([("name".to_owned(), json!(name.as_str()))]);
    if let Some(id) = account {
        body.insert("account".to_owned(), json!({ "id": id }));
    }
    Request::new(Method::Post, "/zones").body(Json::Object(body))
}

/// Reads one zone by its id.
#[must_use]
pub fn get_zone(id: &ZoneId) -> Request {
    Request::new(Method::Get, format!("/zones/{}", segment(&id.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_cannot_leave_their_segment() {
        assert_eq!(get_zone(&ZoneId("../x?y".into())).path, "/zones/%2E%2E%2Fx%3Fy");
    }

    #[test]
    fn zones_are_read_leniently() {
        let zone = read_zone(&json!({"id":"z","name":"Example.COM","plan":null,"name_servers":["ADA.ns.example.net"]}))
            .unwrap();
        assert_eq!(
            (zone.name.as_str(), zone.tier, &*zone.name_servers[0]),
            ("example.com", Tier::Unknown, "ada.ns.example.net")
        );
        assert!(read_zone(&json!({"name":"example.com"})).is_err());
    }
}
