//! Journals of a workspace, and the state of its sandbox without values that differ in each run.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::workspace::Workspace;

/// Returns the journals, oldest first.
pub(crate) fn journals(workspace: &Workspace) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(workspace.path().join(".zonewright/journal"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    all.sort();
    all
}

/// Returns the newest journal.
pub(crate) fn newest(workspace: &Workspace) -> String {
    journals(workspace).pop().unwrap().display().to_string()
}

/// Removes values that the sandbox creates anew in each run.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let volatile = [
                "id",
                "version",
                "created_on",
                "modified_on",
                "last_updated",
                "comment_modified_on",
                "tags_modified_on",
            ];
            // Earlier versions of a ruleset are not compared, and a rule without a ref is called by
            // its id.
            let is_history = |name: &str| name == "earlier";
            let is_id =
                |name: &str, value: &Value| name == "ref" && members.get("id") == Some(value);
            let kept = members.iter().filter(|(name, value)| {
                !volatile.contains(&name.as_str()) && !is_history(name) && !is_id(name, value)
            });
            kept.map(|(name, value)| (name.clone(), plain(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// Returns the whole state of the sandbox, in a fixed order.
pub(crate) fn world(workspace: &Workspace) -> Value {
    let mut zones = plain(&workspace.dump()["zones"]);
    for zone in zones.as_array_mut().unwrap() {
        zone["records"].as_array_mut().unwrap().sort_by_key(ToString::to_string);
    }
    zones
}
