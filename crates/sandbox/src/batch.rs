//! Many operations in one transaction.
//!
//! # Sources
//! Order, transaction and numbers:
//! developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes, read 2026-11-20.
//! ASSUMED: the code of a batch that is too large; lists that were not sent come back null;
//! conflicts are checked in the order of execution, so that a batch can delete a record and create
//! another in its place.

use serde_json::{Map, Value, json};

use super::envelope::{HandlerResult, Refusal, Success};
use super::record_requests;
use super::request_context::RequestContext;
use super::stored_record::Record;
use super::zone::Zone;

/// The lists, in the order of execution.
const LISTS: [&str; 4] = ["deletes", "patches", "puts", "posts"];

/// Runs a batch. The caller opens the transaction, so the first refusal undoes everything.
pub(super) fn run_batch(
    context: &RequestContext<'_>,
    zone: &Zone,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let mut operations: Vec<(&str, Option<&Vec<Value>>)> = Vec::with_capacity(LISTS.len());
    for list in LISTS {
        let items = match body.get(list) {
            None | Some(Value::Null) => None,
            Some(Value::Array(items)) => Some(items),
            Some(_) => return Err(Refusal::unspecified(format!("{list} must be a list."))),
        };
        operations.push((list, items));
    }
    let count: usize = operations.iter().filter_map(|(_, items)| items.map(Vec::len)).sum();
    let limit = zone.tier().batch_operations;
    if count > limit {
        let message = format!("Batch has {count} operations, exceeding the limit of {limit}.");
        return Err(Refusal::unspecified(message));
    }
    let mut result = Map::new();
    for (list, items) in operations {
        let done = match items {
            None => Value::Null,
            Some(items) => {
                let mut done = Vec::with_capacity(items.len());
                for item in items {
                    done.push(
                        run_one(context, zone, list, item)?.to_json(zone, context.profile.shape),
                    );
                }
                Value::Array(done)
            }
        };
        result.insert(list.to_owned(), done);
    }
    Ok(Success::One(json!(result)))
}

/// Runs one operation.
fn run_one(
    context: &RequestContext<'_>,
    zone: &Zone,
    list: &str,
    item: &Value,
) -> HandlerResult<Record> {
    let body = item
        .as_object()
        .ok_or_else(|| Refusal::unspecified(format!("{list} must hold objects.")))?;
    // An operation without an identifier names a record that does not exist.
    let id = body.get("id").and_then(Value::as_str).unwrap_or_default();
    match list {
        "deletes" => record_requests::delete_record(context, zone, id),
        "patches" => record_requests::patch_record(context, zone, id, body),
        "puts" => record_requests::replace_record(context, zone, id, body),
        _ => {
            let record = record_requests::create_record(context, zone, body)?;
            record_requests::check_quota(context, zone)?;
            Ok(record)
        }
    }
}
