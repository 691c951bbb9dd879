//! Plans an undo: converts a journal and the live state to a plan that restores the previous state.
//! Pure.
//!
//! | the apply | live is as it left it | live is as before | live is something else |
//! |---|---|---|---|
//! | made a record | it is deleted | it is gone: nothing to do | conflict |
//! | changed one | the fields that it changed are changed back | nothing to do | conflict |
//! | deleted one | it is made again, all of it | nothing to do | conflict, also if another record conflicts with it |
//! | changed a part of the zone | it gets the value from before | nothing to do | conflict |
//! | made the zone | it stays: no code path deletes a zone | | |
//!
//! Rules of the zone are in `undo_rules`. The same table shows whether an operation whose response
//! was lost took effect. A conflict is never part of the plan. The caller decides whether to undo
//! the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::journal::{NewIds, ObjectEffect, RecordEffect, ZoneRun};
use super::undo_conflict::{
    self, Moved, conflict, conflicting_record, record_changed, record_managed, record_replaced,
};
use super::undo_rules::restore_rules;
use super::undo_settings::{desired_settings, restore_settings};
use crate::diagnostic::{Diagnostics, Place};
use crate::diff::{
    Change, ChangeOrigin, Claim, DeleteReason, RecordChange, RecordChanges, field_changes,
};
use crate::model::{
    DesiredRecord, DesiredZone, Fqdn, Gather, LiveRecord, LiveZone, Rdata, RecordForm, RecordId,
    RecordType, Settings, Spelling, ZoneName,
};
use crate::plan::{Differences, ZonePlan, plan_changes};

/// The undo of an apply in one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The plan that restores the previous state.
    pub plan: ZonePlan,
    /// Findings of planning.
    pub diagnostics: Diagnostics,
    /// Objects that cannot be restored, because they have changed since the apply.
    pub conflicts: Vec<Moved>,
}

/// Returns a desired zone that makes the reader read every object of the undo, and that desires
/// nothing.
#[must_use]
pub fn needed(name: &ZoneName, run: &ZoneRun) -> DesiredZone {
    let place = run.records.first().map_or(Place::NOWHERE, |entry| entry.place);
    DesiredZone {
        id: Some(run.id.clone()),
        settings: desired_settings(&run.parts),
        ..DesiredZone::new(name.clone(), place)
    }
}

/// Plans the undo of an apply in a zone.
#[must_use]
pub fn undo_zone(run: &ZoneRun, desired: &DesiredZone, live: &LiveZone) -> Undone {
    let mut conflicts = Vec::new();
    let mut notes = Vec::new();
    let records = RecordRestores::new(run, live, &mut conflicts);
    let (settings, settings_unchanged) =
        restore_settings(&run.parts, live, &mut conflicts, &mut notes);
    let rules = restore_rules(&run.rules, live, &mut conflicts, &mut notes);
    let differences =
        Differences { records: records.changes(&desired.name, live), rules, settings };
    let (mut plan, diagnostics) = plan_changes(desired, live, &differences);
    plan.unchanged += settings_unchanged;
    if run.is_made {
        notes.push(
            "the zone was created by this apply and stays: zonewright never deletes a zone"
                .to_owned(),
        );
    }
    plan.notes.splice(0..0, notes);
    Undone { plan, diagnostics, conflicts }
}

/// The change that restores a record.
enum Todo<'l> {
    /// The object is created again.
    Create(DesiredRecord),
    /// The object is changed back.
    Update(&'l LiveRecord, DesiredRecord),
    /// The object is deleted.
    Delete(&'l LiveRecord, Place),
}

impl Todo<'_> {
    /// Returns the name and the value.
    fn key(&self) -> (&Fqdn, &Rdata) {
        match self {
            Self::Delete(live, _) => (&live.name, &live.data),
            Self::Update(_, after) | Self::Create(after) => (&after.name, &after.data),
        }
    }
}

/// The changes that restore the records of a zone.
struct RecordRestores<'l> {
    todo: Vec<Todo<'l>>,
    /// Number of records that are already restored.
    unchanged: usize,
}

/// Maximum number of new ids that are followed for one record. Each is an apply that failed to
/// replace it.
const MOST_NEW_IDS: usize = 100;

/// Live records, indexed by id and by value.
struct Live<'l, 'r> {
    by_id: BTreeMap<&'l RecordId, &'l LiveRecord>,
    by_value: BTreeMap<(&'l Fqdn, &'l Rdata), &'l LiveRecord>,
    new_ids: &'r NewIds,
}

impl<'l> RecordRestores<'l> {
    /// Plans each entry and collects conflicts.
    fn new(run: &ZoneRun, zone: &'l LiveZone, conflicts: &mut Vec<Moved>) -> Self {
        let live = Live {
            by_id: zone.records.iter().map(|r| (&r.id, r)).collect(),
            by_value: zone.records.iter().map(|r| ((&r.name, &r.data), r)).collect(),
            new_ids: &run.new_ids,
        };
        let mut unchanged = 0;
        let mut todo: Vec<(Todo<'l>, &ObjectEffect<RecordEffect>)> = Vec::new();
        for entry in &run.records {
            match live.restore(zone, entry) {
                Ok(Some(one)) => todo.push((one, entry)),
                Ok(None) => unchanged += 1,
                Err(what) => conflicts.push(conflict(entry, what)),
            }
        }
        Self::keep_delegations(&mut todo, zone, conflicts);
        Self::make_room(&mut todo, zone, conflicts);
        Self { todo: todo.into_iter().map(|(one, _)| one).collect(), unchanged }
    }

    /// Returns the records that stay, by name.
    fn staying<'z>(
        todo: &[(Todo<'l>, &ObjectEffect<RecordEffect>)],
        zone: &'z LiveZone,
    ) -> BTreeMap<&'z Fqdn, Vec<&'z LiveRecord>> {
        let deleted = todo.iter().filter_map(|(todo, _)| match todo {
            Todo::Delete(live, _) => Some(&live.id),
            Todo::Create(_) | Todo::Update(..) => None,
        });
        let deleted_ids: BTreeSet<&RecordId> = deleted.gather();
        let mut standing: BTreeMap<&Fqdn, Vec<&LiveRecord>> = BTreeMap::new();
        for record in zone.records.iter().filter(|r| !deleted_ids.contains(&r.id)) {
            standing.entry(&record.name).or_default().push(record);
        }
        standing
    }

    /// Leaves out deletes of a whole delegation whose DS record stays, because Cloudflare refuses
    /// them.
    fn keep_delegations(
        todo: &mut Vec<(Todo<'l>, &ObjectEffect<RecordEffect>)>,
        zone: &LiveZone,
        conflicts: &mut Vec<Moved>,
    ) {
        let is = |record: &LiveRecord, kind: RecordType| record.data.record_type() == Some(kind);
        let stranded: BTreeSet<Fqdn> = Self::staying(todo, zone)
            .into_iter()
            .filter(|(name, _)| **name != *zone.name.as_fqdn())
            .filter(|(_, all)| {
                all.iter().any(|r| is(r, RecordType::Ds))
                    && !all.iter().any(|r| is(r, RecordType::Ns))
            })
            .map(|(name, _)| name.clone())
            .gather();
        let comes_back = |name: &Fqdn, todo: &[(Todo<'l>, &ObjectEffect<RecordEffect>)]| {
            let is_ns =
                |r: &DesiredRecord| r.name == *name && r.data.record_type() == Some(RecordType::Ns);
            todo.iter().any(|(todo, _)| matches!(todo, Todo::Create(after) if is_ns(after)))
        };
        let stranded: BTreeSet<Fqdn> =
            stranded.into_iter().filter(|name| !comes_back(name, todo)).gather();
        todo.retain(|(one, entry)| {
            let Todo::Delete(live, _) = one else { return true };
            if !is(live, RecordType::Ns) || !stranded.contains(&live.name) {
                return true;
            }
            conflicts.push(conflict(entry, undo_conflict::NEEDED_BY_DS));
            false
        });
    }

    /// Leaves out creates that cannot coexist with a record that stays.
    fn make_room(
        todo: &mut Vec<(Todo<'l>, &ObjectEffect<RecordEffect>)>,
        zone: &LiveZone,
        conflicts: &mut Vec<Moved>,
    ) {
        let standing = Self::staying(todo, zone);
        todo.retain(|(todo, entry)| {
            let Todo::Create(after) = todo else { return true };
            let is_apex = after.name == *zone.name.as_fqdn();
            let blocks =
                |other: &&&LiveRecord| match (after.data.record_type(), other.data.record_type()) {
                    (Some(own), Some(other)) => {
                        own.excludes_at(other, is_apex) || (own == other && own.is_single())
                    }
                    _ => false,
                };
            let Some(blocker) = standing.get(&after.name).and_then(|all| all.iter().find(blocks))
            else {
                return true;
            };
            conflicts.push(conflict(entry, conflicting_record(blocker)));
            false
        });
    }

    /// Converts to record changes.
    fn changes(&self, name: &ZoneName, zone: &'l LiveZone) -> RecordChanges<'_> {
        let mut sets: BTreeMap<(&Fqdn, &str), usize> = BTreeMap::new();
        let deleted = self.todo.iter().filter_map(|todo| match todo {
            Todo::Delete(live, _) => Some(&live.id),
            Todo::Create(_) | Todo::Update(..) => None,
        });
        let deleted: BTreeSet<&RecordId> = deleted.gather();
        // Addresses count the records as they will be.
        for record in zone.records.iter().filter(|record| !deleted.contains(&record.id)) {
            *sets.entry((&record.name, record.data.type_name())).or_default() += 1;
        }
        for todo in &self.todo {
            if let Todo::Create(after) = todo {
                *sets.entry((&after.name, after.data.type_name())).or_default() += 1;
            }
        }
        let created: BTreeSet<(&Fqdn, _)> = self
            .todo
            .iter()
            .filter_map(|todo| match todo {
                Todo::Create(after) => Some((&after.name, after.data.record_type()?)),
                Todo::Update(..) | Todo::Delete(..) => None,
            })
            .gather();
        let is_in_the_way = |record: &LiveRecord| {
            let is_apex = record.name == *zone.name.as_fqdn();
            let record_type = record.data.record_type();
            created.iter().any(|(at, t)| {
                **at == record.name
                    && record_type.is_some_and(|record_type| t.excludes_at(record_type, is_apex))
            })
        };
        let changes = self.todo.iter().map(|todo| {
            let (at, data) = todo.key();
            let change = match todo {
                Todo::Create(after) => {
                    (RecordChange::create(after), ChangeOrigin::of_wanted(after))
                }
                Todo::Update(before, after) => {
                    let fields = field_changes(before, &after.data, &after.facets);
                    // The record is as the apply left it, so its origin is the spec.
                    let origin = ChangeOrigin::of_wanted(after);
                    let origin = ChangeOrigin { live: Some(before), fields, ..origin };
                    (RecordChange::update(before, after), origin)
                }
                Todo::Delete(before, place) => {
                    let reason = if is_in_the_way(before) {
                        DeleteReason::InTheWay
                    } else {
                        DeleteReason::Undone
                    };
                    let origin = ChangeOrigin::of_unwanted(before, Claim::OWN);
                    let origin = ChangeOrigin { place: Some(*place), ..origin };
                    (RecordChange::delete(before, reason), origin)
                }
            };
            let has_several = sets.get(&(at, data.type_name())).is_some_and(|n| *n > 1);
            Change::new(name, change, has_several)
        });
        RecordChanges {
            zone: name.clone(),
            changes: changes.collect(),
            unchanged: self.unchanged,
            set_aside: Vec::new(),
            conflicts: Vec::new(),
            stranded: Vec::new(),
            kept_different: Vec::new(),
        }
    }
}

impl<'l> Live<'l, '_> {
    /// Returns the change that undoes one entry. Returns `None` if it is already undone. Fails with
    /// the reason if it cannot be undone.
    fn restore(
        &self,
        zone: &LiveZone,
        entry: &ObjectEffect<RecordEffect>,
    ) -> Result<Option<Todo<'l>>, String> {
        let todo = match &entry.effect {
            RecordEffect::Created { id, after } => match self.made(id.as_ref(), after)? {
                Some(live) => Todo::Delete(live, entry.place),
                None => return Ok(None),
            },
            RecordEffect::Changed { before, after } => match self.by_id(&after.id, after) {
                None => return Err(undo_conflict::RECORD_GONE.to_owned()),
                Some(live) if is_left(live, after) => {
                    Todo::Update(live, desired(zone, before, Some(live), entry.place))
                }
                Some(live) if is_left(live, before) => return Ok(None),
                Some(live) => return Err(record_changed(live, after)),
            },
            RecordEffect::Deleted { before } => {
                let by_value = || self.by_value.get(&(&before.name, &before.data));
                match self.by_id(&before.id, before).or_else(|| by_value().copied()) {
                    Some(live) if is_left(live, before) => return Ok(None),
                    Some(live) => return Err(record_changed(live, before)),
                    None if before.data.record_type().is_none() => {
                        return Err(undo_conflict::NOT_UNDERSTOOD.to_owned());
                    }
                    None => Todo::Create(desired(zone, before, None, entry.place)),
                }
            }
        };
        match &todo {
            Todo::Delete(live, _) | Todo::Update(live, _) => match live.read_only {
                Some(owner) => Err(record_managed(owner.owner())),
                None => Ok(Some(todo)),
            },
            Todo::Create(_) => Ok(Some(todo)),
        }
    }

    /// Returns the live record that had this id when the apply left it in this state. A later apply
    /// may have deleted it and created it again.
    fn by_id(&self, id: &RecordId, left: &LiveRecord) -> Option<&'l LiveRecord> {
        let mut id = id;
        for _ in 0..MOST_NEW_IDS {
            if let Some(live) = self.by_id.get(id) {
                return Some(live);
            }
            match self.new_ids.get(id)? {
                Some(new_id) => id = new_id,
                None => return self.by_value.get(&(&left.name, &left.data)).copied(),
            }
        }
        None
    }

    /// Returns the record that an apply created, if it is unchanged.
    fn made(
        &self,
        id: Option<&RecordId>,
        after: &LiveRecord,
    ) -> Result<Option<&'l LiveRecord>, String> {
        let by_value = self.by_value.get(&(&after.name, &after.data)).copied();
        let live = match id {
            None => by_value,
            Some(id) => match (self.by_id(id, after), by_value) {
                (Some(live), _) => Some(live),
                (None, Some(other)) => {
                    return Err(record_replaced(other));
                }
                (None, None) => None,
            },
        };
        match live {
            None => Ok(None),
            Some(live) if is_left(live, after) => Ok(Some(live)),
            Some(live) => Err(record_changed(live, after)),
        }
    }
}

/// Returns true if a record is as the apply left it. A proxied record has no time to live of its
/// own, and a setting that is not reported is off.
fn is_left(live: &LiveRecord, left: &LiveRecord) -> bool {
    let LiveRecord {
        id: _,
        name,
        data,
        ttl,
        proxied,
        comment,
        tags,
        settings,
        read_only: _,
        modified_on: _,
        reported: _,
    } = left;
    let on = |settings: Settings| settings.named().map(|(_, value)| value == Some(true));
    live.name == *name
        && live.data == *data
        && live.proxied == *proxied
        && (*proxied || live.ttl == *ttl)
        && live.comment == *comment
        && live.tags == *tags
        && on(live.settings) == on(*settings)
}

/// Returns a record as it was before, in the same spelling. Settings that the previous state does
/// not mention are off again.
fn desired(
    zone: &LiveZone,
    before: &LiveRecord,
    live: Option<&LiveRecord>,
    place: Place,
) -> DesiredRecord {
    let RecordForm { name, data, mut facets, reported } = before.form().without_settings_off();
    if let Some(live) = live {
        let back = |before: Option<bool>, live: Option<bool>| {
            before.or(live.filter(|on| *on).map(|_| false))
        };
        facets.settings = facets.settings.with(live.settings, |_, before, live| back(before, live));
    }
    let spelling =
        Spelling { name: zone.name.relative(&name).into(), place, entry: place, reported };
    DesiredRecord { name, data, facets, protect: false, allow: None, expires: None, spelling }
}
