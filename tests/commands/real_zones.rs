//! Real zones, applied to a new sandbox and planned again.
//!
//! Where they are is named by `ZONEWRIGHT_REAL_ZONES`, a folder of specs with one zone a file
//! (`js.org.yaml` among them for the bars on requests). They are other people's public data and no
//! part of this project; without them this is skipped.

use std::io::Write;
use std::path::PathBuf;

use crate::support::workspace::{Workspace, options};
use serde_json::{Value, json};
use zonewright::sandbox::{ListOrder, Profile};

/// Returns the folder, or a message that it is missing. The message bypasses the test harness,
/// which would capture it.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("ZONEWRIGHT_REAL_ZONES").map(PathBuf::from);
    if folder.is_none() {
        let mut stderr = std::io::stderr();
        writeln!(stderr, "SKIPPED: real zones; set ZONEWRIGHT_REAL_ZONES to a folder of specs")
            .unwrap();
    }
    folder
}

/// Returns a sandbox with these zones on a plan, and a quota for the largest.
fn workspace(zones: &[String], tier: &str) -> Workspace {
    let mut options = options();
    options.profile = Profile {
        tier: tier.into(),
        record_quota: Some(100_000),
        list_order: ListOrder::Hostile,
        ..options.profile
    };
    let workspace = Workspace::empty(options);
    let zones: Vec<Value> =
        zones.iter().map(|name| json!({ "name": name, "plan": tier, "records": [] })).collect();
    workspace.plant(&json!({ "zones": zones }));
    workspace
}

#[test]
fn real_zones_are_applied_and_stay_applied() {
    let Some(folder) = folder() else { return };
    let files = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    let mut zones: Vec<String> =
        files.map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    zones.sort();
    let spec = folder.to_str().unwrap();
    let workspace = workspace(&zones, "free");
    let applied = workspace.run(&["apply", spec, "--yes", "--format", "json"]).exits(0).json();
    assert_eq!(applied["result"]["zones"].as_array().unwrap().len(), zones.len());
    for _ in 0..10 {
        let plan = workspace
            .run(&["plan", spec, "--detailed-exitcode", "--format", "json"])
            .exits(0)
            .json();
        assert_eq!((&plan["verdict"], &plan["operations"]), (&json!("in-sync"), &json!([])));
    }
    let records: usize = zones.iter().map(|z| workspace.records(z).len()).sum();
    println!(
        "{} zones, {records} records, {} requests to apply",
        zones.len(),
        applied["requests"]["to_apply"]
    );
}

#[test]
fn the_largest_takes_few_requests() {
    let Some(folder) = folder() else { return };
    let spec = folder.join("js.org.yaml");
    let spec = spec.to_str().unwrap();
    for (tier, bar) in [("free", 20), ("pro", 2)] {
        let workspace = workspace(&["js.org".into()], tier);
        let plan = workspace.run(&["plan", spec, "--format", "json"]).exits(0).json();
        assert!(plan["requests"]["made"].as_u64().unwrap() <= 3, "{}", plan["requests"]);
        workspace.run(&["apply", spec, "--yes"]).exits(0);
        let writes = workspace.writes().len();
        assert!(writes <= bar, "{writes} writes on the {tier} plan");
        println!("{tier}: {writes} writes");
    }
}

#[test]
fn the_largest_survives_being_killed() {
    let Some(folder) = folder() else { return };
    let spec = folder.join("js.org.yaml");
    let spec = spec.to_str().unwrap();
    let workspace = workspace(&["js.org".into()], "free");
    for batches in [2, 7, 11] {
        let mut child = workspace.start(&["apply", spec, "--yes"]);
        while workspace.writes().len() < batches && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let before = workspace.records("js.org").len();
    workspace.run(&["apply", spec, "--yes"]).exits(0);
    let after = workspace.records("js.org");
    let mut values: Vec<String> =
        after.iter().map(|r| format!("{} {} {}", r["name"], r["type"], r["content"])).collect();
    values.sort();
    values.dedup();
    assert_eq!((after.len(), values.len()), (3928, 3928), "interrupted at {before}");
    workspace.run(&["plan", spec, "--detailed-exitcode"]).exits(0);
    println!("interrupted at {before} of {} records", after.len());
}
