//! Plans the undo of an apply's changes of rules. Pure.
//!
//! | the apply | live is as it left it | live is as before | live is something else |
//! |---|---|---|---|
//! | made a rule, or the entry point | the rule is deleted; the entry point stays | nothing to do | conflict |
//! | replaced a definition | the whole definition from before comes back | nothing to do | conflict |
//! | moved a rule | it goes back behind the rule that it was behind | nothing to do | conflict |
//! | deleted a rule | it is made again at its place | nothing to do | conflict |
//!
//! Several operations on one rule count as one. To check that the order is as the apply left it,
//! its moves are executed on the order in the journal. Rules that are new since then stay where
//! they are.

use std::collections::BTreeSet;

use super::journal::{ObjectEffect, RuleDone, RuleEffect};
use super::undo_conflict::{self, Moved, conflict, rule_changed, rule_replaced};
use crate::diff::{
    Member, PhaseChanges, RuleChange, RuleChangeKind, RuleDeleteReason, WafChanges, rule_fields,
};
use crate::model::ruleset::{
    EntryPoint, LiveRule, LiveWaf, Phase, Position, RuleBody, RuleId, canonical,
};
use crate::model::{Gather, LiveZone, sort_by_key};

/// Plans the changes that restore a zone's rules.
pub(super) fn restore_rules<'l>(
    entries: &[ObjectEffect<RuleEffect>],
    live: &'l LiveZone,
    conflicts: &mut Vec<Moved>,
    notes: &mut Vec<String>,
) -> WafChanges<'l> {
    let mut changes = WafChanges::default();
    for phase in Phase::ALL {
        let phase_entries: Vec<&ObjectEffect<RuleEffect>> =
            entries.iter().filter(|e| e.effect.phase == *phase).collect();
        let Some(first) = phase_entries.first() else { continue };
        match live.waf.entry_points.get(phase) {
            Some(entry_point) => {
                let mut undo = PhaseUndo::new(*phase, &phase_entries, entry_point, &live.waf);
                changes.phases.push(undo.changes(&phase_entries, conflicts, notes));
            }
            None => conflicts.push(conflict(first, undo_conflict::NO_RULES)),
        }
    }
    changes
}

/// The total effect of an apply on one rule.
struct Net<'e> {
    /// Cloudflare's id, if known.
    id: Option<RuleId>,
    /// Its definition before; `None` if the apply created it.
    before: Option<RuleBody>,
    /// Its definition after; `None` if the apply deleted it.
    after: Option<RuleBody>,
    /// The last entry about it.
    entry: &'e ObjectEffect<RuleEffect>,
}

/// Returns the total effects of an apply on the rules of a phase, in the order of their first
/// operations.
fn nets<'e>(entries: &[&'e ObjectEffect<RuleEffect>]) -> Vec<Net<'e>> {
    let mut nets: Vec<Net<'e>> = Vec::new();
    for entry in entries {
        let entry: &'e ObjectEffect<RuleEffect> = entry;
        let new_net = |id: Option<&RuleId>, before: Option<&RuleBody>, after: Option<&RuleBody>| {
            Net { id: id.cloned(), before: before.cloned(), after: after.cloned(), entry }
        };
        let find_net = |nets: &[Net], id: &RuleId, before: &RuleBody| {
            nets.iter().position(|net| match (&net.id, &net.after) {
                (Some(own), _) => own == id,
                (None, Some(after)) => is_same(after, before),
                (None, None) => false,
            })
        };
        match &entry.effect.what {
            RuleDone::EntryPoint(rules) => {
                nets.extend(rules.iter().map(|rule| new_net(None, None, Some(rule))))
            }
            RuleDone::Created(id, after) => nets.push(new_net(id.as_ref(), None, Some(after))),
            RuleDone::Patched(id, before, after) => match find_net(&nets, id, before) {
                Some(n) => {
                    nets[n].id = Some(id.clone());
                    nets[n].after = Some(after.clone());
                    nets[n].entry = entry;
                }
                None => nets.push(new_net(Some(id), Some(before), Some(after))),
            },
            RuleDone::Moved(_) => {}
            RuleDone::Deleted(id, before) => match find_net(&nets, id, before) {
                Some(n) if nets[n].before.is_none() => drop(nets.remove(n)),
                Some(n) => {
                    nets[n].after = None;
                    nets[n].entry = entry;
                }
                None => nets.push(new_net(Some(id), Some(before), None)),
            },
        }
    }
    nets
}

/// Returns true if two definitions are equal, including their names.
fn is_same(a: &RuleBody, b: &RuleBody) -> bool {
    a.reference() == b.reference() && canonical(a) == canonical(b)
}

/// The change that restores a rule.
enum Todo {
    /// The rule is created again.
    Create(RuleBody),
    /// The live rule with this number gets its previous definition.
    Patch(usize, RuleBody),
    /// The live rule with this number is deleted.
    Delete(usize),
}

/// The state of planning the undo of a phase.
struct PhaseUndo<'l, 'e> {
    phase: Phase,
    entry_point: &'l EntryPoint,
    waf: &'l LiveWaf,
    nets: Vec<Net<'e>>,
    /// The order before the apply, if the journal has it.
    order: Option<Vec<RuleId>>,
    /// The numbers of the journal's rules in the live order, by their ids in the journal. Rules
    /// that were created again have new ids.
    now: Vec<(RuleId, usize)>,
}

impl<'l, 'e> PhaseUndo<'l, 'e> {
    /// Returns the state before any entry is planned.
    fn new(
        phase: Phase,
        entries: &[&'e ObjectEffect<RuleEffect>],
        entry_point: &'l EntryPoint,
        waf: &'l LiveWaf,
    ) -> Self {
        let order = entries.iter().find_map(|entry| entry.effect.order.clone());
        let current_places =
            entry_point.rules().iter().enumerate().map(|(n, rule)| (rule.id.clone(), n)).collect();
        Self { phase, entry_point, waf, nets: nets(entries), order, now: current_places }
    }

    /// Returns the live rules.
    fn rules(&self) -> &'l [LiveRule] {
        self.entry_point.rules()
    }

    /// Returns the number of the live rule with an id of the journal.
    fn number(&self, id: &RuleId) -> Option<usize> {
        self.now.iter().find(|(known, _)| known == id).map(|(_, n)| *n)
    }

    /// Returns the differences that undo the entries.
    fn changes(
        &mut self,
        entries: &[&ObjectEffect<RuleEffect>],
        conflicts: &mut Vec<Moved>,
        notes: &mut Vec<String>,
    ) -> PhaseChanges<'l> {
        let mut todo: Vec<(usize, Todo)> = Vec::new();
        let mut unchanged = 0;
        for n in 0..self.nets.len() {
            match self.look(n) {
                Ok(Some(found)) => todo.push((n, found)),
                Ok(None) => unchanged += 1,
                Err(what) => conflicts.push(conflict(self.nets[n].entry, what)),
            }
        }
        let moved = self.moved(entries, conflicts, notes);
        let deleted_rules: BTreeSet<usize> = todo
            .iter()
            .filter_map(|(_, todo)| match todo {
                Todo::Delete(live) => Some(*live),
                Todo::Create(_) | Todo::Patch(..) => None,
            })
            .gather();
        let created: Vec<(usize, &Net)> = todo
            .iter()
            .filter(|(_, t)| matches!(t, Todo::Create(_)))
            .map(|(n, _)| (*n, &self.nets[*n]))
            .collect();
        if self.order.is_none() && !created.is_empty() {
            let words = "the journal does not say where deleted rules were: they are created again \
                at the end";
            notes.push(format!("{}: {words}", self.phase.about()));
        }
        let (order, moved) = self.sequence(&deleted_rules, &moved, &created);
        let mut changes: Vec<RuleChange<'l>> = Vec::new();
        for (n, todo) in todo {
            let place = Some(self.nets[n].entry.place);
            let (name, placed, kind, after, fields) = match todo {
                Todo::Create(after) => {
                    let fields = rule_fields(None, &after, self.waf);
                    (self.name(&after), Some(Member::New(n)), RuleChangeKind::Create, after, fields)
                }
                Todo::Patch(live, after) => {
                    let rule = &self.rules()[live];
                    let fields = rule_fields(Some(&rule.body), &after, self.waf);
                    let placed = moved.contains(&live).then_some(Member::Live(live));
                    (self.name(&after), placed, RuleChangeKind::Update(rule), after, fields)
                }
                Todo::Delete(live) => {
                    let rule = &self.rules()[live];
                    let kind = RuleChangeKind::Delete(rule, RuleDeleteReason::Undone);
                    (self.name(&rule.body), None, kind, rule.body.clone(), Vec::new())
                }
            };
            changes.push(RuleChange { name, kind, after, fields, placed, place, is_expiry: false });
        }
        for live in &moved {
            let rule = &self.rules()[*live];
            if changes.iter().any(|c| c.placed == Some(Member::Live(*live))) {
                continue;
            }
            let entry = entries
                .iter()
                .find(|e| matches!(&e.effect.what, RuleDone::Moved(id) | RuleDone::Patched(id, ..) if *id == rule.id));
            changes.push(RuleChange {
                name: self.name(&rule.body),
                kind: RuleChangeKind::Move(rule),
                after: rule.body.clone(),
                fields: Vec::new(),
                placed: Some(Member::Live(*live)),
                place: entry.map(|entry| entry.place),
                is_expiry: false,
            });
        }
        // Deletes come last, as in every plan.
        sort_by_key(&mut changes, |change| matches!(change.kind, RuleChangeKind::Delete(..)));
        PhaseChanges {
            phase: self.phase,
            live: self.entry_point,
            changes,
            order,
            unchanged,
            foreign: Vec::new(),
        }
    }

    /// Returns the name of a rule for people.
    fn name(&self, body: &RuleBody) -> String {
        let executed =
            body.executes().and_then(|id| self.waf.catalogue(id)?.which).map(|which| which.key());
        executed
            .or_else(|| body.reference())
            .or_else(|| body.description())
            .unwrap_or_else(|| body.action())
            .to_owned()
    }

    /// Returns the change that undoes the changes of one rule. Returns `None` if they are undone.
    /// Fails with the reason if they cannot be undone.
    fn look(&mut self, n: usize) -> Result<Option<Todo>, String> {
        let Net { id, before, after, entry: _ } = &self.nets[n];
        let by_id = id.as_ref().and_then(|id| self.number(id));
        let (found, todo) = match (before, after) {
            (None, None) => return Ok(None),
            (None, Some(after)) => match by_id.or_else(|| self.like(after)) {
                None => return Ok(None),
                Some(live) if id.is_some() && by_id.is_none() => {
                    return Err(rule_replaced(&self.rules()[live]));
                }
                Some(live) if is_same(&self.rules()[live].body, after) => {
                    (live, Some(Todo::Delete(live)))
                }
                Some(live) => return Err(rule_changed(&self.rules()[live])),
            },
            (Some(before), Some(after)) => match by_id {
                None => return Err(undo_conflict::RULE_GONE.to_owned()),
                Some(live) if is_same(&self.rules()[live].body, before) => return Ok(None),
                Some(live) if is_same(&self.rules()[live].body, after) => {
                    (live, Some(Todo::Patch(live, before.clone())))
                }
                Some(live) => return Err(rule_changed(&self.rules()[live])),
            },
            (Some(before), None) => match by_id.or_else(|| self.like(before)) {
                None => return Ok(Some(Todo::Create(before.clone()))),
                Some(live) if is_same(&self.rules()[live].body, before) => (live, None),
                Some(live) => return Err(rule_changed(&self.rules()[live])),
            },
        };
        // From here on, it is found by its new id.
        if let (Some(id), None) = (id.clone(), by_id) {
            self.now.push((id, found));
        }
        if let (None, Some(live)) = (id, self.rules().get(found)) {
            self.nets[n].id = Some(live.id.clone());
        }
        Ok(todo)
    }

    /// Returns a live rule with the name of a definition. Without a name, returns a new rule that
    /// does the same.
    fn like(&self, body: &RuleBody) -> Option<usize> {
        let is_new =
            |rule: &LiveRule| self.order.as_ref().is_none_or(|order| !order.contains(&rule.id));
        self.rules().iter().position(|rule| match body.reference() {
            Some(name) => rule.body.reference() == Some(name),
            None => is_new(rule) && is_same(&rule.body, body),
        })
    }

    /// Returns the live rules that move back to their previous positions.
    fn moved(
        &self,
        entries: &[&ObjectEffect<RuleEffect>],
        conflicts: &mut Vec<Moved>,
        notes: &mut Vec<String>,
    ) -> BTreeSet<usize> {
        let was_moved = |entry: &ObjectEffect<RuleEffect>| match &entry.effect.what {
            RuleDone::Moved(id) => Some(id.clone()),
            RuleDone::Patched(id, ..) => entry.effect.position.as_ref().map(|_| id.clone()),
            RuleDone::EntryPoint(_) | RuleDone::Created(..) | RuleDone::Deleted(..) => None,
        };
        let moves: Vec<(&ObjectEffect<RuleEffect>, RuleId)> =
            entries.iter().filter_map(|entry| Some((*entry, was_moved(entry)?))).collect();
        let Some((first, _)) = moves.first() else { return BTreeSet::new() };
        let Some(order) = &self.order else {
            notes.push(format!(
                "{}: the journal does not say where moved rules were: they stay",
                self.phase.about()
            ));
            return BTreeSet::new();
        };
        for (entry, id) in &moves {
            // The missing rule has been reported.
            if self.number(id).is_none() && matches!(entry.effect.what, RuleDone::Moved(_)) {
                conflicts.push(conflict(entry, undo_conflict::RULE_GONE));
            }
        }
        if self.stand_as(order) {
            return BTreeSet::new();
        }
        let is_left =
            [true, false].into_iter().any(|moves| self.stand_as(&self.left(order, entries, moves)));
        if !is_left {
            conflicts.push(conflict(first, undo_conflict::ORDER_CHANGED));
            return BTreeSet::new();
        }
        moves.iter().filter_map(|(_, id)| self.number(id)).collect()
    }

    /// Returns true if the live rules among these ids have this order.
    fn stand_as(&self, order: &[RuleId]) -> bool {
        order.iter().filter_map(|id| self.number(id)).is_sorted()
    }

    /// Returns the order in which an apply left the rules: with all its possible effects, or only
    /// with the certain ones.
    fn left(
        &self,
        order: &[RuleId],
        entries: &[&ObjectEffect<RuleEffect>],
        with_uncertain: bool,
    ) -> Vec<RuleId> {
        let mut order_left = order.to_vec();
        for entry in entries.iter().filter(|entry| with_uncertain || entry.is_certain) {
            let RuleEffect { what, position, .. } = &entry.effect;
            match what {
                RuleDone::Deleted(id, _) => order_left.retain(|known| known != id),
                RuleDone::Moved(id) | RuleDone::Patched(id, ..) => {
                    if let Some(position) = position {
                        order_left.retain(|known| known != id);
                        insert_at(&mut order_left, id.clone(), position);
                    }
                }
                RuleDone::Created(Some(id), _) => insert_at(
                    &mut order_left,
                    id.clone(),
                    position.as_ref().unwrap_or(&Position::Last),
                ),
                RuleDone::Created(None, _) | RuleDone::EntryPoint(_) => {}
            }
        }
        order_left
    }

    /// Returns the whole order after the undo, and the live rules that move.
    fn sequence(
        &self,
        gone: &BTreeSet<usize>,
        moved: &BTreeSet<usize>,
        created: &[(usize, &Net)],
    ) -> (Vec<Member>, BTreeSet<usize>) {
        let moved: BTreeSet<usize> = moved.difference(gone).copied().gather();
        let standing = (0..self.rules().len()).filter(|n| !gone.contains(n) && !moved.contains(n));
        let mut sequence: Vec<Member> = standing.map(Member::Live).collect();
        let order: &[RuleId] = self.order.as_deref().unwrap_or_default();
        let member = |id: &RuleId| {
            let created_ids = created
                .iter()
                .find(|(_, net)| net.id.as_ref() == Some(id))
                .map(|(n, _)| Member::New(*n));
            created_ids.or_else(|| self.number(id).filter(|n| !gone.contains(n)).map(Member::Live))
        };
        let members: Vec<Member> = order.iter().filter_map(member).collect();
        let is_placed = |m: &Member| match m {
            Member::New(_) => true,
            Member::Live(n) => moved.contains(n),
        };
        for (n, placed) in members.iter().enumerate().filter(|(_, m)| is_placed(m)) {
            let at = |m: &Member| sequence.iter().position(|known| known == m);
            let behind = members[..n].iter().rev().find_map(at).map(|at| at + 1);
            let place_before = || members[n + 1..].iter().find_map(at);
            let at = behind.or_else(place_before).unwrap_or(sequence.len());
            sequence.insert(at, *placed);
        }
        let unplaced =
            created.iter().map(|(n, _)| Member::New(*n)).filter(|m| !members.contains(m));
        sequence.extend(unplaced);
        (sequence, moved)
    }
}

/// Inserts a rule at a position.
fn insert_at(order: &mut Vec<RuleId>, id: RuleId, position: &Position) {
    let find = |other: &RuleId| order.iter().position(|known| known == other);
    let at = match position {
        Position::First => 0,
        Position::Last => order.len(),
        Position::Before(other) => find(other).unwrap_or(order.len()),
        Position::After(other) => find(other).map_or(order.len(), |n| n + 1),
        Position::Index(index) => index.saturating_sub(1).min(order.len()),
    };
    order.insert(at, id);
}
