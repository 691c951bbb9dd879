//! The state of the execution of a zone's changes of records: what is left to send, and what became of the rest.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use super::failed_writes::not_resent;
use super::outcome::{Noticed, Outcome, RecordsApplied};
use super::preconditions::{Index, OperationState, state_of};
use super::write_responses::Confirmation;
use crate::diff::DeleteReason;
use crate::model::{Fqdn, Gather, LiveRecord, LiveZone, RecordType, sort_by_key};
use crate::plan::{Action, Lowering, RecordAction, RecordSubject, ZonePlan, bonds, groups, record_batches};

/// How often requests of a zone are cut in parts before what is refused stays refused as a whole. Finding one culprit among
/// 200 takes eight; a zone where everything is refused must not cost hundreds of requests.
const NARROWINGS: usize = 64;

/// The state of one zone's execution.
pub(super) struct Run<'z> {
    /// What is to be done.
    pub(super) zone: &'z ZonePlan,
    /// The zone as it was read.
    pub(super) live: &'z LiveZone,
    /// What is left to send, in order.
    pub(super) queue: VecDeque<Vec<usize>>,
    /// How changes are sent.
    pub(super) lowering: Lowering,
    /// How often in a row a lost request had no effect.
    pub(super) resends: usize,
    /// How often a request was cut in parts.
    pub(super) narrowings: usize,
    outcomes: Vec<Option<Outcome>>,
    /// Whether an operation was sent, without an answer, and nothing of it was to be seen.
    lost: Vec<bool>,
    /// Deletes that could not be taken back.
    not_filled: Vec<usize>,
    /// When the zone was read last.
    pub(super) read_at: Instant,
    /// Whether an answer confirmed each operation.
    confirmed: Vec<bool>,
    /// What someone else changed meanwhile.
    noticed: Vec<Noticed>,
    /// Whether anything happened after which answers alone prove nothing.
    pub(super) is_unusual: bool,
    /// What belongs together: the number of its group for each operation.
    group: Vec<usize>,
    /// What cannot be separated: the number of its bond for each operation.
    bond: Vec<usize>,
}

impl<'z> Run<'z> {
    /// Nothing sent yet; the zone was read at this moment.
    pub(super) fn new(zone: &'z ZonePlan, live: &'z LiveZone, lowering: Lowering, read_at: Instant) -> Self {
        let mut group = vec![0; zone.operations.len()];
        for (number, members) in groups(zone, lowering.size()).into_iter().enumerate() {
            for n in members {
                group[n] = number;
            }
        }
        Self {
            zone,
            live,
            queue: record_batches(zone, lowering.size()).into(),
            lowering,
            resends: 0,
            narrowings: 0,
            outcomes: vec![None; zone.operations.len()],
            lost: vec![false; zone.operations.len()],
            not_filled: Vec::new(),
            read_at,
            confirmed: vec![false; zone.operations.len()],
            noticed: Vec::new(),
            is_unusual: false,
            group,
            bond: bonds(zone),
        }
    }

    /// Notes an outcome for operations.
    pub(super) fn finish(&mut self, operations: &[usize], outcome: &Outcome) {
        for n in operations {
            self.outcomes[*n] = Some(outcome.clone());
        }
    }

    /// Adds to why operations did not take effect.
    pub(super) fn explain(&mut self, operations: &[usize], words: &str) {
        for n in operations {
            match &mut self.outcomes[*n] {
                Some(
                    Outcome::Refused(reason)
                    | Outcome::NotSent(reason)
                    | Outcome::Stale(reason)
                    | Outcome::Unknown(reason)
                    | Outcome::Deferred(reason),
                ) => {
                    reason.push_str("; ");
                    reason.push_str(words);
                }
                Some(Outcome::Done | Outcome::Restored) | None => {}
            }
        }
    }

    /// Takes in what an answer says; whether it shows that someone else writes as well.
    pub(super) fn confirm(&mut self, confirmations: Vec<(usize, Confirmation)>) -> bool {
        let noticed = self.noticed.len();
        for (n, confirmation) in confirmations {
            match confirmation {
                Confirmation::AsPlanned => self.confirmed[n] = true,
                Confirmation::Nothing | Confirmation::StoredOtherwise(_) => {}
                Confirmation::ChangedMeanwhile(what) => {
                    let address = self.zone.operations[n].address.clone();
                    self.noticed.push(Noticed { address, what: format!("someone else changed it meanwhile: {what}") });
                }
            }
        }
        self.noticed.len() > noticed
    }

    /// Whether anything that is left changes or deletes a live record.
    pub(super) fn may_overwrite(&self) -> bool {
        let has_id = |n: &usize| self.record(*n).is_some_and(|record| record.action.id().is_some());
        self.queue.iter().flatten().any(has_id)
    }

    /// Takes what would overwrite a change of someone else out of the queue, with what cannot be separated from it.
    pub(super) fn hold_back(&mut self, records: &[LiveRecord]) {
        let live = Index::new(records);
        let mut moved: BTreeMap<usize, String> = BTreeMap::new();
        for n in self.queue.iter().flatten() {
            if let Some(OperationState::Moved(what)) = self.record(*n).map(|record| state_of(record, &live)) {
                moved.insert(*n, what);
            }
        }
        if moved.is_empty() {
            return;
        }
        self.is_unusual = true;
        let bonds: BTreeSet<usize> = moved.keys().map(|n| self.bond[*n]).gather();
        let mut held = Vec::new();
        for part in &mut self.queue {
            held.extend(part.extract_if(.., |n| bonds.contains(&self.bond[*n])));
        }
        self.queue.retain(|part| !part.is_empty());
        for n in held {
            let what = moved.remove(&n);
            let what = what.unwrap_or_else(|| {
                "it cannot be separated from another operation, whose record someone else changed since the plan"
                    .to_owned()
            });
            self.finish(&[n], &Outcome::Stale(what));
        }
    }

    /// Notes whether operations were sent without an answer, so that their result is unknown though nothing is visible.
    pub(super) fn set_lost(&mut self, operations: &[usize], is_lost: bool) {
        for n in operations {
            self.lost[*n] = is_lost;
        }
    }

    /// Whether any of these were sent before without an answer: they may have taken effect, however little is visible.
    pub(super) fn was_lost(&self, operations: &[usize]) -> bool {
        operations.iter().any(|n| self.lost[*n])
    }

    /// Notes that a delete was to be taken back, and Cloudflare refused it: it would refuse it again.
    pub(super) fn give_up_filling(&mut self, delete: usize) {
        self.not_filled.push(delete);
    }

    /// What became of the operations on records, in their order; what has no outcome was not sent, or not again, for this reason.
    pub(super) fn finished(self, rest: &str) -> RecordsApplied {
        let other = |is_lost: bool| match is_lost {
            false => Outcome::NotSent(rest.to_owned()),
            true => Outcome::Unknown(not_resent(rest)),
        };
        let is_record = |n: &usize| self.zone.operations[*n].record().is_some();
        let is_confirmed = |n: usize| self.confirmed[n] && self.outcomes[n] == Some(Outcome::Done);
        let is_confirmed = !self.is_unusual
            && self.noticed.is_empty()
            && (0..self.confirmed.len()).filter(is_record).all(is_confirmed);
        let all = self.zone.operations.iter().zip(self.outcomes).zip(self.lost);
        let records = all.filter(|((operation, _), _)| operation.record().is_some());
        let outcomes = records.map(|((_, outcome), is_lost)| outcome.unwrap_or_else(|| other(is_lost))).collect();
        RecordsApplied { outcomes, noticed: self.noticed, is_confirmed }
    }

    /// From here on one request for each operation, beginning with these.
    pub(super) fn go_single(&mut self, first: Vec<usize>) {
        self.lowering = Lowering::Single;
        let all: Vec<usize> = first.into_iter().chain(self.queue.drain(..).flatten()).collect();
        self.queue.extend(all.into_iter().map(|n| vec![n]));
    }

    /// The record that an operation is about; `None` for one that is about something else, which is never sent from here.
    pub(super) fn record(&self, n: usize) -> Option<&'z RecordSubject> {
        self.zone.operations[n].record()
    }

    /// The name of the record that an operation is about.
    fn name(&self, n: usize) -> Option<&'z Fqdn> {
        self.record(n).map(|record| &record.form().name)
    }

    /// The type of the record that an operation is about.
    fn record_type(&self, n: usize) -> Option<RecordType> {
        self.record(n)?.form().data.record_type()
    }

    /// A refused request's operations in parts that are sent one after the other, so that each is refused or accepted for
    /// itself; `None` if they cannot be separated.
    ///
    /// | the operations | parts |
    /// |---|---|
    /// | several groups | halves that cut no group in two |
    /// | of one group, with several bonds | halves that cut no bond in two |
    /// | of one bond, which replaces | the deletes with one create, then the other creates |
    /// | of one bond, which replaces values | the creates, then the deletes, which wait for them: see [`Self::vain`] |
    pub(super) fn parts(&self, operations: &[usize]) -> Option<Vec<Vec<usize>>> {
        if self.narrowings >= NARROWINGS {
            return None;
        }
        let halves = |operations: &[usize], of: &[usize]| {
            let cuts = (1..operations.len()).filter(|n| of[operations[*n]] != of[operations[n - 1]]);
            let middle = operations.len() / 2;
            let (first, second) = operations.split_at(cuts.min_by_key(|n| n.abs_diff(middle))?);
            Some(vec![first.to_vec(), second.to_vec()])
        };
        halves(operations, &self.group)
            .or_else(|| {
                let mut by_bond = operations.to_vec();
                sort_by_key(&mut by_bond, |n| (self.bond[*n], *n));
                halves(&by_bond, &self.bond)
            })
            .or_else(|| self.parts_of_bond(operations))
    }

    /// The same for operations of one bond.
    fn parts_of_bond(&self, operations: &[usize]) -> Option<Vec<Vec<usize>>> {
        let (deletes, others) = self.split_deletes(operations);
        let single = |all: &[usize]| -> Vec<Vec<usize>> { all.iter().map(|n| vec![*n]).collect() };
        if self.is_in_the_way(&deletes) {
            let (first, rest) = others.split_first().filter(|(_, rest)| !rest.is_empty())?;
            let with_room = deletes.into_iter().chain([*first]).collect();
            return Some([vec![with_room], single(rest)].concat());
        }
        // Without room for both, the creates have to wait for the deletes.
        if operations.len() < 2 || self.zone.deletes_first {
            return None;
        }
        Some([single(&others), single(&deletes)].concat())
    }

    /// Operations that delete, and the others.
    fn split_deletes(&self, operations: &[usize]) -> (Vec<usize>, Vec<usize>) {
        operations.iter().partition(|n| self.zone.operations[**n].action() == Action::Delete)
    }

    /// Whether any of these deletes is there to make room for what cannot exist beside it.
    fn is_in_the_way(&self, deletes: &[usize]) -> bool {
        deletes.iter().any(|n| {
            let action = self.record(*n).map(|record| &record.action);
            matches!(action, Some(RecordAction::Delete { reason: DeleteReason::InTheWay, .. }))
        })
    }

    /// After deletes were refused with the one create that they were sent with: the next create that they make room for, taken
    /// from the queue, in one request with them; and the create that stays behind.
    pub(super) fn next_with_room(&mut self, refused: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
        let (deletes, others) = self.split_deletes(refused);
        let is_next = |next: &&Vec<usize>| matches!((next.as_slice(), deletes.first()), ([next], Some(delete)) if self.bond[*next] == self.bond[*delete]);
        if !self.is_in_the_way(&deletes) || self.queue.front().filter(is_next).is_none() {
            return None;
        }
        let next = self.queue.pop_front()?;
        Some((deletes.into_iter().chain(next).collect(), others))
    }

    /// Why deletes are not sent: what was to take the place of their values did not come.
    pub(super) fn vain(&self, operations: &[usize]) -> Option<&'static str> {
        let (deletes, others) = self.split_deletes(operations);
        let is_missing = |n: usize| {
            let is_bound = deletes.iter().any(|delete| self.bond[*delete] == self.bond[n]);
            is_bound && self.outcomes[n].as_ref().is_some_and(|outcome| *outcome != Outcome::Done)
        };
        let creates = || (0..self.outcomes.len()).filter(|n| self.zone.operations[*n].action() == Action::Create);
        (others.is_empty() && self.narrowings > 0 && creates().any(is_missing))
            .then_some("its replacement was refused, so it stays")
    }

    /// Whether these operations put back an answer where a delete took it away: a stop must not leave such a name empty.
    pub(super) fn fills_a_name(&self, operations: &[usize]) -> bool {
        self.lowering == Lowering::Single && !self.deleted_for(operations).is_empty()
    }

    /// Deletes that were carried out to make room for these creates, and for which no other create took the room.
    pub(super) fn deleted_for(&self, operations: &[usize]) -> Vec<usize> {
        let created = |n: &usize| match &self.record(*n)?.action {
            RecordAction::Create { after } => after.data.record_type(),
            RecordAction::Update { .. } | RecordAction::Delete { .. } => None,
        };
        let mut deletes: Vec<usize> = Vec::new();
        for (n, wanted) in operations.iter().filter_map(|n| created(n).map(|t| (*n, t))) {
            deletes.extend(self.deletes_in_the_way(n, wanted).filter(|delete| !self.is_room_taken(*delete)));
        }
        deletes.sort_unstable();
        deletes.dedup();
        deletes
    }

    /// Deletes that were carried out at a create's name because what they took away cannot exist beside it.
    fn deletes_in_the_way(&self, create: usize, wanted: RecordType) -> impl Iterator<Item = usize> + '_ {
        self.at_the_name_of(create).filter(move |n| {
            self.is_in_the_way(&[*n])
                && self.outcomes[*n] == Some(Outcome::Done)
                && !self.not_filled.contains(n)
                && self.record_type(*n).is_some_and(|own| wanted.excludes_at(own, self.is_at_apex(create)))
        })
    }

    /// Whether a create that cannot exist beside what was deleted has been carried out.
    fn is_room_taken(&self, delete: usize) -> bool {
        let Some(own) = self.record_type(delete) else { return false };
        let is_create = |n: usize| matches!(self.record(n), Some(record) if record.action.before().is_none());
        self.at_the_name_of(delete).any(|n| {
            is_create(n)
                && self.outcomes[n] == Some(Outcome::Done)
                && self.record_type(n).is_some_and(|t| t.excludes_at(own, self.is_at_apex(delete)))
        })
    }

    /// Whether an operation is at the zone's own name.
    fn is_at_apex(&self, n: usize) -> bool {
        self.name(n) == Some(self.zone.name.as_fqdn())
    }

    /// The operations at the name of one of them; those on records come last, in the order of their names.
    fn at_the_name_of(&self, n: usize) -> impl Iterator<Item = usize> + '_ {
        let operations = &self.zone.operations;
        let name = self.name(n);
        let first = operations.partition_point(|o| o.record().map(|record| &record.form().name) < name);
        (first..operations.len()).take_while(move |n| self.name(*n) == name)
    }
}
