//! Implements `test`: checks the expectations of a spec offline.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::recordings::ExpectedRequestArgs;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::crs;
use crate::diagnostic::Place;
use crate::document::expectations::{Checked, json};
use crate::insight::dns::{ZoneIndex, Zones};
use crate::insight::expect::{
    DROPPED, Evidence, ExpectationOutcome, Rigor, check_expectation, dropped_expectations,
};
use crate::insight::traffic::FindsHits;
use crate::model::{DesiredZone, Expectation, Gather, Unmanaged, ZoneName};
use crate::reconcile::{Base, protection_in_spec};
use crate::render::expectations::write;

/// Check the expectations of a spec (`expect:`) offline; exit with 2 if one fails
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright test zones/\n  zonewright test zones/ --format junit > \
        expectations.xml"
)]
pub(in crate::cli) struct TestArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// How expected requests are judged.
    #[command(flatten)]
    requests: ExpectedRequestArgs,
}

impl Run for TestArgs {
    const MATTERS: Matters = Matters { base: true, ..Matters::SPEC };

    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::offline("test") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let goal = load_spec("test", &self.spec, settings, output)?;
        let desired = &goal.desired;
        let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
        let rules = self.requests.rules()?;
        let catalogue = rules.as_deref().map(|rules| Arc::new(crs::catalogue(rules)));
        let finds = rules.as_deref().map(|rules| rules as &dyn FindsHits);
        let lists = self.requests.lists.read()?;
        let rigor = Rigor {
            rules: finds,
            is_strict: self.requests.strict,
            lists: Some(&lists),
            sources: Some(&goal.sources),
        };
        let lost_expectations: BTreeMap<&ZoneName, Vec<Expectation>> =
            desired.zones.values().map(|zone| (&zone.name, gone(zone, goal.base()))).gather();
        let is_about_requests = |zone: &&DesiredZone| {
            let was = || goal.base().and_then(|base| base.desired.zones.get(&zone.name));
            zone.expects_of_requests() || was().is_some_and(DesiredZone::expects_of_requests)
        };
        let about_requests = desired.zones.values().filter(is_about_requests);
        let protection = |zone| protection_in_spec(zone, catalogue.as_ref()).with_lists(&lists);
        let protections = about_requests.map(|zone| (zone.name.clone(), protection(zone))).gather();
        let mut checked = Vec::new();
        for zone in desired.zones.values() {
            // Records that a pattern ignores are unknown.
            let knows_all = zone.unmanaged == Unmanaged::Prune && zone.ignore.is_empty();
            let world = Evidence { zones: &zones, protections: &protections, knows_all, rigor };
            for expectation in &zone.expect {
                checked.push(Checked {
                    zone: &zone.name,
                    expectation,
                    outcome: check_expectation(world, &expectation.what),
                });
            }
            // An expectation that was removed from the spec is only mentioned if it would fail.
            for expectation in lost_expectations.get(&zone.name).into_iter().flatten() {
                let outcome = check_expectation(world, &expectation.what);
                if matches!(outcome, ExpectationOutcome::Failed(_)) {
                    checked.push(Checked { zone: &zone.name, expectation, outcome });
                }
            }
        }
        let failed =
            checked.iter().any(|checked| matches!(checked.outcome, ExpectationOutcome::Failed(_)));
        match output.format {
            Format::Json => output.json(&json(&checked, &goal.sources))?,
            Format::Text => output.report(|out| write(out, &checked, &goal.sources))?,
            Format::Document(document) => {
                if let Some(expectations) = document.expectations {
                    output.result(|out| expectations(out, &checked, &goal.sources))?;
                }
            }
        }
        Ok(if failed { Exit::Differences } else { Exit::Success })
    }
}

/// Returns the expectations of the previous spec that a zone no longer has. Their places are not in
/// the files of the spec.
fn gone(zone: &DesiredZone, base: Option<&Base>) -> Vec<Expectation> {
    let previous_expectations = base
        .and_then(|base| base.desired.zones.get(&zone.name))
        .map_or(&[][..], |zone| &zone.expect);
    let of_previous = |old: &Expectation| Expectation {
        name: format!("{}{DROPPED}", old.name),
        place: Place::NOWHERE,
        ..old.clone()
    };
    dropped_expectations(&zone.expect, previous_expectations).map(of_previous).collect()
}
