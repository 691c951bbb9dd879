//! Groups operations into requests.
//!
//! A batch is one transaction, and operations that belong together are in one transaction if
//! possible:
//!
//! - the operations of one name, so that a swap of types or values leaves no moment without an
//!   answer;
//! - a value that leaves one name and comes to another: a rename.
//!
//! A group is never divided between two batches. Only a name with more operations than a batch can
//! hold is divided. Then no request leaves it without records that it had before and has
//! afterwards, as far as requests can be arranged that way:
//!
//! | deletes | their place |
//! |---|---|
//! | whose records can be beside the new ones | after the creates |
//! | of what Cloudflare refuses beside a new record | before it; the last of them and the create in one batch, whatever its size |
//! | in a zone whose quota is tight | before the creates; the last of them and the first create in one batch |
//!
//! If a group is refused, the bond of the culprit is given up and the rest is sent: see [`bonds`].

use std::collections::BTreeMap;

use super::action::Action;
use super::lowering::Lowering;
use super::subject::RecordSubject;
use super::zone_plan::ZonePlan;
use crate::diff::RecordChange;
use crate::model::{Fqdn, Rdata, RecordType, sort_by_key};

/// Divides a zone's operations on records into requests, as their numbers in the order of
/// execution.
pub(super) fn batches(zone: &ZonePlan, lowering: Lowering) -> Vec<Vec<usize>> {
    let size = lowering.size();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for group in groups(zone, size) {
        match batches.last_mut() {
            Some(last) if last.len() + group.len() <= size => last.extend(group),
            _ if group.len() <= size => batches.push(group),
            _ => batches.extend(cut(zone, &group, lowering)),
        }
    }
    batches
}

/// Divides the operations of one name that do not fit into one request.
fn cut(zone: &ZonePlan, group: &[usize], lowering: Lowering) -> Vec<Vec<usize>> {
    let NameSequence { before, pair, after } = NameSequence::new(zone, group);
    let is_batch = matches!(lowering, Lowering::Batches(_));
    let single = |operations: Vec<usize>| operations.into_iter().map(|n| vec![n]);
    let pair = if is_batch { vec![pair] } else { single(pair).collect() };
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for unit in single(before).chain(pair).chain(single(after)).filter(|unit| !unit.is_empty()) {
        match parts.last_mut() {
            Some(part) if part.len() + unit.len() <= lowering.size() => part.extend(unit),
            _ => parts.push(unit),
        }
    }
    parts
}

/// The operations of a name in order.
struct NameSequence {
    before: Vec<usize>,
    /// The delete that would leave the name without records, and the create that fills it. Empty if
    /// there is no such pair.
    pair: Vec<usize>,
    after: Vec<usize>,
}

impl NameSequence {
    /// Orders these operations of one name.
    fn new(zone: &ZonePlan, group: &[usize]) -> Self {
        let of = |action: Action| {
            group.iter().copied().filter(move |n| zone.operations[*n].action() == action)
        };
        let is_refused = |create: usize, delete: usize| waits_for_delete(zone, create, delete);
        let is_of_type = |n: usize, wanted: RecordType| {
            zone.operations[n]
                .record()
                .is_some_and(|record| record.form().data.record_type() == Some(wanted))
        };
        let is_blocked =
            |create: usize| of(Action::Delete).any(|delete| is_refused(create, delete));
        let begins_delegation =
            of(Action::Create).any(|n| is_of_type(n, RecordType::Ns) && is_blocked(n));
        // DS records come after the name servers of their delegation. Without those, Cloudflare
        // refuses them.
        let (blocked, free): (Vec<usize>, Vec<usize>) = of(Action::Create)
            .partition(|n| is_blocked(*n) || (begins_delegation && is_of_type(*n, RecordType::Ds)));
        let is_in_the_way =
            |delete: usize| blocked.iter().any(|create| is_refused(*create, delete));
        let ends_delegation =
            of(Action::Delete).any(|n| is_of_type(n, RecordType::Ns) && is_in_the_way(n));
        // DS records go before the name servers of their delegation, which Cloudflare keeps while
        // there is a DS record.
        let (blocking, others): (Vec<usize>, Vec<usize>) = of(Action::Delete).partition(|n| {
            is_in_the_way(*n) || (ends_delegation && is_of_type(*n, RecordType::Ds))
        });
        let updates = of(Action::Update);
        let (mut before, creates, after): (Vec<usize>, Vec<usize>, Vec<usize>) = match zone
            .deletes_first
        {
            false => (free.into_iter().chain(updates).chain(blocking).collect(), blocked, others),
            true => (
                updates.chain(others).chain(blocking).collect(),
                [blocked, free].concat(),
                Vec::new(),
            ),
        };
        let is_delete = |n: &usize| zone.operations[*n].action() == Action::Delete;
        let mut pair = Vec::new();
        let mut creates = creates.into_iter();
        if before.last().is_some_and(is_delete)
            && let Some(create) = creates.next()
        {
            pair.extend(before.pop().into_iter().chain([create]));
        }
        Self { before, pair, after: creates.chain(after).collect() }
    }
}

/// Returns true if Cloudflare refuses to create a record while another one of its name exists. The
/// two exclude each other, or may count as equal.
pub(super) fn waits_for_delete(zone: &ZonePlan, create: usize, delete: usize) -> bool {
    let record = |n: usize| zone.operations[n].record().map(RecordSubject::form);
    let (Some(new), Some(old)) = (record(create), record(delete)) else { return false };
    let is_apex = old.name == *zone.name.as_fqdn();
    let excludes = match (new.data.record_type(), old.data.record_type()) {
        (Some(new), Some(old)) => {
            // The documentation allows DS alone beside the NS records of a delegation.
            let is_delegation = |t: RecordType| matches!(t, RecordType::Ns | RecordType::Ds);
            let one_is_ns = (new == RecordType::Ns) != (old == RecordType::Ns);
            let is_beside_ns = !is_apex && one_is_ns && !(is_delegation(new) && is_delegation(old));
            new.excludes_at(old, is_apex) || is_beside_ns || (new == old && new.is_single())
        }
        _ => false,
    };
    new.name == old.name && (excludes || new.data.differs_in_cuts(&old.data))
}

/// Returns the groups of operations that belong together, in the order of their first names. A
/// group has at most `size` operations unless it is one name.
///
/// If a zone's quota is nearly used up, groups that shrink come before groups that grow.
pub(super) fn groups(zone: &ZonePlan, size: usize) -> Vec<Vec<usize>> {
    let mut groups = renames(zone, names(zone), size);
    if zone.deletes_first {
        let growth = |n: &usize| zone.operations[*n].record().map_or(0, growth);
        sort_by_key(&mut groups, |group| group.iter().map(growth).sum::<i64>());
    }
    groups
}

/// Returns the operations of each name.
fn names(zone: &ZonePlan) -> Vec<Vec<usize>> {
    let mut names: Vec<(&Fqdn, Vec<usize>)> = Vec::new();
    for (n, _, record) in zone.records() {
        let name = &record.form().name;
        match names.last_mut() {
            Some((last, group)) if *last == name => group.push(n),
            _ => names.push((name, vec![n])),
        }
    }
    names.into_iter().map(|(_, group)| group).collect()
}

/// Joins names between which a value moves, as long as they fit into one batch together.
fn renames(zone: &ZonePlan, names: Vec<Vec<usize>>, size: usize) -> Vec<Vec<usize>> {
    let home: BTreeMap<usize, usize> = names
        .iter()
        .enumerate()
        .flat_map(|(name, group)| group.iter().map(move |n| (*n, name)))
        .collect();
    let mut leaving: BTreeMap<&Rdata, Vec<usize>> = BTreeMap::new();
    for (n, _, record) in zone.records() {
        if matches!(record.change, RecordChange::Delete { .. }) {
            leaving.entry(&record.form().data).or_default().push(n);
        }
    }
    // Each name is mapped to the group that it has been joined to.
    let mut lead: Vec<usize> = (0..names.len()).collect();
    let mut groups = names;
    if !leaving.is_empty() {
        for (n, _, record) in zone.records() {
            if !matches!(record.change, RecordChange::Create { .. }) {
                continue;
            }
            let Some(from) = leaving.get_mut(&record.form().data).and_then(Vec::pop) else {
                continue;
            };
            let (a, b) = (find(&mut lead, home[&from]), find(&mut lead, home[&n]));
            let (first, second) = (a.min(b), a.max(b));
            if first != second && groups[first].len() + groups[second].len() <= size {
                let moved = std::mem::take(&mut groups[second]);
                groups[first].extend(moved);
                lead[second] = first;
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Returns the bonds of a zone: for each operation, the number of the first operation that it is
/// bound to. An unbound operation has its own number.
///
/// A delete is bound to the creates that it has to precede, to those of its type at its name, whose
/// values replace its own, and to the create of its value at another name.
pub(super) fn bonds(zone: &ZonePlan) -> Vec<usize> {
    let mut lead: Vec<usize> = (0..zone.operations.len()).collect();
    let mut leaving: BTreeMap<&Rdata, usize> = BTreeMap::new();
    for group in names(zone) {
        let (mut deletes, mut creates): (ByType, ByType) = Default::default();
        for (n, record) in group.iter().filter_map(|n| Some((*n, zone.operations[*n].record()?))) {
            let of_type = record.form().data.type_name();
            match &record.change {
                RecordChange::Delete { .. } => {
                    deletes.entry(of_type).or_default().push(n);
                    leaving.insert(&record.form().data, n);
                }
                RecordChange::Create { .. } => creates.entry(of_type).or_default().push(n),
                RecordChange::Update { .. } => {}
            }
        }
        for (new, created) in &creates {
            for (old, deleted) in &deletes {
                if new == old || waits_for_delete(zone, created[0], deleted[0]) {
                    created.iter().chain(deleted).for_each(|n| join(&mut lead, deleted[0], *n));
                }
            }
        }
    }
    for (n, _, record) in zone.records() {
        if let RecordChange::Create { after } = &record.change
            && let Some(from) = leaving.get(&after.data)
        {
            join(&mut lead, *from, n);
        }
    }
    (0..lead.len()).map(|n| find(&mut lead, n)).collect()
}

/// Operations of one name by the type of their records.
type ByType<'z> = BTreeMap<&'z str, Vec<usize>>;

/// Joins the groups of two operations.
fn join(lead: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(lead, a), find(lead, b));
    lead[a.max(b)] = a.min(b);
}

/// Returns the group that a name or an operation has been joined to.
fn find(lead: &mut [usize], name: usize) -> usize {
    let mut at = name;
    while lead[at] != at {
        lead[at] = lead[lead[at]];
        at = lead[at];
    }
    at
}

/// Returns the number of records that an operation adds.
fn growth(record: &RecordSubject) -> i64 {
    match record.change {
        RecordChange::Create { .. } => 1,
        RecordChange::Update { .. } => 0,
        RecordChange::Delete { .. } => -1,
    }
}
