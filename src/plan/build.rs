//! A zone's changes as operations.

use std::collections::BTreeMap;

use super::operation::{Action, Cause, Expect, Keeper, Operation, Reverse, SetAsideCount, ZonePlan};
use super::{around as zone, check, dangers, waf, waf_check};
use crate::diagnostic::Diagnostics;
use crate::diff::{
    Change, ChangeKind, FieldChange, SetAside, SetAsideReason, WafChanges, ZoneChange, ZoneChanges, diff_around,
    diff_rulesets, diff_zone, foreign_by_action,
};
use crate::model::facts::Slot;
use crate::model::{Danger, DesiredZone, Facets, Fields, LiveRecord, LiveZone, RecordForm, Settings};
use crate::wire::record::RecordPatch;

/// How many records left alone are named in the detailed output, for each reason.
const EXAMPLES: usize = 100;

/// Plans one zone: compares, turns differences into operations, checks them against the limits of the zone's plan.
#[must_use]
pub fn plan_zone(desired: &DesiredZone, live: &LiveZone) -> (ZonePlan, Diagnostics) {
    let around = diff_around(desired, live);
    plan_changes(desired, live, &diff_zone(desired, live), &diff_rulesets(desired, live), around)
}

/// Plans one zone whose differences are known: turns them into operations, checks and judges them.
#[must_use]
pub fn plan_changes(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &ZoneChanges,
    rules: &WafChanges,
    around: Vec<ZoneChange>,
) -> (ZonePlan, Diagnostics) {
    let operations: Vec<_> = changes.changes.iter().map(|change| operation(desired, change)).collect();
    let count = |wanted: fn(&SetAsideReason) -> bool| changes.set_aside.iter().filter(|a| wanted(&a.reason)).count();
    let mut diagnostics = Diagnostics::default();
    let rule_operations = waf::operations(desired, live, rules);
    diagnostics.append(waf_check::check(desired, live, rules, &rule_operations));
    let mut plan = ZonePlan {
        is_new: live.is_new,
        zone_operations: zone::operations(desired, live, around, &mut diagnostics),
        notes: zone::notes(desired, live),
        rules_unchanged: rules.phases.iter().map(|p| p.unchanged).sum(),
        rule_operations,
        name: desired.name.clone(),
        id: live.id.clone(),
        tier: live.tier,
        unchanged: changes.unchanged,
        unmanaged: count(|r| !matches!(r, SetAsideReason::Ignored(_))),
        ignored: count(|r| matches!(r, SetAsideReason::Ignored(_))),
        set_aside: set_aside(desired, changes).into_iter().chain(foreign_rules(rules)).collect(),
        dangers: Vec::new(),
        accepted: BTreeMap::new(),
        live_records: live.records.len(),
        tight: check::is_tight(live, &operations),
        quota_in_doubt: check::quota_in_doubt(live, &operations),
        operations,
    };
    dangers::assign(&mut plan, desired, live);
    diagnostics.append(check::check(desired, live, changes, &plan));
    (plan, diagnostics)
}

/// One change as an operation.
fn operation(desired: &DesiredZone, change: &Change) -> Operation {
    let zone = &desired.name;
    let Change { address, kind } = change;
    let (action, fields, place, protected, written) = match kind {
        ChangeKind::Create { after } => {
            let action = Action::CreateRecord { after: after.form() };
            (action, Vec::new(), Some(after.spelling.entry), after.protect, Some(&after.spelling.name))
        }
        ChangeKind::Update { before, after, fields } => {
            let wanted = after.form();
            let patch = patch(&wanted, fields, before.settings);
            let whole = before.form();
            let after_form = Box::new(whole.overlaid(&wanted));
            let action =
                Action::PatchRecord { id: before.id.clone(), before: Box::new(whole), after: after_form, patch };
            (action, fields.clone(), Some(after.spelling.entry), after.protect, Some(&after.spelling.name))
        }
        ChangeKind::Delete { before, reason, place, accepted: _ } => {
            let action =
                Action::DeleteRecord { id: before.id.clone(), before: Box::new(before.form()), reason: *reason };
            // A record that was protected by the spec before does not lose that by being dropped from it.
            let protected = desired.removed.get(&(before.name.clone(), before.data.clone())) == Some(&true);
            (action, Vec::new(), *place, protected, None)
        }
    };
    let (expect, reverse) = expect_and_reverse(kind);
    let mut dangers = Vec::new();
    if matches!(action, Action::DeleteRecord { .. }) {
        dangers.push(Danger::Delete);
    }
    if protected && !matches!(action, Action::CreateRecord { .. }) {
        dangers.push(Danger::ChangesProtected);
    }
    let (accepted, modified_on) = match kind {
        ChangeKind::Create { after } => (after.allow.as_deref().cloned(), None),
        ChangeKind::Update { before, after, .. } => (after.allow.as_deref().cloned(), before.modified_on.clone()),
        ChangeKind::Delete { before, accepted, .. } => (accepted.cloned(), before.modified_on.clone()),
    };
    let accepted = accepted.unwrap_or_default();
    let name = &match &action {
        Action::CreateRecord { after } => after,
        Action::PatchRecord { after, .. } => &**after,
        Action::DeleteRecord { before, .. } => &**before,
    }
    .name;
    let shown_name = written.map_or_else(|| zone.relative(name).to_owned(), |w| w.to_string());
    let address = address.clone();
    Operation {
        address,
        shown_name,
        action,
        fields,
        expect,
        reverse,
        cause: Cause::Unknown,
        dangers,
        accepted,
        modified_on,
        place,
    }
}

/// What an operation expects to find, and what undoes it.
fn expect_and_reverse(kind: &ChangeKind) -> (Expect, Reverse) {
    let unchanged = |before: &LiveRecord| Expect::Unchanged { id: before.id.clone(), form: Box::new(before.form()) };
    match kind {
        ChangeKind::Create { .. } => (Expect::Absent, Reverse::Delete),
        ChangeKind::Update { before, after, fields } => {
            let back = patch(&before.form(), fields, after.facets.settings);
            (unchanged(before), Reverse::PatchBack(back))
        }
        ChangeKind::Delete { before, .. } => (unchanged(before), Reverse::Recreate(Box::new(before.form()))),
    }
}

/// The patch that brings the changed fields to what `wanted` says.
///
/// `settings` may be replaced as a whole by the service, so those that are on and stay on are sent along.
fn patch(wanted: &RecordForm, fields: &[FieldChange], settings_before: Settings) -> RecordPatch {
    let changed = |name: &str| fields.iter().any(|f| f.field == name);
    let facts = wanted.data.record_type().map_or(&[][..], |t| t.facts().fields);
    let data_changed = fields.iter().any(|f| f.field.starts_with("data."));
    let all = wanted.data.fields();
    let mut value = Fields::new();
    for field in facts {
        let send = if field.slot == Slot::Data { data_changed } else { changed(field.name) };
        if let Some(v) = all.get(field.name).filter(|_| send) {
            value.insert(field.name.to_owned(), v.clone());
        }
    }
    let Facets { ttl, proxied, comment, tags, settings } = &wanted.facets;
    let will_be_proxied = changed("proxied") && *proxied == Some(true);
    let setting = |name: &str, wanted: Option<bool>, before: Option<bool>| {
        if changed(&format!("settings.{name}")) { Some(wanted.unwrap_or(false)) } else { before.filter(|b| *b) }
    };
    let any_setting = fields.iter().any(|f| f.field.starts_with("settings."));
    RecordPatch {
        value,
        facets: Facets {
            ttl: if !changed("ttl") {
                None
            } else if will_be_proxied {
                Some(crate::model::Ttl::AUTOMATIC)
            } else {
                *ttl
            },
            proxied: proxied.filter(|_| changed("proxied")),
            comment: comment.clone().filter(|_| changed("comment")),
            tags: tags.clone().filter(|_| changed("tags")),
            settings: if any_setting {
                Settings {
                    flatten_cname: setting("flatten_cname", settings.flatten_cname, settings_before.flatten_cname),
                    ipv4_only: setting("ipv4_only", settings.ipv4_only, settings_before.ipv4_only),
                    ipv6_only: setting("ipv6_only", settings.ipv6_only, settings_before.ipv6_only),
                }
            } else {
                Settings::default()
            },
        },
    }
}

/// What is left alone, counted by reason and type.
fn set_aside(desired: &DesiredZone, changes: &ZoneChanges) -> Vec<SetAsideCount> {
    let mut counts: BTreeMap<(u8, String), SetAsideCount> = BTreeMap::new();
    for SetAside { record, reason } in &changes.set_aside {
        let (rank, keeper, words) = match reason {
            SetAsideReason::Unmanaged => (0, Keeper::Nobody, "unmanaged".to_owned()),
            SetAsideReason::Ignored(n) => {
                let why = desired.ignore.get(*n).and_then(|p| p.reason.as_deref());
                (1, Keeper::Ignored, why.map_or_else(|| "ignored".to_owned(), |why| format!("ignored: {why}")))
            }
            SetAsideReason::ReadOnly(owner) => (2, Keeper::Service, format!("managed by {}", owner.owner())),
            SetAsideReason::Opaque => (3, Keeper::Nobody, "not understood by this version".to_owned()),
            SetAsideReason::Duplicate => (4, Keeper::Nobody, "duplicate of another live record".to_owned()),
        };
        let entry = counts.entry((rank, words.clone())).or_insert_with(|| SetAsideCount {
            keeper,
            reason: words,
            types: BTreeMap::new(),
            examples: Vec::new(),
        });
        *entry.types.entry(record.data.type_name().to_owned()).or_default() += 1;
        if entry.examples.len() < EXAMPLES {
            entry.examples.push(format!("{} {}", desired.name.relative(&record.name), record.data.type_name()));
        }
    }
    counts.into_values().collect()
}

/// Rules that are left alone, by phase and action.
fn foreign_rules(changes: &WafChanges) -> Vec<SetAsideCount> {
    let with_foreign = changes.phases.iter().filter(|p| !p.foreign.is_empty());
    with_foreign
        .map(|phase| SetAsideCount {
            keeper: Keeper::Nobody,
            reason: format!("foreign {}", phase.phase.about()),
            types: foreign_by_action(&phase.foreign).into_iter().map(|(a, n)| (a.to_owned(), n)).collect(),
            examples: phase.foreign.iter().take(EXAMPLES).map(|r| r.shown().to_owned()).collect(),
        })
        .collect()
}
