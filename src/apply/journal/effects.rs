//! Reads a journal back: the changes of one apply, as far as its lines have them.
//!
//! | outcome of an intent | what is made of it |
//! |---|---|
//! | `done` | it took effect |
//! | `restored` | the delete that it takes back did not |
//! | `refused`, `not sent`, `no batches` | it did not |
//! | `lost`, `partly`, `unknown`, none | unknown, unless a later intent did the same: the reader checks the live state |
//!
//! The last line may be truncated. Any other line that is not JSON ends the reading. Values are
//! data, never instructions: a record outside its zone is refused.

use std::collections::BTreeMap;
use std::io::{BufRead, Seek};

use serde_json::Value as Json;

use super::journal_read_error::JournalReadError;
use super::line::{Intent, OperationLine, SentRequest};
use super::reader::{Event, EventContent, Fate, JournalText};
use crate::diagnostic::{Place, SourceId};
use crate::model::ruleset::{Phase, Position, RuleBody, RuleId};
use crate::model::{Gather, LiveRecord, RecordId, Value, ZoneId, ZoneName};
use crate::plan::Action;
use crate::wire::keyword::Keyword;
use crate::wire::record;
use crate::wire::ruleset::read_position;
use crate::wire::settings::from_json;

/// Replaces the id of a zone that is not yet created.
const NO_ZONE: &str = "NEW_ZONE_ID";

/// The effect of an apply on one object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectEffect<T> {
    /// The address of its operation.
    pub address: String,
    /// The time at which it was sent, according to the journal.
    pub sent_at: String,
    /// True if it is known to have taken effect. Otherwise Cloudflare is read to find out.
    pub is_certain: bool,
    /// Its line in the journal.
    pub place: Place,
    pub effect: T,
}

/// The effect on a record.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordEffect {
    /// The record was created.
    Created {
        /// Cloudflare's id, if the response had it.
        id: Option<RecordId>,
        /// The created record, with the values that Cloudflare fills in.
        after: Box<LiveRecord>,
    },
    /// The record was changed.
    Changed {
        /// The whole record before.
        before: Box<LiveRecord>,
        /// The whole record after.
        after: Box<LiveRecord>,
    },
    /// The record was deleted.
    Deleted {
        /// The whole record.
        before: Box<LiveRecord>,
    },
}

/// The change of a part of a zone: its path below the zone, and each field with its value before
/// and after.
#[derive(Debug, Clone, PartialEq)]
pub struct PartEffect {
    /// `settings/NAME`, `dnssec` or `dns_settings`.
    pub part: String,
    /// Fields by Cloudflare's names.
    pub fields: BTreeMap<String, (Value, Value)>,
}

/// The effect on a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleEffect {
    pub phase: Phase,
    /// The change.
    pub what: RuleDone,
    /// The ids of all rules before the change, in order, if the journal has them.
    pub order: Option<Vec<RuleId>>,
    /// The position that the rule was moved to, if any.
    pub position: Option<Position>,
}

/// The change of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleDone {
    /// The entry point was created with these rules.
    EntryPoint(Vec<RuleBody>),
    /// The rule was created, with its id if the response had it.
    Created(Option<RuleId>, RuleBody),
    /// Its definition was replaced.
    Patched(RuleId, RuleBody, RuleBody),
    /// The rule was moved.
    Moved(RuleId),
    /// The rule was deleted.
    Deleted(RuleId, RuleBody),
}

/// Ids of records that were deleted and created again, with their new ids; `None` if the response
/// with the new id was lost.
pub type NewIds = BTreeMap<RecordId, Option<RecordId>>;

/// The effects of an apply on a zone.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneRun {
    pub id: ZoneId,
    /// True if the apply created it.
    pub is_made: bool,
    /// Its records, in the order in which they were sent.
    pub records: Vec<ObjectEffect<RecordEffect>>,
    pub parts: Vec<ObjectEffect<PartEffect>>,
    pub rules: Vec<ObjectEffect<RuleEffect>>,
    /// Ids of records that later applies deleted and created again.
    pub new_ids: NewIds,
}

impl ZoneRun {
    /// Returns true if its id is unknown, because the response to its creation was lost or refused.
    /// Nothing else was sent for it.
    #[must_use]
    pub fn is_without_id(&self) -> bool {
        self.id.0 == NO_ZONE
    }
}

/// Entries with an index by address, used while reading.
struct Entries<T> {
    all: Vec<Option<ObjectEffect<T>>>,
    by_address: BTreeMap<String, Vec<usize>>,
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self { all: Vec::new(), by_address: BTreeMap::new() }
    }
}

impl<T> Entries<T> {
    /// Returns the remaining entries in order.
    fn finish(self) -> Vec<ObjectEffect<T>> {
        self.all.into_iter().flatten().collect()
    }
}

/// The state of a zone while its lines are read.
#[derive(Default)]
struct Reading {
    id: Option<ZoneId>,
    is_made: bool,
    records: Entries<RecordEffect>,
    parts: Entries<PartEffect>,
    rules: Entries<RuleEffect>,
}

/// The effects of an apply.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalRun {
    /// The time at which it began.
    pub began_at: String,
    /// The zones that it sent requests for.
    pub zones: BTreeMap<ZoneName, ZoneRun>,
    /// True if the last line is truncated.
    pub is_cut: bool,
}

/// An intent, with its place in the outline and its outcome.
struct IntentLine<'e> {
    number: usize,
    place: Place,
    intent: Intent,
    fate: Fate,
    ids: &'e [Box<str>],
}

impl JournalRun {
    /// Reads the effects. `source` is the number of the journal's [`JournalText::outline`] among
    /// the texts of a run.
    ///
    /// # Errors
    /// Fails if it cannot be read, has more operations than can be undone at once, or is damaged
    /// before its last line.
    pub fn read<R: BufRead + Seek>(
        mut text: JournalText<R>,
        source: SourceId,
    ) -> Result<Self, JournalReadError> {
        let is_cut = text.is_cut();
        let mut zones: BTreeMap<ZoneName, Reading> = BTreeMap::new();
        let mut began_at = String::new();
        let mut events = text.events()?;
        while let Some(Event { number, span, time, content }) = events.next()? {
            if number == 1 {
                began_at = time;
            }
            let EventContent::Sent(intent, fate, ids) = content else { continue };
            let name = ZoneName::parse(&intent.zone).map_err(|_| {
                JournalReadError::Broken(number, "its `zone` is not the name of a zone")
            })?;
            let line =
                IntentLine { number, place: Place { source, span }, intent: *intent, fate, ids };
            zones.entry(name.clone()).or_default().intent(&name, &line)?;
        }
        let zones = zones.into_iter().map(|(name, zone)| (name, zone.finish())).gather();
        Ok(Self { began_at, zones, is_cut })
    }
}

impl Reading {
    /// Returns the zone after all lines are read.
    fn finish(self) -> ZoneRun {
        let Self { id, is_made, records, parts, rules } = self;
        let id = id.unwrap_or_else(|| ZoneId(NO_ZONE.to_owned()));
        ZoneRun {
            id,
            is_made,
            records: records.finish(),
            parts: parts.finish(),
            rules: rules.finish(),
            new_ids: NewIds::new(),
        }
    }

    /// Adds one intent with its outcome.
    fn intent(&mut self, name: &ZoneName, line: &IntentLine<'_>) -> Result<(), JournalReadError> {
        let zone = self;
        let IntentLine { number, place, intent, fate, ids } = line;
        let (place, fate, ids) = (*place, *fate, *ids);
        let broken = |what| JournalReadError::Broken(*number, what);
        let Intent { step: _, zone: _, zone_id, zone_created_on: _, request, operations, time } =
            intent;
        if zone_id != NO_ZONE {
            zone.id = Some(ZoneId(zone_id.clone()));
        }
        let is_create = |o: &&OperationLine| o.action == Keyword(Action::Create);
        // Ids are those of the created records, in order. A response of another shape is ignored.
        let creates = operations.iter().filter(is_create).count();
        let mut created = if creates == ids.len() { ids } else { &[] }.iter();
        for operation in operations {
            let address = operation.address.as_str();
            let created_id =
                if is_create(&operation) { created.next().map(AsRef::as_ref) } else { None };
            // A response may contain an empty id.
            let created_id = created_id.filter(|id| !id.is_empty());
            let path = address.strip_prefix(name.as_str()).unwrap_or_default();
            let entry = |is_certain| Head { address, sent_at: time, is_certain, place };
            if path.is_empty() {
                if fate != Fate::Nothing {
                    zone.is_made = true;
                    zone.id = created_id.map(|id| ZoneId(id.to_owned())).or_else(|| zone.id.take());
                }
            } else if path.starts_with("/dns/") {
                let effect = record_effect(operation, created_id)
                    .ok_or(broken("a record in it cannot be read"))?;
                let is_within = |r: &LiveRecord| r.name.is_within(name.as_fqdn());
                if !images(&effect).all(is_within) {
                    return Err(broken("a record in it is outside of its zone"));
                }
                // A delete that is sent as a create is a deletion that is taken back.
                let is_back =
                    operation.action == Keyword(Action::Delete) && is_single_create(request);
                take_effect(
                    &mut zone.records,
                    entry,
                    effect,
                    if is_back { fate.of_taking_back() } else { Some(fate) },
                    same_record,
                );
            } else if let Some(path) = path.strip_prefix("/waf/") {
                let phase = path.split('/').next().unwrap_or_default();
                let phase = Phase::ALL.iter().copied().find(|p| p.as_str() == phase);
                let phase =
                    phase.ok_or(broken("it names a phase that this version does not know"))?;
                let effect = rule_effect(phase, operation, created_id, request)
                    .ok_or(broken("a rule in it cannot be read"))?;
                take_effect(&mut zone.rules, entry, effect, Some(fate), same_rule);
            } else {
                let part = path
                    .strip_prefix('/')
                    .ok_or(broken("an address in it is outside of its zone"))?;
                let effect =
                    PartEffect { part: part.to_owned(), fields: setting_fields(operation) };
                take_effect(&mut zone.parts, entry, effect, Some(fate), |a, b| a.part == b.part);
            }
        }
        Ok(())
    }
}

/// The first members of an entry.
struct Head<'l> {
    address: &'l str,
    sent_at: &'l str,
    is_certain: bool,
    place: Place,
}

/// Adds an effect, or replaces the earlier effect of the same operation.
fn take_effect<'l, T>(
    entries: &mut Entries<T>,
    head: impl Fn(bool) -> Head<'l>,
    effect: T,
    fate: Option<Fate>,
    is_same: impl Fn(&T, &T) -> bool,
) {
    let Head { address, sent_at, is_certain, place } = head(fate == Some(Fate::Done));
    let numbers = entries.by_address.entry(address.to_owned()).or_default();
    let is_same_effect =
        |n: &usize| entries.all[*n].as_ref().is_some_and(|e| is_same(&e.effect, &effect));
    let earlier = numbers.iter().copied().find(is_same_effect);
    match (fate, earlier) {
        (None | Some(Fate::Nothing), _) => {}
        (Some(Fate::Restored), Some(n)) => entries.all[n] = None,
        (Some(Fate::Restored), None) => {}
        (Some(Fate::Done | Fate::Unknown), earlier) => {
            let entry = ObjectEffect {
                address: address.to_owned(),
                sent_at: sent_at.to_owned(),
                is_certain,
                place,
                effect,
            };
            match earlier {
                Some(n) => entries.all[n] = Some(entry),
                None => {
                    numbers.push(entries.all.len());
                    entries.all.push(Some(entry));
                }
            }
        }
    }
}

/// Returns true if two effects belong to one operation that was sent twice.
fn same_record(a: &RecordEffect, b: &RecordEffect) -> bool {
    match (a, b) {
        (RecordEffect::Created { after: a, .. }, RecordEffect::Created { after: b, .. }) => {
            (&a.name, &a.data) == (&b.name, &b.data)
        }
        (RecordEffect::Changed { after: a, .. }, RecordEffect::Changed { after: b, .. }) => {
            a.id == b.id
        }
        (RecordEffect::Deleted { before: a }, RecordEffect::Deleted { before: b }) => a.id == b.id,
        (
            RecordEffect::Created { .. }
            | RecordEffect::Changed { .. }
            | RecordEffect::Deleted { .. },
            _,
        ) => false,
    }
}

/// Returns true if two effects belong to one operation that was sent twice.
fn same_rule(a: &RuleEffect, b: &RuleEffect) -> bool {
    a.phase == b.phase
        && match (&a.what, &b.what) {
            (RuleDone::EntryPoint(a), RuleDone::EntryPoint(b)) => a == b,
            (RuleDone::Created(_, a), RuleDone::Created(_, b)) => a == b,
            (RuleDone::Patched(a, ..), RuleDone::Patched(b, ..)) => a == b,
            (RuleDone::Moved(a), RuleDone::Moved(b))
            | (RuleDone::Deleted(a, _), RuleDone::Deleted(b, _)) => a == b,
            (
                RuleDone::EntryPoint(_)
                | RuleDone::Created(..)
                | RuleDone::Patched(..)
                | RuleDone::Moved(_)
                | RuleDone::Deleted(..),
                _,
            ) => false,
        }
}

/// Returns the records before and after.
fn images(effect: &RecordEffect) -> impl Iterator<Item = &LiveRecord> {
    let (before, after) = match effect {
        RecordEffect::Created { after, .. } => (None, Some(after)),
        RecordEffect::Changed { before, after } => (Some(before), Some(after)),
        RecordEffect::Deleted { before } => (Some(before), None),
    };
    before.into_iter().chain(after).map(AsRef::as_ref)
}

/// Returns true if a request creates one record.
pub(super) fn is_single_create(request: &SentRequest) -> bool {
    request.method == "POST" && request.path.ends_with("/dns_records")
}

/// Returns the effect of an operation on a record.
fn record_effect(operation: &OperationLine, created: Option<&str>) -> Option<RecordEffect> {
    let image = |of: &Option<Json>, id: &str| {
        let mut body = of.clone()?;
        body.as_object_mut()?.insert("id".to_owned(), id.into());
        record::read_record(&body).ok().map(Box::new)
    };
    let OperationLine { action: Keyword(action), before, after, .. } = operation;
    let id = operation.id();
    match action {
        // A record with an unknown id needs some id while it is read.
        Action::Create => Some(RecordEffect::Created {
            id: created.map(|id| RecordId(id.to_owned())),
            after: image(after, created.unwrap_or("?"))?,
        }),
        Action::Update => {
            Some(RecordEffect::Changed { before: image(before, id)?, after: image(after, id)? })
        }
        Action::Delete => Some(RecordEffect::Deleted { before: image(before, id)? }),
        Action::Move => None,
    }
}

/// Returns the fields of an operation on a part of a zone.
fn setting_fields(operation: &OperationLine) -> BTreeMap<String, (Value, Value)> {
    let fields = operation.fields.iter().flatten();
    fields.map(|f| (f.field.clone(), (from_json(&f.before), from_json(&f.after)))).gather()
}

/// Reads a rule's definition.
fn rule_body(json: Option<&Json>) -> Option<RuleBody> {
    match from_json(json?) {
        Value::Map(members) => Some(RuleBody::new(members)),
        _ => None,
    }
}

/// Returns the effect of an operation on a rule.
fn rule_effect(
    phase: Phase,
    operation: &OperationLine,
    created: Option<&str>,
    request: &SentRequest,
) -> Option<RuleEffect> {
    let id = || Some(RuleId(operation.id().to_owned())).filter(|id| !id.0.is_empty());
    let OperationLine { action: Keyword(action), before, after, order, .. } = operation;
    let what = match (action, after) {
        (Action::Create, Some(Json::Array(rules))) => RuleDone::EntryPoint(
            rules.iter().map(|rule| rule_body(Some(rule))).collect::<Option<_>>()?,
        ),
        (Action::Create, after) => {
            RuleDone::Created(created.map(|id| RuleId(id.to_owned())), rule_body(after.as_ref())?)
        }
        (Action::Update, after) => {
            RuleDone::Patched(id()?, rule_body(before.as_ref())?, rule_body(after.as_ref())?)
        }
        (Action::Move, _) => RuleDone::Moved(id()?),
        (Action::Delete, _) => RuleDone::Deleted(id()?, rule_body(before.as_ref())?),
    };
    let order = order.as_ref().map(|ids| ids.iter().map(|id| RuleId(id.clone())).collect());
    let position =
        request.body.as_ref().and_then(|body| body.get("position")).and_then(read_position);
    Some(RuleEffect { phase, what, order, position })
}
