//! The effects of operations on records on those who query name servers, as sentences for each
//! operation and each zone, and the expectations of the spec that fail after them.
//!
//! All zones are evaluated together, because aliases and mail servers lead from one zone to
//! another. Nothing is computed if no operation changes an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::chosen_part;
use super::last_address::{self, Records, names_made_above};
use super::record_operation;
use super::subject::RuleAction;
use super::zone_plan::ZonePlan;
use crate::diff::{diff_rulesets, planned};
use crate::insight::dns::{
    Explained, HostRule, Picture, RecordEdit, References, Serving, ZoneIndex, Zones, explain,
    pictures,
};
use crate::insight::expect::{
    DROPPED, Evidence, ExpectationOutcome, Rigor, check_expectation, dropped_expectations,
};
use crate::insight::traffic::Protection;
use crate::model::expression::Lists;
use crate::model::ruleset::{EntryPoint, RuleId};
use crate::model::{Danger, Desired, DesiredZone, Fqdn, Live, NameSet, ZoneName};

/// Adds to the plans of some zones the effects of their operations on records, and the expectations
/// of the spec that they fail. `live` has these zones. Other zones are not evaluated. `base` is the
/// previous spec, whose expectations count as well.
pub fn explain_records(
    plans: &mut [ZonePlan],
    desired: &Desired,
    base: Option<&Desired>,
    live: &Live,
    rigor: Rigor<'_>,
) {
    let meaning = explained(plans, desired, base, live, rigor);
    for (n, plan) in plans.iter_mut().enumerate() {
        let edits = meaning
            .iter()
            .flat_map(|meaning| meaning.takers.iter().filter_map(|n| meaning.numbers.get(*n)));
        last_address::mark(
            plan,
            edits.filter(|(zone, _)| *zone == n).map(|(_, operation)| *operation),
        );
    }
    let Some(Meaning { numbers, explained, mut pictures, failures, takers: _ }) = meaning else {
        return;
    };
    for ((zone, operation), lines) in numbers.into_iter().zip(explained.of_edits) {
        if let Some(operation) =
            plans.get_mut(zone).and_then(|plan| plan.operations.get_mut(operation))
            && !lines.is_empty()
        {
            operation.explain(lines);
        }
    }
    for plan in plans {
        plan.pictures = pictures.remove(&plan.name).unwrap_or_default();
        plan.impact = explained.of_zones.get(&plan.name).cloned().unwrap_or_default();
        let failures = failures.get(&plan.name).cloned().unwrap_or_default();
        if failures.iter().any(|(is_failed, _)| *is_failed) && !plan.is_empty() {
            plan.dangers.push(Danger::FailsExpectation);
        }
        plan.impact.splice(0..0, failures.into_iter().map(|(_, line)| line));
    }
}

/// The result of an expectation: true if it fails, and the sentence.
type Failures = BTreeMap<ZoneName, Vec<(bool, String)>>;

/// Returns the expectations that fail or whose result is unknown, evaluated on the zones after
/// their plans.
fn failures(
    plans: &[ZonePlan],
    zones: &Zones<'_>,
    desired: &Desired,
    base: Option<&Desired>,
    live: &Live,
    rigor: Rigor<'_>,
) -> Failures {
    let mut all = Failures::new();
    let protections = protections(plans, desired, base, live, rigor.lists);
    for name in live.zones.keys() {
        let own = desired.zones.get(name).map_or(&[][..], |zone| &zone.expect);
        let old = base.and_then(|base| base.zones.get(name)).map_or(&[][..], |zone| &zone.expect);
        let expectations =
            own.iter().map(|e| (e, "")).chain(dropped_expectations(own, old).map(|e| (e, DROPPED)));
        for (expectation, whose) in expectations {
            let line = match check_expectation(
                Evidence { zones, protections: &protections, knows_all: true, rigor },
                &expectation.what,
            ) {
                ExpectationOutcome::Passed | ExpectationOutcome::PassedSoFar(_) => continue,
                ExpectationOutcome::Failed(why) => {
                    (true, format!("expectation fails: {}{whose}: {why}", expectation.name))
                }
                // An unknown result of the previous spec's expectation is not reported.
                ExpectationOutcome::Unknown(_) if !whose.is_empty() => continue,
                ExpectationOutcome::Unknown(why) => {
                    (false, format!("expectation is unknown: {}: {why}", expectation.name))
                }
            };
            all.entry(name.clone()).or_default().push(line);
        }
    }
    all
}

/// Returns the rules of zones after their plans, for zones in which the spec or the previous one
/// has expectations about requests.
fn protections(
    plans: &[ZonePlan],
    desired: &Desired,
    base: Option<&Desired>,
    live: &Live,
    lists: Option<&Arc<Lists>>,
) -> BTreeMap<ZoneName, Protection> {
    let expects =
        |spec: &Desired, name| spec.zones.get(name).is_some_and(DesiredZone::expects_of_requests);
    let mut all = BTreeMap::new();
    for (name, zone) in &live.zones {
        if let Some(wanted) = desired.zones.get(name)
            && (expects(desired, name) || base.is_some_and(|base| expects(base, name)))
        {
            let mut changes = diff_rulesets(wanted, zone);
            if let Some(plan) = plans.iter().find(|plan| plan.name == *name) {
                chosen_part::rules(&plan.left_out, name, &mut changes);
            }
            let waf = planned(&zone.waf, &changes);
            let protection = Protection::new(&waf, |phase, rule| wanted.place_of_rule(phase, rule));
            let protection = match lists {
                Some(lists) => protection.with_lists(lists),
                None => protection,
            };
            all.insert(name.clone(), protection);
        }
    }
    all
}

/// The effects of the operations on records.
struct Meaning {
    /// The number of the plan and of the operation, for each edit.
    numbers: Vec<(usize, usize)>,
    /// The sentences.
    explained: Explained,
    /// The pictures of the zones.
    pictures: BTreeMap<ZoneName, Vec<Picture>>,
    /// The expectations that fail.
    failures: Failures,
    /// The edits that take the last address of a name.
    takers: Vec<usize>,
}

/// Returns the effects of the operations on records; `None` if nothing changes an answer.
fn explained(
    plans: &[ZonePlan],
    desired: &Desired,
    base: Option<&Desired>,
    live: &Live,
    rigor: Rigor<'_>,
) -> Option<Meaning> {
    let mut numbers = Vec::new();
    let mut edits = Vec::new();
    for (n, plan) in plans.iter().enumerate() {
        for (m, operation, _) in plan.records() {
            let Some(edit) = record_operation::edit(&plan.name, operation) else { continue };
            numbers.push((n, m));
            edits.push(edit);
        }
    }
    let expects = |spec: &Desired| spec.zones.values().any(|zone| !zone.expect.is_empty());
    let expects = expects(desired) || base.is_some_and(expects);
    if !expects
        && !edits.iter().any(|edit| edit.changes_answers() || edit.lowered_ttl().is_some())
        && !plans.iter().any(|plan| changes_serving(plan, desired, live))
    {
        return None;
    }
    let before = Zones::new(live.zones.values().map(ZoneIndex::of_live).collect());
    let after = after(plans, &before, &edits, desired, live);
    let edited: NameSet<'_> = edits.iter().filter_map(RecordEdit::name).map(Fqdn::as_str).collect();
    // Wildcards and delegations affect names below them.
    let wildcards: BTreeSet<&Fqdn> =
        edits.iter().filter_map(RecordEdit::name).filter(|name| name.is_wildcard()).collect();
    let made = names_made_above(&before, &after, &edits);
    let is_wanted = |name: &Fqdn| {
        edited.contains(name.as_str())
            || wildcards.iter().any(|wildcard| covers(wildcard, name))
            || made.contains_key(name)
    };
    let references = References::of(&after, is_wanted, host_rules(plans, live));
    let explained = explain(&before, &after, &edits, &references);
    let records = Records {
        before: &before,
        after: &after,
        edits: &edits,
        references: &references,
        made: &made,
    };
    let takers = records.takers(desired, |edit| {
        let operation = numbers
            .get(edit)
            .and_then(|(zone, operation)| plans.get(*zone)?.operations.get(*operation));
        operation.is_some_and(last_address::is_unasked)
    });
    let failures = failures(plans, &after, desired, base, live, rigor);
    let pictures = pictures(&before, &after, &edits);
    Some(Meaning { numbers, explained, pictures, failures, takers })
}

/// Returns true if a plan changes settings that affect answers.
fn changes_serving(plan: &ZonePlan, desired: &Desired, live: &Live) -> bool {
    let (Some(live), Some(desired)) = (live.zones.get(&plan.name), desired.zones.get(&plan.name))
    else {
        return false;
    };
    let serving = Serving::of_live(live);
    plan.operations.iter().any(|operation| operation.setting().is_some())
        && serving.clone().with(&chosen_part::wanted_settings(&plan.left_out, desired)) != serving
}

/// Returns true if a name is below the parent of a wildcard.
fn covers(wildcard: &Fqdn, name: &Fqdn) -> bool {
    let parent = wildcard.as_str().trim_start_matches("*.");
    name.as_str().strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns the zones after the edits, served as the spec wants it.
fn after<'a>(
    plans: &[ZonePlan],
    before: &Zones<'a>,
    edits: &[RecordEdit<'a>],
    desired: &Desired,
    live: &Live,
) -> Zones<'a> {
    let mut zones: Vec<ZoneIndex<'a>> = before.iter().cloned().collect();
    for zone in &mut zones {
        let serving = live.zones.get(zone.name()).map(Serving::of_live).unwrap_or_default();
        let plan = plans.iter().find(|plan| plan.name == *zone.name());
        let wanted = desired.zones.get(zone.name());
        zone.serve(match (plan, wanted) {
            (Some(plan), Some(wanted)) => {
                serving.with(&chosen_part::wanted_settings(&plan.left_out, wanted))
            }
            (None, Some(wanted)) => serving.with(&wanted.settings),
            (_, None) => serving,
        });
        let name = zone.name();
        for edit in edits.iter().filter(|edit| edit.zone == name) {
            edit.apply(zone);
        }
    }
    Zones::new(zones)
}

/// Returns the enabled rules about hosts, as they are after the plans.
fn host_rules(plans: &[ZonePlan], live: &Live) -> Vec<HostRule> {
    let mut found = Vec::new();
    for (name, zone) in &live.zones {
        let rules_planned =
            plans.iter().filter(|plan| plan.name == *name).flat_map(ZonePlan::rules);
        let actions: Vec<&RuleAction> = rules_planned.map(|(.., rule)| &rule.action).collect();
        let changed: BTreeSet<&RuleId> = actions.iter().filter_map(|action| action.id()).collect();
        let live_rules = zone.waf.entry_points.values().flat_map(EntryPoint::rules);
        let kept = live_rules.filter(|rule| !changed.contains(&rule.id)).map(|rule| &rule.body);
        let bodies = kept.chain(actions.iter().flat_map(|action| action.bodies_after()));
        found.extend(bodies.filter(|body| body.is_enabled()).filter_map(|body| {
            let hosts = Some(body.expression()?.named_hosts()).filter(|hosts| !hosts.is_empty())?;
            let shown = body.reference().or(body.description()).unwrap_or("without a name");
            Some(HostRule { zone: name.clone(), name: shown.to_owned(), hosts })
        }));
    }
    found
}
