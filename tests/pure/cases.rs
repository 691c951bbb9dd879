//! Cases: a spec and a live zone, with the resulting plan and requests. One file each in
//! tests/cases/plan.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use zonewright::diagnostic::Sources;
use zonewright::model::ruleset::{EntryPoint, LiveWaf, Phase};
use zonewright::model::{Danger, LiveZone, Tier, ZoneId, ZoneName};
use zonewright::plan::{Consents, Lowering, Plan, Step, lower, plan_zone};
use zonewright::render::text::{Extent, PlanView, write_plan, write_requests};
use zonewright::{document, render, spec, wire};

use crate::scenarios::judged;

/// Returns the live zone of a case.
fn live(case: &Value) -> LiveZone {
    let records = case["live"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| wire::record::read_record(r).unwrap())
        .collect();
    LiveZone {
        tier: Tier::from_legacy_id(case["tier"].as_str().unwrap_or("free")),
        name_servers: vec!["ada.ns.example.net".into(), "bob.ns.example.net".into()],
        records,
        waf: waf(&case["waf"]),
        ..LiveZone::new(
            ZoneName::parse("example.com").unwrap(),
            ZoneId("023e105f4ecef8ad9ca31a8372d0c353".into()),
        )
    }
}

/// Returns the live protection of a case: entry points by phase (null for none), and managed
/// rulesets. Phases that only the spec names have no entry point.
fn waf(case: &Value) -> LiveWaf {
    let entry_points = Phase::ALL.iter().map(|phase| match &case["entry_points"][phase.as_str()] {
        Value::Null => (*phase, EntryPoint::Absent),
        ruleset => (*phase, EntryPoint::Present(wire::ruleset::read_ruleset(ruleset).unwrap())),
    });
    let catalogues = case["catalogues"].as_array().into_iter().flatten();
    LiveWaf {
        entry_points: entry_points.collect(),
        catalogues: catalogues
            .map(|json| Arc::new(wire::ruleset::read_catalogue(json).unwrap()))
            .collect(),
        ..LiveWaf::default()
    }
}

/// The field names and codes of the JSON form are a contract: a change of this snapshot raises
/// `format`.
#[test]
fn json_is_a_contract() {
    insta::glob!("../cases/json", "*.yaml", |path| {
        let case = read(path);
        let mut sources = Sources::default();
        let input = spec::Input::Stdin(case["spec"].as_str().unwrap().to_owned());
        let outcome = spec::load(&[input], &spec::Options::default(), &mut sources);
        let desired = outcome.desired.expect("the spec of a case is good");
        let (own, live) = (desired.zones.values().next().unwrap(), live(&case));
        let (zone, diagnostics) = plan_zone(own, &live);
        let zone = judged(zone, own, None, &live);
        let plan = Plan { zones: vec![zone], diagnostics, requests_made: 2, ..Plan::default() };
        let json =
            document::plan::Plan::of(&plan, &plan.verdict(&Consents::default()), 1, &sources);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(document::text(&json));
        });
    });
}

/// Returns the plan of a case as a reviewer sees it, and the requests.
fn run(case: &Value) -> String {
    let mut sources = Sources::default();
    let input = spec::Input::Stdin(case["spec"].as_str().unwrap().to_owned());
    let outcome = spec::load(&[input], &spec::Options::default(), &mut sources);
    let mut shown = format!("{}\n\n", case["about"].as_str().unwrap());
    let mut text = |d: &zonewright::diagnostic::Diagnostics| {
        let mut out = Vec::new();
        render::diagnostics::write(&mut out, d, &sources, false, None).unwrap();
        shown.push_str(&String::from_utf8(out).unwrap());
    };
    text(&outcome.diagnostics);
    let desired = outcome.desired.expect("the spec of a case is good");
    let live = live(case);
    let own = desired.zones.values().next().unwrap();
    let (zone, diagnostics) = plan_zone(own, &live);
    let zone = judged(zone, own, None, &live);
    text(&diagnostics);
    let steps = lower(&zone, Lowering::Batches(zone.tier.facts().batch_operations), None);
    let plan = Plan { zones: vec![zone], diagnostics, ..Plan::default() };
    let consents = Consents {
        deletes: case["consents"]["deletes"].as_u64().map(|n| usize::try_from(n).unwrap()),
        dangers: BTreeSet::from_iter(
            case["consents"]["dangers"].as_str().and_then(Danger::by_code),
        ),
        ..Consents::default()
    };
    let verdict = plan.verdict(&consents);
    let mut out = Vec::new();
    // The snapshots count the requests for records.
    let is_of_records = |step: &&Step| {
        step.operations.iter().all(|n| plan.zones[0].operations[*n].record().is_some())
    };
    let requests_to_apply = steps.iter().filter(is_of_records).count();
    let view = PlanView {
        plan: &plan,
        verdict: &verdict,
        requests_to_apply,
        colour: false,
        width: None,
        verbose: true,
        extent: Extent::Whole,
    };
    write_plan(&mut out, &view).unwrap();
    let requests: Vec<_> = steps.into_iter().map(|s| s.request).collect();
    if !requests.is_empty() {
        writeln!(shown).unwrap();
        out.push(b'\n');
        write_requests(&mut out, &requests, false).unwrap();
    }
    shown.push_str(&String::from_utf8(out).unwrap());
    writeln!(shown, "verdict: {}", verdict.as_str()).unwrap();
    shown
}

/// Returns a case as JSON.
fn read(path: &Path) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(path).unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn plans() {
    insta::glob!("../cases/plan", "*.yaml", |path| {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(run(&read(path)));
        });
    });
}

/// The order in which Cloudflare lists records makes no difference.
#[test]
fn the_order_of_the_listing_is_irrelevant() {
    insta::glob!("../cases/plan", "*.yaml", |path| {
        let mut case = read(path);
        let first = run(&case);
        let mut records = case["live"].as_array().unwrap().clone();
        for _ in 0..records.len() {
            records.rotate_left(1);
            case["live"] = json!(records);
            assert_eq!(run(&case), first, "{}", path.display());
        }
        records.reverse();
        case["live"] = json!(records);
        assert_eq!(run(&case), first, "{}", path.display());
    });
}
