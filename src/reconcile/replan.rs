//! Plans again, and compares with the reviewed plan. Both a saved plan and a plan that waited for
//! confirmation use this check.

use std::collections::BTreeMap;

use super::goal::Source;
use super::plan::{Planned, plan_some};
use crate::document::saved_zone::SavedZone;
use crate::document::stale::{
    Achievable, Reviewed, StaleOperation, differences, differences_of_rest, take_dangers,
};
use crate::live::{AnyReader, FetchError};
use crate::model::{Danger, Gather, ZoneName};
use crate::plan::{Consents, Operation, Plan, SuccessorKey, ZonePlan};

/// Reads the zones that a plan changes again, plans them again, and returns the differences.
///
/// # Errors
/// Fails if Cloudflare cannot be read.
pub(crate) async fn changed_since(
    planned: &Planned<'_>,
    reader: &dyn AnyReader,
) -> Result<Vec<StaleOperation>, FetchError> {
    let changed = planned.plan.zones.iter().filter(|zone| !zone.is_empty());
    let changed: BTreeMap<&ZoneName, &ZonePlan> = changed.map(|zone| (&zone.name, zone)).gather();
    let current =
        plan_some(planned.goal, reader, &planned.options, &|zone| changed.contains_key(zone))
            .await?;
    let current_zones: BTreeMap<&ZoneName, &ZonePlan> =
        current.plan.zones.iter().map(|zone| (&zone.name, zone)).gather();
    let form = |zone: Option<&ZonePlan>| {
        let plan = Plan { zones: zone.cloned().into_iter().collect(), ..Plan::default() };
        Reviewed::all(&plan, &planned.goal.sources)
    };
    let mut stale_operations = Vec::new();
    for (name, zone) in changed {
        let current_zone = current_zones.get(name).copied();
        if current_zone.is_some_and(|again| are_same(&again.operations, &zone.operations)) {
            continue;
        }
        let moved = differences(&form(Some(zone)), &form(current_zone));
        if moved.is_empty() {
            // The difference is not visible, such as the version of a ruleset.
            stale_operations.push(StaleOperation {
                address: name.to_string(),
                what: "another plan would be needed now".to_owned(),
            });
        }
        stale_operations.extend(moved);
    }
    Ok(stale_operations)
}

/// Returns true if the operations are the same. The effect of an operation on a record can depend
/// on zones that were not read again.
fn are_same(operations: &[Operation], others: &[Operation]) -> bool {
    let is_same = |a: &Operation, b: &Operation| {
        if a.record().is_none() {
            return a == b;
        }
        let plain = |operation: &Operation| {
            let mut plain = Operation { impact: None, ..operation.clone() };
            plain.dangers.retain(|danger| *danger != Danger::RemovesLastAddress);
            plain.accepted.remove(&Danger::RemovesLastAddress);
            plain
        };
        plain(a) == plain(b)
    };
    operations.len() == others.len() && operations.iter().zip(others).all(|(a, b)| is_same(a, b))
}

/// Returns the differences from the saved plan; none if the plan was not saved.
#[must_use]
pub(crate) fn changed_since_saved(planned: &Planned<'_>) -> Vec<StaleOperation> {
    let mut moved = other_zones(planned, false);
    moved.extend(compared(planned, differences));
    moved
}

/// Reduces a plan to the rest of the saved one that was applied in part: operations that are no
/// longer needed count as done. Consents for the whole plan cover the rest, so the rest has the
/// dangers of the whole, and a number of deletes that matched the whole becomes the remaining
/// number.
///
/// # Errors
/// Fails with the differences if it is not the rest of the saved plan.
pub(crate) fn resume(
    planned: &mut Planned<'_>,
    consents: &mut Consents,
) -> Result<(), Vec<StaleOperation>> {
    let mut moved = other_zones(planned, true);
    let achievable = achievable(planned, consents);
    moved.extend(compared(planned, |whole, now| differences_of_rest(whole, now, &achievable)));
    if !moved.is_empty() {
        return Err(moved);
    }
    if let Source::SavedPlan { reviewed, .. } = &planned.goal.source {
        let delete_count = take_dangers(reviewed, &mut planned.plan);
        if consents.deletes == Some(delete_count) {
            let deletes = planned.plan.zones.iter().flat_map(|zone| &zone.operations);
            consents.deletes =
                Some(deletes.filter(|o| o.dangers.contains(&Danger::Delete)).count());
        }
    }
    Ok(())
}

/// Returns what a saved plan can have achieved, by its spec, its zones and the consents.
fn achievable(planned: &Planned<'_>, consents: &Consents) -> Achievable {
    let Source::SavedPlan { zones: saved, .. } = &planned.goal.source else {
        return Achievable::default();
    };
    let created = saved.iter().filter(|zone| zone.id.is_none());
    let mut covered = Achievable {
        zones: created.map(|zone| zone.name.clone()).collect(),
        ..Achievable::default()
    };
    for (name, zone) in &planned.goal.desired.zones {
        let is_allowed = |danger| {
            consents.dangers.contains(&danger)
                || zone.allow.contains_key(&danger)
                || consents.policy.allows(name.as_str(), danger).is_some()
        };
        if is_allowed(Danger::WeakensProtection) {
            covered.weakened.insert(name.as_str().to_owned());
        }
        let danger = Danger::ExposesOrigin;
        let in_zone = is_allowed(danger);
        for record in &zone.records {
            let Some(record_type) = record.data.record_type() else { continue };
            let key = SuccessorKey::new(&record.name, record_type);
            if in_zone || record.allow.as_ref().is_some_and(|all| all.contains_key(&danger)) {
                covered.exposed.insert(key.clone());
            }
            covered.records.insert(key);
        }
        let may_expose = zone.tombstones.iter().filter(|tombstone| {
            in_zone || tombstone.allow.as_ref().is_some_and(|all| all.contains_key(&danger))
        });
        let keys = may_expose.map(|gone| SuccessorKey::new(&gone.name, gone.record_type));
        covered.exposed.extend(keys);
    }
    covered
}

/// Returns the zones of a plan that differ from those of the saved plan: Cloudflare answers with
/// another id, or for another account. A zone that the plan creates has an id once it is `resumed`.
fn other_zones(planned: &Planned<'_>, is_resumed: bool) -> Vec<StaleOperation> {
    let Source::SavedPlan { zones: saved, .. } = &planned.goal.source else { return Vec::new() };
    let saved: BTreeMap<&str, &SavedZone> =
        saved.iter().map(|zone| (zone.name.as_str(), zone)).gather();
    let shown = |id: &Option<String>| id.as_deref().unwrap_or("unknown").to_owned();
    let mut moved = Vec::new();
    for zone in planned.saved_zones() {
        let what = match saved.get(zone.name.as_str()) {
            None => "the saved plan is not bound to this zone".to_owned(),
            // An existing zone shows an account that was unknown. A new zone is created in the
            // named account.
            Some(saved)
                if saved.account != zone.account
                    && (saved.account.is_some() || zone.id.is_none()) =>
            {
                format!(
                    "it was in the account {}, and is in the account {} now",
                    shown(&saved.account),
                    shown(&zone.account)
                )
            }
            Some(saved) if saved.id != zone.id && !(is_resumed && saved.id.is_none()) => {
                match (&saved.id, &zone.id) {
                    (Some(was), Some(is)) => {
                        format!(
                            "it had the id {was}, and another zone of this name has the id {is} now"
                        )
                    }
                    (None, _) => "it did not exist, and exists now".to_owned(),
                    (Some(_), None) => "it existed, and does not exist now".to_owned(),
                }
            }
            Some(_) => continue,
        };
        moved.push(StaleOperation { address: zone.name, what });
    }
    moved
}

/// Compares a plan with the saved one that it was made from.
fn compared(
    planned: &Planned<'_>,
    compare: impl Fn(&[Reviewed], &[Reviewed]) -> Vec<StaleOperation>,
) -> Vec<StaleOperation> {
    let Source::SavedPlan { reviewed, .. } = &planned.goal.source else { return Vec::new() };
    compare(reviewed, &Reviewed::all(&planned.plan, &planned.goal.sources))
}
