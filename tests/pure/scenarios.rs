//! Accidents and everyday changes on realistic zones, planned with the previous zone as base: which
//! are stopped, which are named, and which pass without a message. The data is in tests/scenarios;
//! the tables in docs/internals/scenarios.md are generated from it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use crate::support::rulesets::waf;
use serde_json::Value;
use zonewright::diagnostic::{Diagnostics, Severity, Sources};
use zonewright::insight::expect::Rigor;
use zonewright::model::ruleset::{
    EntryPoint, LiveRule, LiveRuleset, LiveWaf, Phase, RuleId, RulesetId,
};
use zonewright::model::{
    AsReported, Desired, DesiredZone, Live, LiveDnssec, LiveRecord, LiveZone, RecordId, Tier, Ttl,
    ZoneId,
};
use zonewright::plan::{
    Consents, Operation, Plan, RuleAction, Verdict, ZonePlan, explain_records, plan_zone,
    plan_zone_with_base,
};
use zonewright::{spec, wire};

/// The zones, each with its accidents and everyday changes.
const FILES: &[&str] = &[
    "company",
    "workspace",
    "parked",
    "unused",
    "agency",
    "startup",
    "machinery",
    "shop",
    "platform",
    "bought",
    "protection",
];

/// The reaction of a plan to a change.
struct Outcome {
    /// Codes of the consents that it needs.
    stops: BTreeSet<&'static str>,
    /// Sentences of the plan about the effect of the change.
    lines: Vec<String>,
}

impl Outcome {
    fn keyword(&self) -> String {
        match (self.stops.is_empty(), self.lines.is_empty()) {
            (false, _) => {
                let codes: Vec<String> =
                    self.stops.iter().map(|code| format!("`{code}`")).collect();
                format!("stopped: {}", codes.join(", "))
            }
            (true, false) => "named".to_owned(),
            (true, true) => "silent".to_owned(),
        }
    }
}

/// Returns the only zone of a spec.
pub(super) fn try_load(text: &str) -> Result<DesiredZone, Diagnostics> {
    let mut sources = Sources::default();
    let options =
        spec::Options { today: Some("2026-11-22".to_owned()), ..spec::Options::default() };
    let outcome = spec::load(&[spec::Input::Stdin(text.to_owned())], &options, &mut sources);
    outcome
        .desired
        .and_then(|desired| desired.zones.into_values().next())
        .ok_or(outcome.diagnostics)
}

/// Returns the only zone of a spec without mistakes.
pub(super) fn load(text: &str) -> DesiredZone {
    try_load(text).unwrap_or_else(|found| panic!("a mistake in:\n{text}\n{found:?}"))
}

/// Returns the same plan of one zone with the dangers that only all zones of a run show; its
/// sentences are as they were.
pub(super) fn judged(
    zone: ZonePlan,
    desired: &DesiredZone,
    base: Option<&DesiredZone>,
    live: &LiveZone,
) -> ZonePlan {
    let spec = |zone: &DesiredZone| Desired {
        zones: [(zone.name.clone(), zone.clone())].into(),
        ..Desired::default()
    };
    let live = Live { zones: [(live.name.clone(), live.clone())].into() };
    let mut plans = [zone.clone()];
    explain_records(&mut plans, &spec(desired), base.map(spec).as_ref(), &live, Rigor::default());
    let [explained] = plans;
    let pairs = zone.operations.into_iter().zip(explained.operations);
    let operations = pairs.map(|(own, Operation { dangers, accepted, .. })| Operation {
        dangers,
        accepted,
        ..own
    });
    ZonePlan { operations: operations.collect(), ..zone }
}

/// Returns foreign records.
fn foreign_records(records: &Value) -> Vec<LiveRecord> {
    let record = |(n, other): (usize, &Value)| {
        let mut record = other.clone();
        record["id"] = format!("{:032}", 900 + n).into();
        wire::record::read_record(&record).expect("a record")
    };
    records.as_array().into_iter().flatten().enumerate().map(record).collect()
}

/// Returns the zone as it is after the previous spec was applied.
pub(super) fn live(base: &DesiredZone) -> LiveZone {
    let mut records: Vec<LiveRecord> = Vec::new();
    for (n, record) in base.records.iter().enumerate() {
        records.push(LiveRecord {
            id: RecordId(format!("{n:032}")),
            name: record.name.clone(),
            data: record.data.clone(),
            ttl: record.facets.ttl.unwrap_or(Ttl::AUTOMATIC),
            proxied: record.facets.proxied == Some(true),
            comment: None,
            tags: BTreeSet::new(),
            settings: record.facets.settings,
            read_only: None,
            modified_on: None,
            reported: AsReported::default(),
        });
    }
    let mut zone = LiveZone::new(base.name.clone(), ZoneId("1".repeat(32)));
    zone.settings.dnssec =
        Some(LiveDnssec { status: "active".to_owned(), ..LiveDnssec::default() });
    zone.waf = protection(base);
    LiveZone {
        tier: Tier::from_legacy_id("enterprise"),
        status: Some("active".to_owned()),
        records,
        ..zone
    }
}

/// Returns the rules of the zone after the previous spec was applied.
fn protection(base: &DesiredZone) -> LiveWaf {
    let absent = Phase::ALL.iter().map(|phase| (*phase, EntryPoint::Absent)).collect();
    let mut waf = LiveWaf { entry_points: absent, ..waf() };
    if base.waf.is_none() {
        return LiveWaf::default();
    }
    let zone = LiveZone::new(base.name.clone(), ZoneId("1".repeat(32)));
    let (plan, _) = plan_zone(base, &LiveZone { waf: waf.clone(), ..zone });
    for (n, (_, _, subject)) in plan.rules().enumerate() {
        let RuleAction::CreateEntryPoint { rules } = &subject.action else { continue };
        let rules = rules.iter().enumerate().map(|(m, body)| LiveRule {
            id: RuleId(format!("{n:016}{m:016}")),
            last_updated: None,
            body: body.clone(),
        });
        let id = RulesetId(format!("{n:032x}"));
        let ruleset = LiveRuleset {
            id,
            version: Some("3".to_owned()),
            last_updated: None,
            rules: rules.collect(),
        };
        waf.entry_points.insert(subject.phase, EntryPoint::Present(ruleset));
    }
    waf
}

/// Returns the spec after a change.
fn changed(text: &str, scenario: &Value) -> String {
    let mut text = text.to_owned();
    for (from, to) in scenario["change"].as_object().into_iter().flatten() {
        assert_eq!(text.matches(from.as_str()).count(), 1, "{}: {from}", scenario["about"]);
        text = text.replace(from.as_str(), to.as_str().map_or(&to.to_string(), |to| to));
    }
    if let Some(entry) = scenario["add"].as_str() {
        writeln!(text, "      - {entry}").expect("a text");
    }
    text
}

/// A zone with its spec.
struct Prepared {
    /// The text of the spec.
    text: String,
    /// The spec.
    base: DesiredZone,
    /// The zone after the spec was applied.
    live: LiveZone,
}

/// Plans one change.
fn run(zone: &Prepared, scenario: &Value) -> Outcome {
    let Prepared { text, base, live } = zone;
    let desired = match try_load(&changed(text, scenario)) {
        Ok(desired) => desired,
        // A spec with a mistake is refused.
        Err(found) => {
            let errors = || found.iter().filter(|d| d.severity == Severity::Error);
            let lines = errors().map(|d| d.detail.clone()).collect();
            return Outcome { stops: errors().map(|d| d.code()).collect(), lines };
        }
    };
    let mut live = live.clone();
    live.records.extend(foreign_records(&scenario["live"]));
    let (zone, diagnostics) = plan_zone_with_base(&desired, base, &live);
    let zone = judged(zone, &desired, Some(base), &live);
    // A plan with an error is refused as a whole.
    let refused = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code());
    let refused: BTreeSet<&'static str> = refused.collect();
    let mut lines: Vec<String> = zone
        .operations
        .iter()
        .filter_map(|o| o.impact.as_ref())
        .flat_map(|impact| impact.lines.iter().map(|line| line.to_string()))
        .collect();
    lines.extend(zone.notes.iter().cloned());
    let plan = Plan { zones: vec![zone], diagnostics, ..Plan::default() };
    let stops = match plan.verdict(&Consents::default()) {
        Verdict::NeedsConsent(missing) => missing.into_iter().map(|m| m.danger.code()).collect(),
        _ => refused,
    };
    Outcome { stops, lines }
}

/// Returns all scenarios: the file, whether they are accidents, the zone, the scenario.
fn scenarios() -> Vec<(bool, Rc<Prepared>, Value)> {
    let mut all = Vec::new();
    for file in FILES {
        let text = std::fs::read_to_string(format!("tests/scenarios/{file}.yaml")).expect("a file");
        let data: Value = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        let text = data["zone"].as_str().expect("a zone").to_owned();
        let base = load(&text);
        let zone = Rc::new(Prepared { live: live(&base), base, text });
        for (list, is_accident) in [("accidents", true), ("everyday", false)] {
            for scenario in data[list].as_array().expect("a list") {
                all.push((is_accident, zone.clone(), scenario.clone()));
            }
        }
    }
    all
}

#[test]
fn accidents_are_stopped_or_named_and_everyday_changes_are_not_stopped() {
    let (mut wrong, all) = (Vec::new(), scenarios());
    for (is_accident, zone, scenario) in &all {
        let outcome = run(zone, scenario);
        let about = scenario["about"].as_str().unwrap_or_default();
        let told = || format!("{about}: {} {:?}", outcome.keyword(), outcome.lines);
        match (scenario["stops"].as_str(), scenario["names"].as_str()) {
            (Some(code), _) if !outcome.stops.contains(code) => {
                wrong.push(format!("should need {code}: {}", told()))
            }
            (None, Some(word)) if !outcome.lines.iter().any(|l| l.contains(word)) => {
                wrong.push(format!("should name {word}: {}", told()));
            }
            (None, None) if *is_accident => {
                wrong.push(format!("says nothing of what should happen: {}", told()))
            }
            (None, _) if !outcome.stops.is_empty() => {
                wrong.push(format!("should not be stopped: {}", told()))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// A change of a TTL, a comment or a tag has no effect outside, alone or on all records, whatever a
/// record is for.
#[test]
fn notes_and_times_to_live_are_silent() {
    for file in FILES {
        let text = std::fs::read_to_string(format!("tests/scenarios/{file}.yaml")).expect("a file");
        let data: Value = serde_yaml::from_str(&text).expect("a file of scenarios");
        let zone = data["zone"].as_str().expect("a zone");
        let base = load(zone);
        let live = live(&base);
        let lines: Vec<&str> = zone.lines().collect();
        let is_plain = |line: &&str| {
            line.contains("type: ") && !line.contains("ttl: ") && !line.contains("comment: ")
        };
        let record = |line: &'_ str| line.strip_suffix(" }").filter(is_plain).map(str::to_owned);
        let noted = |line: &str| match record(line) {
            Some(record) => {
                format!("{record}, ttl: 777, comment: by hand, tags: [\"team:dns\"] }}")
            }
            None => line.to_owned(),
        };
        let one = |n: usize| {
            lines
                .iter()
                .enumerate()
                .map(|(m, l)| if m == n { noted(l) } else { (*l).to_owned() })
                .collect()
        };
        let mut texts: Vec<Vec<String>> = (0..lines.len()).map(one).collect();
        texts.push(lines.iter().map(|line| noted(line)).collect());
        for changed in texts {
            let changed = changed.join("\n");
            let (plan, diagnostics) = plan_zone_with_base(&load(&changed), &base, &live);
            assert!(
                plan.operations.iter().all(|o| o.impact.is_none() && o.dangers.is_empty()),
                "{changed}"
            );
            let plan = Plan { zones: vec![plan], diagnostics, ..Plan::default() };
            assert!(
                matches!(plan.verdict(&Consents::default()), Verdict::InSync | Verdict::Ready),
                "{changed}"
            );
        }
    }
}

/// Returns the tables of scenarios for the page about safety.
pub(super) fn tables() -> String {
    let mut text = String::new();
    for (title, wanted) in [("accident", true), ("everyday change", false)] {
        let rows: Vec<(String, Outcome)> = scenarios()
            .into_iter()
            .filter(|(is_accident, _, _)| *is_accident == wanted)
            .map(|(_, zone, scenario)| {
                (scenario["about"].as_str().unwrap_or_default().to_owned(), run(&zone, &scenario))
            })
            .collect();
        let count =
            |is: fn(&Outcome) -> bool| rows.iter().filter(|(_, outcome)| is(outcome)).count();
        let stopped = count(|o| !o.stops.is_empty());
        let named = count(|o| o.stops.is_empty() && !o.lines.is_empty());
        let _ = writeln!(
            text,
            "{} {title}s: {stopped} stopped, {named} named, {} silent.\n",
            rows.len(),
            rows.len() - stopped - named
        );
        let _ = writeln!(text, "| {title} | the plan |\n|---|---|");
        for (about, outcome) in rows {
            let _ = writeln!(text, "| {about} | {} |", outcome.keyword());
        }
        text.push('\n');
    }
    text
}
