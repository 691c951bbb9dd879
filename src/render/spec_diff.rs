//! The differences between two specs, as JSON.
//!
//! The field names and codes are a stable contract, held by tests; a change increases `format`.

use serde_json::{Map, Value as Json, json};

use crate::diagnostic::{Place, Sources};
use crate::diff::{SpecChange, SpecChangeKind, SpecChanges, ZoneSpecChanges, ZoneSpecKind};
use crate::wire::record::to_json;

/// Version of the format.
const FORMAT: u32 = 1;

/// The differences between two specs.
#[must_use]
pub fn json(changes: &SpecChanges, sources: &Sources) -> Json {
    let SpecChanges { zones, unchanged } = changes;
    json!({
        "format": FORMAT,
        "kind": "spec-diff",
        "equal": changes.is_empty(),
        "summary": { "zones_differing": zones.len(), "zones_equal": unchanged },
        "zones": zones.iter().map(|z| zone(z, sources)).collect::<Vec<_>>(),
    })
}

/// A zone.
fn zone(zone: &ZoneSpecChanges, sources: &Sources) -> Json {
    let ZoneSpecChanges { zone: name, kind, place, changes } = zone;
    let action = match kind {
        ZoneSpecKind::Added => "add",
        ZoneSpecKind::Removed => "remove",
        ZoneSpecKind::Changed => "change",
    };
    json!({
        "zone": name.as_str(), "action": action, "source": source(*place, sources),
        "changes": changes.iter().map(|c| change(c, sources)).collect::<Vec<_>>(),
    })
}

/// A difference. A side without a value is absent, which is not the same as `null`.
fn change(change: &SpecChange, sources: &Sources) -> Json {
    let SpecChange { path, kind, place } = change;
    let mut object = Map::from_iter([("path".to_owned(), json!(path))]);
    let mut put = |name: &str, value: Json| drop(object.insert(name.to_owned(), value));
    match kind {
        SpecChangeKind::Added { after, words: _ } => {
            put("action", json!("add"));
            put("after", to_json(after));
        }
        SpecChangeKind::Removed { before, words: _ } => {
            put("action", json!("remove"));
            put("before", to_json(before));
        }
        SpecChangeKind::Changed { before, after } => {
            put("action", json!("change"));
            put("before", to_json(before));
            put("after", to_json(after));
        }
        SpecChangeKind::Moved { behind } => {
            put("action", json!("move"));
            put("behind", json!(behind));
        }
    }
    put("source", source(*place, sources));
    Json::Object(object)
}

/// A place in one of the specs.
fn source(place: Place, sources: &Sources) -> Json {
    let at = sources.line_column(place);
    json!({ "file": sources.name(place.source), "line": at.line, "column": at.column })
}
