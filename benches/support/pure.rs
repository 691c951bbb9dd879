//! The steps from a spec and a listing to a plan, its requests and its outputs. Nothing here does
//! I/O.

use serde_json::Value as Json;
use zonewright::diagnostic::Sources;
use zonewright::model::{Desired, DesiredZone, LiveZone, Tier, ZoneId, ZoneName};
use zonewright::plan::{Lowering, Plan, Step, ZonePlan, lower, plan_zone};
use zonewright::render::markdown::{Comment, LIMIT};
use zonewright::render::text::{Extent, PlanView, write_plan};
use zonewright::render::{Findings, Review, diagnostics, github, html, junit, markdown, sarif};
use zonewright::{document, lint, spec, wire};

use super::zones::{self, Zone};

/// The formats of a plan.
pub(crate) const FORMATS: &[&str] = &["text", "json", "markdown", "html", "github"];

/// The formats of findings.
pub(crate) const FINDINGS: &[&str] =
    &["text", "json", "markdown", "html", "github", "sarif", "junit"];

/// Reads a spec from a text.
pub(crate) fn outcome(text: &str, sources: &mut Sources) -> spec::Outcome {
    spec::load(&[spec::Input::Stdin(text.to_owned())], &spec::Options::default(), sources)
}

/// Reads a spec without errors.
pub(crate) fn load(text: &str) -> (Desired, Sources) {
    let mut sources = Sources::default();
    let outcome = outcome(text, &mut sources);
    let desired = outcome
        .desired
        .unwrap_or_else(|| panic!("the spec has errors: {:?}", outcome.diagnostics.iter().next()));
    (desired, sources)
}

/// Returns the only zone of a spec.
pub(crate) fn only(desired: &Desired) -> &DesiredZone {
    desired.zones.values().next().expect("there is one")
}

/// Returns a list of records in Cloudflare's form.
pub(crate) fn listing(zone: &Zone) -> Vec<u8> {
    Json::Array(zone.answers()).to_string().into_bytes()
}

/// Reads a listing.
pub(crate) fn read(listing: &[u8]) -> LiveZone {
    let items: Vec<Json> = serde_json::from_slice(listing).expect("it is a list");
    let records =
        items.iter().map(|item| wire::record::read_record(item).expect("it is a record")).collect();
    LiveZone { records, ..empty() }
}

/// Returns a live zone with these records.
pub(crate) fn live(zone: &Zone) -> LiveZone {
    read(&listing(zone))
}

/// Returns a zone without records.
pub(crate) fn empty() -> LiveZone {
    let name = ZoneName::parse(zones::NAME).expect("it is a name");
    LiveZone { tier: Tier::Enterprise, ..LiveZone::new(name, ZoneId("0".repeat(32))) }
}

/// Returns the spec of a zone.
pub(crate) fn spec_of(zone: &Zone) -> String {
    zones::spec(std::slice::from_ref(zone))
}

/// Lints a spec, and returns the number of findings.
pub(crate) fn lint(desired: &Desired) -> usize {
    lint::lint(desired).len()
}

/// Plans a zone, including the check for operations that cannot be carried out.
pub(crate) fn plan(desired: &DesiredZone, live: &LiveZone) -> ZonePlan {
    plan_zone(desired, live).0
}

/// Returns the requests of a plan.
pub(crate) fn requests(plan: &ZonePlan) -> Vec<Step> {
    lower(plan, Lowering::Batches(3_500), None)
}

/// Returns a plan of one zone.
pub(crate) fn whole(zone: ZonePlan) -> Plan {
    Plan { zones: vec![zone], ..Plan::default() }
}

/// Renders a plan, and returns the number of bytes.
pub(crate) fn output(format: &str, plan: &Plan, sources: &Sources) -> usize {
    let verdict = &plan.verdict(&zonewright::plan::Consents::default());
    let review = Review { plan, verdict, requests_to_apply: 1, sources };
    let mut out: Vec<u8> = Vec::new();
    match format {
        "text" => {
            let view = PlanView {
                plan,
                verdict,
                requests_to_apply: 1,
                colour: true,
                width: Some(120),
                verbose: true,
                extent: Extent::Whole,
            };
            write_plan(&mut out, &view).expect("memory takes everything");
            out.len()
        }
        "json" => document::text(&document::plan::Plan::of(plan, verdict, 1, sources)).len(),
        "markdown" => markdown::plan(&review, Comment { marker: None, limit: LIMIT }).len(),
        "html" => html::plan(&review).len(),
        "github" => {
            github::plan(&mut out, &review).expect("memory takes everything");
            out.len()
        }
        other => unreachable!("{other} is not in the list"),
    }
}

/// Renders the findings of a spec, and returns the number of bytes.
pub(crate) fn findings(format: &str, found: &spec::Outcome, sources: &Sources) -> usize {
    let diagnostics = &found.diagnostics;
    let found = Findings { command: "validate", diagnostics, sources, holds: None };
    let mut out: Vec<u8> = Vec::new();
    match format {
        "text" => {
            diagnostics::write(&mut out, diagnostics, sources, true, None)
                .expect("memory takes everything");
            out.len()
        }
        "json" => {
            document::text(&document::diagnostic::Diagnostic::all(diagnostics, sources)).len()
        }
        "markdown" => markdown::report(&found, Comment { marker: None, limit: LIMIT }).len(),
        "html" => html::report(&found).len(),
        "github" => {
            github::report(&mut out, &found).expect("memory takes everything");
            out.len()
        }
        "sarif" => document::text(&sarif::report(&found, &[])).len(),
        "junit" => junit::report(&found, &[]).len(),
        other => unreachable!("{other} is not in the list"),
    }
}
