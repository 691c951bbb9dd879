//! Comparison of the records of one zone.
//!
//! Records are grouped by name and type. Each group is compared in this order:
//!
//! 1. Equal values are one record. Of several equal live records, the one without differences is
//!    taken, or else the one with the smallest id.
//! 2. Tombstones take their live records.
//! 3. The remaining values are paired within one [`Purpose`], see [`super::pairing`].
//! 4. Desired records without a partner are created. Live records without a partner are unmanaged,
//!    or deleted if the base wanted them or the zone is pruned.
//!
//! Then, for each name, live records that cannot exist beside a create are deleted, and DS records
//! are deleted with their delegation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::changes::{
    Change, ChangeOrigin, Conflict, RecordChange, RecordChanges, SetAside, SetAsideReason, Stranded,
};
use super::compared_records::{is_own_name_server, untouchable};
use super::delete_reason::DeleteReason;
use super::ownership::{BaseName, Claim, Claims, ValueOwner};
use super::pairing::pair;
use super::record_fields::field_changes;
use crate::{
    Danger, DesiredRecord, DesiredZone, Fqdn, Gather, LiveRecord, LiveZone, Purpose, Rdata,
    RecordId, RecordType, Tombstone, Unmanaged,
};

/// A live record, a desired record or a tombstone at a name.
enum GroupEntry<'a> {
    Desired(&'a DesiredRecord),
    Tombstone(&'a Tombstone),
    Live(&'a LiveRecord),
    Untouchable(SetAside<'a>),
}

#[derive(Default)]
struct RecordGroup<'a> {
    desired: Vec<&'a DesiredRecord>,
    tombstones: Vec<&'a Tombstone>,
    live: Vec<&'a LiveRecord>,
    untouchable: Vec<SetAside<'a>>,
}

/// The result of comparing a group.
#[derive(Default)]
struct GroupChanges<'a> {
    unchanged: usize,
    /// The desired records whose live record is left alone but was compared.
    settled: Vec<&'a DesiredRecord>,
    creates: Vec<&'a DesiredRecord>,
    changes: Vec<(RecordChange, ChangeOrigin<'a>)>,
    set_aside: Vec<SetAside<'a>>,
    /// Desired records that differ from their live records, which someone else maintains.
    kept_different: Vec<Conflict<'a>>,
    /// Live records that the spec does not want. They may still exclude a desired record.
    rest: Vec<(&'a LiveRecord, Claim<'a>)>,
}

/// Compares the desired with the live records of a zone. The base, if there is one, shows who owns
/// the live records.
#[must_use]
pub fn diff_records<'a>(
    desired: &'a DesiredZone,
    base: Option<&'a DesiredZone>,
    live: &'a LiveZone,
) -> RecordChanges<'a> {
    let mut result = RecordChanges {
        zone: desired.name.clone(),
        changes: Vec::new(),
        unchanged: 0,
        set_aside: Vec::new(),
        conflicts: Vec::new(),
        stranded: Vec::new(),
        kept_different: Vec::new(),
    };
    let (names, maintained) = group_by_name(desired, live);
    result.unchanged = maintained;
    // Only names that differ are sorted and compared in detail, because most names of most zones do
    // not.
    let (settled, mut open): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|(_, entries)| is_settled(entries));
    result.unchanged += settled.len();
    open.sort_unstable_by_key(|(name, _)| *name);
    for (name, entries) in open {
        diff_name(
            desired,
            &BaseName::new(base, name, desired.unmanaged),
            by_type(entries),
            &mut result,
        );
    }
    result.set_aside.sort_by(|a, b| record_order(a.record, b.record));
    result
}

/// Groups the records of both sides by name, in any order. Also counts the desired records that
/// Cloudflare maintains without listing them.
fn group_by_name<'a>(
    desired: &'a DesiredZone,
    live: &'a LiveZone,
) -> (HashMap<&'a Fqdn, Vec<GroupEntry<'a>>>, usize) {
    let mut names: HashMap<&Fqdn, Vec<GroupEntry>> = HashMap::with_capacity(desired.records.len());
    let mut maintained = 0;
    for record in &desired.records {
        if is_own_name_server(live, &record.name, &record.data) {
            maintained += 1;
            continue;
        }
        names.entry(&record.name).or_default().push(GroupEntry::Desired(record));
    }
    for tombstone in &desired.tombstones {
        names.entry(&tombstone.name).or_default().push(GroupEntry::Tombstone(tombstone));
    }
    for record in &live.records {
        names.entry(&record.name).or_default().push(match untouchable(desired, live, record) {
            Some(reason) => GroupEntry::Untouchable(SetAside { record, reason }),
            None => GroupEntry::Live(record),
        });
    }
    (names, maintained)
}

/// Returns true if the name has exactly one desired and one live record, and they are equal.
fn is_settled(entries: &[GroupEntry]) -> bool {
    match entries {
        [GroupEntry::Desired(desired), GroupEntry::Live(live)] => {
            live.data == desired.data && is_as_wanted(live, desired)
        }
        _ => false,
    }
}

fn by_type(entries: Vec<GroupEntry<'_>>) -> BTreeMap<&str, RecordGroup<'_>> {
    let mut types: BTreeMap<&str, RecordGroup> = BTreeMap::new();
    for entry in entries {
        match entry {
            GroupEntry::Desired(record) => {
                types.entry(record.data.type_name()).or_default().desired.push(record)
            }
            GroupEntry::Tombstone(stone) => {
                types.entry(stone.record_type.as_str()).or_default().tombstones.push(stone)
            }
            GroupEntry::Live(record) => {
                types.entry(record.data.type_name()).or_default().live.push(record)
            }
            GroupEntry::Untouchable(aside) => {
                types.entry(aside.record.data.type_name()).or_default().untouchable.push(aside);
            }
        }
    }
    types
}

fn diff_name<'a>(
    zone: &DesiredZone,
    base: &BaseName<'a>,
    types: BTreeMap<&'a str, RecordGroup<'a>>,
    result: &mut RecordChanges<'a>,
) {
    let mut outcomes: BTreeMap<&str, GroupChanges<'a>> = types
        .into_iter()
        .map(|(name, group)| (name, diff_group(group, base, zone.unmanaged)))
        .gather();
    let created: BTreeMap<RecordType, &DesiredRecord> = outcomes
        .values()
        .flat_map(|o| &o.creates)
        .filter_map(|r| Some((r.data.record_type()?, *r)))
        .gather();
    let apex = zone.name.as_fqdn();
    for outcome in outcomes.values_mut() {
        result.kept_different.append(&mut outcome.kept_different);
        for (record, claim) in std::mem::take(&mut outcome.rest) {
            let is_apex = record.name == *apex;
            let blocked_create = record.data.record_type().and_then(|own| {
                let excludes = |(kind, _): &(&RecordType, _)| kind.excludes_at(own, is_apex);
                created.iter().find(excludes).map(|(_, record)| *record)
            });
            if let Some(after) = blocked_create {
                let claim = base.in_the_way(claim, record, is_apex);
                outcome.delete(record, DeleteReason::InTheWay, claim, after.allow.as_deref());
            } else if claim.owner == ValueOwner::Spec && claim.base.is_some() {
                outcome.delete(record, DeleteReason::Removed, claim, None);
            } else if zone.unmanaged == Unmanaged::Prune {
                outcome.delete(record, DeleteReason::Pruned, claim, None);
            } else {
                outcome.set_aside.push(SetAside { record, reason: SetAsideReason::Unmanaged });
            }
        }
    }
    take_ds_along(base, &mut outcomes, result, apex);
    find_conflicts(&outcomes, result, apex);

    for outcome in outcomes.values_mut() {
        let creates = std::mem::take(&mut outcome.creates);
        if creates.is_empty() {
            continue;
        }
        let beside = unmanaged_by_purpose(&outcome.set_aside);
        outcome.changes.extend(creates.into_iter().map(|after| {
            let purpose = Some(after.data.purpose()).filter(|purpose| *purpose != Purpose::Unique);
            let beside = purpose.and_then(|p| beside.get(&p)).copied().unwrap_or_default();
            (RecordChange::create(after), ChangeOrigin { beside, ..ChangeOrigin::of_wanted(after) })
        }));
    }
    for outcome in outcomes.into_values() {
        result.unchanged += outcome.unchanged;
        // Only records that stay are counted, so that the number does not change while the plan is
        // applied.
        let staying = outcome.changes.iter().filter(|(change, _)| change.after().is_some());
        let members = outcome.unchanged + staying.count() + outcome.set_aside.len();
        let changes = outcome.changes.into_iter();
        result.changes.extend(changes.map(|change| Change::new(&zone.name, change, members > 1)));
        result.set_aside.extend(outcome.set_aside);
    }
}

/// Counts the live records that the spec does not name, for each purpose.
fn unmanaged_by_purpose(asides: &[SetAside<'_>]) -> BTreeMap<Purpose, usize> {
    let mut counts = BTreeMap::new();
    for aside in asides.iter().filter(|aside| aside.reason == SetAsideReason::Unmanaged) {
        *counts.entry(aside.record.data.purpose()).or_default() += 1;
    }
    counts
}

/// Deletes the DS records of a delegation that is deleted as a whole. A DS record that must stay is
/// noted, because the delegation cannot be deleted then.
fn take_ds_along<'a>(
    base: &BaseName<'a>,
    outcomes: &mut BTreeMap<&str, GroupChanges<'a>>,
    result: &mut RecordChanges<'a>,
    apex: &Fqdn,
) {
    let Some(GroupChanges { unchanged: 0, creates, changes, set_aside, .. }) = outcomes.get("NS")
    else {
        return;
    };
    let goes = |(change, _): &(RecordChange, ChangeOrigin<'_>)| {
        change.after().is_none() && change.form().name != *apex
    };
    if !creates.is_empty()
        || !set_aside.is_empty()
        || changes.is_empty()
        || !changes.iter().all(goes)
    {
        return;
    }
    let Some(ds) = outcomes.get_mut("DS") else { return };
    let wanted_records = ds.changes.iter().filter_map(|(_, origin)| origin.wanted);
    let wanted_records =
        wanted_records.chain(ds.creates.iter().copied()).chain(ds.settled.iter().copied());
    result.stranded.extend(wanted_records.map(Stranded::Wanted));
    let asides = std::mem::take(&mut ds.set_aside);
    let records: Vec<&LiveRecord> = asides.iter().map(|aside| aside.record).collect();
    let claims = base.claims(&records);
    for aside in asides {
        if aside.reason == SetAsideReason::Unmanaged {
            ds.delete(aside.record, DeleteReason::WithDelegation, claims.of(aside.record), None);
        } else {
            result.stranded.push(Stranded::Aside(aside.clone()));
            ds.set_aside.push(aside);
        }
    }
}

/// Finds creates that Cloudflare would refuse beside a record that must not change. Only the types
/// matter, so one record represents all records of its type.
fn find_conflicts<'a>(
    outcomes: &BTreeMap<&str, GroupChanges<'a>>,
    result: &mut RecordChanges<'a>,
    apex: &Fqdn,
) {
    let mut creates: Vec<&DesiredRecord> =
        outcomes.values().flat_map(|o| o.creates.iter().copied()).collect();
    creates.dedup_by_key(|r| r.data.record_type());
    for aside in outcomes.values().flat_map(|o| &o.set_aside) {
        if aside.reason == SetAsideReason::Unmanaged {
            continue;
        }
        let blocks = |record: &&DesiredRecord| match (
            record.data.record_type(),
            RecordType::parse(aside.record.data.type_name()),
        ) {
            (Some(wanted), Some(own)) => {
                wanted.excludes_at(own, record.name == *apex)
                    || (wanted == own && wanted.is_single())
            }
            _ => false,
        };
        if let Some(desired) = creates.iter().copied().find(blocks) {
            result.conflicts.push(Conflict {
                desired,
                live: aside.record,
                reason: aside.reason.clone(),
            });
        }
    }
}

fn diff_group<'a>(
    group: RecordGroup<'a>,
    base: &BaseName<'a>,
    unmanaged: Unmanaged,
) -> GroupChanges<'a> {
    let RecordGroup { mut desired, tombstones, mut live, untouchable } = group;
    let mut outcome = GroupChanges { set_aside: untouchable, ..GroupChanges::default() };
    desired.sort_by(|a, b| a.data.cmp(&b.data));
    live.sort_by(|a, b| record_order(a, b));
    let claims = base.claims(&live);
    let data: Vec<&Rdata> = live
        .iter()
        .map(|record| &record.data)
        .chain(outcome.set_aside.iter().map(|aside| &aside.record.data))
        .collect();

    take_satisfied_by_untouchable(&mut desired, &mut outcome);
    let (desired, live) = take_equal(desired, live, &claims, &mut outcome);
    let live = take_tombstones(&tombstones, live, &claims, base, &mut outcome);
    let pairs = pair(desired, live, &data, &claims, unmanaged);
    for (live, record) in pairs.pairs {
        outcome.compare(live, record, claims.of(live));
    }
    outcome.creates = pairs.desired;
    let mut unwanted = pairs.live;
    unwanted.sort_by(|a, b| record_order(a, b));
    outcome.rest = unwanted.into_iter().map(|record| (record, claims.of(record))).collect();
    outcome
}

/// Matches desired records with equal live records that someone else maintains, and counts them as
/// unchanged.
///
/// Records that the zone's own `ignore` matches are also compared if the spec names exactly this
/// value.
fn take_satisfied_by_untouchable<'a>(
    desired: &mut Vec<&'a DesiredRecord>,
    outcome: &mut GroupChanges<'a>,
) {
    if outcome.set_aside.is_empty() {
        return;
    }
    let values: BTreeMap<&Rdata, &SetAside> =
        outcome.set_aside.iter().map(|a| (&a.record.data, a)).gather();
    let mut unchanged = 0;
    let mut claimed: Vec<(&LiveRecord, &DesiredRecord)> = Vec::new();
    // Live records that are no longer set aside.
    let mut matched_ids: BTreeSet<&RecordId> = BTreeSet::new();
    desired.retain(|record| match values.get(&record.data) {
        None => true,
        Some(SetAside { reason: SetAsideReason::Ignored(_), record: live }) => {
            claimed.push((live, record));
            matched_ids.insert(&live.id);
            false
        }
        Some(SetAside { record: live, reason }) => {
            if is_as_wanted(live, record) {
                unchanged += 1;
            } else {
                outcome.kept_different.push(Conflict {
                    desired: record,
                    live,
                    reason: reason.clone(),
                });
            }
            matched_ids.insert(&live.id);
            false
        }
    });
    outcome.unchanged += unchanged;
    outcome.set_aside.retain(|a| !matched_ids.contains(&a.record.id));
    // The spec owns the value because it names the value.
    claimed.into_iter().for_each(|(live, record)| outcome.compare(live, record, Claim::OWN));
}

/// Pairs equal values. Returns the values without an equal.
fn take_equal<'a>(
    desired: Vec<&'a DesiredRecord>,
    live: Vec<&'a LiveRecord>,
    claims: &Claims<'a>,
    outcome: &mut GroupChanges<'a>,
) -> (Vec<&'a DesiredRecord>, Vec<&'a LiveRecord>) {
    let mut by_value: BTreeMap<&Rdata, Vec<&LiveRecord>> = BTreeMap::new();
    for record in live {
        by_value.entry(&record.data).or_default().push(record);
    }
    let mut unmatched = Vec::new();
    for record in desired {
        let Some(equal) = by_value.remove(&record.data) else {
            unmatched.push(record);
            continue;
        };
        let best = equal.iter().position(|live| is_as_wanted(live, record)).unwrap_or(0);
        for (n, live) in equal.into_iter().enumerate() {
            if n == best {
                outcome.compare(live, record, claims.of(live));
            } else {
                outcome
                    .set_aside
                    .push(SetAside { record: live, reason: SetAsideReason::Duplicate });
            }
        }
    }
    (unmatched, by_value.into_values().flatten().collect())
}

/// Deletes the records that tombstones name. Returns the other records.
fn take_tombstones<'a>(
    tombstones: &[&'a Tombstone],
    live: Vec<&'a LiveRecord>,
    claims: &Claims<'a>,
    base: &BaseName<'a>,
    outcome: &mut GroupChanges<'a>,
) -> Vec<&'a LiveRecord> {
    if tombstones.is_empty() {
        return live;
    }
    let by_value: BTreeMap<Option<&Rdata>, &Tombstone> =
        tombstones.iter().map(|t| (t.data.as_ref(), *t)).gather();
    let mut other_records = Vec::new();
    for record in live {
        match by_value.get(&Some(&record.data)).or_else(|| by_value.get(&None)) {
            Some(tombstone) => {
                let origin = ChangeOrigin {
                    place: Some(tombstone.spelling.entry),
                    accepted: tombstone.allow.as_deref(),
                    is_protected: tombstone.protect,
                    ..ChangeOrigin::of_unwanted(record, claims.of(record))
                };
                let reason = match tombstone.expired {
                    None => DeleteReason::Tombstone,
                    Some(_) => DeleteReason::Expired { is_agreed: base.has_expired(tombstone) },
                };
                let change = RecordChange::delete(record, reason);
                outcome.changes.push((change, origin));
            }
            None => other_records.push(record),
        }
    }
    other_records
}

/// Returns true if the live record has every value and facet of the desired record.
fn is_as_wanted(live: &LiveRecord, desired: &DesiredRecord) -> bool {
    field_changes(live, &desired.data, &desired.facets).is_empty()
}

impl<'a> GroupChanges<'a> {
    /// Records a pair as unchanged or as an update.
    fn compare(&mut self, before: &'a LiveRecord, after: &'a DesiredRecord, claim: Claim<'a>) {
        let fields = field_changes(before, &after.data, &after.facets);
        if fields.is_empty() {
            self.unchanged += 1;
            self.settled.push(after);
        } else {
            let live = Some(before);
            let origin = ChangeOrigin { live, fields, claim, ..ChangeOrigin::of_wanted(after) };
            self.changes.push((RecordChange::update(before, after), origin));
        }
    }

    /// Deletes a record that no spec entry names. The entry of its replacement may accept dangers
    /// of the delete.
    fn delete(
        &mut self,
        before: &'a LiveRecord,
        reason: DeleteReason,
        claim: Claim<'a>,
        accepted: Option<&'a BTreeMap<Danger, String>>,
    ) {
        let origin = ChangeOrigin { accepted, ..ChangeOrigin::of_unwanted(before, claim) };
        self.changes.push((RecordChange::delete(before, reason), origin));
    }
}

/// Orders by name, type, value and id, so that Cloudflare's order of listing makes no difference.
fn record_order(a: &LiveRecord, b: &LiveRecord) -> std::cmp::Ordering {
    (&a.name, a.data.type_name(), &a.data, &a.id).cmp(&(
        &b.name,
        b.data.type_name(),
        &b.data,
        &b.id,
    ))
}
