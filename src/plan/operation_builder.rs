//! Converts a zone's changes to operations.

use std::collections::{BTreeMap, BTreeSet};

use super::operation::Operation;
use super::record_order::ordered;
use super::subject::{RecordSubject, Subject};
use super::zone_plan::{Keeper, SetAsideCount, ZonePlan};
use super::{
    chosen_part, dangers, in_force, not_in_force, record_checks, record_operation, rule_checks,
    rules, setting_operations,
};
use crate::diagnostic::Diagnostics;
use crate::diff::{
    RecordChanges, SetAside, SetAsideReason, SettingChange, WafChanges, diff_records,
    diff_rulesets, diff_settings, foreign_by_action,
};
use crate::insight::OtherZones;
use crate::model::{
    Address, DesiredZone, Fqdn, Gather, LiveZone, NameSet, Only, Purpose, Rdata, RecordId,
    RecordType, Unmanaged,
};

/// Maximum number of records left alone that the detailed output names, for each reason.
const NAMED_RECORDS: usize = 100;

/// The differences of a zone.
#[derive(Debug, Clone)]
pub struct Differences<'a> {
    /// Differences of its records.
    pub records: RecordChanges<'a>,
    /// Differences of its rules.
    pub rules: WafChanges<'a>,
    /// Differences of the zone and its settings.
    pub settings: Vec<SettingChange>,
}

/// Plans one zone: compares, converts differences to operations, checks them against the limits of
/// the zone's plan.
#[must_use]
pub fn plan_zone(desired: &DesiredZone, live: &LiveZone) -> (ZonePlan, Diagnostics) {
    plan_part(desired, live, &Only::default(), OtherZones::NONE)
}

/// Plans a part of one zone, as [`plan_zone`]. It is an error if the part needs more of the plan.
#[must_use]
pub fn plan_part(
    desired: &DesiredZone,
    live: &LiveZone,
    only: &Only,
    others: OtherZones<'_>,
) -> (ZonePlan, Diagnostics) {
    let (mut plan, diagnostics) = plan_with_base(desired, None, live, only, others);
    dangers::accept(&mut plan, desired);
    (plan, diagnostics)
}

/// Plans one zone. The base shows who owns the live records, and which of them the spec gave up.
/// Acceptances of the spec are not yet marked.
pub(super) fn plan_with_base(
    desired: &DesiredZone,
    base: Option<&DesiredZone>,
    live: &LiveZone,
    only: &Only,
    others: OtherZones<'_>,
) -> (ZonePlan, Diagnostics) {
    // In a pruned zone nothing is foreign, unless a base shows otherwise.
    let is_complete = base.is_none() && desired.unmanaged == Unmanaged::Prune;
    let mut differences = Differences {
        records: diff_records(desired, base, live),
        rules: diff_rulesets(desired, live),
        settings: diff_settings(desired, live),
    };
    let part = (!only.is_all()).then(|| {
        let (whole, _) = compile(desired, live, &differences, is_complete, others);
        chosen_part::left_out(&whole, only)
    });
    if let Some((left, _)) = &part {
        chosen_part::settings(left, &desired.name, &mut differences.settings);
        chosen_part::records(left, &mut differences.records);
        chosen_part::rules(left, &desired.name, &mut differences.rules);
    }
    let (mut plan, mut diagnostics) = compile(desired, live, &differences, is_complete, others);
    if let Some((left, needs)) = part {
        // The creation of the zone is not in the differences, so it is removed here.
        plan.operations.retain(|operation| !left.contains(&operation.address));
        plan.left_out = left;
        diagnostics.append(needs);
    }
    diagnostics.append(not_in_force::check(desired, base, live, &differences.records));
    let (deployments, found) = in_force::check(desired, live, &differences.rules, &|address| {
        plan.addresses().chain(&plan.left_out).any(|other| other == address)
    });
    plan.in_force = deployments;
    diagnostics.append(found);
    (plan, diagnostics)
}

/// Plans one zone with known differences: converts them to operations, checks and judges them.
#[must_use]
pub fn plan_changes(
    desired: &DesiredZone,
    live: &LiveZone,
    differences: &Differences<'_>,
) -> (ZonePlan, Diagnostics) {
    let (mut plan, diagnostics) = compile(desired, live, differences, false, OtherZones::NONE);
    dangers::accept(&mut plan, desired);
    (plan, diagnostics)
}

/// Converts differences to operations, checks them and assigns their dangers. `is_complete` is true
/// if the spec is the complete state, and no base shows otherwise.
fn compile(
    desired: &DesiredZone,
    live: &LiveZone,
    differences: &Differences<'_>,
    is_complete: bool,
    others: OtherZones<'_>,
) -> (ZonePlan, Diagnostics) {
    let Differences { records: changes, rules: rule_changes, settings: setting_changes } =
        differences;
    let count = |wanted: fn(&SetAsideReason) -> bool| {
        changes.set_aside.iter().filter(|a| wanted(&a.reason)).count()
    };
    let mut diagnostics = Diagnostics::default();
    let (rule_operations, windows) = rules::operations(desired, live, rule_changes);
    diagnostics.append(rule_checks::check(desired, live, rule_changes, &rule_operations));
    diagnostics.append(rule_checks::windows(desired, &rule_operations, &windows));
    diagnostics.append(rule_checks::expiries(desired, live, rule_changes));
    let creation = live.is_new.then(|| Operation {
        place: Some(desired.place),
        ..Operation::new(Address::of_zone(&desired.name), Subject::Zone)
    });
    let settings =
        setting_operations::operations(desired, live, setting_changes.clone(), &mut diagnostics);
    let records = ordered(&changes.changes).into_iter();
    let records = records.map(|change| record_operation::operation(desired, change));
    let operations: Vec<_> =
        creation.into_iter().chain(settings).chain(rule_operations).chain(records).collect();
    let mut plan = ZonePlan {
        is_new: live.is_new,
        notes: setting_operations::notes(desired, live),
        rules_unchanged: rule_changes.phases.iter().map(|p| p.unchanged).sum(),
        name: desired.name.clone(),
        id: live.id.clone(),
        created_on: live.created_on.clone(),
        tier: live.tier,
        unchanged: changes.unchanged,
        unmanaged: count(|r| !matches!(r, SetAsideReason::Ignored(_))),
        ignored: count(|r| matches!(r, SetAsideReason::Ignored(_))),
        set_aside: set_aside(desired, changes)
            .into_iter()
            .chain(foreign_rules(rule_changes))
            .collect(),
        dangers: Vec::new(),
        postponed: None,
        in_force: Vec::new(),
        impact: Vec::new(),
        pictures: Vec::new(),
        accepted: BTreeMap::new(),
        live_records: live.records.len(),
        deletes_first: record_checks::needs_deletes_first(live, &operations),
        quota_in_doubt: record_checks::quota_in_doubt(live, &operations),
        beside: beside(live, &operations),
        operations,
        left_out: BTreeSet::new(),
    };
    dangers::assign(&mut plan, live, is_complete, others);
    diagnostics.append(record_checks::check(desired, live, changes, &plan));
    (plan, diagnostics)
}

/// Returns the live values that stay unchanged beside values that are created, changed or deleted:
/// those of the same name and type, and among texts those with the same use.
fn beside(live: &LiveZone, operations: &[Operation]) -> BTreeMap<(Fqdn, String), Vec<Rdata>> {
    let mut changed: BTreeMap<(&Fqdn, &str), Vec<Purpose>> = BTreeMap::new();
    let mut touched: BTreeSet<&RecordId> = BTreeSet::new();
    for RecordSubject { change, .. } in operations.iter().filter_map(Operation::record) {
        touched.extend(change.id());
        let (before, after) = (change.before(), change.after());
        if before.map(|form| &form.data) == after.map(|form| &form.data) {
            continue;
        }
        for form in before.into_iter().chain(after) {
            changed
                .entry((&form.name, form.data.type_name()))
                .or_default()
                .push(form.data.purpose());
        }
    }
    let mut beside: BTreeMap<(Fqdn, String), Vec<Rdata>> = BTreeMap::new();
    // Nearly all records of a large zone have another name, and this is the cheapest test for that.
    let names: NameSet<'_> = changed.keys().map(|(name, _)| name.as_str()).collect();
    let records = live.records.iter().filter(|_| !names.is_empty());
    let records = records
        .filter(|record| names.contains(record.name.as_str()) && !touched.contains(&record.id));
    for record in records {
        let Some(uses) = changed.get(&(&record.name, record.data.type_name())) else { continue };
        let is_text = record.data.record_type() == Some(RecordType::Txt);
        let purpose = record.data.purpose();
        if !is_text || (purpose != Purpose::Unique && uses.contains(&purpose)) {
            let key = (record.name.clone(), record.data.type_name().to_owned());
            beside.entry(key).or_default().push(record.data.clone());
        }
    }
    beside.values_mut().for_each(|values| values.sort_by_cached_key(Rdata::presentation));
    beside
}

/// Counts the records that are left alone by reason and type.
fn set_aside(desired: &DesiredZone, changes: &RecordChanges) -> Vec<SetAsideCount> {
    let mut counts: BTreeMap<(u8, String), SetAsideCount> = BTreeMap::new();
    for SetAside { record, reason } in &changes.set_aside {
        let (rank, keeper, words) = match reason {
            SetAsideReason::Unmanaged => (0, Keeper::Unknown, "unmanaged".to_owned()),
            SetAsideReason::Ignored(n) => {
                let why = desired.ignore.get(*n).and_then(|p| p.reason.as_deref());
                (
                    1,
                    Keeper::Ignored,
                    why.map_or_else(|| "ignored".to_owned(), |why| format!("ignored: {why}")),
                )
            }
            SetAsideReason::ReadOnly(owner) => {
                (2, Keeper::Service, format!("managed by {}", owner.owner()))
            }
            SetAsideReason::Opaque => {
                (3, Keeper::Unknown, "not understood by this version".to_owned())
            }
            SetAsideReason::Duplicate => {
                (4, Keeper::Unknown, "duplicate of another live record".to_owned())
            }
        };
        let entry = counts.entry((rank, words.clone())).or_insert_with(|| SetAsideCount {
            keeper,
            reason: words,
            types: BTreeMap::new(),
            examples: Vec::new(),
        });
        *entry.types.entry(record.data.type_name().to_owned()).or_default() += 1;
        if entry.examples.len() < NAMED_RECORDS {
            entry.examples.push(format!(
                "{} {}",
                desired.name.relative(&record.name),
                record.data.type_name()
            ));
        }
    }
    counts.into_values().collect()
}

/// Counts the rules that are left alone, by phase and action.
fn foreign_rules(changes: &WafChanges) -> Vec<SetAsideCount> {
    let with_foreign = changes.phases.iter().filter(|p| !p.foreign.is_empty());
    with_foreign
        .map(|phase| SetAsideCount {
            keeper: Keeper::Unknown,
            reason: format!("foreign {}", phase.phase.about()),
            types: foreign_by_action(&phase.foreign)
                .into_iter()
                .map(|(a, n)| (a.to_owned(), n))
                .gather(),
            examples: phase
                .foreign
                .iter()
                .take(NAMED_RECORDS)
                .map(|r| r.shown().to_owned())
                .collect(),
        })
        .collect()
}
