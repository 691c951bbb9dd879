//! Checks that need the zone's plan at Cloudflare, or its live records. All other checks are
//! offline.

use std::collections::{BTreeMap, BTreeSet};

use super::action::Action;
use super::operation::Operation;
use super::other_programs;
use super::subject::RecordSubject;
use super::zone_plan::ZonePlan;
use crate::diagnostic::{Diagnostics, Severity, findings};
use crate::diff::{
    Conflict, Field, RecordChange, RecordChanges, SetAsideReason, Stranded, field_changes,
};
use crate::model::plan_limits::{ZoneTier, record_limits};
use crate::model::{DesiredZone, Fqdn, LiveZone, NameSet, Rdata, ReadOnly, RecordId, Tier};

/// Checks that Cloudflare would accept a zone's plan.
pub(super) fn check(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &RecordChanges,
    plan: &ZonePlan,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    other_plan(desired, live, &mut diagnostics);
    quota(desired, live, plan, &mut diagnostics);
    conflicts(changes, &mut diagnostics);
    stranded(desired, changes, &mut diagnostics);
    kept_different(changes, &mut diagnostics);
    beside_maintained(desired, changes, &mut diagnostics);
    // A zone is created on the free plan.
    let zone_tier = ZoneTier::of(desired, live);
    let is_assumed = zone_tier.is_assumed && desired.tier.is_some();
    let zone_tier = ZoneTier { is_assumed, ..zone_tier };
    for (_, operation, record) in plan.records() {
        limits(zone_tier, operation, record, &mut diagnostics);
    }
    combined_length(desired, live, plan, &mut diagnostics);
    duplicates(desired, changes, &mut diagnostics);
    other_cuts(desired, live, plan, &mut diagnostics);
    other_programs::check(desired, plan, &mut diagnostics);
    diagnostics
}

/// Reports new texts that differ from a live text that stays only in where they are cut into
/// strings.
fn other_cuts(desired: &DesiredZone, live: &LiveZone, plan: &ZonePlan, found: &mut Diagnostics) {
    let is_text = |record: &RecordSubject| matches!(record.form().data, Rdata::Txt(_));
    let mut creates = plan
        .records()
        .filter(|(_, _, record)| record.change.id().is_none() && is_text(record))
        .peekable();
    if creates.peek().is_none() {
        return;
    }
    let changed: BTreeSet<&RecordId> =
        plan.records().filter_map(|(_, _, record)| record.change.id()).collect();
    let mut texts: BTreeMap<&Fqdn, Vec<&Rdata>> = BTreeMap::new();
    let staying =
        live.records.iter().filter(|r| matches!(r.data, Rdata::Txt(_)) && !changed.contains(&r.id));
    staying.for_each(|record| texts.entry(&record.name).or_default().push(&record.data));
    for (_, operation, record) in creates {
        let form = record.form();
        let mut of_name = texts.get(&form.name).into_iter().flatten();
        let Some(twin) = of_name.find(|data| data.differs_in_cuts(&form.data)) else { continue };
        let what = format!(
            "{} is live as {}, with other cuts",
            form.data.presentation(),
            twin.presentation()
        );
        let finding = findings::OTHER_CUTS.at(operation.place.unwrap_or(desired.place), what);
        found.push(
            finding
                .about(operation.address.to_string())
                .help("write it as it is live, if the cuts do not matter"),
        );
    }
}

/// Counts the records of a plan with this action.
fn count(operations: &[Operation], action: Action) -> usize {
    operations.iter().filter(|o| o.record().is_some() && o.action() == action).count()
}

/// Returns the number of records that the zone would have.
pub(super) fn records_after(live: &LiveZone, operations: &[Operation]) -> usize {
    (live.records.len() + count(operations, Action::Create))
        .saturating_sub(count(operations, Action::Delete))
}

/// Returns true if more records are planned than zones of this plan usually hold, and the real
/// quota was not read.
pub(super) fn quota_in_doubt(live: &LiveZone, operations: &[Operation]) -> bool {
    live.record_quota.is_none() && records_after(live, operations) > assumed_quota(live)
}

/// Returns the quota that zones of this plan usually have. A zone that already holds more has a
/// larger quota.
pub(super) fn assumed_quota(live: &LiveZone) -> usize {
    live.tier.record_quota(live.created_on.as_deref()).max(live.records.len())
}

/// Returns true if deletes must come first so that the creates fit.
pub(super) fn needs_deletes_first(live: &LiveZone, operations: &[Operation]) -> bool {
    live.records.len() + count(operations, Action::Create)
        > live.record_quota.unwrap_or_else(|| assumed_quota(live))
}

/// Reports a zone whose plan at Cloudflare is another one than the spec says.
fn other_plan(desired: &DesiredZone, live: &LiveZone, found: &mut Diagnostics) {
    let Some((said, place)) = desired.tier else { return };
    if live.is_new || live.tier == Tier::Unknown || live.tier == said {
        return;
    }
    let actual = live.tier.facts().name;
    found.push(
        findings::OTHER_PLAN
            .at(place, format!("{} is on the {actual} plan", live.name))
            .about(live.name.to_string())
            .help(format!("write `plan: {actual}`, so that `validate` checks the spec for it")),
    );
}

/// Refuses a plan beyond the zone's record quota before anything is sent, or warns if the quota is
/// assumed.
fn quota(desired: &DesiredZone, live: &LiveZone, plan: &ZonePlan, found: &mut Diagnostics) {
    let record_count = records_after(live, &plan.operations);
    if record_count <= live.records.len() {
        return;
    }
    let diagnostic = match live.record_quota {
        Some(quota) if record_count > quota => findings::QUOTA
            .nowhere(format!(
                "{} would hold {record_count} records; its quota is {quota}",
                desired.name
            ))
            .help("remove records from the spec, or ask Cloudflare for a larger quota"),
        None if record_count > assumed_quota(live) => findings::QUOTA_UNCERTAIN
            .nowhere(format!(
                "{} would hold {record_count} records; zones on the {} plan usually hold {}, and \
                Cloudflare did not say what this one \
                 may hold",
                desired.name,
                if live.tier == Tier::Unknown { "free" } else { live.tier.facts().name },
                assumed_quota(live)
            ))
            .help("if the quota was not raised, Cloudflare will refuse records above it"),
        Some(_) | None => return,
    };
    found.push(diagnostic.at(desired.place, "").about(desired.name.to_string()));
}

/// Describes why a live record must not be changed, in words that continue its name.
fn keeper(reason: &SetAsideReason) -> String {
    match reason {
        SetAsideReason::ReadOnly(owner) => format!("is managed by {}", owner.owner()),
        SetAsideReason::Ignored(_) => "is named by `ignore`".to_owned(),
        SetAsideReason::Opaque => "is not understood by this version".to_owned(),
        SetAsideReason::Unmanaged | SetAsideReason::Duplicate => "is not managed".to_owned(),
    }
}

/// Reports desired records that conflict with a live record that must not be changed.
fn conflicts(changes: &RecordChanges, found: &mut Diagnostics) {
    for conflict in &changes.conflicts {
        let owner = keeper(&conflict.reason);
        let (wanted, live) = (conflict.desired.data.type_name(), conflict.live.data.type_name());
        found.push(
            findings::CONFLICT
                .nowhere(format!(
                    "{} has a live {live} record that {owner}; {wanted} cannot exist beside it",
                    conflict.live.name
                ))
                .at(conflict.desired.spelling.place, format!("this {wanted} record"))
                .help(
                    "remove the record from the spec, or remove the live one where it is managed",
                ),
        );
    }
}

/// Reports delegations that cannot be deleted, because their DS records stay.
fn stranded(zone: &DesiredZone, changes: &RecordChanges, found: &mut Diagnostics) {
    for stranded in &changes.stranded {
        let (name, why, place) = match stranded {
            Stranded::Wanted(record) => {
                (&record.name, "the spec wants it".to_owned(), record.spelling.place)
            }
            Stranded::Aside(aside) => {
                (&aside.record.name, format!("it {}", keeper(&aside.reason)), zone.place)
            }
        };
        found.push(
            findings::STRANDED_DS
                .at(
                    place,
                    format!(
                        "{name} has a DS record that stays ({why}), and the plan deletes all \
                        of its NS records"
                    ),
                )
                .help(
                    "keep the NS records of the delegation, or have the DS record deleted with \
                    them",
                ),
        );
    }
}

/// Reports records that someone else maintains and that differ from the spec.
fn kept_different(changes: &RecordChanges, found: &mut Diagnostics) {
    for Conflict { desired, live, reason } in &changes.kept_different {
        let SetAsideReason::ReadOnly(owner) = reason else { continue };
        let fields: Vec<_> = field_changes(live, &desired.data, &desired.facets)
            .into_iter()
            .map(|f| f.field.to_string())
            .collect();
        found.push(
            findings::MAINTAINED_DIFFERS
                .at(
                    desired.spelling.place,
                    format!(
                        "{} {} is managed by {}; it is left alone and differs in {}",
                        live.name,
                        live.data.type_name(),
                        owner.owner(),
                        fields.join(", ")
                    ),
                )
                .help("remove the record from the spec, or change it where it is managed"),
        );
    }
}

/// Reports records that are created at a name and type where someone else maintains another value,
/// which stays. Both families of addresses count as one type, because a product that serves a host
/// owns all its addresses.
fn beside_maintained(zone: &DesiredZone, changes: &RecordChanges, found: &mut Diagnostics) {
    let maintained: BTreeMap<(&Fqdn, &str), (ReadOnly, &str)> = changes
        .set_aside
        .iter()
        .filter_map(|a| match a.reason {
            SetAsideReason::ReadOnly(owner) => {
                Some(((&a.record.name, slot(&a.record.data)), (owner, a.record.data.type_name())))
            }
            _ => None,
        })
        .collect();
    for change in &changes.changes {
        let (None, Some(after)) = (change.origin.live, change.origin.wanted) else { continue };
        // A conflict has been reported.
        if changes.conflicts.iter().any(|c| std::ptr::eq(c.desired, after)) {
            continue;
        }
        let Some((owner, kind)) = maintained.get(&(&after.name, slot(&after.data))) else {
            continue;
        };
        let name = zone.name.relative(&after.name);
        found.push(
            findings::BESIDE_MAINTAINED
                .at(
                    after.spelling.place,
                    format!(
                        "{kind} {name} exists with another value, managed by {}; it stays beside \
                        the new one",
                        owner.owner()
                    ),
                )
                .help(
                    "change the live record where it is managed, or remove this one from the spec",
                ),
        );
    }
}

/// Returns the type of a value, with one word for both families of addresses.
fn slot(data: &Rdata) -> &str {
    if data.address().is_some() { "address" } else { data.type_name() }
}

/// Reports changed attributes that the zone's plan does not allow.
fn limits(tier: ZoneTier, operation: &Operation, record: &RecordSubject, found: &mut Diagnostics) {
    let changed = |key: &'static str| match record.change {
        RecordChange::Create { .. } => true,
        RecordChange::Update { .. } => {
            let field = match key {
                "comment" => Field::Comment,
                "tags" => Field::Tags,
                "ttl" => Field::Ttl,
                flag => Field::Flag(flag),
            };
            operation.fields.iter().any(|f| f.field == field)
        }
        RecordChange::Delete { .. } => false,
    };
    let limits = record_limits(&record.form().facets, tier);
    for beyond in limits.into_iter().filter(|beyond| changed(beyond.key)) {
        found.push(beyond.diagnostic(operation.place, operation.address.to_string()));
    }
}

/// Maximum total length of the values of one name and type at Cloudflare, in characters of their
/// contents.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read 2026-11-20,
/// for TXT; code 83011, observed 2026, says it of any type.
const COMBINED_LENGTH: usize = 8192;

/// Reports names whose values of one type would exceed the maximum length: live values that stay,
/// and desired values.
///
/// It is unknown whether the quotes of a text count. Beyond the limit without them is an error,
/// with them a warning.
fn combined_length(
    desired: &DesiredZone,
    live: &LiveZone,
    plan: &ZonePlan,
    found: &mut Diagnostics,
) {
    let mut sets: BTreeMap<(&Fqdn, &str), (Lengths, Option<&Operation>)> = BTreeMap::new();
    let mut replaced: BTreeSet<&RecordId> = BTreeSet::new();
    for (_, operation, record) in plan.records() {
        replaced.extend(record.change.id());
        if let Some(after) = record.change.after() {
            let (lengths, grows) = sets.entry((&after.name, after.data.type_name())).or_default();
            lengths.add(&after.data);
            if record.change.before().is_none_or(|before| before.data != after.data) {
                grows.get_or_insert(operation);
            }
        }
    }
    sets.retain(|_, (_, grows)| grows.is_some());
    if sets.is_empty() {
        return;
    }
    // Nearly all records of a large zone have another name, and this is the cheapest test for that.
    let names: NameSet<'_> = sets.keys().map(|(name, _)| name.as_str()).collect();
    let named_records = live.records.iter().filter(|record| names.contains(record.name.as_str()));
    for record in named_records.filter(|record| !replaced.contains(&record.id)) {
        if let Some((lengths, _)) = sets.get_mut(&(&record.name, record.data.type_name())) {
            lengths.add(&record.data);
        }
    }
    for ((name, kind), (Lengths { least, most }, operation)) in sets {
        let Some(operation) = operation.filter(|_| most > COMBINED_LENGTH) else { continue };
        let about = format!("the {kind} records of {}", desired.name.relative(name));
        let words = format!(
            "{about} would have {most} characters together, live ones that stay included; \
            Cloudflare stores {COMBINED_LENGTH}"
        );
        let is_certain = least > COMBINED_LENGTH;
        let severity = if is_certain { Severity::Error } else { Severity::Warning };
        let diagnostic = findings::COMBINED_LENGTH.nowhere(words).as_severity(severity);
        let diagnostic = diagnostic
            .help("remove values that are no longer needed, or use another name")
            .about(operation.address.to_string());
        found.push(match operation.place {
            Some(place) => diagnostic.at(place, ""),
            None => diagnostic,
        });
    }
}

/// The total length of values, in characters.
#[derive(Default)]
struct Lengths {
    /// The length without the quotes and escapes of texts.
    least: usize,
    /// The length with them.
    most: usize,
}

impl Lengths {
    /// Adds a value.
    fn add(&mut self, data: &Rdata) {
        let content_length = data.presentation().chars().count();
        self.most += content_length;
        self.least += match data {
            Rdata::Txt(text) => String::from_utf8_lossy(text.as_bytes()).chars().count(),
            // The form of the content is known only for these other types.
            Rdata::A(_) | Rdata::Aaaa(_) | Rdata::Cname(_) | Rdata::Ns(_) | Rdata::Ptr(_) => {
                content_length
            }
            _ => 0,
        };
    }
}

/// Reports live records that exist twice.
fn duplicates(desired: &DesiredZone, changes: &RecordChanges, found: &mut Diagnostics) {
    for aside in changes.set_aside.iter().filter(|a| a.reason == SetAsideReason::Duplicate) {
        let (name, kind) =
            (desired.name.relative(&aside.record.name), aside.record.data.type_name());
        found.push(
            findings::LIVE_DUPLICATE
                .nowhere(format!(
                    "{kind} {name} with this value exists more than once; the record {} is left \
                    alone",
                    aside.record.id
                ))
                .help("delete one of them at Cloudflare"),
        );
    }
}
