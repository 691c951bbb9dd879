//! Promises of the spec about a zone's managed rulesets that are not in force, although the plan
//! changes nothing about them.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostics, Place, findings};
use crate::diff::{WafChanges, diff_rulesets, planned};
use crate::insight::waf::{Cause, Context, InForce, hold_deployment};
use crate::model::ruleset::{LiveRule, LiveWaf, Phase, Switch};
use crate::model::{Address, DesiredZone, LiveZone};

/// A deployment of the spec, with its actual protection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentInForce {
    pub address: Address,
    /// Its place in the spec.
    pub place: Place,
    /// The actual protection.
    pub in_force: InForce,
    /// The time of the last change of the cause of a weakening, as Cloudflare wrote it.
    pub modified_on: Option<String>,
    /// True if the plan changes the deployment itself.
    pub is_changed: bool,
}

/// Compares the deployments of a zone after the plan with the promises of the spec.
pub(super) fn check(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &WafChanges<'_>,
    is_changed: &dyn Fn(&Address) -> bool,
) -> (Vec<DeploymentInForce>, Diagnostics) {
    let mut found = Diagnostics::default();
    let Some(section) = desired.waf.as_deref().filter(|_| !live.is_new) else {
        return (Vec::new(), found);
    };
    if section.deployments.iter().all(|deployment| deployment.switch == Switch::Off)
        && section.accept.is_empty()
    {
        return (Vec::new(), found);
    }
    let waf = planned(&live.waf, changes);
    let is_foreign = |phase: Phase, rule: &LiveRule| {
        let phase = changes.phases.iter().find(|changes| changes.phase == phase);
        phase.is_none_or(|changes| changes.foreign.iter().any(|foreign| foreign.id == rule.id))
    };
    let mut all = Vec::new();
    for deployment in &section.deployments {
        let address =
            Address::of_rule(&desired.name, Phase::Managed, Some(deployment.ruleset.key()));
        let is_changed = is_changed(&address);
        let context = Context {
            waf: &waf,
            account: None,
            is_foreign: &is_foreign,
            is_changed,
            accept: &section.accept,
        };
        let Some(in_force) = hold_deployment(deployment, &context) else { continue };
        let modified_on = modified_on(&in_force, &live.waf, deployment.ruleset.facts().id);
        all.push(DeploymentInForce {
            address,
            place: deployment.place,
            in_force,
            modified_on,
            is_changed,
        });
    }
    all.iter().for_each(|deployment| report(deployment, &mut found));
    (all, found)
}

/// Compares the deployments of a zone with the promises of the spec, as they are once its rules are
/// applied.
#[must_use]
pub fn deployments_in_force(desired: &DesiredZone, live: &LiveZone) -> Vec<DeploymentInForce> {
    let changes = diff_rulesets(desired, live);
    let of_deployments = changes.phases.iter().filter(|phase| phase.phase.deploys());
    let changed: BTreeSet<Address> = of_deployments
        .flat_map(|phase| &phase.changes)
        .map(|change| Address::of_rule(&desired.name, Phase::Managed, Some(&change.name)))
        .collect();
    check(desired, live, &changes, &|address| changed.contains(address)).0
}

/// Returns the time of the last change of the objects that weaken a deployment.
fn modified_on(in_force: &InForce, waf: &LiveWaf, ruleset: &str) -> Option<String> {
    let rules = || waf.entry_points.values().flat_map(|entry_point| entry_point.rules());
    let is_cause = |rule: &&LiveRule| {
        in_force.shortfalls.iter().any(|shortfall| match &shortfall.cause {
            Cause::Rule { id, .. } => *id == rule.id,
            Cause::Key { .. } | Cause::Override { .. } => rule.body.executes() == Some(ruleset),
        })
    };
    rules().filter(is_cause).filter_map(|rule| rule.last_updated.clone()).max()
}

/// Reports one deployment.
fn report(deployment: &DeploymentInForce, found: &mut Diagnostics) {
    let DeploymentInForce { address, place, in_force, .. } = deployment;
    let key = in_force.ruleset.key();
    if in_force.is_weakened() {
        let now =
            in_force.outdated.first().map(|(_, live)| format!("; what was accepted is now {live}"));
        let summary = format!("{}{}", in_force.summary(), now.unwrap_or_default());
        found.push(
            findings::WEAKENED
                .at(*place, summary)
                .about(address.to_string())
                .help(in_force.remedy()),
        );
    }
    let open: Vec<&String> = [&in_force.accepted, &in_force.choices, &in_force.narrow_skips]
        .into_iter()
        .flatten()
        .collect();
    if !open.is_empty() {
        let words: Vec<&str> = open.into_iter().map(String::as_str).collect();
        let detail = format!("{key}: {}", words.join("; "));
        found.push(findings::LEFT_OPEN.at(*place, detail).about(address.to_string()));
    }
    if !in_force.unknown.is_empty() {
        let detail = format!("not known of {key}: {}", in_force.unknown.join("; "));
        found.push(findings::PROTECTION_NOT_KNOWN.at(*place, detail).about(address.to_string()));
    }
}
