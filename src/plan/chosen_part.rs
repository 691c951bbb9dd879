//! A part of a plan: operations that are selected by their addresses, as if the spec wanted nothing
//! else.
//!
//! Operations that are left out are removed from the differences before operations are built. So
//! dangers, limits, the order of rules, effects and expectations are those of the part. If the part
//! needs an operation that is left out, that is an error which names it:
//!
//! | chosen | needed as well |
//! |---|---|
//! | anything of a zone that is created | the zone |
//! | an operation on a record | what cannot be separated from it, see [`bonds`] |
//! | a DS record that comes, NS records that go | the NS records of its name that come, its DS records that go |
//! | a rule that is put somewhere, such as an exception before a deployment | what else of its phase is put somewhere, or goes |

use std::collections::{BTreeMap, BTreeSet};

use super::batches::bonds;
use super::setting_operations;
use super::subject::{RuleAction, Subject};
use super::zone_plan::ZonePlan;
use crate::diagnostic::{Diagnostics, findings};
use crate::diff::{
    Member, PhaseChanges, RecordChange, RecordChanges, RuleChange, RuleChangeKind, SettingChange,
    WafChanges,
};
use crate::model::ruleset::EntryPoint;
use crate::model::{Address, DesiredSettings, DesiredZone, Gather, Only, RecordType, ZoneName};

/// The addresses of the operations that are left out.
pub(super) type LeftOut = BTreeSet<Address>;

/// Returns the operations of a zone's plan that are left out, and errors for those that the rest
/// needs.
pub(super) fn left_out(whole: &ZonePlan, only: &Only) -> (LeftOut, Diagnostics) {
    let is_chosen: Vec<bool> =
        whole.operations.iter().map(|operation| only.names(&operation.address)).collect();
    let mut bonds_of_all: Vec<Bond> = Vec::new();
    let numbered = || whole.operations.iter().enumerate();
    let of = |is_meant: &dyn Fn(&Subject) -> bool| -> Vec<usize> {
        numbered().filter(|(_, operation)| is_meant(&operation.subject)).map(|(n, _)| n).collect()
    };
    for zone in of(&|subject| matches!(subject, Subject::Zone)) {
        let every_operation = (0..is_chosen.len()).collect();
        bonds_of_all.push(Bond {
            any: every_operation,
            needs: vec![zone],
            why: "the zone does not exist yet",
        });
    }
    let mut bound: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, lead) in bonds(whole).into_iter().enumerate() {
        bound.entry(lead).or_default().push(n);
    }
    let replaced = bound.into_values().filter(|group| group.len() > 1);
    bonds_of_all.extend(replaced.map(|group| {
        Bond::mutual(group, "one of them replaces the other, or must be deleted before it")
    }));
    let delegations = delegations(whole).into_values();
    bonds_of_all.extend(
        delegations
            .map(|group| Bond::mutual(group, "a DS record needs the NS records of its name")),
    );
    let phases: BTreeSet<_> = whole.rules().map(|(_, _, rule)| rule.phase).gather();
    for phase in phases {
        let is_placed = |subject: &Subject| match subject {
            Subject::Rule(rule) if rule.phase == phase => {
                matches!(rule.action, RuleAction::Create { .. }) || rule.action.position().is_some()
            }
            Subject::Rule(_) | Subject::Zone | Subject::Setting(_) | Subject::Record(_) => false,
        };
        let is_deleted = |subject: &Subject| match subject {
            Subject::Rule(rule) => {
                rule.phase == phase && matches!(rule.action, RuleAction::Delete { .. })
            }
            Subject::Zone | Subject::Setting(_) | Subject::Record(_) => false,
        };
        let placed_operations = of(&is_placed);
        let needs = [placed_operations.as_slice(), &of(&is_deleted)].concat();
        bonds_of_all.push(Bond {
            any: placed_operations,
            needs,
            why: "the places of rules are relative to each other",
        });
    }
    let needs = missing(&bonds_of_all, is_chosen.clone());
    let mut diagnostics = Diagnostics::default();
    // The number of shown findings is limited where findings are sorted, which also reports how
    // many are left out.
    for (missing, (chosen, why)) in &needs {
        let address = |n: usize| &whole.operations[n].address;
        let (missing, chosen) = (address(*missing), address(*chosen));
        diagnostics.push(
            findings::PART_NEEDS_MORE
                .nowhere(format!("{chosen} needs {missing}: {why}"))
                .about(missing.to_string())
                .help(format!("choose it as well: --only '{missing}'")),
        );
    }
    let left_alone =
        numbered().filter(|(n, _)| !is_chosen[*n]).map(|(_, operation)| operation.address.clone());
    (left_alone.collect(), diagnostics)
}

/// Operations that need other operations.
struct Bond {
    /// If any of these is selected,
    any: Vec<usize>,
    /// all of these are needed.
    needs: Vec<usize>,
    /// The reason.
    why: &'static str,
}

impl Bond {
    /// Returns operations that all need each other.
    fn mutual(group: Vec<usize>, why: &'static str) -> Self {
        Self { any: group.clone(), needs: group, why }
    }
}

/// Returns every operation that is needed and not selected, including indirect needs, with the
/// operation that needs it and the reason.
fn missing(bonds: &[Bond], mut taken: Vec<bool>) -> BTreeMap<usize, (usize, &'static str)> {
    let mut missing_operations = BTreeMap::new();
    loop {
        let count_before = missing_operations.len();
        for Bond { any, needs, why } in bonds {
            let Some(first) = any.iter().copied().find(|n| taken[*n]) else { continue };
            for missing in needs {
                if !std::mem::replace(&mut taken[*missing], true) {
                    missing_operations.insert(*missing, (first, *why));
                }
            }
        }
        if missing_operations.len() == count_before {
            return missing_operations;
        }
    }
}

/// Returns the operations that create DS records or their NS records, or that delete them, by name.
fn delegations(whole: &ZonePlan) -> BTreeMap<(&str, bool), Vec<usize>> {
    let mut delegations_by_name: BTreeMap<(&str, bool), Vec<usize>> = BTreeMap::new();
    for (n, _, record) in whole.records() {
        let form = record.form();
        let is_created = match record.change {
            RecordChange::Create { .. } => true,
            RecordChange::Delete { .. } => false,
            RecordChange::Update { .. } => continue,
        };
        if matches!(form.data.record_type(), Some(RecordType::Ds | RecordType::Ns)) {
            delegations_by_name.entry((form.name.as_str(), is_created)).or_default().push(n);
        }
    }
    let is_ds = |n: &usize| {
        whole.operations[*n].record().map(|r| r.form().data.record_type())
            == Some(Some(RecordType::Ds))
    };
    delegations_by_name.retain(|_, group| group.iter().any(is_ds));
    delegations_by_name
}

/// Removes the changes of records that are left out.
pub(super) fn records(left: &LeftOut, changes: &mut RecordChanges<'_>) {
    changes.changes.retain(|change| !left.contains(&change.address));
}

/// Removes the changes of settings that are left out.
pub(super) fn settings(left: &LeftOut, zone: &ZoneName, changes: &mut Vec<SettingChange>) {
    changes.retain(|change| !left.contains(&setting_operations::address(zone, &change.setting)));
}

/// Removes the changes of rules that are left out. A rule that is not placed stays where it is.
pub(super) fn rules(left: &LeftOut, zone: &ZoneName, changes: &mut WafChanges<'_>) {
    changes.phases.retain(|phase| match phase.live {
        EntryPoint::Absent => {
            phase.changes.is_empty() || !left.contains(&Address::of_rule(zone, phase.phase, None))
        }
        EntryPoint::Present(_) => true,
    });
    for phase in &mut changes.phases {
        if matches!(phase.live, EntryPoint::Absent) {
            continue;
        }
        let change_count = phase.changes.len();
        let kind = phase.phase;
        phase
            .changes
            .retain(|change| !left.contains(&Address::of_rule(zone, kind, Some(&change.name))));
        if phase.changes.len() < change_count {
            phase.order = order(phase);
        }
    }
}

/// Returns the order of a phase with some of its changes.
fn order(phase: &PhaseChanges<'_>) -> Vec<Member> {
    let deleted = |member: &Member| {
        let live = match member {
            Member::Live(n) => phase.live.rules().get(*n),
            Member::New(_) => None,
        };
        let is_it = |change: &RuleChange<'_>| match &change.kind {
            RuleChangeKind::Delete(rule, _) => live.is_some_and(|live| live.id == rule.id),
            RuleChangeKind::Create | RuleChangeKind::Update(_) | RuleChangeKind::Move(_) => false,
        };
        phase.changes.iter().any(is_it)
    };
    if phase.changes.iter().all(|change| change.placed.is_none()) {
        return (0..phase.live.rules().len())
            .map(Member::Live)
            .filter(|member| !deleted(member))
            .collect();
    }
    // Every placed rule is selected, or the part is refused.
    let is_there = |member: &Member| match member {
        Member::Live(_) => true,
        Member::New(_) => phase.changes.iter().any(|change| change.placed == Some(*member)),
    };
    phase.order.iter().copied().filter(is_there).collect()
}

/// Returns the settings of a spec, without those that are left out.
pub(super) fn wanted_settings(left: &LeftOut, zone: &DesiredZone) -> DesiredSettings {
    let DesiredSettings { mut settings, mut dnssec, mut dns_settings } = zone.settings.clone();
    let is_left = |part: &str| left.contains(&Address::of_zone_part(&zone.name, part));
    settings.retain(|name, _| !is_left(&format!("settings/{name}")));
    dnssec = dnssec.filter(|_| !is_left("dnssec"));
    if is_left("dns_settings") {
        dns_settings.clear();
    }
    DesiredSettings { settings, dnssec, dns_settings }
}
