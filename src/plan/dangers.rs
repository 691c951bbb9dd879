//! What is dangerous about a zone's plan, seen as a whole: what a single operation does not show.
//!
//! A danger follows from what the plan means to the world ([`crate::insight::effects`]), so a record that changes without
//! changing that (its TTL, its comment) raises none.
//!
//! | danger | when |
//! |---|---|
//! | delete | a record is deleted, and no other record replaces it (`replacements`) |
//! | changes-protected | a record marked so is changed or goes |
//! | removes-last-address | a name that can be a host had an address, alias or the like, and has none afterwards, or an alias that leads to nothing; or a wildcard gave it one, and something points to it |
//! | falls-to-wildcard | a name is gone afterwards, and a wildcard answers for it with records of the kind that it had; an alias answers for every kind |
//! | the others | an effect says so |

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use super::subject::{RecordAction, RecordSubject};
use super::zone_plan::ZonePlan;
use super::{replacements, weakening_grade};
use crate::diff::DeleteReason;
use crate::insight::dns::{Entry, Node, ZoneIndex};
use crate::insight::waf::Impact;
use crate::insight::{Caused, Effect, OtherZones, Step, effects};
use crate::model::{Danger, DesiredZone, Fqdn, Gather, LiveZone, NARROW_DAYS, NARROW_RULES, Rdata, RecordType};

/// How many values of a wildcard are named.
const MOST_ANSWERS: usize = 4;

/// Names the dangers of a zone's operations on its records. `is_complete`: the spec is all that the zone should have, and no base
/// tells whose the rest is. `others`: the other zones of the spec.
pub(super) fn assign(plan: &mut ZonePlan, live: &LiveZone, is_complete: bool, others: OtherZones<'_>) {
    if plan.records().next().is_some() {
        replacements::find(plan, is_complete);
        let Judgement { numbers, effects, own_dangers, notes } = judge(plan, live, others);
        for (n, dangers) in numbers.iter().zip(own_dangers) {
            plan.operations[*n].dangers.extend(dangers);
        }
        for (guilty, Effect { direction, danger, line, .. }) in effects {
            if let Some(danger) = danger {
                for n in guilty.iter() {
                    // Hundreds of effects can say the same of hundreds of operations.
                    let dangers = &mut plan.operations[numbers[*n]].dangers;
                    if !dangers.contains(&danger) {
                        dangers.push(danger);
                    }
                }
            }
            if let Some(first) = guilty.first() {
                let impact = plan.operations[numbers[*first]].impact.get_or_insert_with(Impact::default);
                impact.direction = impact.direction.combine(direction);
                impact.lines.push(line);
            }
        }
        for operation in &mut plan.operations {
            operation.dangers.sort();
            operation.dangers.dedup();
        }
        plan.notes.extend(notes);
    }
}

/// What the operations on the records of a zone mean.
struct Judgement {
    /// The index of each of these operations in the plan.
    numbers: Vec<usize>,
    /// Their effects.
    effects: Vec<Caused>,
    /// The dangers of each that no effect names.
    own_dangers: Vec<Vec<Danger>>,
    /// Notes about wildcards.
    notes: BTreeSet<String>,
}

/// Judges the operations on the records of a zone.
fn judge(plan: &ZonePlan, live: &LiveZone, others: OtherZones<'_>) -> Judgement {
    let (numbers, steps): (Vec<usize>, Vec<Step<'_>>) = plan.records().map(|(n, _, record)| (n, step(record))).unzip();
    let before = ZoneIndex::of_live(live);
    let mut after = before.clone();
    for step in &steps {
        step.apply(&mut after);
    }
    let effects = effects(&before, &after, &steps, others);
    let view = View { before: &before, after: &after, others, targets: OnceCell::new() };
    let own_dangers = plan.records().map(|(_, _, record)| view.of(record)).collect();
    let notes = plan.records().filter_map(|(_, _, record)| view.wildcard_note(record)).collect();
    Judgement { numbers, effects, own_dangers, notes }
}

/// What an operation does to a record.
fn step(record: &RecordSubject) -> Step<'_> {
    let before = record.action.before().map(|form| Entry { id: record.action.id(), ..Entry::of_form(form, None) });
    Step { before, after: record.action.after().map(|form| Entry::of_form(form, None)) }
}

/// Notes which dangers the spec accepts, for the thing concerned or for the zone. All dangers must be known by now.
pub(super) fn accept(plan: &mut ZonePlan, desired: &DesiredZone) {
    let of_zone = &desired.allow;
    plan.accepted.clone_from(of_zone);
    let waiver = desired.waf.as_ref().and_then(|w| w.accept_weakening.as_ref()).map(|(words, _)| words.clone());
    if let Some(words) = waiver.clone().filter(|_| plan.dangers.contains(&Danger::WeakensProtection)) {
        plan.accepted.entry(Danger::WeakensProtection).or_insert(words);
    }
    for operation in &mut plan.operations {
        let own = std::mem::take(&mut operation.accepted);
        let waiver = waiver.clone().filter(|_| operation.rule().is_some());
        let weakening = waiver.map(|words| (Danger::WeakensProtection, words));
        operation.accepted = of_zone.clone().into_iter().chain(weakening).chain(own).collect();
        operation.accepted.retain(|danger, _| operation.dangers.contains(danger));
    }
    weakening_grade::grade(plan, NARROW_RULES, NARROW_DAYS);
}

/// A zone before and after its plan.
struct View<'z, 'a> {
    before: &'z ZoneIndex<'a>,
    after: &'z ZoneIndex<'a>,
    others: OtherZones<'z>,
    /// The names to which records point afterwards; made when first asked for.
    targets: OnceCell<HashSet<&'a Fqdn>>,
}

/// Whether records of this type lead a client to a server.
fn leads_to_a_server(data: &Rdata) -> bool {
    use RecordType::{A, Aaaa, Cname, Https, Svcb};
    matches!(data.record_type(), Some(A | Aaaa | Cname | Https | Svcb))
}

/// What a wildcard answers with, and for how long that is remembered.
fn answer(record: &Entry<'_>) -> String {
    let (kind, content) = (record.data.type_name(), record.data.presentation());
    match record.ttl {
        _ if record.proxied => format!("{kind} {content} (proxied)"),
        ttl => format!("{kind} {content} (ttl {ttl})"),
    }
}

impl<'z, 'a> View<'z, 'a> {
    /// The wildcard that answers for a name while it is not there.
    fn covering(&self, name: &Fqdn) -> Option<Node<'z, 'a>> {
        // A name beside it that cannot exist is covered by the same one.
        let (_, parent) = name.as_str().split_once('.')?;
        self.after.locate(&format!(" .{parent}"))?.wildcard
    }

    /// What answers for a name for a moment while it is made again.
    fn wildcard_note(&self, record: &RecordSubject) -> Option<String> {
        let RecordAction::Delete { before, reason, .. } = &record.action else { return None };
        let (name, shown) = (&before.name, &record.shown_name);
        let node = self.after.node(name.as_str());
        let is_in_the_way = matches!(reason, DeleteReason::InTheWay | DeleteReason::Replaced);
        let is_replaced = is_in_the_way && node.is_some_and(|node| node.children().next().is_none());
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

    /// The dangers of what is done to a record that follow from its name alone.
    fn of(&self, record: &RecordSubject) -> Vec<Danger> {
        let RecordAction::Delete { before, .. } = &record.action else {
            return self.of_alias(record).or_else(|| self.of_new(record)).into_iter().collect();
        };
        let (name, data) = (&before.name, &before.data);
        let has = |zone: &ZoneIndex<'_>| zone.records(name).any(|r| leads_to_a_server(r.data));
        let mut dangers = Vec::new();
        if leads_to_a_server(data) && !name.has_underscored_label() && has(self.before) && !has(self.after) {
            dangers.push(Danger::RemovesLastAddress);
        }
        let is_alike = |other: &Rdata| {
            let are_hosts = !name.has_underscored_label() && leads_to_a_server(other) && leads_to_a_server(data);
            let is_alias = !name.has_underscored_label() && other.record_type() == Some(RecordType::Cname);
            other.record_type() == data.record_type() || are_hosts || is_alias
        };
        let is_gone = self.after.node(name.as_str()).is_none();
        if is_gone && self.covering(name).is_some_and(|wildcard| wildcard.records().any(|r| is_alike(r.data))) {
            dangers.push(Danger::FallsToWildcard);
        }
        dangers
    }

    /// The danger of a record that is the first of its name: the wildcard that led clients somewhere no longer answers for it, and some
    /// record points to it.
    fn of_new(&self, record: &RecordSubject) -> Option<Danger> {
        let RecordAction::Create { after } = &record.action else { return None };
        let name = &after.name;
        let has_own = |zone: &ZoneIndex<'_>| zone.records(name).any(|r| leads_to_a_server(r.data));
        if leads_to_a_server(&after.data) || name.has_underscored_label() || name.is_wildcard() || has_own(self.after) {
            return None;
        }
        let location = self.before.locate(name.as_str())?;
        let star = location.wildcard.filter(|_| location.exact.is_none_or(|node| !node.has_records()))?;
        let loses = star.records().any(|r| leads_to_a_server(r.data));
        let targets = || self.targets.get_or_init(|| self.after.entries().filter_map(|r| r.data.target()).collect());
        let is_used = || targets().contains(name) || self.others.point_to(name, self.after.name());
        (loses && is_used()).then_some(Danger::RemovesLastAddress)
    }

    /// The danger of an alias that is set: it leads to nothing in this zone, and the name led to something.
    fn of_alias(&self, record: &RecordSubject) -> Option<Danger> {
        let after = record.action.after()?;
        let name = &after.name;
        let is_alias = after.data.record_type() == Some(RecordType::Cname) && !name.has_underscored_label();
        (is_alias && leads_somewhere(self.before, name) && !leads_somewhere(self.after, name))
            .then_some(Danger::RemovesLastAddress)
    }
}

/// Whether a name has an address, or an alias of it leads to one or out of the zone.
fn leads_somewhere(zone: &ZoneIndex<'_>, name: &Fqdn) -> bool {
    let mut seen = BTreeSet::new();
    let mut name = name;
    while seen.insert(name) {
        let Some(location) = zone.locate(name.as_str()) else { return true };
        let Some(node) = location.exact.filter(Node::has_records).or(location.wildcard) else {
            return location.cut.is_some();
        };
        if location.cut.is_some() || node.records().any(|r| r.data.address().is_some()) {
            return true;
        }
        match node.of_type(RecordType::Cname).first().and_then(|alias| alias.data.target()) {
            Some(target) => name = target,
            None => return false,
        }
    }
    false
}
