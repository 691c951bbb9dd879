//! A journal in place of a spec: what `undo` plans, and what it refuses.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use super::args::Global;
use super::exit::Exit;
use super::output::Output;
use super::planning::{self, Loaded, Planned, select};
use super::service::Service;
use crate::apply::{JournalRun, Moved, Undone, needed, outline, read_journal, undo_zone};
use crate::diagnostic::{Diagnostics, Severity, Sources, findings};
use crate::live::WafQuery;
use crate::model::managed::Managed;
use crate::model::ruleset::Phase;
use crate::model::{Desired, DesiredZone, LiveZone};
use crate::plan::ZonePlan;

/// A journal that is undone.
pub(super) struct Undoing {
    /// What it says.
    run: JournalRun,
    /// Whether the rest is undone where something cannot be.
    skip_conflicts: bool,
}

/// Reads a journal.
///
/// # Errors
/// It cannot be read or used, or `--zone` names nothing in it.
pub(super) fn load(path: &Path, skip_conflicts: bool, global: &Global) -> anyhow::Result<Loaded> {
    let name = path.display().to_string();
    let what = || format!("{name} cannot be undone");
    let text = read_journal(path, None).with_context(what)?;
    let mut sources = Sources::default();
    let source = sources.add(name.clone(), outline(&text));
    let run = JournalRun::parse(&text, source).with_context(what)?;
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let zones = run.zones.iter().map(|(name, zone)| (name.clone(), needed(name, zone))).collect();
    let mut diagnostics = Diagnostics::default();
    let desired = select(Desired { zones }, &global.zone, &mut diagnostics);
    if let Some(wrong) = diagnostics.iter().find(|d| d.severity == Severity::Error) {
        bail!("{}: {}", wrong.summary(), wrong.detail);
    }
    let records = run.zones.values().map(|zone| zone.records.len()).sum();
    let undoing = Some(Undoing { run, skip_conflicts });
    let (base, against, lock) = (None, None, None);
    Ok(Loaded { desired, diagnostics, sources, digest, files: 1, records, base, against, lock, undoing })
}

impl Undoing {
    /// What has to be read of a zone's protection: the phases that were touched, and what their rules speak of.
    pub(super) fn waf_query(&self, zone: &DesiredZone) -> WafQuery {
        let rules = self.run.zones.get(&zone.name).into_iter().flat_map(|run| &run.rules);
        let phases: std::collections::BTreeSet<Phase> = rules.map(|entry| entry.effect.phase).collect();
        let managed = if phases.contains(&Phase::Managed) { Managed::ALL } else { &[] };
        WafQuery { phases, managed: managed.iter().copied().collect() }
    }

    /// Plans the undoing of a zone.
    pub(super) fn plan(&self, desired: &DesiredZone, live: &LiveZone) -> (ZonePlan, Diagnostics) {
        let Some(run) = self.run.zones.get(&desired.name) else {
            return crate::plan::plan_zone(desired, live);
        };
        let Undone { plan, mut diagnostics, conflicts } = undo_zone(run, desired, live);
        for Moved { address, what } in conflicts {
            let diagnostic = findings::UNDO_CONFLICT.nowhere(what);
            let diagnostic = match self.skip_conflicts {
                true => diagnostic.as_severity(Severity::Warning).help("it is left as it is"),
                false => diagnostic.help("check the later change; --skip-conflicts keeps it and undoes the rest"),
            };
            diagnostics.push(diagnostic.about(address));
        }
        (plan, diagnostics)
    }
}

/// How a plan with errors ends: as stale where all that is wrong with it is that the service moved on.
pub(super) fn exit(diagnostics: &Diagnostics) -> Exit {
    let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    if errors.all(|d| d.finding == findings::UNDO_CONFLICT) { Exit::Stale } else { Exit::Error }
}

/// What is no longer as the plan saw it, after somebody thought about it.
///
/// # Errors
/// The service cannot be read.
pub(super) async fn look_again(
    loaded: &Loaded,
    planned: &Planned,
    service: &Service,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Vec<Moved>> {
    let now = planning::plan(loaded, service, global, output).await?;
    let is_same = |zone: &&ZonePlan| !now.plan.zones.contains(zone);
    let moved = planned.plan.zones.iter().filter(is_same);
    let what = "another plan would be needed now".to_owned();
    Ok(moved.map(|zone| Moved { address: zone.name.to_string(), what: what.clone() }).collect())
}
