//! Operations that were applied recently and are planned again, because they did not converge or
//! someone reverts them.
//!
//! The newest journal that names an address decides, so a change of the spec and its reversal are
//! no repetition. A journal that was undone is ignored for the zones of the undo. A zone is
//! identified by its id and its creation time, because the zones of a sandbox have the same ids
//! after a reset, and in another directory. A journal that cannot be read is ignored. Pure except
//! for reading the journals.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Seek};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::effects::is_single_create;
use super::line::{Intent, OperationLine};
use super::reader::{Event, EventContent, Fate, JournalText, MOST_OPERATIONS};
use crate::model::{Address, Fqdn, Gather, LiveZone};
use crate::plan::{Action, Operation, Overwrites, ZonePlan};
use crate::wire::json_digest::Sum;
use crate::wire::keyword::Keyword;

/// An operation that was applied and is planned again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedBefore {
    pub address: Address,
    /// The time at which it was applied, according to the journal.
    pub applied_at: String,
}

/// A create at a name whose records an apply deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptiedName {
    /// The address of the create.
    pub address: Address,
    pub name: Fqdn,
    /// The time at which the records were deleted, according to the journal.
    pub deleted_at: String,
}

/// The last operation of a journal at an address in a zone.
struct Last {
    aim: Digest,
    /// The sum of what takes the operation back.
    reversal: Digest,
    at: Arc<str>,
    /// The values of the records that were written there.
    written: Vec<Digest>,
}

/// The sum of the desired state of an operation.
type Digest = Sum;

/// A zone at Cloudflare, or in one sandbox.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct JournalZone {
    id: Arc<str>,
    /// Its creation time as Cloudflare wrote it; empty if unknown.
    created_on: Arc<str>,
}

impl JournalZone {
    fn of(plan: &ZonePlan) -> Self {
        let created_on = plan.created_on.as_deref().unwrap_or_default();
        Self { id: plan.id.0.as_str().into(), created_on: created_on.into() }
    }
}

/// The change that an operation makes to the records of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameChange {
    /// A record was deleted, or may have been.
    Emptied,
    /// A record was created.
    Filled,
    /// A record was to be created, and it is unknown whether it exists.
    NotFilled,
}

/// Returns the change that an operation with this fate made to the records of a name; `is_back` if
/// it was sent as a create.
fn change_at_name(
    operation: &OperationLine,
    fate: Fate,
    is_back: bool,
) -> Option<(Box<str>, NameChange)> {
    let OperationLine { action: Keyword(action), before, after, .. } = operation;
    let name = before.as_ref().or(after.as_ref())?.get("name")?.as_str()?;
    let change = match (action, fate) {
        (Action::Delete, Fate::Done | Fate::Restored) if is_back => NameChange::Filled,
        (Action::Delete, Fate::Done | Fate::Unknown) if !is_back => NameChange::Emptied,
        (Action::Create, Fate::Done) => NameChange::Filled,
        (Action::Create, _) => NameChange::NotFilled,
        (Action::Delete, _) if is_back => NameChange::NotFilled,
        _ => return None,
    };
    operation.address.contains("/dns/").then(|| (name.into(), change))
}

/// The operations that were applied, by zone and address, from the newest journal that names them.
#[derive(Default)]
pub struct AppliedOperations {
    last: BTreeMap<(JournalZone, Box<str>), Option<Last>>,
    /// The time at which records of a name were deleted, unless one was created there later, from
    /// the newest journal that names it.
    deleted: BTreeMap<(JournalZone, Box<str>), Option<Arc<str>>>,
    /// Digests of the journals that were undone, with the zones of the undo.
    undone: BTreeSet<(Box<str>, JournalZone)>,
}

impl AppliedOperations {
    /// Adds a journal. Journals are added from the newest to the oldest. One that cannot be read is
    /// ignored.
    pub fn add<R: BufRead + Seek>(&mut self, mut text: JournalText<R>) {
        let (digest, source): (Box<str>, Box<str>) =
            (text.digest().into(), text.source_digest().into());
        let Ok(mut events) = text.events() else { return };
        let mut journal_operations: BTreeMap<(JournalZone, Box<str>), Option<Last>> =
            BTreeMap::new();
        let mut deleted: BTreeMap<(JournalZone, Box<str>), Option<Arc<str>>> = BTreeMap::new();
        let (mut unfilled, mut has_ended): (BTreeSet<(JournalZone, Box<str>)>, bool) =
            Default::default();
        while let Ok(Some(Event { content, .. })) = events.next() {
            let (intent, fate) = match content {
                EventContent::Sent(intent, fate, _) => (*intent, fate),
                EventContent::End => {
                    has_ended = true;
                    continue;
                }
                EventContent::Other => continue,
            };
            let Intent { zone_id, zone_created_on, request, operations, time, .. } = intent;
            let is_done = fate == Fate::Done;
            let is_back = is_single_create(&request);
            let zone = JournalZone {
                id: zone_id.into(),
                created_on: zone_created_on.unwrap_or_default().into(),
            };
            // The source of an ordinary apply is a spec, so no journal has its digest.
            self.undone.insert((source.clone(), zone.clone()));
            if self.undone.contains(&(digest.clone(), zone.clone())) {
                continue;
            }
            let at: Arc<str> = time.into();
            for operation in operations {
                if let Some((name, change)) = change_at_name(&operation, fate, is_back) {
                    let key = (zone.clone(), name);
                    match change {
                        NameChange::Emptied => drop(deleted.insert(key, Some(Arc::clone(&at)))),
                        NameChange::Filled => drop(deleted.insert(key, None)),
                        NameChange::NotFilled => drop(unfilled.insert(key)),
                    }
                }
                let written = operation.after.as_ref().and_then(value_digest).into_iter();
                let last = is_done.then(|| Last {
                    aim: aim_digest(&operation),
                    reversal: reversal_digest(&operation),
                    at: Arc::clone(&at),
                    written: written.collect(),
                });
                let previous = journal_operations
                    .insert((zone.clone(), operation.address.clone().into()), last);
                // Several values of one name and type have one address.
                if let (Some(Some(previous)), Some(Some(last))) = (
                    previous,
                    journal_operations.get_mut(&(zone.clone(), operation.address.into())),
                ) {
                    last.written.extend(previous.written);
                }
            }
        }
        for (key, last) in journal_operations {
            if self.last.len() < MOST_OPERATIONS {
                self.last.entry(key).or_insert(last);
            }
        }
        // Excludes names that an apply was meant to leave empty.
        deleted.retain(|key, at| at.is_none() || !has_ended || unfilled.contains(key));
        for (key, at) in deleted {
            if self.deleted.len() < MOST_OPERATIONS {
                self.deleted.entry(key).or_insert(at);
            }
        }
    }

    /// Returns the creates of a plan at names whose records an apply deleted, one for each name.
    pub fn emptied(&self, plan: &ZonePlan, live: &LiveZone) -> Vec<EmptiedName> {
        if self.deleted.is_empty() {
            return Vec::new();
        }
        let mut names: BTreeSet<&Fqdn> = live.records.iter().map(|record| &record.name).gather();
        let zone = JournalZone::of(plan);
        let creates = plan.records().filter(|(_, _, record)| record.change.id().is_none());
        let emptied = creates.filter_map(|(_, operation, record)| {
            let name = &record.form().name;
            let deleted_at = self.deleted.get(&(zone.clone(), name.as_str().into()))?.as_ref()?;
            let (address, name) =
                (operation.address.clone(), names.insert(name).then(|| name.clone())?);
            Some(EmptiedName { address, name, deleted_at: deleted_at.to_string() })
        });
        emptied.collect()
    }

    /// Returns the operations of a plan that were applied at a time that counts.
    pub fn repeated(&self, zone: &ZonePlan, counts: impl Fn(&str) -> bool) -> Vec<AppliedBefore> {
        self.with_aim(zone, counts, |last| &last.aim)
    }

    /// Returns the operations of a plan that take back what was applied at a time that counts.
    pub fn reverted(&self, zone: &ZonePlan, counts: impl Fn(&str) -> bool) -> Vec<AppliedBefore> {
        self.with_aim(zone, counts, |last| &last.reversal)
    }

    /// Returns the operations of a plan that want what `wanted` selects of the last one at their address.
    fn with_aim(
        &self,
        zone: &ZonePlan,
        counts: impl Fn(&str) -> bool,
        wanted: impl Fn(&Last) -> &Digest,
    ) -> Vec<AppliedBefore> {
        let plan_zone = JournalZone::of(zone);
        let applied = |operation: &Operation| {
            let key = (plan_zone.clone(), operation.address.as_str().into());
            let last = self.last.get(&key)?.as_ref()?;
            let is_wanted = *wanted(last) == aim_digest(&OperationLine::of(operation, &[]));
            (is_wanted && counts(&last.at)).then(|| AppliedBefore {
                address: operation.address.clone(),
                applied_at: last.at.to_string(),
            })
        };
        zone.operations.iter().filter_map(applied).collect()
    }

    /// Returns the operations of a plan that replace a value of unknown origin, and that an apply
    /// wrote at a time that counts.
    pub fn written(&self, zone: &ZonePlan, counts: impl Fn(&str) -> bool) -> Vec<AppliedBefore> {
        let plan_zone = JournalZone::of(zone);
        let is_unknown = |operation: &&Operation| {
            operation
                .record()
                .is_some_and(|record| matches!(record.overwrites, Overwrites::Unknown { .. }))
        };
        let ours = |operation: &Operation| {
            let last =
                self.last.get(&(plan_zone.clone(), operation.address.as_str().into()))?.as_ref()?;
            let replaced = value_digest(OperationLine::of(operation, &[]).before.as_ref()?)?;
            (last.written.contains(&replaced) && counts(&last.at)).then(|| AppliedBefore {
                address: operation.address.clone(),
                applied_at: last.at.to_string(),
            })
        };
        zone.operations.iter().filter(is_unknown).filter_map(ours).collect()
    }
}

/// Returns the sum of a record's type and value without its attributes; `None` if it is not a
/// record.
fn value_digest(record: &Json) -> Option<Digest> {
    let member = |name: &str| record.get(name).cloned().unwrap_or_default();
    let kind = record.get("type")?;
    Some(Sum::of(&json!([kind, member("content"), member("data"), member("priority")])))
}

/// Returns the sum of the desired state of an operation, independent of the state before it.
fn aim_digest(operation: &OperationLine) -> Digest {
    let OperationLine { action: Keyword(action), after, fields, .. } = operation;
    let fields: Vec<Json> = fields.iter().flatten().map(|f| json!([f.field, f.after])).collect();
    Sum::of(&json!([action.as_str(), after, fields]))
}

/// Returns the sum of the state before an operation, which its opposite wants.
fn reversal_digest(operation: &OperationLine) -> Digest {
    let OperationLine { action: Keyword(action), before, fields, .. } = operation;
    let action = match action {
        Action::Create => Action::Delete,
        Action::Delete => Action::Create,
        Action::Update | Action::Move => *action,
    };
    let fields: Vec<Json> = fields.iter().flatten().map(|f| json!([f.field, f.before])).collect();
    Sum::of(&json!([action.as_str(), before, fields]))
}
