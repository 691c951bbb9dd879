//! The change history of real zones, planned commit by commit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use zonewright::diagnostic::Severity;
use zonewright::model::DesiredZone;
use zonewright::plan::{Consents, Plan, Verdict, plan_zone_with_base};

use crate::scenarios::{judged, live, try_load};

/// Returns a zone of these records, without records that a spec must not have, which are listed.
fn readable(zone: &str, records: &BTreeSet<String>, refused: &mut BTreeSet<String>) -> DesiredZone {
    let head = format!("version: 1\nzones:\n  {zone}:\n    records:\n");
    let mut records: Vec<&String> = records.iter().collect();
    loop {
        let text =
            records.iter().fold(head.clone(), |text, record| text + "      - " + record + "\n");
        let found = match try_load(&text) {
            Ok(desired) => return desired,
            Err(found) => found,
        };
        // Each record is on a line of its own.
        let record = |start: u32| {
            text.get(head.len()..start as usize).map(|before| before.matches('\n').count())
        };
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        let errors: BTreeMap<usize, &str> = errors
            .filter_map(|d| Some((record(d.primary.as_ref()?.place.span.start)?, d.code())))
            .collect();
        assert!(!errors.is_empty(), "{zone}: {found:?}");
        refused
            .extend(errors.iter().map(|(line, code)| format!("{zone} {code} {}", records[*line])));
        records = records
            .into_iter()
            .enumerate()
            .filter(|(n, _)| !errors.contains_key(n))
            .map(|(_, r)| r)
            .collect();
    }
}

/// Real changes, each planned with the previous state of the zone as base. The history is not part
/// of this repository; tests/scenarios/replay.py writes it, and `ZONEWRIGHT_REPLAY` names the file.
#[test]
fn a_history_of_real_zones() {
    let Some(path) = std::env::var_os("ZONEWRIGHT_REPLAY") else {
        eprintln!(
            "SKIPPED: the history of real zones; write it with tests/scenarios/replay.py and name it in ZONEWRIGHT_REPLAY"
        );
        return;
    };
    let text = std::fs::read_to_string(path).expect("the history");
    let mut zones: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut planned, mut refused) = (0, BTreeSet::new());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let change: Value = serde_json::from_str(line).expect("a change");
        let name = change["zone"].as_str().expect("a zone").to_owned();
        let list = |key: &str| -> BTreeSet<String> {
            change[key]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|r| r.as_str().map(str::to_owned))
                .collect()
        };
        let zone = zones.entry(name.clone()).or_default();
        zone.extend(list("before"));
        let before = readable(&name, zone, &mut refused);
        zone.retain(|record| !list("removed").contains(record));
        zone.extend(list("added"));
        let after = readable(&name, zone, &mut refused);
        let (plan, diagnostics) = plan_zone_with_base(&after, &before, &live(&before));
        let plan = judged(plan, &after, Some(&before), &live(&before));
        let lines: Vec<String> = plan
            .operations
            .iter()
            .filter(|o| o.dangers.iter().any(|d| *d != zonewright::model::Danger::Delete))
            .filter_map(|o| o.impact.as_ref())
            .flat_map(|impact| impact.lines.iter().map(|line| line.to_string()))
            .collect();
        let plan = Plan { zones: vec![plan], diagnostics, ..Plan::default() };
        planned += 1;
        let stops: Vec<&str> = match plan.verdict(&Consents::default()) {
            Verdict::NeedsConsent(missing) => {
                missing.into_iter().map(|m| m.danger.code()).collect()
            }
            _ => Vec::new(),
        };
        *counts
            .entry(if stops.is_empty() { "not stopped".to_owned() } else { stops.join(", ") })
            .or_default() += 1;
        let is_plain = stops.contains(&"delete")
            && stops.iter().all(|c| ["delete", "removes-last-address"].contains(c));
        if !stops.is_empty() && !is_plain {
            eprintln!(
                "{} {name} {stops:?}\n    - {:?}\n    + {:?}",
                change["commit"],
                list("removed"),
                list("added")
            );
            for line in lines {
                eprintln!("    → {line}");
            }
        }
    }
    eprintln!("{planned} changes planned; records that a spec may not have were left out:");
    for record in refused {
        eprintln!("    {record}");
    }
    for (stops, count) in counts {
        eprintln!("{count:5} {stops}");
    }
}
