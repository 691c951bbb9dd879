//! The grade of a weakening. A narrow one is shown, and its reason in the spec is the consent.
//!
//! A narrow weakening is an exception or override of few named rules that has a reason and a near
//! last day in the spec. [`crate::insight`] judges "named". This module judges the number of rules
//! and the last day, for all of a zone's plan together, so that a wide exception does not become
//! narrow by being divided.

use super::zone_plan::ZonePlan;
use crate::diff::{PhaseChanges, RuleChange, RuleChangeKind};
use crate::insight::waf::{narrow_exception, narrow_overrides};
use crate::model::Narrow;
use crate::model::ruleset::{
    DesiredDeployment, DesiredRule, LiveWaf, Note, RuleBody, TuningTarget,
};
use crate::model::{Danger, DesiredZone};

/// Returns the evidence that a change is narrow, if it is.
pub(super) fn narrow(
    desired: &DesiredZone,
    phase: &PhaseChanges,
    change: &RuleChange,
    waf: &LiveWaf,
) -> Option<Narrow> {
    let section = desired.waf.as_deref()?;
    let (before, is_moved) = match &change.kind {
        RuleChangeKind::Create => (None, false),
        RuleChangeKind::Update(live) => (Some(&live.body), change.placed.is_some()),
        RuleChangeKind::Move(_) | RuleChangeKind::Delete(..) => return None,
    };
    // A rule that moves could also have an effect on the rules that it passes.
    if is_moved {
        return None;
    }
    if let Some(id) = change.after.executes() {
        let is_it = |wanted: &&DesiredDeployment| {
            waf.managed(wanted.ruleset).is_some_and(|catalogue| catalogue.id.0 == id)
                && Some(wanted.place) == change.place
        };
        let deployment = section.deployments.iter().find(is_it)?;
        return of_overrides(deployment, before?, &change.after, waf);
    }
    let is_it =
        |wanted: &&DesiredRule| wanted.name == change.name && Some(wanted.place) == change.place;
    let exception = section.exceptions().find(is_it)?;
    let rules = narrow_exception(phase.phase, before, &change.after, waf)?;
    Narrow::new(rules, std::iter::once(&exception.note))
}

/// Returns the evidence that a change of overrides is narrow, if it is.
fn of_overrides(
    wanted: &DesiredDeployment,
    before: &RuleBody,
    after: &RuleBody,
    waf: &LiveWaf,
) -> Option<Narrow> {
    let catalogue = waf.managed(wanted.ruleset)?;
    let tuned_rules = wanted.rules.iter().filter_map(|tuning| match &tuning.target {
        TuningTarget::Rule(name) => {
            Some((name.resolve(catalogue).ok()?.id.0.clone(), &tuning.note))
        }
        // An author who names a tag does not know its rules.
        TuningTarget::Tag(_) => None,
    });
    let tuned_rules: Vec<(String, &Note)> = tuned_rules.collect();
    let ids = tuned_rules.iter().map(|(id, _)| id.clone()).collect();
    let rules = narrow_overrides(before, after, &ids, catalogue)?;
    let notes = tuned_rules.iter().filter(|(id, _)| rules.contains(id)).map(|(_, note)| *note);
    Narrow::new(rules.clone(), notes)
}

/// Accepts the reasons of narrow weakenings as consents, if all of them together are narrow enough.
/// Otherwise withdraws them.
pub(super) fn grade(plan: &mut ZonePlan, most_rules: u8, most_days: u8) {
    let all_narrow = || {
        plan.operations
            .iter()
            .filter_map(|operation| operation.narrow.as_ref())
            .chain(&plan.postponed)
    };
    let count: usize = all_narrow().map(|narrow| narrow.rules.len()).sum();
    let is_near = all_narrow().all(|narrow| narrow.days <= u32::from(most_days));
    let is_narrow = is_near && count <= usize::from(most_rules);
    let of_operations =
        plan.operations.iter_mut().map(|o| (&o.narrow, &o.dangers, &mut o.accepted));
    let of_zone = std::iter::once((&plan.postponed, &plan.dangers, &mut plan.accepted));
    for (narrow, dangers, accepted) in of_operations.chain(of_zone) {
        let Some(narrow) = narrow else { continue };
        match (is_narrow, accepted.get(&Danger::WeakensProtection)) {
            (true, None) if dangers.contains(&Danger::WeakensProtection) => {
                accepted.insert(Danger::WeakensProtection, narrow.words.clone());
            }
            (false, Some(words)) if *words == narrow.words => {
                drop(accepted.remove(&Danger::WeakensProtection))
            }
            _ => {}
        }
    }
}
