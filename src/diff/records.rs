//! Comparison of the records of one zone.
//!
//! Records are grouped by name and type. Within a group, in this order:
//!
//! 1. equal values are one record; of several equal live ones the one without differences, else the one with the smallest id;
//! 2. tombstones take their live records;
//! 3. what is left is paired within one [`Purpose`]: first values with one pairing key (an MX with the same exchange), then
//!    in the order of the values, unless foreign values are kept and there are more live ones than wanted ones;
//! 4. left-over desired records are created; left-over live ones are unmanaged, or deleted where the zone is pruned.
//!
//! Then, name by name, live records that cannot stand beside a create are taken out of its way.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::change::{Change, ChangeKind, Conflict, DeleteReason, RecordChanges, SetAside, SetAsideReason};
use super::facets::field_changes;
use super::scope::{is_own_name_server, untouchable};
use crate::model::{
    Address, DesiredRecord, DesiredZone, Fqdn, LiveRecord, LiveZone, Purpose, Rdata, RecordId, RecordType, Tombstone,
    Unmanaged,
};

/// Something at a name.
enum Entry<'a> {
    Desired(&'a DesiredRecord),
    Tombstone(&'a Tombstone),
    Live(&'a LiveRecord),
    Untouchable(SetAside<'a>),
}

/// Everything at one name and type.
#[derive(Default)]
struct Group<'a> {
    desired: Vec<&'a DesiredRecord>,
    tombstones: Vec<&'a Tombstone>,
    live: Vec<&'a LiveRecord>,
    untouchable: Vec<SetAside<'a>>,
}

/// What became of a group.
#[derive(Default)]
struct Outcome<'a> {
    unchanged: usize,
    creates: Vec<&'a DesiredRecord>,
    changes: Vec<ChangeKind<'a>>,
    set_aside: Vec<SetAside<'a>>,
    /// Records wanted that stand there with differences, maintained by somebody else.
    kept_different: Vec<Conflict<'a>>,
    /// Live records that nobody wants, before it is known whether they are in the way.
    rest: Vec<&'a LiveRecord>,
}

/// All differences between what the spec wants of a zone and what the service has.
#[must_use]
pub fn diff_records<'a>(desired: &'a DesiredZone, live: &'a LiveZone) -> RecordChanges<'a> {
    let mut result = RecordChanges {
        zone: desired.name.clone(),
        changes: Vec::new(),
        unchanged: 0,
        set_aside: Vec::new(),
        conflicts: Vec::new(),
        kept_different: Vec::new(),
    };
    let (names, maintained) = names(desired, live);
    result.unchanged = maintained;
    // Most names of most zones are as they should be; only the others are put in order and looked at closely.
    let (settled, mut open): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, entries)| is_settled(entries));
    result.unchanged += settled.len();
    open.sort_unstable_by_key(|(name, _)| *name);
    for (_, entries) in open {
        diff_name(desired, by_type(entries), &mut result);
    }
    result.set_aside.sort_by(|a, b| record_order(a.record, b.record));
    result
}

/// The records of both sides by name, in any order; and how many wanted ones the service maintains without listing them.
fn names<'a>(desired: &'a DesiredZone, live: &'a LiveZone) -> (HashMap<&'a Fqdn, Vec<Entry<'a>>>, usize) {
    let mut names: HashMap<&Fqdn, Vec<Entry>> = HashMap::with_capacity(desired.records.len());
    let mut maintained = 0;
    for record in &desired.records {
        if is_own_name_server(live, &record.name, &record.data) {
            maintained += 1;
            continue;
        }
        names.entry(&record.name).or_default().push(Entry::Desired(record));
    }
    for tombstone in &desired.tombstones {
        names.entry(&tombstone.name).or_default().push(Entry::Tombstone(tombstone));
    }
    for record in &live.records {
        names.entry(&record.name).or_default().push(match untouchable(desired, live, record) {
            Some(reason) => Entry::Untouchable(SetAside { record, reason }),
            None => Entry::Live(record),
        });
    }
    (names, maintained)
}

/// Whether one record is wanted at a name, and it alone stands there, as it should.
fn is_settled(entries: &[Entry]) -> bool {
    match entries {
        [Entry::Desired(desired), Entry::Live(live)] => live.data == desired.data && is_as_wanted(live, desired),
        _ => false,
    }
}

/// Everything at one name, by type.
fn by_type(entries: Vec<Entry<'_>>) -> BTreeMap<&str, Group<'_>> {
    let mut types: BTreeMap<&str, Group> = BTreeMap::new();
    for entry in entries {
        match entry {
            Entry::Desired(record) => types.entry(record.data.type_name()).or_default().desired.push(record),
            Entry::Tombstone(stone) => types.entry(stone.record_type.as_str()).or_default().tombstones.push(stone),
            Entry::Live(record) => types.entry(record.data.type_name()).or_default().live.push(record),
            Entry::Untouchable(aside) => {
                types.entry(aside.record.data.type_name()).or_default().untouchable.push(aside);
            }
        }
    }
    types
}

/// Everything at one name.
fn diff_name<'a>(zone: &DesiredZone, types: BTreeMap<&'a str, Group<'a>>, result: &mut RecordChanges<'a>) {
    let mut outcomes: Vec<Outcome<'a>> = types.into_values().map(|group| diff_group(group, zone.unmanaged)).collect();
    let created: BTreeSet<RecordType> =
        outcomes.iter().flat_map(|o| &o.creates).filter_map(|r| r.data.record_type()).collect();
    let apex = zone.name.as_fqdn();
    let in_the_way = |record: &LiveRecord| {
        let is_apex = record.name == *apex;
        record.data.record_type().is_some_and(|own| created.iter().any(|t| t.excludes_at(own, is_apex)))
    };

    for outcome in &mut outcomes {
        let Outcome { unchanged: _, creates, changes, set_aside, rest, kept_different } = outcome;
        result.kept_different.append(kept_different);
        for record in std::mem::take(rest) {
            let delete = |reason| ChangeKind::Delete { before: record, reason, place: None, accepted: None };
            if in_the_way(record) {
                changes.push(delete(DeleteReason::InTheWay));
            } else if zone.unmanaged == Unmanaged::Prune {
                changes.push(delete(DeleteReason::Pruned));
            } else if !zone.removed.is_empty() && zone.removed.contains_key(&(record.name.clone(), record.data.clone()))
            {
                changes.push(delete(DeleteReason::Removed));
            } else {
                set_aside.push(SetAside { record, reason: SetAsideReason::Unmanaged });
            }
        }
        changes.extend(creates.iter().map(|after| ChangeKind::Create { after }));
    }

    // A create next to a record that must not be touched, and that the service would not accept beside it.
    // Types decide that, so one record stands for all of its type.
    let mut creates: Vec<&DesiredRecord> = outcomes.iter().flat_map(|o| o.creates.iter().copied()).collect();
    creates.dedup_by_key(|r| r.data.record_type());
    for aside in outcomes.iter().flat_map(|o| &o.set_aside) {
        if aside.reason == SetAsideReason::Unmanaged {
            continue;
        }
        let blocks = |record: &&DesiredRecord| match (
            record.data.record_type(),
            RecordType::parse(aside.record.data.type_name()),
        ) {
            (Some(wanted), Some(own)) => {
                wanted.excludes_at(own, record.name == *apex) || (wanted == own && wanted.is_single())
            }
            _ => false,
        };
        if let Some(desired) = creates.iter().copied().find(blocks) {
            result.conflicts.push(Conflict { desired, live: aside.record, reason: aside.reason.clone() });
        }
    }

    let mut changes = Vec::new();
    for outcome in outcomes {
        result.unchanged += outcome.unchanged;
        // Counted as it will be in the end, so that it does not change while the plan is carried out.
        let staying = outcome.changes.iter().filter(|kind| !matches!(kind, ChangeKind::Delete { .. }));
        let members = outcome.unchanged + staying.count() + outcome.set_aside.len();
        changes.extend(outcome.changes.into_iter().map(|kind| Change { address: address(zone, &kind, members), kind }));
        result.set_aside.extend(outcome.set_aside);
    }
    changes.sort_by(|a, b| (rank(&a.kind), &a.address).cmp(&(rank(&b.kind), &b.address)));
    result.changes.extend(changes);
}

/// Deletes make room before what needs it; a DS goes before the NS that it needs, and comes after it.
fn rank(kind: &ChangeKind) -> u8 {
    match kind {
        ChangeKind::Delete { before, .. } => match before.data.type_name() {
            "DS" => 0,
            "NS" => 2,
            _ => 1,
        },
        ChangeKind::Update { .. } => 3,
        ChangeKind::Create { after } => match after.data.type_name() {
            "NS" => 4,
            "DS" => 6,
            _ => 5,
        },
    }
}

/// The address of a changed record; with a digest where its set will have several members, and for each that is deleted.
fn address(zone: &DesiredZone, kind: &ChangeKind, members: usize) -> Address {
    match kind {
        ChangeKind::Create { after } | ChangeKind::Update { after, .. } => {
            Address::of_record(&zone.name, &after.name, &after.data, members > 1)
        }
        ChangeKind::Delete { before, .. } => Address::of_record(&zone.name, &before.name, &before.data, true),
    }
}

/// Everything at one name and type.
fn diff_group(group: Group, unmanaged: Unmanaged) -> Outcome {
    let Group { mut desired, tombstones, mut live, untouchable } = group;
    let mut outcome = Outcome { set_aside: untouchable, ..Outcome::default() };
    desired.sort_by(|a, b| a.data.cmp(&b.data));
    live.sort_by(|a, b| record_order(a, b));

    take_satisfied_by_untouchable(&mut desired, &mut outcome);
    let (desired, live) = take_equal(desired, live, &mut outcome);
    let live = take_tombstones(&tombstones, live, &mut outcome);
    let (creates, rest) = pair(desired, live, unmanaged, &mut outcome);
    outcome.creates = creates;
    outcome.rest = rest;
    outcome
}

/// A wanted record that stands there already, maintained by somebody else, is as it should be.
///
/// Records that the zone's own `ignore` names are compared all the same if the spec names exactly this value.
fn take_satisfied_by_untouchable<'a>(desired: &mut Vec<&'a DesiredRecord>, outcome: &mut Outcome<'a>) {
    if outcome.set_aside.is_empty() {
        return;
    }
    let values: BTreeMap<&Rdata, &SetAside> = outcome.set_aside.iter().map(|a| (&a.record.data, a)).collect();
    let mut unchanged = 0;
    let mut claimed: Vec<(&LiveRecord, &DesiredRecord)> = Vec::new();
    // Those of them that are no longer set aside.
    let mut found: BTreeSet<&RecordId> = BTreeSet::new();
    desired.retain(|record| match values.get(&record.data) {
        None => true,
        Some(SetAside { reason: SetAsideReason::Ignored(_), record: live }) => {
            claimed.push((live, record));
            found.insert(&live.id);
            false
        }
        Some(SetAside { record: live, reason }) => {
            if is_as_wanted(live, record) {
                unchanged += 1;
            } else {
                outcome.kept_different.push(Conflict { desired: record, live, reason: reason.clone() });
            }
            found.insert(&live.id);
            false
        }
    });
    outcome.unchanged += unchanged;
    outcome.set_aside.retain(|a| !found.contains(&a.record.id));
    claimed.into_iter().for_each(|(live, record)| compare(live, record, outcome));
}

/// Pairs equal values; gives back what has no equal.
fn take_equal<'a>(
    desired: Vec<&'a DesiredRecord>,
    live: Vec<&'a LiveRecord>,
    outcome: &mut Outcome<'a>,
) -> (Vec<&'a DesiredRecord>, Vec<&'a LiveRecord>) {
    let mut by_value: BTreeMap<&Rdata, Vec<&LiveRecord>> = BTreeMap::new();
    for record in live {
        by_value.entry(&record.data).or_default().push(record);
    }
    let mut left = Vec::new();
    for record in desired {
        let Some(equal) = by_value.remove(&record.data) else {
            left.push(record);
            continue;
        };
        let best = equal.iter().position(|live| is_as_wanted(live, record)).unwrap_or(0);
        for (n, live) in equal.into_iter().enumerate() {
            if n == best {
                compare(live, record, outcome);
            } else {
                outcome.set_aside.push(SetAside { record: live, reason: SetAsideReason::Duplicate });
            }
        }
    }
    (left, by_value.into_values().flatten().collect())
}

/// Deletes what tombstones name; gives back the rest.
fn take_tombstones<'a>(
    tombstones: &[&'a Tombstone],
    live: Vec<&'a LiveRecord>,
    outcome: &mut Outcome<'a>,
) -> Vec<&'a LiveRecord> {
    if tombstones.is_empty() {
        return live;
    }
    let by_value: BTreeMap<Option<&Rdata>, &Tombstone> = tombstones.iter().map(|t| (t.data.as_ref(), *t)).collect();
    let mut rest = Vec::new();
    for record in live {
        match by_value.get(&Some(&record.data)).or_else(|| by_value.get(&None)) {
            Some(tombstone) => outcome.changes.push(ChangeKind::Delete {
                before: record,
                reason: DeleteReason::Tombstone,
                place: Some(tombstone.spelling.entry),
                accepted: tombstone.allow.as_deref(),
            }),
            None => rest.push(record),
        }
    }
    rest
}

/// Pairs what may be rewritten into one another, nearest first; gives back what has no partner.
///
/// Where foreign records are kept, values of a purpose are paired only if all of the live ones are: with more live values
/// than wanted ones it is not known which of them are somebody else's.
fn pair<'a>(
    desired: Vec<&'a DesiredRecord>,
    live: Vec<&'a LiveRecord>,
    unmanaged: Unmanaged,
    outcome: &mut Outcome<'a>,
) -> (Vec<&'a DesiredRecord>, Vec<&'a LiveRecord>) {
    let nearest = |data: &Rdata| Some((data.purpose(), data.pairing_key())).filter(|(_, key)| !key.is_empty());
    let (desired, live) = pair_by(desired, live, outcome, nearest);
    let mut counts: BTreeMap<Purpose, (usize, usize)> = BTreeMap::new();
    for record in &live {
        counts.entry(record.data.purpose()).or_default().0 += 1;
    }
    for record in &desired {
        counts.entry(record.data.purpose()).or_default().1 += 1;
    }
    let is_certain = |purpose: &Purpose| {
        unmanaged == Unmanaged::Prune || counts.get(purpose).is_some_and(|(live, wanted)| live <= wanted)
    };
    pair_by(desired, live, outcome, |data| Some((data.purpose(), String::new())).filter(|(p, _)| is_certain(p)))
}

/// Pairs records whose keys are equal, in the order of their values.
fn pair_by<'a>(
    desired: Vec<&'a DesiredRecord>,
    live: Vec<&'a LiveRecord>,
    outcome: &mut Outcome<'a>,
    key: impl Fn(&Rdata) -> Option<(Purpose, String)>,
) -> (Vec<&'a DesiredRecord>, Vec<&'a LiveRecord>) {
    let key = |data: &Rdata| key(data).filter(|(purpose, _)| *purpose != Purpose::Unique);
    let mut partners: BTreeMap<(Purpose, String), std::collections::VecDeque<&LiveRecord>> = BTreeMap::new();
    let mut live_left = Vec::new();
    for record in live {
        match key(&record.data) {
            Some(key) => partners.entry(key).or_default().push_back(record),
            None => live_left.push(record),
        }
    }
    let mut desired_left = Vec::new();
    for record in desired {
        match key(&record.data).and_then(|key| partners.get_mut(&key)).and_then(std::collections::VecDeque::pop_front) {
            Some(live) => compare(live, record, outcome),
            None => desired_left.push(record),
        }
    }
    live_left.extend(partners.into_values().flatten());
    live_left.sort_by(|a, b| record_order(a, b));
    (desired_left, live_left)
}

/// Whether a record has all that the spec says of it.
fn is_as_wanted(live: &LiveRecord, desired: &DesiredRecord) -> bool {
    field_changes(live, &desired.data, &desired.facets).is_empty()
}

/// Notes a pair as unchanged or as an update.
fn compare<'a>(before: &'a LiveRecord, after: &'a DesiredRecord, outcome: &mut Outcome<'a>) {
    let fields = field_changes(before, &after.data, &after.facets);
    if fields.is_empty() {
        outcome.unchanged += 1;
    } else {
        outcome.changes.push(ChangeKind::Update { before, after, fields });
    }
}

/// By name, type and value, then id: independent of the order in which the service lists.
fn record_order(a: &LiveRecord, b: &LiveRecord) -> std::cmp::Ordering {
    (&a.name, a.data.type_name(), &a.data, &a.id).cmp(&(&b.name, b.data.type_name(), &b.data, &b.id))
}
