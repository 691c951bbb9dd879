//! Imports of files of other tools.

use serde_json::{Value, json};

use super::workspace::{Ran, Workspace, options_on};

/// Returns a sandbox whose zones are on a business plan.
pub(crate) fn workspace() -> Workspace {
    Workspace::empty(options_on("business"))
}

/// Imports a source; asserts that the spec is valid, and that an apply to an empty zone creates its
/// objects.
#[track_caller]
pub(crate) fn import(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = ["import"].iter().chain(arguments).copied().collect();
    let ran = workspace.run(&all).exits(0);
    workspace.file("spec.yaml", &ran.stdout);
    workspace.run(&["validate", "spec.yaml"]).exits(0);
    workspace.run(&["fmt", "spec.yaml", "--check"]).exits(0);
    ran
}

/// Returns the records of a spec as `name type value`, with what differs from the default.
pub(crate) fn records(spec: &str) -> Vec<String> {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "plan": "business" }] }));
    workspace.file("spec.yaml", spec);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    let record = |record: &Value| {
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let priority = record["priority"].as_u64().map(|n| format!("{n} ")).unwrap_or_default();
        let proxied = if record["proxied"] == true { " proxied" } else { "" };
        let comment =
            record["comment"].as_str().map(|text| format!(" # {text}")).unwrap_or_default();
        // Structured values in the order of their members.
        let data: Vec<String> = record["data"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, value)| value.to_string())
            .collect();
        let value = if data.is_empty() {
            format!("{priority}{}", text("content"))
        } else {
            data.join(" ").replace('"', "")
        };
        format!("{} {} {value} {}{proxied}{comment}", text("name"), text("type"), record["ttl"])
    };
    let mut all: Vec<String> = workspace.records("example.com").iter().map(record).collect();
    all.sort();
    all
}
