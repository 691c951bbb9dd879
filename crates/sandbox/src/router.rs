//! Finds the handler for a method and a path.
//!
//! # Sources
//! Codes and texts of 7000, 7001 and 7003: observed 2026; their statuses were seen as 400 and 404.
//! ASSUMED: routes and identifiers are checked before credentials, and credentials before the body.

use serde_json::{Map, Value};

use super::auth::{self, AcceptedCredentials};
use super::batch;
use super::dns_settings::{get_dns_settings, patch_dns_settings};
use super::dnssec::{delete_dnssec, get_dnssec, patch_dnssec};
use super::envelope::{HandlerResult, Refusal, Success};
use super::export;
use super::list_records::list_records;
use super::query_string::Parameters;
use super::record_requests;
use super::reply::Layout;
use super::request_context::RequestContext;
use super::resources::get_resource;
use super::rulesets;
use super::settings::{get_setting, list_settings, patch_setting};
use super::token::{self, TokenOwner};
use super::zone::Zone;
use super::zones::{create_zone, delete_zone, get_zone, list_zones, patch_zone};
use axum::http::{HeaderMap, Method, Uri, header};
use zonewright_model::facts::permissions::{Permission, PermissionGroup};
use zonewright_model::facts::resources::{ResourceFacts, unmanaged};

/// The base path of the API.
pub(super) const BASE: &str = "/client/v4";

/// A received request.
#[derive(Debug, Clone)]
pub(super) struct Incoming {
    pub(super) method: Method,
    /// URI with query.
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Incoming {
    /// Returns the path below [`BASE`]; `None` for any other path.
    fn path(&self) -> Option<&str> {
        self.uri.path().strip_prefix(BASE).filter(|p| p.is_empty() || p.starts_with('/'))
    }

    /// Returns the format of the response.
    ///
    /// # Sources
    /// Responses about rulesets are indented: clients that search for `"success": true` with its
    /// space are in use.
    pub(super) fn layout(&self) -> Layout {
        let is_ruleset =
            self.path().is_some_and(|path| path.split('/').any(|part| part == "rulesets"));
        if is_ruleset { Layout::Indented } else { Layout::Compact }
    }

    /// Returns true if the method can change anything.
    pub(super) fn is_write(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD)
    }
}

/// A resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource<'a> {
    /// The verification of a user's token.
    Verification,
    /// The verification of an account's token.
    AccountVerification(&'a str),
    /// The lists of an account.
    Lists(&'a str),
    /// All zones.
    Zones,
    Zone(&'a str),
    /// The records of a zone.
    Records(&'a str),
    /// One record of a zone.
    Record(&'a str, &'a str),
    /// The batch endpoint of a zone.
    Batch(&'a str),
    /// The zone file of a zone.
    Export(&'a str),
    /// The usage of a zone's quota.
    Usage(&'a str),
    /// DNSSEC of a zone.
    Dnssec(&'a str),
    /// The DNS settings of a zone.
    DnsSettings(&'a str),
    /// All settings of a zone.
    Settings(&'a str),
    /// Another resource of a zone.
    Other(&'a str, &'static ResourceFacts),
    /// One setting of a zone, by its name.
    Setting(&'a str, &'a str),
    /// Rulesets of an account or a zone.
    Rulesets(rulesets::ScopedRoute<'a>),
}

/// Finds the resource at a path.
fn resource<'a>(path: &'a str, batch: bool) -> HandlerResult<Resource<'a>> {
    let no_route = || Refusal::new(400, 7000, "No route for that URI");
    let mut parts = path.split('/');
    let segments: Vec<&str> = if parts.next() == Some("") { parts.collect() } else { Vec::new() };
    let addressed = match segments.as_slice() {
        ["user", "tokens", "verify"] => Resource::Verification,
        ["accounts", account, "tokens", "verify"] => Resource::AccountVerification(account),
        ["accounts", account, "rules", "lists"] => Resource::Lists(account),
        ["zones"] => Resource::Zones,
        [zone_path @ .., "dns_records", "batch"] if !batch && zone_path.len() == 2 => {
            return Err(no_route());
        }
        ["zones", zone] => Resource::Zone(zone),
        ["zones", zone, "dns_records"] => Resource::Records(zone),
        ["zones", zone, "dns_records", "batch"] => Resource::Batch(zone),
        ["zones", zone, "dns_records", "export"] => Resource::Export(zone),
        ["zones", zone, "dns_records", "usage"] => Resource::Usage(zone),
        ["zones", zone, "dnssec"] => Resource::Dnssec(zone),
        ["zones", zone, "dns_settings"] => Resource::DnsSettings(zone),
        ["zones", zone, "settings", name] => Resource::Setting(zone, name),
        ["zones", zone, "dns_records", record] => Resource::Record(zone, record),
        ["zones", zone, "settings"] => Resource::Settings(zone),
        other => {
            let of_zone = match other {
                ["zones", zone, rest @ ..] => {
                    unmanaged(&rest.join("/")).map(|found| Resource::Other(zone, found))
                }
                _ => None,
            };
            let route =
                of_zone.or_else(|| rulesets::ScopedRoute::find(other).map(Resource::Rulesets));
            route.ok_or_else(no_route)?
        }
    };
    let identifiers = match addressed {
        Resource::Verification | Resource::Zones => Vec::new(),
        Resource::AccountVerification(id)
        | Resource::Lists(id)
        | Resource::Zone(id)
        | Resource::Records(id)
        | Resource::Batch(id)
        | Resource::Export(id)
        | Resource::Usage(id)
        | Resource::Dnssec(id)
        | Resource::DnsSettings(id)
        | Resource::Settings(id)
        | Resource::Other(id, _)
        | Resource::Setting(id, _) => vec![id],
        Resource::Record(zone, record) => vec![zone, record],
        Resource::Rulesets(place) => place.identifiers(),
    };
    let is_identifier =
        |text: &&str| text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    if !identifiers.iter().all(is_identifier) {
        let message =
            format!("Could not route to {path}, perhaps your object identifier is invalid?");
        return Err(Refusal::new(400, 7003, message).and(7000, "No route for that URI"));
    }
    Ok(addressed)
}

fn methods(resource: Resource<'_>) -> &'static [Method] {
    match resource {
        Resource::Verification
        | Resource::AccountVerification(_)
        | Resource::Lists(_)
        | Resource::Export(_)
        | Resource::Settings(_)
        | Resource::Other(..)
        | Resource::Usage(_) => &[Method::GET],
        Resource::Zones | Resource::Records(_) => &[Method::GET, Method::POST],
        Resource::Zone(_) | Resource::Dnssec(_) => &[Method::GET, Method::PATCH, Method::DELETE],
        Resource::DnsSettings(_) | Resource::Setting(..) => &[Method::GET, Method::PATCH],
        Resource::Record(..) => &[Method::GET, Method::PATCH, Method::PUT, Method::DELETE],
        Resource::Batch(_) => &[Method::POST],
        Resource::Rulesets(place) => place.methods(),
    }
}

/// Returns the zone that a resource belongs to.
fn zone_above<'a>(resource: Resource<'a>) -> Option<&'a str> {
    match resource {
        Resource::Verification
        | Resource::AccountVerification(_)
        | Resource::Lists(_)
        | Resource::Zones
        | Resource::Zone(_) => None,
        Resource::Records(zone)
        | Resource::Record(zone, _)
        | Resource::Batch(zone)
        | Resource::Export(zone)
        | Resource::Usage(zone)
        | Resource::Dnssec(zone)
        | Resource::DnsSettings(zone)
        | Resource::Settings(zone)
        | Resource::Other(zone, _)
        | Resource::Setting(zone, _) => Some(zone),
        Resource::Rulesets(place) => place.zone(),
    }
}

/// Returns the permission group that a resource needs; `None` for resources that every token may
/// access.
fn permission_group(resource: Resource<'_>) -> Option<PermissionGroup> {
    Some(match resource {
        Resource::Verification | Resource::AccountVerification(_) => return None,
        Resource::Lists(_) => PermissionGroup::AccountFilterLists,
        Resource::Zones | Resource::Zone(_) => PermissionGroup::Zone,
        Resource::Records(_)
        | Resource::Record(..)
        | Resource::Batch(_)
        | Resource::Export(_)
        | Resource::Usage(_)
        | Resource::Dnssec(_) => PermissionGroup::Dns,
        Resource::DnsSettings(_) => PermissionGroup::ZoneDnsSettings,
        Resource::Settings(_) | Resource::Setting(..) => PermissionGroup::ZoneSettings,
        Resource::Other(_, resource) => resource.permission,
        Resource::Rulesets(place) => place.group(),
    })
}

/// Answers a request.
///
/// # Errors
/// The refusal; the caller must then roll back the writes of the request.
pub(super) fn handle(
    context: &RequestContext<'_>,
    known: &AcceptedCredentials,
    incoming: &Incoming,
) -> HandlerResult<Success> {
    let path = incoming.path().ok_or_else(|| Refusal::new(400, 7000, "No route for that URI"))?;
    let resource = resource(path, context.profile.batch)?;
    if !methods(resource).contains(&incoming.method) {
        let message = format!("Method {} not available for that URI.", incoming.method);
        return Err(Refusal::new(405, 7001, message));
    }
    let is_verification =
        matches!(resource, Resource::Verification | Resource::AccountVerification(_));
    let token = auth::check_credentials(&incoming.headers, known, is_verification)?;
    if let Some(group) = permission_group(resource) {
        let needed_permission =
            if incoming.is_write() { Permission::edit(group) } else { Permission::read(group) };
        let zone = zone_above(resource).or(if let Resource::Zone(id) = resource {
            Some(id)
        } else {
            None
        });
        token::check_permission(
            context,
            token,
            needed_permission,
            zone,
            matches!(resource, Resource::Rulesets(_)),
        )?;
    }
    if let Some(zone) = zone_above(resource) {
        context.new_zones.check(context.profile, zone)?;
    }
    let zone = |id: &str| Zone::get(context.connection, id);
    let shape = context.profile.shape;
    let is = |method: Method| incoming.method == method;
    let parameters = Parameters::read(&incoming.uri);
    match resource {
        Resource::Verification => token::verify(token, TokenOwner::User).map(Success::One),
        Resource::AccountVerification(account) => {
            token::check_account(context, account)?;
            token::verify(token, TokenOwner::Account).map(Success::One)
        }
        Resource::Lists(account) => token::lists(context, account).map(Success::One),
        Resource::Zones if is(Method::POST) => create_zone(context, &body(incoming)?),
        Resource::Zones => list_zones(context, token, &parameters),
        Resource::Zone(id) if is(Method::PATCH) => patch_zone(context, zone(id)?, &body(incoming)?),
        Resource::Zone(id) if is(Method::DELETE) => delete_zone(context, &zone(id)?),
        Resource::Zone(id) => get_zone(context, &zone(id)?),
        Resource::Records(id) if is(Method::POST) => {
            let body = body(incoming)?;
            let zone = zone(id)?;
            let record = record_requests::create_record(context, &zone, &body)?;
            record_requests::check_quota(context, &zone)?;
            // Status 200, not 201: observed 2025-08.
            Ok(Success::One(record.to_json(&zone, shape)))
        }
        Resource::Records(id) => list_records(context, &zone(id)?, &parameters),
        Resource::Record(id, record) if is(Method::PATCH) => {
            let body = body(incoming)?;
            let zone = zone(id)?;
            Ok(Success::One(
                record_requests::patch_record(context, &zone, record, &body)?.to_json(&zone, shape),
            ))
        }
        Resource::Record(id, record) if is(Method::PUT) => {
            let body = body(incoming)?;
            let zone = zone(id)?;
            Ok(Success::One(
                record_requests::replace_record(context, &zone, record, &body)?
                    .to_json(&zone, shape),
            ))
        }
        Resource::Record(id, record) if is(Method::DELETE) => {
            let zone = zone(id)?;
            let record = record_requests::delete_record(context, &zone, record)?;
            context.recent.note(context.profile, &zone.id, &record.name, &record.kind);
            Ok(Success::One(serde_json::json!({ "id": record.id })))
        }
        Resource::Record(id, record) => record_requests::get_record(context, &zone(id)?, record),
        Resource::Batch(id) => batch::run_batch(context, &zone(id)?, &body(incoming)?),
        Resource::Export(id) => export::export(context, &zone(id)?),
        Resource::Usage(id) => Ok(record_requests::usage(context, &zone(id)?)),
        Resource::Dnssec(id) if is(Method::PATCH) => {
            patch_dnssec(context, &zone(id)?, &body(incoming)?)
        }
        Resource::Dnssec(id) if is(Method::DELETE) => delete_dnssec(context, &zone(id)?),
        Resource::Dnssec(id) => get_dnssec(context, &zone(id)?),
        Resource::DnsSettings(id) if is(Method::PATCH) => {
            patch_dns_settings(context, &zone(id)?, &body(incoming)?)
        }
        Resource::DnsSettings(id) => get_dns_settings(context, &zone(id)?),
        Resource::Settings(id) => list_settings(context, &zone(id)?),
        Resource::Other(id, resource) => get_resource(context, &zone(id)?, resource),
        Resource::Setting(id, name) if is(Method::PATCH) => {
            patch_setting(context, &zone(id)?, name, &body(incoming)?)
        }
        Resource::Setting(id, name) => get_setting(context, &zone(id)?, name),
        Resource::Rulesets(place) => {
            let has_body = !matches!(incoming.method, Method::GET | Method::DELETE);
            let body = if has_body { body(incoming)? } else { Map::new() };
            rulesets::handle(context, place, &incoming.method, &parameters, &body)
        }
    }
}

/// Returns the JSON object that a request must contain.
///
/// # Sources
/// Code 9207: reported, with statuses 400 and 415. ASSUMED: 415 for a wrong content type, and the
/// same code with 400 for a body that is not a JSON object.
fn body(incoming: &Incoming) -> HandlerResult<Map<String, Value>> {
    let kind = incoming
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Refusal::new(415, 9207, "Content-type must be application/json."));
    }
    serde_json::from_slice(&incoming.body).map_err(|error| {
        Refusal::new(400, 9207, format!("Request body is not a JSON object: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let id = "0123456789abcdef0123456789abcdef";
        /// Returns the resource, or the code of the refusal.
        fn code(path: &str) -> Result<Resource<'_>, u32> {
            resource(path, true).map_err(|r| r.code())
        }
        assert_eq!(code("/zones"), Ok(Resource::Zones));
        assert_eq!(code("/nothing"), Err(7000));
        assert_eq!(code(""), Err(7000));
        assert_eq!(code("/zones/example.com"), Err(7003));
        assert_eq!(code(&format!("/zones/{id}/dns_records/x")), Err(7003));
        assert_eq!(code(&format!("/zones/{id}/dns_records/{id}")), Ok(Resource::Record(id, id)));
        assert_eq!(code(&format!("/zones/{id}/settings/ssl")), Ok(Resource::Setting(id, "ssl")));
        assert_eq!(code(&format!("/zones/{id}/settings")), Ok(Resource::Settings(id)));
        assert!(matches!(code(&format!("/zones/{id}/workers/routes")), Ok(Resource::Other(..))));
        assert_eq!(code(&format!("/zones/{id}/workers")), Err(7000));
        assert_eq!(code("/zones/example.com/dnssec"), Err(7003));
        let batch = format!("/zones/{id}/dns_records/batch");
        assert_eq!(resource(&batch, true), Ok(Resource::Batch(id)));
        assert_eq!(resource(&batch, false).unwrap_err().code(), 7000);
    }
}
