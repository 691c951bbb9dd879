//! The dangers of a zone's plan as a whole, which a single operation does not show.
//!
//! A danger follows from the effects of the plan ([`crate::insight::effects`]), so a record change
//! without effect (its TTL, its comment) raises none.
//!
//! A zone that has never answered ([`LiveZone::is_unused`]) has nothing to lose: no danger of a loss
//! ([`Danger::is_loss`]) is raised there.
//!
//! | danger | when |
//! |---|---|
//! | delete | a record is deleted, and no other record replaces it (`replacements`) |
//! | changes-protected | a record marked so is changed or goes |
//! | removes-last-address | see `last_address`, which looks at all zones of the run |
//! | falls-to-wildcard | a name is gone afterwards, and a wildcard answers for it with records of the kind that it had; an alias answers for every kind |
//! | the others | an effect says so |

use std::collections::BTreeSet;

use super::subject::RecordSubject;
use super::zone_plan::ZonePlan;
use super::{record_operation, replacements, weakening_grade};
use crate::diff::{DeleteReason, RecordChange};
use crate::insight::dns::{Entry, NameNode, RecordEdit, ZoneIndex};
use crate::insight::{Caused, Direction, Effect, OtherZones, effects};
use crate::model::{
    Danger, DesiredZone, Fqdn, Gather, LiveZone, NARROW_DAYS, NARROW_RULES, Rdata, RecordType,
};

/// Maximum number of values of a wildcard that are named.
const MOST_ANSWERS: usize = 4;

/// Assigns the dangers of a zone's operations on its records. `is_complete` is true if the spec is
/// the complete state and no base shows the owners of other records. `others` are the other zones
/// of the spec.
pub(super) fn assign(
    plan: &mut ZonePlan,
    live: &LiveZone,
    is_complete: bool,
    others: OtherZones<'_>,
) {
    if plan.records().next().is_some() {
        replacements::find(plan, is_complete);
        let Judgement { numbers, effects, own_dangers, notes } = judge(plan, live, others);
        for (n, dangers) in numbers.iter().zip(own_dangers) {
            plan.operations[*n].dangers.extend(dangers);
        }
        for (guilty, effect) in effects {
            let own = own_operation(plan, &numbers, &guilty, &effect);
            let Effect { direction, danger, line, .. } = effect;
            let direction = if live.is_unused() { Direction::Neutral } else { direction };
            if let Some(danger) = danger {
                for n in guilty.iter() {
                    // Hundreds of effects can have the same danger for hundreds of operations.
                    let dangers = &mut plan.operations[numbers[*n]].dangers;
                    if !dangers.contains(&danger) {
                        dangers.push(danger);
                    }
                }
            }
            if let Some(own) = own {
                let operation = &mut plan.operations[own];
                operation.explain([line]);
                if let Some(impact) = &mut operation.impact {
                    impact.direction = impact.direction.combine(direction);
                }
            }
        }
        for operation in &mut plan.operations {
            operation.dangers.sort();
            operation.dangers.dedup();
        }
        plan.notes.extend(notes);
    }
    if live.is_unused() {
        let operations = plan.operations.iter_mut();
        operations.for_each(|operation| operation.dangers.retain(|danger| !danger.is_loss()));
    }
}

/// Returns the index of the operation that an effect is about: among those that cause it, the first
/// one on a record of its topic at its name, else the first one at its name, else the first one.
fn own_operation(
    plan: &ZonePlan,
    numbers: &[usize],
    guilty: &[usize],
    effect: &Effect,
) -> Option<usize> {
    let record = |n: &&usize| plan.operations[numbers[**n]].record().map(RecordSubject::form);
    let is_at_name = |n: &&usize| record(n).is_some_and(|form| form.name == effect.name);
    let is_of_topic = |n: &&usize| {
        let kind = record(n).and_then(|form| form.data.record_type());
        kind.is_some_and(|kind| effect.topic.record_types().contains(&kind))
    };
    let own = guilty.iter().find(|n| is_at_name(n) && is_of_topic(n));
    own.or_else(|| guilty.iter().find(is_at_name)).or(guilty.first()).map(|n| numbers[*n])
}

/// The effects and dangers of the operations on the records of a zone.
struct Judgement {
    /// The index of each of these operations in the plan.
    numbers: Vec<usize>,
    /// Their effects.
    effects: Vec<Caused>,
    /// The dangers of each operation that no effect names.
    own_dangers: Vec<Option<Danger>>,
    /// Notes about wildcards.
    notes: BTreeSet<String>,
}

/// Judges the operations on the records of a zone.
fn judge(plan: &ZonePlan, live: &LiveZone, others: OtherZones<'_>) -> Judgement {
    let (numbers, edits): (Vec<usize>, Vec<RecordEdit<'_>>) = plan
        .records()
        .filter_map(|(n, operation, _)| Some((n, record_operation::edit(&plan.name, operation)?)))
        .unzip();
    let live_index = ZoneIndex::of_live(live);
    let mut planned_index = live_index.clone();
    edits.iter().for_each(|edit| edit.apply(&mut planned_index));
    let effects = effects(&live_index, &planned_index, &edits, others);
    let view = View { after: &planned_index };
    let own_dangers = plan.records().map(|(_, _, record)| view.of(record)).collect();
    let notes = plan.records().filter_map(|(_, _, record)| view.wildcard_note(record)).collect();
    Judgement { numbers, effects, own_dangers, notes }
}

/// Marks the dangers that the spec accepts, for an object or for the zone. All dangers must be
/// assigned before.
pub(super) fn accept(plan: &mut ZonePlan, desired: &DesiredZone) {
    let of_zone = &desired.allow;
    plan.accepted.clone_from(of_zone);
    let waiver = desired
        .waf
        .as_ref()
        .and_then(|w| w.accept_weakening.as_ref())
        .map(|(words, _)| words.clone());
    if let Some(words) =
        waiver.clone().filter(|_| plan.dangers.contains(&Danger::WeakensProtection))
    {
        plan.accepted.entry(Danger::WeakensProtection).or_insert(words);
    }
    for operation in &mut plan.operations {
        let accepted_by_record = std::mem::take(&mut operation.accepted);
        let waiver = waiver.clone().filter(|_| operation.rule().is_some());
        let weakening = waiver.map(|words| (Danger::WeakensProtection, words));
        operation.accepted =
            of_zone.clone().into_iter().chain(weakening).chain(accepted_by_record).collect();
        // A loss of the last address is detected after all zones are planned.
        let is_open = |danger| danger == Danger::RemovesLastAddress;
        operation
            .accepted
            .retain(|danger, _| operation.dangers.contains(danger) || is_open(*danger));
    }
    weakening_grade::grade(plan, NARROW_RULES, NARROW_DAYS);
}

/// A zone after its plan.
struct View<'z, 'a> {
    after: &'z ZoneIndex<'a>,
}

/// Returns true if records of this type lead a client to a server.
fn leads_to_a_server(data: &Rdata) -> bool {
    use RecordType::{A, Aaaa, Cname, Https, Svcb};
    matches!(data.record_type(), Some(A | Aaaa | Cname | Https | Svcb))
}

/// Describes a wildcard's answer, and how long resolvers keep it.
fn answer(record: &Entry<'_>) -> String {
    let (kind, content) = (record.data.type_name(), record.data.presentation());
    match record.ttl {
        _ if record.proxied => format!("{kind} {content} (proxied)"),
        ttl => format!("{kind} {content} (ttl {ttl})"),
    }
}

impl<'z, 'a> View<'z, 'a> {
    /// Returns the wildcard that answers for a name while the name does not exist.
    fn covering(&self, name: &Fqdn) -> Option<NameNode<'z, 'a>> {
        // The same wildcard covers every other name of the same parent that does not exist.
        let (_, parent) = name.as_str().split_once('.')?;
        self.after.locate(&format!(" .{parent}"))?.wildcard
    }

    /// Describes the answer for a name while it is created again.
    fn wildcard_note(&self, record: &RecordSubject) -> Option<String> {
        let RecordChange::Delete { before, reason, .. } = &record.change else { return None };
        let (name, shown) = (&before.name, &record.shown_name);
        let node = self.after.node(name.as_str());
        let is_in_the_way = matches!(reason, DeleteReason::InTheWay | DeleteReason::Replaced);
        let is_replaced =
            is_in_the_way && node.is_some_and(|node| node.children().next().is_none());
        if !is_replaced {
            return None;
        }
        let wildcard = self.covering(name)?;
        let answers: BTreeSet<String> = wildcard.records().map(|r| answer(&r)).gather();
        let answers: Vec<&str> = answers.iter().take(MOST_ANSWERS).map(String::as_str).collect();
        Some(format!(
            "{shown} is replaced in one transaction; where batch requests are not available, {} answers for it in between: {}",
            wildcard.name(),
            answers.join(", ")
        ))
    }

    /// Returns the danger of a delete after which a wildcard answers for the name.
    fn of(&self, record: &RecordSubject) -> Option<Danger> {
        let RecordChange::Delete { before, .. } = &record.change else { return None };
        let (name, data) = (&before.name, &before.data);
        let is_alike = |other: &Rdata| {
            let is_host = !name.has_underscored_label();
            let are_hosts = is_host && leads_to_a_server(other) && leads_to_a_server(data);
            let is_alias = is_host && other.record_type() == Some(RecordType::Cname);
            other.record_type() == data.record_type() || are_hosts || is_alias
        };
        let is_gone = self.after.node(name.as_str()).is_none();
        let wildcard = self.covering(name).filter(|_| is_gone)?;
        wildcard.records().any(|r| is_alike(r.data)).then_some(Danger::FallsToWildcard)
    }
}
