//! The differences between two specs, as JSON.
//!
//! The field names and codes are a stable contract, held by tests; a change increases `format`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::FORMAT;
use super::place::Source;
use crate::diagnostic::Sources;
use crate::diff::{SpecChange, SpecChangeKind, SpecChanges, ZoneSpecChanges, ZoneSpecKind};
use crate::wire::record::value_to_json;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    format: u32,
    kind: &'static str,
    equal: bool,
    summary: Summary,
    zones: Vec<Zone<'a>>,
}

/// The number of zones of each kind.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    zones_differing: usize,
    zones_equal: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Zone<'a> {
    zone: &'a str,
    action: &'static str,
    source: Source<'a>,
    changes: Vec<Change<'a>>,
}

/// A difference. A side without a value is absent, which differs from `null`.
#[derive(Debug, Serialize, JsonSchema)]
struct Change<'a> {
    path: &'a str,
    #[serde(flatten)]
    kind: Kind<'a>,
    source: Source<'a>,
}

/// The kind of difference.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "action", rename_all = "lowercase")]
enum Kind<'a> {
    Add { after: Json },
    Remove { before: Json },
    Change { before: Json, after: Json },
    Move { behind: Option<&'a str> },
}

/// Returns the differences in the form of the JSON output.
pub fn json<'a>(changes: &'a SpecChanges, sources: &'a Sources) -> impl Serialize + 'a {
    let SpecChanges { zones, unchanged } = changes;
    Document {
        format: FORMAT,
        kind: "spec-diff",
        equal: changes.is_empty(),
        summary: Summary { zones_differing: zones.len(), zones_equal: *unchanged },
        zones: zones.iter().map(|changes| zone_json(changes, sources)).collect(),
    }
}

fn zone_json<'a>(zone: &'a ZoneSpecChanges, sources: &'a Sources) -> Zone<'a> {
    let ZoneSpecChanges { zone: name, kind, place, changes } = zone;
    let action = match kind {
        ZoneSpecKind::Added => "add",
        ZoneSpecKind::Removed => "remove",
        ZoneSpecKind::Changed => "change",
    };
    let changes = changes.iter().map(|one| change_json(one, sources)).collect();
    Zone { zone: name.as_str(), action, source: Source::of(*place, sources), changes }
}

fn change_json<'a>(change: &'a SpecChange, sources: &'a Sources) -> Change<'a> {
    let SpecChange { path, kind, place } = change;
    let kind = match kind {
        SpecChangeKind::Added { after, words: _ } => Kind::Add { after: value_to_json(after) },
        SpecChangeKind::Removed { before, words: _ } => {
            Kind::Remove { before: value_to_json(before) }
        }
        SpecChangeKind::Changed { before, after } => {
            Kind::Change { before: value_to_json(before), after: value_to_json(after) }
        }
        SpecChangeKind::Moved { behind } => Kind::Move { behind: behind.as_deref() },
    };
    Change { path, kind, source: Source::of(*place, sources) }
}
