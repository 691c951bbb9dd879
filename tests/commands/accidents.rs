//! Accidents that happened to users of other tools, each as a scenario: the previous spec, the new
//! one, what else happens, and what Cloudflare has. The plan explains the danger, and nothing is
//! sent without the consent for that danger.
//!
//! | no. | what happened | scenario |
//! |---|---|---|
//! | C1 | a generated source left one host out, and it was deleted | `records::c1_…` |
//! | C2 | an old plan was carried out after a newer one, then cleaned up | `records::c2_…` |
//! | C3 | a proxied name was deleted and made again instead of changed | `records::c3_…` |
//! | C4 | a typing error in a file deleted zones | `sources::c4_…` |
//! | C5 | while a record was away, an old wildcard answered | `records::c5_…` |
//! | C6 | a zone was taken over with records missing | `sources::c6_…` |
//! | C7 | DNSSEC was switched on and off again faster than caches forget | `records::c7_…` |
//! | C8 | one firewall rule went everywhere at once | `protection::c8_…` |
//! | C9 | a tool took all addresses of a zone for its own | `records::c9_…` |
//! | C10 | what a spec does not name was pruned by default | `records::c10_…` |
//! | C11 | a controller wrote the same update again and again | `outside::c11_…` |
//! | C12 | a zone was rebuilt from a source that had failed | `sources::c12_…` |
//! | C13 | Cloudflare's API was down for days | `outside::c13_…` |
//! | C14 | a repair by hand was reverted by the next run | `outside::c14_…` |
//! | C15 | naming one override of a rule switched off the others | `protection::c15_…` |
//! | C16 | an allow rule moved below the rule that blocks | `protection::c16_…` |
//! | C17 | a zone was removed from a file, and its domain was deleted | `sources::c17_…` |
//! | C18 | a threshold was quietly too lax | `protection::c18_…` |

mod outside;
mod protection;
mod records;
mod sources;

use crate::support::workspace::{Ran, Workspace, options_on};
use serde_json::{Value, json};

/// Returns a workspace whose zone example.com is on this plan.
fn on_plan(tier: &str) -> Workspace {
    Workspace::new(options_on(tier))
}

/// Writes a spec of example.com with these keys of the zone, each line indented by four.
fn zone_spec(workspace: &Workspace, name: &str, keys: &str) {
    let lines: Vec<String> = keys.lines().map(|line| format!("    {line}")).collect();
    workspace.file(name, format!("version: 1\nzones:\n  example.com:\n{}\n", lines.join("\n")));
}

/// Returns the codes of the dangers of a plan, sorted, each once, with those that have no operation
/// of their own.
fn dangers(plan: &Value) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    let mut take = |list: &Value| {
        codes.extend(
            list.as_array().into_iter().flatten().filter_map(|d| d.as_str().map(str::to_owned)),
        );
    };
    plan["operations"].as_array().unwrap().iter().for_each(|o| take(&o["dangers"]));
    codes.sort();
    codes.dedup();
    codes
}

/// Asserts that a plan contains these words, and that an apply without all of these consents is
/// refused and sends nothing.
///
/// `consents` is tried without its last entry, which must be refused, and then complete.
#[track_caller]
fn refused_without(
    workspace: &Workspace,
    arguments: &[&str],
    words: &[&str],
    consents: &[&[&str]],
) -> Ran {
    let planned = workspace.run(&[&["plan"], arguments].concat()).exits(0);
    for words in words {
        assert!(
            planned.stdout.contains(words),
            "{words:?} is not in the plan:\n{}",
            planned.stdout
        );
    }
    let writes = workspace.writes().len();
    let apply = [&["apply"], arguments, &["--yes"]].concat();
    workspace.run(&apply).exits(3);
    // If several consents are needed, each one alone is not enough.
    for left_out in 0..consents.len() {
        let given = consents
            .iter()
            .enumerate()
            .filter(|(n, _)| *n != left_out)
            .flat_map(|(_, c)| c.iter().copied());
        workspace.run(&[&apply[..], &given.collect::<Vec<_>>()].concat()).exits(3);
    }
    assert_eq!(workspace.writes().len(), writes, "nothing is sent without consent");
    let ran = workspace.run(&[&apply[..], &consents.concat()].concat()).exits(0);
    assert!(workspace.writes().len() > writes, "with all consents it is done");
    ran
}

/// Returns a plan as JSON.
#[track_caller]
fn plan(workspace: &Workspace, arguments: &[&str]) -> Value {
    workspace.run(&[&["plan", "--format", "json"], arguments].concat()).exits(0).json()
}

/// Returns the id of example.com.
fn zone_id(workspace: &Workspace) -> String {
    let dump = workspace.dump();
    let zone = dump["zones"]
        .as_array()
        .unwrap()
        .iter()
        .find(|z| z["name"] == "example.com")
        .unwrap()
        .clone();
    zone["id"].as_str().unwrap().to_owned()
}

/// Returns the id of the record with this name and type in example.com.
fn record_id(workspace: &Workspace, name: &str, kind: &str) -> String {
    let records = workspace.records("example.com");
    let record = records.iter().find(|r| r["name"] == name && r["type"] == kind).unwrap();
    record["id"].as_str().unwrap().to_owned()
}

/// Changes a record of example.com, as someone else would.
#[track_caller]
fn changed_outside(workspace: &Workspace, name: &str, kind: &str, body: &Value) {
    let path =
        format!("/zones/{}/dns_records/{}", zone_id(workspace), record_id(workspace, name, kind));
    workspace.write("PATCH", &path, body);
}

/// Returns the contents of a name's records, sorted.
fn contents(workspace: &Workspace, name: &str) -> Vec<String> {
    let records = workspace.records("example.com");
    let of_name = records.iter().filter(|r| r["name"] == name);
    let mut all: Vec<_> = of_name.map(|r| r["content"].as_str().unwrap().to_owned()).collect();
    all.sort();
    all
}

/// Returns the state of example.com without members that change by themselves.
fn snapshot(workspace: &Workspace) -> Value {
    json!(workspace.records("example.com"))
}
