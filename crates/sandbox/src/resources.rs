//! Resources of a zone other than records, settings and rulesets, such as page rules: GET of each
//! path in [`zonewright_model::facts::resources`]. A document can seed them; no request
//! writes them.
//!
//! ASSUMED: a zone without such a resource has an empty list, or an object with default values.
//! Paths that Cloudflare serves only on some plans answer on every plan.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};
use zonewright_model::facts::resources::{ResourceAnswer, ResourceFacts, unmanaged};

use super::envelope::{HandlerResult, Refusal, Success};
use super::request_context::RequestContext;
use super::setting_values::fact_to_json;
use super::zone::Zone;

pub(super) fn get_resource(
    context: &RequestContext<'_>,
    zone: &Zone,
    resource: &ResourceFacts,
) -> HandlerResult<Success> {
    let sql = "SELECT value FROM zone_resources WHERE zone_id = ?1 AND path = ?2";
    let mut statement = context.connection.prepare_cached(sql)?;
    let stored: Option<String> =
        statement.query_row([zone.id.as_str(), resource.path], |row| row.get(0)).optional()?;
    let stored = stored.and_then(|text| serde_json::from_str(&text).ok());
    Ok(match (stored, resource.shows) {
        (Some(Value::Array(items)), _) => single_page(items),
        (Some(value), _) => Success::One(value),
        (None, ResourceAnswer::Object { usual, .. }) => {
            let members =
                usual.iter().map(|(name, value)| ((*name).to_owned(), fact_to_json(*value)));
            Success::One(Value::Object(members.collect()))
        }
        (None, ResourceAnswer::List { .. } | ResourceAnswer::Managed) => single_page(Vec::new()),
    })
}

/// Returns a list on one page.
fn single_page(items: Vec<Value>) -> Success {
    let count = items.len();
    Success::Page(
        items,
        json!({ "page": 1, "per_page": 100, "count": count, "total_count": count, "total_pages": 1 }),
    )
}

/// Stores the member `resources` of a document: values by path.
///
/// # Errors
/// Fails if a path is not in the catalogue, or its value is neither a list nor an object.
pub(super) fn plant_resources(
    context: &RequestContext<'_>,
    zone: &Zone,
    member: &Value,
) -> HandlerResult<()> {
    let members =
        member.as_object().ok_or_else(|| Refusal::unspecified("`resources` must be an object"))?;
    for (path, value) in members {
        if unmanaged(path).is_none() {
            return Err(Refusal::unspecified(format!("`{path}` is not the path of a resource")));
        }
        if !value.is_array() && !value.is_object() {
            return Err(Refusal::unspecified(format!("`{path}` must be a list or an object")));
        }
        let sql = "INSERT INTO zone_resources (zone_id, path, value) VALUES (?1, ?2, ?3) \
             ON CONFLICT (zone_id, path) DO UPDATE SET value = ?3";
        context.connection.prepare_cached(sql)?.execute(params![
            zone.id,
            path,
            value.to_string()
        ])?;
    }
    Ok(())
}

/// Returns the resources of a zone for a document, by path.
pub(super) fn to_document(
    connection: &Connection,
    zone: &Zone,
) -> rusqlite::Result<Option<Map<String, Value>>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, value FROM zone_resources WHERE zone_id = ?1 ORDER BY path",
    )?;
    let rows = statement.query_map([&zone.id], |row| {
        let text: String = row.get(1)?;
        Ok((row.get::<_, String>(0)?, serde_json::from_str(&text).unwrap_or_default()))
    })?;
    let resources = rows.collect::<rusqlite::Result<Map<_, _>>>()?;
    Ok((!resources.is_empty()).then_some(resources))
}
