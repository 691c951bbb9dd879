//! The time of the snapshot that a plan was made against.

use serde_json::{Value as Json, json};

use super::ago;
use super::safe::safe;
use crate::live::snapshot::AsOf;

/// As JSON.
#[must_use]
pub fn json(as_of: &AsOf) -> Json {
    let AsOf { taken_at, age, tool, service } = as_of;
    json!({ "taken_at": taken_at, "age_seconds": age.map(|age| age.as_secs()), "tool": tool, "service": service })
}

/// As text.
#[must_use]
pub fn words(as_of: &AsOf) -> String {
    let AsOf { taken_at, age, tool: _, service } = as_of;
    let age = age.map_or_else(|| "still to come by this machine's clock".to_owned(), ago);
    format!("As of {} ({age}): a snapshot of {}, not the service itself.", safe(taken_at), safe(service))
}
