//! `test`: check the expectations of a spec. Offline.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::args::{Format, SpecArgs};
use crate::cli::exit::Exit;
use crate::cli::load::load;
use crate::cli::recordings::ExpectedRequestArgs;
use crate::cli::relevance::Matters;
use crate::crs;
use crate::diagnostic::Place;
use crate::insight::dns::{ZoneIndex, Zones};
use crate::insight::expect::{DROPPED, Outcome, Rigor, World, dropped, hold};
use crate::insight::traffic::FindsHits;
use crate::model::{DesiredZone, Expectation, Unmanaged, ZoneName};
use crate::reconcile::{Base, protection_in_spec};
use crate::render::expectations::{Checked, json, write};

/// Check the expectations of a spec (`expect:`) offline; exit with 2 if one fails
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright test zones/\n  zonewright test zones/ --format junit > expectations.xml"
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
        Facts {
            has_document: |document| document.expectations.is_some(),
            has_shards: true,
            files: self.spec.files(),
            ..Facts::offline("test")
        }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    /// Checks and prints.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        run(self, settings, output)
    }
}

/// The expectations of the previous spec that a zone no longer has. Their places are not in the files of the spec.
fn gone(zone: &DesiredZone, base: Option<&Base>) -> Vec<Expectation> {
    let old = base.and_then(|base| base.desired.zones.get(&zone.name)).map_or(&[][..], |zone| &zone.expect);
    let of_previous = |old: &Expectation| Expectation {
        name: format!("{}{DROPPED}", old.name),
        place: Place::NOWHERE,
        ..old.clone()
    };
    dropped(&zone.expect, old).map(of_previous).collect()
}
