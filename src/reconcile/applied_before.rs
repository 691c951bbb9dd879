//! Findings from journals about a plan: an apply did not last, because its operations are planned
//! again; or an apply wrote a value of unknown owner that the plan replaces; or an apply left a
//! name without records. They change no operation.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::journals;
use crate::apply::{AppliedBefore, AppliedOperations, EmptiedName};
use crate::diagnostic::{Diagnostics, findings, first_of};
use crate::model::Live;
use crate::model::time::{age, parse_rfc3339};
use crate::plan::{Plan, ZonePlan};

/// Minimum time that an apply is expected to last.
const LASTING: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of journals that are read, newest first.
const JOURNALS: usize = 5;

/// Maximum number of operations that are named.
const NAMED: usize = 5;

/// Warns of names that an apply left without records, and of operations that were applied recently
/// according to the journals in a directory.
pub(super) fn find(directory: &Path, plan: &Plan, live: &Live, now: SystemTime) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let is_recent = |time: SystemTime| age(time, now).is_some_and(|age| age < LASTING);
    let mut applied = AppliedOperations::default();
    let paths = journals::newest(directory, is_recent, JOURNALS);
    paths.iter().filter_map(|path| journals::open(path)).for_each(|text| applied.add(text));
    let of_zone = |zone: &ZonePlan| Some(applied.emptied(zone, live.zones.get(&zone.name)?));
    for EmptiedName { address, name, deleted_at } in plan.zones.iter().filter_map(of_zone).flatten()
    {
        let what = format!("{name} has no records since an apply deleted them at {deleted_at}");
        let finding = findings::EMPTIED_NAME.nowhere(what).about(address.to_string());
        diagnostics.push(
            finding.help(
                "apply this plan, or restore what was deleted with `zonewright undo JOURNAL`",
            ),
        );
    }
    let counts = |at: &str| parse_rfc3339(at).is_ok_and(is_recent);
    diagnostics.append(written(&applied, plan, counts));
    diagnostics.append(reverted(&applied, plan, counts));
    let repeated: Vec<AppliedBefore> =
        plan.zones.iter().flat_map(|zone| applied.repeated(zone, counts)).collect();
    let Some(first) = repeated.first() else { return diagnostics };
    let addresses = first_of(
        repeated.iter().map(|r| format!("{} (applied at {})", r.address, r.applied_at)),
        NAMED,
    );
    let subject = if repeated.len() == 1 {
        "1 change is".to_owned()
    } else {
        format!("{} changes are", repeated.len())
    };
    let what = format!("{subject} needed again: {addresses}");
    let finding = findings::REPEATED_CHANGE.nowhere(what).about(first.address.to_string());
    diagnostics.push(
        finding.help("find out what else writes to the zone; the journals say what was applied"),
    );
    diagnostics
}

/// Reports operations that take back what an apply did.
fn reverted(
    applied: &AppliedOperations,
    plan: &Plan,
    counts: impl Fn(&str) -> bool,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let operations: Vec<AppliedBefore> =
        plan.zones.iter().flat_map(|zone| applied.reverted(zone, &counts)).collect();
    if !operations.is_empty() {
        let addresses = first_of(
            operations.iter().map(|r| format!("{} (applied at {})", r.address, r.applied_at)),
            NAMED,
        );
        let takes = if operations.len() == 1 { "operation takes" } else { "operations take" };
        let what = format!("{} {takes} back what an apply did: {addresses}", operations.len());
        diagnostics.push(findings::REVERTS_APPLY.nowhere(what));
    }
    diagnostics
}

/// Reports live values of unknown owner that the plan replaces, and that an apply wrote according
/// to the journals. The note only explains, because a journal is not a state.
fn written(applied: &AppliedOperations, plan: &Plan, counts: impl Fn(&str) -> bool) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let operations: Vec<AppliedBefore> =
        plan.zones.iter().flat_map(|zone| applied.written(zone, &counts)).collect();
    if !operations.is_empty() {
        let addresses = first_of(
            operations.iter().map(|w| format!("{} (applied at {})", w.address, w.applied_at)),
            NAMED,
        );
        let what = format!("an apply wrote what is replaced at {addresses}");
        diagnostics.push(findings::WRITTEN_BY_APPLY.nowhere(what));
    }
    diagnostics
}
