//! Lists the records of a zone: filters, order and pages, as one SQL statement.
//!
//! # Sources
//! Parameters: developers.cloudflare.com/api, "List DNS Records", read 2026-11-20. Unknown
//! parameters are ignored, and `proxied` takes only `true` and `false`: observed 2026-09. ASSUMED:
//! so are unknown orders and empty filters.

use rusqlite::params_from_iter;

use super::envelope::{HandlerResult, Success};
use super::profile::ListOrder;
use super::query_string::Parameters;
use super::request_context::RequestContext;
use super::stored_record::{COLUMNS, Record};
use super::zone::Zone;

/// Default number of records on a page: documented.
const DEFAULT_PAGE: u64 = 100;

/// GET /zones/{id}/dns_records.
pub(super) fn list_records(
    context: &RequestContext<'_>,
    zone: &Zone,
    parameters: &Parameters,
) -> HandlerResult<Success> {
    let page = parameters.page(DEFAULT_PAGE, 1, context.profile.page_limit);
    let filter = Filter::read(zone, parameters);
    let total: u32 = if filter.is_everything {
        zone.record_count
    } else {
        let sql = format!("SELECT COUNT(*) FROM records WHERE {}", filter.sql);
        context
            .connection
            .prepare_cached(&sql)?
            .query_row(params_from_iter(&filter.values), |row| row.get(0))?
    };
    let order = sql_order(context, parameters, filter.is_everything);
    let sql = format!(
        "SELECT {COLUMNS} FROM records WHERE {} ORDER BY {order} LIMIT {} OFFSET {}",
        filter.sql,
        page.size,
        page.offset()
    );
    let mut statement = context.connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(&filter.values), Record::from_row)?;
    let shown = rows
        .map(|row| row.map(|record| record.to_json(zone, context.profile.shape)))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let info = page.info_of_records(shown.len(), total.into());
    Ok(Success::Page(shown, info))
}

/// Returns the order as SQL, with ties in the order of creation.
///
/// With a filter, `+` stops SQLite from scanning the whole zone in the order of creation when the
/// filter's index finds a few records at once.
fn sql_order(context: &RequestContext<'_>, parameters: &Parameters, is_everything: bool) -> String {
    let direction = if parameters.is_descending() { "DESC" } else { "ASC" };
    match (context.profile.list_order, parameters.get("order")) {
        (ListOrder::Hostile, _) | (ListOrder::Random, None) => {
            // Identifiers are digests: rotating them by another number of digits gives another
            // order each time.
            let digit = 1 + context.turn % 32;
            format!("substr(id, {digit}) {direction}, id {direction}")
        }
        (_, Some(column @ ("type" | "name" | "content" | "ttl" | "proxied"))) => {
            format!("{column} {direction}, seq {direction}")
        }
        (ListOrder::Random, Some(_)) => format!("id {direction}"),
        (ListOrder::Stable, _) if is_everything => format!("seq {direction}"),
        (ListOrder::Stable, _) => format!("+seq {direction}"),
    }
}

/// The conditions of a query with their values.
struct Filter {
    /// SQL with numbered placeholders.
    sql: String,
    /// The values of the placeholders.
    values: Vec<String>,
    /// True if there is no filter.
    is_everything: bool,
}

impl Filter {
    /// Reads the parameters.
    ///
    /// `match` combines all filters except those of tags, `tag_match` combines the tag filters, and
    /// both groups must match. A tag filter with an operator names the tag and applies the operator
    /// to its value: `name:value` (documented). ASSUMED: without a colon the value is empty.
    fn read(zone: &Zone, parameters: &Parameters) -> Self {
        let mut values = vec![zone.id.clone()];
        let mut plain = Vec::new();
        let mut tags = Vec::new();
        for (key, value) in parameters.iter() {
            // Text filters ignore case: documented. ASSUMED: only for ASCII, as in SQLite.
            let mut bind = |text: &str| {
                values.push(text.to_ascii_lowercase());
                format!("?{}", values.len())
            };
            let (field, operator) = key.split_once('.').unwrap_or((key, ""));
            match (field, operator) {
                ("comment", "present") => plain.push("comment IS NOT NULL".to_owned()),
                ("comment", "absent") => plain.push("comment IS NULL".to_owned()),
                _ if value.is_empty() => {}
                ("type", "") => plain.push(format!("type = upper({})", bind(value))),
                ("proxied", "") => match value {
                    "true" => plain.push("proxied = 1".to_owned()),
                    "false" => plain.push("proxied = 0".to_owned()),
                    _ => {}
                },
                ("name", "" | "exact") => plain.push(format!("name = {}", bind(value))),
                ("name" | "content" | "comment", _) => {
                    let column = match field {
                        "name" => "name",
                        "content" => "lower(content)",
                        _ => "lower(coalesce(comment, ''))",
                    };
                    plain.extend(text_condition(column, operator, || bind(value)));
                }
                ("search", "") => plain.push(search_condition(&bind(value))),
                ("tag", "present") => {
                    tags.push(tag_condition(&format!("{TAG_NAME} = {}", bind(value))));
                }
                ("tag", "absent") => {
                    tags.push(format!(
                        "NOT {}",
                        tag_condition(&format!("{TAG_NAME} = {}", bind(value)))
                    ));
                }
                ("tag", _) => {
                    let (name, wanted) = value.split_once(':').unwrap_or((value, ""));
                    if let Some(condition) = text_condition(TAG_VALUE, operator, || bind(wanted)) {
                        tags.push(tag_condition(&format!(
                            "{TAG_NAME} = {} AND {condition}",
                            bind(name)
                        )));
                    }
                }
                _ => {}
            }
        }
        let is_everything = plain.is_empty() && tags.is_empty();
        let mut sql = "zone_id = ?1".to_owned();
        for (conditions, mode) in [(plain, "match"), (tags, "tag_match")] {
            if !conditions.is_empty() {
                let glue = if parameters.is_any(mode) { " OR " } else { " AND " };
                sql.push_str(&format!(" AND ({})", conditions.join(glue)));
            }
        }
        Self { sql, values, is_everything }
    }
}

/// The name of a tag within the table of a record's tags.
const TAG_NAME: &str = "lower(substr(value, 1, instr(value || ':', ':') - 1))";

/// The value of a tag within that table; empty for a tag without one.
const TAG_VALUE: &str = "lower(substr(value, instr(value || ':', ':') + 1))";

/// Returns a condition that is true if one of the record's tags meets `condition`.
fn tag_condition(condition: &str) -> String {
    format!("EXISTS (SELECT 1 FROM json_each(tags) WHERE {condition})")
}

/// Returns a condition on text; `None` for an operator that does not exist.
fn text_condition(column: &str, operator: &str, bind: impl FnOnce() -> String) -> Option<String> {
    match operator {
        "" | "exact" => Some(format!("{column} = {}", bind())),
        "contains" => Some(format!("instr({column}, {}) > 0", bind())),
        "startswith" => {
            let text = bind();
            Some(format!("substr({column}, 1, length({text})) = {text}"))
        }
        "endswith" => {
            let text = bind();
            Some(format!("substr({column}, -length({text})) = {text}"))
        }
        _ => None,
    }
}

/// ASSUMED: `search` finds a part of the name, content, type, comment or tags.
fn search_condition(text: &str) -> String {
    let columns =
        ["name", "lower(content)", "lower(type)", "lower(coalesce(comment, ''))", "lower(tags)"];
    let parts: Vec<_> =
        columns.iter().map(|column| format!("instr({column}, {text}) > 0")).collect();
    format!("({})", parts.join(" OR "))
}
