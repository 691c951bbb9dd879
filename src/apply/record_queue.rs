//! The state of executing a zone's record changes: the remaining requests, and the outcomes of the
//! others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use super::failed_writes::not_resent;
use super::outcome::{Noticed, OperationOutcome, RecordsApplied};
use super::preconditions::{LiveIndex, OperationState, state_of};
use super::write_responses::Confirmation;
use crate::diff::RecordChange;
use crate::model::{Fqdn, Gather, LiveRecord, LiveZone, Rdata, RecordId, sort_by_key};
use crate::plan::{Action, Lowering, RecordSchedule, RecordSubject, ZonePlan};

/// Maximum number of times that requests of a zone are divided. After that, a refused request stays
/// refused as a whole. Finding one culprit among 200 takes eight divisions, and a zone where
/// everything is refused must not cost hundreds of requests.
const NARROWINGS: usize = 64;

/// The state of one zone's execution.
pub(super) struct ZoneExecution<'z> {
    pub(super) zone: &'z ZonePlan,
    /// The zone as it was read.
    pub(super) live: &'z LiveZone,
    /// The operations that remain to be sent, in order.
    pub(super) queue: VecDeque<Vec<usize>>,
    /// The kind of request for changes.
    pub(super) lowering: Lowering,
    /// Number of lost requests without effect in a row.
    pub(super) resends: usize,
    /// Number of times that a request was divided.
    pub(super) narrowings: usize,
    outcomes: Vec<Option<OperationOutcome>>,
    /// Creates that did not take effect, as far as known.
    failed_creates: Vec<usize>,
    /// True for each operation that was sent without a response and without visible effect.
    lost: Vec<bool>,
    /// Deletes that could not be taken back.
    not_filled: Vec<usize>,
    /// The time at which the zone was last read.
    pub(super) read_at: Instant,
    /// True for each operation that a response confirmed.
    confirmed: Vec<bool>,
    /// Changes that someone else made during the apply.
    noticed: Vec<Noticed>,
    /// True if anything happened after which responses alone are not sufficient evidence.
    pub(super) is_unusual: bool,
    /// The order of the requests, and where they may be divided.
    schedule: &'z RecordSchedule<'z>,
}

impl<'z> ZoneExecution<'z> {
    /// Returns the state before anything is sent; the zone was read at this time.
    pub(super) fn new(
        zone: &'z ZonePlan,
        live: &'z LiveZone,
        schedule: &'z RecordSchedule<'z>,
        read_at: Instant,
    ) -> Self {
        Self {
            zone,
            live,
            queue: schedule.batches.clone().into(),
            lowering: schedule.lowering,
            resends: 0,
            narrowings: 0,
            outcomes: vec![None; zone.operations.len()],
            failed_creates: Vec::new(),
            lost: vec![false; zone.operations.len()],
            not_filled: Vec::new(),
            read_at,
            confirmed: vec![false; zone.operations.len()],
            noticed: Vec::new(),
            is_unusual: false,
            schedule,
        }
    }

    /// Sets the outcome of operations.
    pub(super) fn finish(&mut self, operations: &[usize], outcome: &OperationOutcome) {
        for n in operations {
            self.outcomes[*n] = Some(outcome.clone());
            if !outcome.is_in_effect() && self.action(*n) == Action::Create {
                self.failed_creates.push(*n);
            }
        }
    }

    /// Extends the reason why operations did not take effect.
    pub(super) fn explain(&mut self, operations: &[usize], words: &str) {
        for n in operations {
            match &mut self.outcomes[*n] {
                Some(
                    OperationOutcome::Refused(reason)
                    | OperationOutcome::NotSent(reason)
                    | OperationOutcome::Stale(reason)
                    | OperationOutcome::Unknown(reason)
                    | OperationOutcome::Deferred(reason),
                ) => {
                    reason.push_str("; ");
                    reason.push_str(words);
                }
                Some(
                    OperationOutcome::Done
                    | OperationOutcome::OtherCuts(_)
                    | OperationOutcome::Restored,
                )
                | None => {}
            }
        }
    }

    /// Adds the confirmations of a response. Returns true if it shows that someone else writes as
    /// well.
    pub(super) fn confirm(&mut self, confirmations: Vec<(usize, Confirmation)>) -> bool {
        let noticed = self.noticed.len();
        for (n, confirmation) in confirmations {
            match confirmation {
                Confirmation::AsPlanned => self.confirmed[n] = true,
                Confirmation::Nothing | Confirmation::StoredOtherwise(_) => {}
                Confirmation::ChangedMeanwhile(what) => {
                    let address = self.zone.operations[n].address.clone();
                    self.noticed.push(Noticed {
                        address,
                        what: format!("someone else changed it meanwhile: {what}"),
                    });
                }
            }
        }
        self.noticed.len() > noticed
    }

    /// Returns true if any remaining operation changes or deletes a live record.
    pub(super) fn may_overwrite(&self) -> bool {
        let has_id = |n: &usize| self.record(*n).is_some_and(|record| record.change.id().is_some());
        self.queue.iter().flatten().any(has_id)
    }

    /// Removes from the queue operations that would overwrite a change of someone else, with their
    /// bonds.
    pub(super) fn hold_back(&mut self, records: &[LiveRecord]) {
        let live = LiveIndex::new(records);
        let mut moved: BTreeMap<usize, String> = BTreeMap::new();
        for n in self.queue.iter().flatten() {
            if let Some(OperationState::Moved(what)) =
                self.record(*n).map(|record| state_of(record, &live))
            {
                moved.insert(*n, what);
            }
        }
        if moved.is_empty() {
            return;
        }
        self.is_unusual = true;
        let bonds: BTreeSet<usize> = moved.keys().map(|n| self.schedule.bonds[*n]).gather();
        let mut held = Vec::new();
        for part in &mut self.queue {
            held.extend(part.extract_if(.., |n| bonds.contains(&self.schedule.bonds[*n])));
        }
        self.queue.retain(|part| !part.is_empty());
        for n in held {
            let what = moved.remove(&n);
            let what = what.unwrap_or_else(|| {
                "it cannot be separated from another operation, whose record someone else changed \
                since the plan"
                    .to_owned()
            });
            self.finish(&[n], &OperationOutcome::Stale(what));
        }
    }

    /// Sets whether operations were sent without a response. Their result is then unknown, even if
    /// no effect is visible.
    pub(super) fn set_lost(&mut self, operations: &[usize], is_lost: bool) {
        for n in operations {
            self.lost[*n] = is_lost;
        }
    }

    /// Returns true if any of these were sent before without a response. They may have taken effect
    /// even if no effect is visible.
    pub(super) fn was_lost(&self, operations: &[usize]) -> bool {
        operations.iter().any(|n| self.lost[*n])
    }

    /// Notes that Cloudflare refused to take back this delete, so that it is not tried again.
    pub(super) fn give_up_filling(&mut self, delete: usize) {
        self.not_filled.push(delete);
    }

    /// Sets the outcome of remaining operations: they were not sent, or not again, for this reason.
    pub(super) fn settle_rest(&mut self, reason: &str) {
        self.queue.clear();
        for n in 0..self.outcomes.len() {
            if self.outcomes[n].is_none() && self.record(n).is_some() {
                let outcome = match self.lost[n] {
                    false => OperationOutcome::NotSent(reason.to_owned()),
                    true => OperationOutcome::Unknown(not_resent(reason)),
                };
                self.finish(&[n], &outcome);
            }
        }
    }

    /// Returns the outcomes of the operations on records, in order.
    pub(super) fn finished(mut self, reason: &str) -> RecordsApplied {
        self.settle_rest(reason);
        let is_record = |n: &usize| self.zone.operations[*n].record().is_some();
        let is_confirmed =
            |n: usize| self.confirmed[n] && self.outcomes[n] == Some(OperationOutcome::Done);
        let is_confirmed = !self.is_unusual
            && self.noticed.is_empty()
            && (0..self.confirmed.len()).filter(is_record).all(is_confirmed);
        RecordsApplied {
            outcomes: self.outcomes.into_iter().flatten().collect(),
            noticed: self.noticed,
            is_confirmed,
        }
    }

    /// Sends one request for each operation from now on, beginning with these. The order leaves no
    /// name empty for longer than needed.
    pub(super) fn go_single(&mut self, first: &[usize]) {
        self.lowering = Lowering::Single;
        let waiting: BTreeSet<usize> =
            self.queue.drain(..).flatten().chain(first.iter().copied()).gather();
        let requests = self.schedule.single_requests().into_iter();
        self.queue.extend(requests.filter(|part| part.iter().all(|n| waiting.contains(n))));
    }

    /// Returns the record of an operation; `None` for operations on other objects, which other
    /// files send.
    pub(super) fn record(&self, n: usize) -> Option<&'z RecordSubject> {
        self.zone.operations[n].record()
    }

    /// Returns the name of the record that an operation is about.
    fn name(&self, n: usize) -> Option<&'z Fqdn> {
        self.record(n).map(|record| &record.form().name)
    }

    fn action(&self, n: usize) -> Action {
        self.zone.operations[n].action()
    }

    /// Returns true if an operation has taken effect.
    fn is_in_effect(&self, n: usize) -> bool {
        self.outcomes[n].as_ref().is_some_and(OperationOutcome::is_in_effect)
    }

    /// Divides the operations of a refused request into parts that are sent one after the other, so
    /// that each is refused or accepted by itself. Returns `None` if they cannot be divided.
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
            let cuts =
                (1..operations.len()).filter(|n| of[operations[*n]] != of[operations[n - 1]]);
            let middle = operations.len() / 2;
            let (first, second) = operations.split_at(cuts.min_by_key(|n| n.abs_diff(middle))?);
            Some(vec![first.to_vec(), second.to_vec()])
        };
        halves(operations, &self.schedule.groups)
            .or_else(|| {
                let mut by_bond = operations.to_vec();
                sort_by_key(&mut by_bond, |n| (self.schedule.bonds[*n], *n));
                halves(&by_bond, &self.schedule.bonds)
            })
            .or_else(|| self.parts_of_bond(operations))
    }

    /// Divides the operations of one bond in the same way.
    fn parts_of_bond(&self, operations: &[usize]) -> Option<Vec<Vec<usize>>> {
        let (deletes, others) = self.split_deletes(operations);
        let single = |all: &[usize]| -> Vec<Vec<usize>> { all.iter().map(|n| vec![*n]).collect() };
        if self.is_in_the_way(&deletes) {
            let (first, rest) = others.split_first().filter(|(_, rest)| !rest.is_empty())?;
            let deletes_and_create = deletes.into_iter().chain([*first]).collect();
            return Some([vec![deletes_and_create], single(rest)].concat());
        }
        // If the zone cannot hold both, the creates have to wait for the deletes.
        if operations.len() < 2 || self.zone.deletes_first {
            return None;
        }
        Some([single(&others), single(&deletes)].concat())
    }

    /// Returns the live text that differs from the text of a create only in its cuts, unless this
    /// run will delete it, or give its record another text.
    pub(super) fn other_cuts(&self, create: usize, records: &[LiveRecord]) -> Option<String> {
        let RecordChange::Create { after } = &self.record(create)?.change else { return None };
        let is_to_go = |live: &LiveRecord| {
            let waiting = self.at_the_name_of(create).filter(|n| self.outcomes[*n].is_none());
            let is_other = |data: &Rdata| {
                *data != live.data && *data != after.data && !data.differs_in_cuts(&after.data)
            };
            waiting.filter_map(|n| self.record(n)).any(|record| {
                record.change.id() == Some(&live.id)
                    && record.change.after().is_none_or(|form| is_other(&form.data))
            })
        };
        let is_meant = |live: &&LiveRecord| {
            live.name == after.name && live.data.differs_in_cuts(&after.data) && !is_to_go(live)
        };
        records.iter().find(is_meant).map(|live| live.data.presentation())
    }

    /// Splits operations into deletes and others.
    fn split_deletes(&self, operations: &[usize]) -> (Vec<usize>, Vec<usize>) {
        operations.iter().partition(|n| self.action(**n) == Action::Delete)
    }

    /// Returns true if any of these deletes has to come before a create that Cloudflare refuses beside
    /// the old record.
    fn is_in_the_way(&self, deletes: &[usize]) -> bool {
        deletes.iter().any(|delete| {
            self.at_the_name_of(*delete).any(|n| {
                self.action(n) == Action::Create && self.schedule.waits_for_delete(n, *delete)
            })
        })
    }

    /// Returns the next request after deletes were refused together with one create. It contains
    /// the deletes and the next create in the queue that needs them. The first create is returned
    /// as postponed.
    pub(super) fn next_after_deletes(
        &mut self,
        refused: &[usize],
    ) -> Option<(Vec<usize>, Vec<usize>)> {
        let (deletes, others) = self.split_deletes(refused);
        let is_next = |next: &&Vec<usize>| matches!((next.as_slice(), deletes.first()), ([next], Some(delete)) if self.schedule.bonds[*next] == self.schedule.bonds[*delete]);
        let is_single = self.lowering == Lowering::Single;
        if is_single
            || !self.is_in_the_way(&deletes)
            || self.queue.front().filter(is_next).is_none()
        {
            return None;
        }
        let next_create = self.queue.pop_front()?;
        Some((deletes.into_iter().chain(next_create).collect(), others))
    }

    /// Returns the reason for not sending deletes: the replacement of their values failed, or their
    /// name would be left empty.
    pub(super) fn vain(&self, operations: &[usize]) -> Option<&'static str> {
        let (deletes, others) = self.split_deletes(operations);
        if !others.is_empty() || self.failed_creates.is_empty() {
            return None;
        }
        let is_bound = |create: &usize| {
            deletes
                .iter()
                .any(|delete| self.schedule.bonds[*delete] == self.schedule.bonds[*create])
        };
        if self.failed_creates.iter().any(is_bound) {
            return Some("its replacement was refused, so it stays");
        }
        let is_emptied = |delete: &usize| {
            self.failed_creates.iter().any(|create| self.name(*create) == self.name(*delete))
                && !self
                    .at_the_name_of(*delete)
                    .any(|n| self.action(n) == Action::Create && self.outcomes[n].is_none())
                && self.present_at(*delete).iter().all(|(id, _)| {
                    deletes
                        .iter()
                        .any(|n| self.record(*n).and_then(|record| record.change.id()) == *id)
                })
        };
        deletes
            .iter()
            .any(is_emptied)
            .then_some("a new record of its name was refused, so it stays: the name would be empty")
    }

    /// Returns true if these operations restore an answer that a delete removed. A stop must not
    /// leave such a name empty.
    pub(super) fn fills_a_name(&self, operations: &[usize]) -> bool {
        operations
            .iter()
            .any(|n| self.action(*n) == Action::Create && !self.deleted_for(*n, &[*n]).is_empty())
    }

    /// Returns the names of these operations that were emptied, or that lost a record that a create
    /// could not coexist with, and that no waiting create will fill.
    pub(super) fn unfilled(&self, operations: &[usize]) -> Vec<Unfilled> {
        let mut unfilled_names: Vec<Unfilled> = Vec::new();
        let mut names: BTreeSet<&Fqdn> = BTreeSet::new();
        for first in
            operations.iter().filter(|n| self.name(**n).is_some_and(|name| names.insert(name)))
        {
            let of = |action: Action| {
                self.at_the_name_of(*first).filter(move |n| self.action(*n) == action)
            };
            if of(Action::Create).any(|n| self.outcomes[n].is_none()) {
                continue;
            }
            let creates: Vec<usize> =
                of(Action::Create).filter(|n| !self.is_in_effect(*n)).collect();
            if creates.is_empty()
                || !of(Action::Delete).any(|n| self.outcomes[n] == Some(OperationOutcome::Done))
            {
                continue;
            }
            let deletes = self.deleted_for(*first, &creates);
            unfilled_names.extend((!deletes.is_empty()).then_some(Unfilled { deletes, creates }));
        }
        unfilled_names
    }

    /// Returns deletes at a name whose records are missing there, because these creates of the name
    /// are not in effect:
    ///
    /// - those whose record a create could not coexist with;
    /// - those of the type of a create, if no record of that type remains;
    /// - all of them, if no record at all remains.
    ///
    /// Deletes of records that cannot coexist with a present record are left out.
    fn deleted_for(&self, at: usize, creates: &[usize]) -> Vec<usize> {
        let is_done = |n: &usize| {
            self.action(*n) == Action::Delete
                && self.outcomes[*n] == Some(OperationOutcome::Done)
                && !self.not_filled.contains(n)
        };
        let deletes: Vec<usize> = self.at_the_name_of(at).filter(is_done).collect();
        if deletes.is_empty() {
            return deletes;
        }
        let is_apex = self.name(at) == Some(self.zone.name.as_fqdn());
        let present = self.present_at(at);
        let data = |n: usize| self.record(n).map(|record| &record.form().data);
        let is_missed = |delete: &usize| {
            let Some(own) = data(*delete) else { return false };
            let excludes = |other: &Rdata| match (own.record_type(), other.record_type()) {
                (Some(own), Some(other)) => own.excludes_at(other, is_apex),
                _ => false,
            };
            let is_of_type = |other: &Rdata| other.type_name() == own.type_name();
            let is_left =
                |data: &&Rdata| *data == own || data.differs_in_cuts(own) || excludes(data);
            !present.iter().any(|(_, data)| is_left(data))
                && (present.is_empty()
                    || creates
                        .iter()
                        .any(|create| self.schedule.waits_for_delete(*create, *delete))
                    || (creates.iter().filter_map(|create| data(*create)).any(is_of_type)
                        && !present.iter().any(|(_, data)| is_of_type(data))))
        };
        deletes.into_iter().filter(is_missed).collect()
    }

    /// Returns the records that are at the name of an operation now, as far as this run knows. New
    /// records have no id.
    fn present_at(&self, n: usize) -> Vec<(Option<&'z RecordId>, &'z Rdata)> {
        let name = self.name(n);
        let deleted = self
            .at_the_name_of(n)
            .filter(|n| self.action(*n) == Action::Delete && self.is_in_effect(*n));
        let deleted: BTreeSet<&RecordId> =
            deleted.filter_map(|n| self.record(n)?.change.id()).gather();
        let live =
            self.live.records.iter().filter(|r| Some(&r.name) == name && !deleted.contains(&r.id));
        let created = self
            .at_the_name_of(n)
            .filter(|n| self.action(*n) == Action::Create && self.is_in_effect(*n));
        let created = created.filter_map(|n| Some((None, &self.record(n)?.form().data)));
        live.map(|record| (Some(&record.id), &record.data)).chain(created).collect()
    }

    /// Returns the operations at the name of an operation. Operations on records come last, in the
    /// order of their names.
    fn at_the_name_of(&self, n: usize) -> impl Iterator<Item = usize> + '_ {
        let operations = &self.zone.operations;
        let name = self.name(n);
        let first =
            operations.partition_point(|o| o.record().map(|record| &record.form().name) < name);
        (first..operations.len()).take_while(move |n| self.name(*n) == name)
    }
}

/// A name that lost its records, although the plan fills it again.
pub(super) struct Unfilled {
    /// Deletes that were executed there.
    pub(super) deletes: Vec<usize>,
    /// Creates that are not in effect.
    pub(super) creates: Vec<usize>,
}
