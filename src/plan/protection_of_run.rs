//! Reports about the protection of all zones of a run: entries of `accept` that no zone needs, and
//! rules that were not read.

use std::collections::{BTreeMap, BTreeSet};

use super::in_force::DeploymentInForce;
use super::zone_plan::ZonePlan;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, count, findings, first_of};
use crate::model::ruleset::{AcceptedCause, AcceptedObject, Phase};
use crate::model::{Desired, ZoneName};

/// Maximum number of zones that one sentence names.
const MOST_NAMES: usize = 8;

/// Reports findings about the zones of a run together: entries of `accept` that match nothing in
/// any zone, and earlier phases that were not read. `is_told` returns true for an entry that needs
/// no report, because it has one, or is for other zones too.
#[must_use]
pub fn check_protection_of_run(
    plans: &[ZonePlan],
    desired: &Desired,
    is_told: &dyn Fn(Place) -> bool,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    // An entry of a profile has one place and many zones.
    let mut entries: BTreeMap<Place, Option<(&ZoneName, &AcceptedCause)>> = BTreeMap::new();
    for plan in plans.iter().filter(|plan| !plan.is_new) {
        let section = desired.zones.get(&plan.name).and_then(|zone| zone.waf.as_deref());
        for (n, accepted) in section.iter().flat_map(|section| section.accept.iter().enumerate()) {
            let entry = entries.entry(accepted.place).or_insert(Some((&plan.name, accepted)));
            if may_match(plan, n) {
                *entry = None;
            }
        }
    }
    let idle = entries.into_iter().filter_map(|(place, entry)| Some((place, entry?)));
    for (place, (zone, accepted)) in
        idle.filter(|(place, (_, entry))| !entry.note.is_expired && !is_told(*place))
    {
        let (kind, name) = accepted.object.identity();
        let value = match &accepted.object {
            AcceptedObject::Rule { .. } => String::new(),
            AcceptedObject::Key { is, .. } | AcceptedObject::Override { is, .. } => {
                format!(", `is: {is}`")
            }
        };
        let detail =
            format!("nothing that weakens the protection of {zone} is `{kind}: {name}`{value}");
        let help = "remove the entry, or correct its name";
        diagnostics
            .push(findings::ACCEPTS_NOTHING.at(place, detail).about(zone.to_string()).help(help));
    }
    not_read(plans).into_iter().for_each(|diagnostic| diagnostics.push(diagnostic));
    diagnostics
}

/// Returns true if an entry of `accept` matches something in a zone, or could, as far as known.
fn may_match(plan: &ZonePlan, n: usize) -> bool {
    plan.in_force.iter().any(|DeploymentInForce { in_force, is_changed, .. }| {
        let is_known = !is_changed && in_force.unknown.is_empty() && in_force.not_asked.is_empty();
        !is_known
            || in_force.matched.contains(&n)
            || in_force.outdated.iter().any(|(outdated, _)| *outdated == n)
    })
}

/// Reports the zones whose earlier phases were not read.
fn not_read(plans: &[ZonePlan]) -> Option<Diagnostic> {
    let deployments =
        plans.iter().flat_map(|plan| plan.in_force.iter().map(move |one| (&plan.name, one)));
    let partly: Vec<_> =
        deployments.filter(|(_, one)| !one.in_force.not_asked.is_empty()).collect();
    let phases: BTreeSet<Phase> =
        partly.iter().flat_map(|(_, one)| &one.in_force.not_asked).copied().collect();
    let phases: Vec<&str> = phases.into_iter().map(Phase::about).collect();
    let zones: BTreeSet<&ZoneName> = partly.iter().map(|(name, _)| *name).collect();
    let (_, first) = partly.first()?;
    let names = first_of(zones.iter().map(ToString::to_string), MOST_NAMES);
    let detail = format!(
        "the {} of {} were not read: {names}",
        phases.join(" and "),
        count(zones.len(), "zone")
    );
    let help = "plan such a zone by itself (`--zone NAME`), or write these rules into the section";
    Some(findings::EARLIER_NOT_READ.at(first.place, detail).help(help))
}
