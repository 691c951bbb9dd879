//! Compares with the previous spec, which distinguishes intent from drift, and names what is no
//! longer wanted.
//!
//! | the spec | live | cause |
//! |---|---|---|
//! | changed | as the base wanted it | `spec` |
//! | as before | not as the base wanted it | `drift`: someone else changed it, and the plan reverts that |
//! | changed | not as the base wanted it | `both`: a conflict |
//!
//! All cases of records are in [`overwrites`](super::overwrites).
//!
//! An object of the previous spec that this spec does not name is deleted, if it is unchanged. This
//! gives ownership without a state file.

use std::collections::BTreeSet;

use super::dangers;
use super::drift_since_base::{Drift, find};
use super::operation_builder::plan_with_base;
use super::overwrites::{Overwrites, judge};
use super::postponed_expiry::{self, Postponed};
use super::setting_operations::is_wanted_alike;
use super::shrank;
use super::subject::{RecordSubject, RuleAction, RuleSubject, Subject};
use super::zone_plan::ZonePlan;
use crate::diagnostic::{Diagnostics, Place};
use crate::diff::{DeleteReason, RecordChange, RuleDeleteReason};
use crate::insight::OtherZones;
use crate::model::ruleset::{DesiredRule, DesiredWaf, Note, Phase, RuleTuning, Switch, TagTuning};
use crate::model::{Danger, DesiredZone, Facets, Gather, LiveZone, Only};

/// Plans one zone with the previous spec as the third side of the comparison.
#[must_use]
pub fn plan_zone_with_base(
    desired: &DesiredZone,
    base: &DesiredZone,
    live: &LiveZone,
) -> (ZonePlan, Diagnostics) {
    plan_part_with_base(desired, base, live, &Only::default(), OtherZones::NONE)
}

/// Plans a part of one zone, as [`plan_zone_with_base`]. It is an error if the part needs more of
/// the plan.
#[must_use]
pub fn plan_part_with_base(
    desired: &DesiredZone,
    base: &DesiredZone,
    live: &LiveZone,
    only: &Only,
    others: OtherZones<'_>,
) -> (ZonePlan, Diagnostics) {
    let extended = with_removed(desired, base);
    let (mut plan, mut diagnostics) = plan_with_base(&extended, Some(base), live, only, others);
    if let Some(Postponed { found, narrow }) = postponed_expiry::check(desired, base, live, only) {
        diagnostics.append(found);
        plan.dangers.push(Danger::WeakensProtection);
        plan.postponed = narrow;
    }
    let (past, _) = plan_with_base(base, Some(base), live, &Only::default(), OtherZones::NONE);
    let drift = Drift::new(&past);
    for operation in &mut plan.operations {
        // An end that the previous spec did not date was not agreed to.
        if let (Subject::Rule(rule), Some(impact)) = (&operation.subject, &operation.impact)
            && impact.direction.may_weaken()
            && !live.is_unused()
            && !operation.dangers.contains(&Danger::WeakensProtection)
            && rule_differs(desired, base, rule.phase, &rule.name)
        {
            operation.dangers.push(Danger::WeakensProtection);
        }
        if let Subject::Rule(rule) = &mut operation.subject {
            note_removed(rule, desired);
        }
        let address = &operation.address;
        let is_drifted = || drift.addresses.contains(address);
        let (changed, drifted) = match &operation.subject {
            // A zone that the base did not create is new. One that it did create was deleted by
            // someone.
            Subject::Zone => (base.create != desired.create, base.create),
            Subject::Setting(setting) => (!is_wanted_alike(setting, desired, base), is_drifted()),
            // An expiry date in both specs is an intent of the specs, and not a change by someone.
            Subject::Rule(rule) if rule.is_expiry => (true, false),
            Subject::Rule(rule) => {
                (rule_changed(desired, base, rule.phase, &rule.name), is_drifted())
            }
            Subject::Record(record) => record_changed(desired, base, &drift, record),
        };
        let overwrites = operation.record().map_or(Overwrites::Nothing, |record| record.overwrites);
        let (cause, danger) = judge(changed, drifted, overwrites);
        operation.cause = cause;
        operation.dangers.extend(danger);
    }
    shrank::shrank(&mut plan, desired, base, live, &drift);
    dangers::accept(&mut plan, desired);
    (plan, diagnostics)
}

/// Returns the attributes that a spec can determine. A proxied record has no TTL of its own.
fn wished(facets: &Facets) -> Facets {
    let ttl = facets.ttl.filter(|_| facets.proxied != Some(true));
    Facets { ttl, ..facets.clone() }
}

/// Returns true for a difference between the specs about a record, and true for a difference
/// between the live state and the previous spec.
fn record_changed(
    desired: &DesiredZone,
    base: &DesiredZone,
    drift: &Drift<'_>,
    record: &RecordSubject,
) -> (bool, bool) {
    let form = record.form();
    let desired_record = find(&desired.records, &form.name, &form.data);
    let base_record = find(&base.records, &form.name, &form.data);
    let is_same = match (desired_record, base_record) {
        (Some(own), Some(old)) => wished(&own.facets) == wished(&old.facets),
        (None, None) => true,
        _ => false,
    };
    match &record.change {
        RecordChange::Create { after } => {
            (!is_same, drift.created.contains(&(&after.name, &after.data)))
        }
        RecordChange::Update { id, .. } => (!is_same, drift.touched.contains(id)),
        RecordChange::Delete { id, reason, .. } => match reason {
            // A record that excluded one of the previous spec as well was created by someone else.
            DeleteReason::InTheWay if drift.deleted.contains(id) => (false, true),
            // A last day in both specs is an intent of the specs, and not a change by someone.
            DeleteReason::Expired { is_agreed: true } => (true, false),
            DeleteReason::Expired { is_agreed: false }
            | DeleteReason::Removed
            | DeleteReason::InTheWay
            | DeleteReason::WithDelegation
            | DeleteReason::Replaced
            | DeleteReason::Undone => (true, drift.touched.contains(id)),
            DeleteReason::Tombstone | DeleteReason::Pruned => {
                let was_wanted_gone = drift.deleted.contains(id);
                (!was_wanted_gone, was_wanted_gone)
            }
        },
    }
}

/// Returns true if the specs differ about a rule, or about any of the rules of a combined name.
fn rule_changed(desired: &DesiredZone, base: &DesiredZone, phase: Phase, name: &str) -> bool {
    // The end of an entry on its last day is an intent of the spec, and not a change by someone.
    let has_expired = desired.waf.as_deref().is_some_and(|waf| {
        let deployments =
            waf.deployments.iter().filter(|d| phase == Phase::Managed && d.ruleset.key() == name);
        let mut notes = deployments
            .flat_map(|d| d.rules.iter().map(|r| &r.note).chain(d.tags.iter().map(|t| &t.note)));
        notes.any(|note| note.is_expired)
            || waf.rule(phase, name).is_some_and(|rule| rule.note.is_expired)
    });
    has_expired || rule_differs(desired, base, phase, name)
}

/// Sets the delete reason of a rule that the spec gave up.
fn note_removed(rule: &mut RuleSubject, desired: &DesiredZone) {
    let RuleAction::Delete { reason, .. } = &mut rule.action else { return };
    let is_named =
        desired.waf.as_deref().is_some_and(|waf| waf.rule(rule.phase, &rule.name).is_some());
    if *reason == RuleDeleteReason::Absent && !is_named {
        *reason = RuleDeleteReason::Removed;
    }
}

/// Returns true if the specs differ about a rule.
fn rule_differs(desired: &DesiredZone, base: &DesiredZone, phase: Phase, name: &str) -> bool {
    let plain =
        |zone: &DesiredZone| zone.waf.as_deref().cloned().map(|w| w.at_place(Place::NOWHERE));
    let (Some(own), Some(old)) = (plain(desired), plain(base)) else { return true };
    let deployment =
        |waf: &DesiredWaf| waf.deployments.iter().find(|d| d.ruleset.key() == name).cloned();
    match (phase, deployment(&own), deployment(&old)) {
        (Phase::Managed, Some(own), Some(old)) => own != old,
        (Phase::Managed, Some(_), None) | (Phase::Managed, None, Some(_)) => true,
        _ => match (own.rule(phase, name), old.rule(phase, name)) {
            (None, None) => own != old,
            (own, old) => own != old,
        },
    }
}

/// Returns the desired zone with the rules that the previous spec wanted and this one does not
/// name.
fn with_removed(desired: &DesiredZone, base: &DesiredZone) -> DesiredZone {
    let mut extended = desired.clone();
    if let Some(old) = &base.waf {
        extended.waf = desired
            .waf
            .clone()
            .map_or_else(|| removed_section(old), |own| Some(with_removed_rules(*own, old)))
            .map(Box::new);
    }
    extended
}

/// Returns the section to remove if a section is gone as a whole: its rules are deleted, its
/// deployments stay as they are.
fn removed_section(old: &DesiredWaf) -> Option<DesiredWaf> {
    let section = with_removed_rules(DesiredWaf::new(old.place), old);
    let says_anything = section.phases().next().is_some();
    says_anything.then_some(section)
}

/// Returns a section in which the rules and tunings that were given up are absent.
fn with_removed_rules(mut own: DesiredWaf, old: &DesiredWaf) -> DesiredWaf {
    let place = own.place;
    for (phase, old_list) in &old.lists {
        let desired_names: BTreeSet<&str> =
            own.rules(*phase).unwrap_or_default().iter().map(|r| r.name.as_str()).gather();
        let given_up = old_list.iter().filter(|r| !desired_names.contains(r.name.as_str()));
        let removed_rules: Vec<DesiredRule> = given_up
            .map(|r| DesiredRule {
                is_absent: true,
                anchors: Vec::new(),
                ..r.clone().at_place(place)
            })
            .collect();
        if !removed_rules.is_empty() {
            own.lists.entry(*phase).or_default().extend(removed_rules);
        }
    }
    for deployment in own.deployments.iter_mut().filter(|d| d.switch == Switch::On) {
        let Some(old) = old.deployments.iter().find(|d| d.ruleset == deployment.ruleset) else {
            continue;
        };
        let over = |note: &Note| Note { is_expired: true, ..note.clone() };
        let deployment_place = deployment.place;
        let rules: Vec<RuleTuning> = old
            .rules
            .iter()
            .filter(|old| !deployment.rules.iter().any(|own| own.target == old.target))
            .map(|old| RuleTuning { note: over(&old.note), place: deployment_place, ..old.clone() })
            .collect();
        let tags: Vec<TagTuning> = old
            .tags
            .iter()
            .filter(|old| !deployment.tags.iter().any(|own| own.tag == old.tag))
            .map(|old| TagTuning { note: over(&old.note), place: deployment_place, ..old.clone() })
            .collect();
        // Reverted tunings come first, so that the desired ones have precedence.
        deployment.rules.splice(0..0, rules);
        deployment.tags.splice(0..0, tags);
    }
    own
}
