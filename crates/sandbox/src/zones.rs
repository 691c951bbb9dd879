//! The zone endpoints.

use serde_json::{Map, Value, json};

use super::envelope::{HandlerResult, Refusal, Success};
use super::query_string::Parameters;
use super::request_context::RequestContext;
use super::settings;
use super::store;
use super::token::Token;
use super::zone::{ACCOUNT_ID, ACCOUNT_NAME, Zone};
use super::{name, profile};

/// GET /zones.
///
/// # Sources
/// Filters and operators: developers.cloudflare.com/api, "List Zones", read 2026-11-20. The
/// documentation allows 5 to 50 zones on a page; 100 were accepted (observed 2025-08). ASSUMED:
/// other sizes are clamped to this range. A token sees its own zones (reported).
pub(super) fn list_zones(
    context: &RequestContext<'_>,
    token: Option<&Token>,
    parameters: &Parameters,
) -> HandlerResult<Success> {
    let page = parameters.page(20, 5, 100);
    let is_shown = |zone: &Zone| token.is_none_or(|token| token.covers(&zone.name));
    let mut zones: Vec<Zone> = Zone::all(context.connection)?
        .into_iter()
        .filter(|zone| is_shown(zone) && matches_filters(context, zone, parameters))
        .collect();
    type Key = fn(&Zone) -> &str;
    let key: Option<Key> = match parameters.get("order") {
        Some("name") => Some(|z| &z.name),
        Some("status") => Some(|z| &z.status),
        Some("account.id") => Some(|z| &z.account_id),
        Some("account.name") => Some(|z| &z.account_name),
        Some("plan.id") => Some(|z| &z.plan),
        _ => None,
    };
    if let Some(key) = key {
        zones.sort_by(|a, b| key(a).cmp(key(b)));
    }
    if parameters.is_descending() {
        zones.reverse();
    }
    let total = zones.len() as u64;
    let start = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let shown = zones.iter().skip(start).take(size).map(|zone| zone_json(context, zone));
    let shown = shown.collect::<rusqlite::Result<Vec<_>>>()?;
    let info = page.info_of_zones(shown.len(), total);
    Ok(Success::Page(shown, info))
}

/// Returns a zone in the form of the API.
fn zone_json(context: &RequestContext<'_>, zone: &Zone) -> rusqlite::Result<Value> {
    Ok(zone.to_json(
        context.profile,
        settings::development_mode(context.connection, &zone.id, context.now)?,
    ))
}

/// Returns true if a zone matches the filters.
fn matches_filters(context: &RequestContext<'_>, zone: &Zone, parameters: &Parameters) -> bool {
    // Internal zones are omitted unless requested.
    if parameters.get("type").is_none() && zone.kind == "internal" {
        return false;
    }
    let results: Vec<bool> = parameters
        .iter()
        .filter_map(|(key, value)| match key {
            "name" => Some(text_matches(&zone.answered_name(context.profile), value)),
            "account.name" => Some(text_matches(&zone.account_name, value)),
            "account.id" => Some(zone.account_id == value),
            "status" => Some(zone.status == value),
            "type" => Some(value.split(',').any(|kind| kind == zone.kind)),
            _ => None,
        })
        .collect();
    if parameters.is_any("match") && !results.is_empty() {
        results.contains(&true)
    } else {
        !results.contains(&false)
    }
}

/// Returns true if a text matches a filter with an optional operator before the first colon.
fn text_matches(text: &str, filter: &str) -> bool {
    let (operator, value) = filter.split_once(':').unwrap_or(("equal", filter));
    let (operator, text, value) = match operator.strip_suffix("_case_sensitive") {
        Some(operator) => (operator, text.to_owned(), value.to_owned()),
        None => (operator, text.to_lowercase(), value.to_lowercase()),
    };
    match operator {
        "equal" => text == value,
        "not_equal" => text != value,
        "starts_with" => text.starts_with(&value),
        "ends_with" => text.ends_with(&value),
        "contains" => text.contains(&value),
        // A colon without an operator before it is part of the value.
        _ => text == filter.to_lowercase(),
    }
}

/// POST /zones.
///
/// # Sources
/// Code 1061 and its text: observed. A new zone is `pending`: observed. ASSUMED: any account may be
/// named, and without one the only existing account is used; an invalid account identifier is code
/// 1101 "request was invalid"; an invalid name is code 1049, known from clients only.
pub(super) fn create_zone(
    context: &RequestContext<'_>,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let text = body.get("name").and_then(Value::as_str).unwrap_or_default();
    let name = name::parse_host_name(text).filter(|n| is_registrable(n));
    let name =
        name.ok_or_else(|| Refusal::new(400, 1049, format!("{text} is not a registered domain")))?;
    if Zone::named(context.connection, &name)?.is_some() {
        return Err(Refusal::new(400, 1061, format!("{name} already exists")));
    }
    let kind = body.get("type").and_then(Value::as_str).unwrap_or("full");
    if !matches!(kind, "full" | "partial" | "secondary" | "internal") {
        return Err(Refusal::new(400, 1101, format!("{kind} is not a type of zones")));
    }
    let is_identifier =
        |text: &&str| text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let account = match body.get("account").and_then(|account| account.get("id")) {
        None | Some(Value::Null) => ACCOUNT_ID,
        Some(id) => id.as_str().filter(is_identifier).ok_or_else(|| {
            Refusal::new(400, 1101, "request was invalid: account.id is not an identifier")
        })?,
    };
    let zone = Zone {
        status: "pending".to_owned(),
        activated_on: None,
        kind: kind.to_owned(),
        account_id: account.to_owned(),
        account_name: ACCOUNT_NAME.to_owned(),
        ..Zone::active(
            store::next_id(context.connection, context.seed)?,
            name,
            &context.profile.tier,
            context.now,
        )
    };
    zone.save(context.connection)?;
    context.new_zones.note(context.profile, &zone.id);
    Ok(Success::One(zone_json(context, &zone)?))
}

/// Returns true if a zone can have this name: at least two labels of letters, digits and inner
/// hyphens, and the last is not a number.
fn is_registrable(name: &str) -> bool {
    let is_label = |label: &str| {
        label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let has_suffix =
        name.rsplit_once('.').is_some_and(|(_, last)| !last.bytes().all(|b| b.is_ascii_digit()));
    has_suffix && name.split('.').all(is_label)
}

/// GET /zones/{id}.
pub(super) fn get_zone(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<Success> {
    Ok(Success::One(zone_json(context, zone)?))
}

/// PATCH /zones/{id}: `paused`, `type` and, as octoDNS uses it, `plan`.
///
/// ASSUMED: other members are ignored.
pub(super) fn patch_zone(
    context: &RequestContext<'_>,
    mut zone: Zone,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    if let Some(paused) = body.get("paused").and_then(Value::as_bool) {
        zone.paused = paused;
    }
    if let Some(kind) = body.get("type").and_then(Value::as_str) {
        zone.kind = kind.to_owned();
    }
    let plan =
        body.get("plan").and_then(|p| p.get("id").or(p.get("legacy_id"))).and_then(Value::as_str);
    if let Some(tier) = plan.and_then(profile::tier) {
        zone.plan = tier.name.to_owned();
    }
    zone.modified_on = context.now.to_owned();
    zone.save(context.connection)?;
    Ok(Success::One(zone_json(context, &zone)?))
}

/// DELETE /zones/{id}.
pub(super) fn delete_zone(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<Success> {
    zone.remove(context.connection)?;
    Ok(Success::One(json!({ "id": zone.id })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators() {
        for (filter, expected) in [
            ("example.com", true),
            ("EXAMPLE.com", true),
            ("equal:example.com", true),
            ("not_equal:example.com", false),
            ("starts_with:exam", true),
            ("ends_with:.com", true),
            ("contains:MPL", true),
            ("contains_case_sensitive:MPL", false),
            ("starts_with_case_sensitive:exam", true),
            ("other:example.com", false),
        ] {
            assert_eq!(text_matches("example.com", filter), expected, "{filter}");
        }
    }
}
