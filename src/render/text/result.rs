//! The result of an apply as text.

use std::collections::HashMap;
use std::io::{self, Write};

use super::style::{BOLD, CREATE, DELETE, styled};
use crate::apply::{Noticed, OperationOutcome, Verified, ZoneApplied};
use crate::diagnostic::count;
use crate::model::Address;
use crate::plan::ZonePlan;
use crate::render::names_in_words::in_both_forms;
use crate::render::safe::safe;

/// Maximum number of differences that are named if a zone did not converge.
const MOST_LEFT: usize = 50;

/// One zone's result.
#[derive(Debug, Clone, Copy)]
pub struct ZoneResult<'a> {
    /// Its plan.
    pub plan: &'a ZonePlan,
    /// The result of applying it.
    pub applied: &'a ZoneApplied,
    /// The result of reading the zone again; `None` if it was not read.
    pub verified: Option<&'a Verified>,
    /// True if the responses confirm that the zone is in sync, so that it was not read again.
    pub is_confirmed: bool,
}

/// Maximum number of operations with the same result that are named.
const SHOWN_OPERATIONS: usize = 3;

/// Operations of a zone that did not succeed, with the same result and reason.
struct Group<'a> {
    /// Their result.
    word: &'static str,
    /// Their reason.
    reason: &'a str,
    /// Their addresses, in the order of the plan.
    addresses: Vec<&'a Address>,
}

/// Groups the operations of a zone that did not succeed, in the order of the first of each group.
fn groups<'a>(plan: &'a ZonePlan, applied: &'a ZoneApplied) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    for (address, outcome) in plan.addresses().zip(&applied.outcomes) {
        let (word, reason) = match outcome {
            OperationOutcome::Done => continue,
            OperationOutcome::OtherCuts(reason) => ("identical", reason.as_str()),
            OperationOutcome::Refused(reason) => ("refused", reason.as_str()),
            OperationOutcome::NotSent(reason) => ("not sent", reason.as_str()),
            OperationOutcome::Stale(reason) => ("stale", reason.as_str()),
            OperationOutcome::Restored => ("restored", OperationOutcome::WHY_RESTORED),
            OperationOutcome::Unknown(reason) => ("unknown", reason.as_str()),
            OperationOutcome::Deferred(reason) => ("deferred", reason.as_str()),
        };
        let number = *numbers.entry((word, reason)).or_insert_with(|| {
            groups.push(Group { word, reason, addresses: Vec::new() });
            groups.len() - 1
        });
        groups[number].addresses.push(address);
    }
    groups
}

/// Writes the result of an apply. Operations that did not succeed are grouped by the reason.
///
/// # Errors
/// The errors of the writer.
pub fn write_result(out: &mut dyn Write, zones: &[ZoneResult], colour: bool) -> io::Result<()> {
    for ZoneResult { plan, applied, verified, is_confirmed } in zones {
        let total = count(applied.outcomes.len(), "operation");
        let name = styled(&in_both_forms(plan.name.as_str()), BOLD, colour);
        let remaining = verified.map(|v| &v.remaining);
        let remaining_count = remaining.map(|plan| plan.operations.len());
        let state = match remaining_count {
            Some(0) if verified.is_some_and(|v| !v.is_in_sync()) => {
                styled("something in the spec cannot be applied; see the errors", DELETE, colour)
            }
            _ if !plan.left_out.is_empty() && (remaining_count == Some(0) || *is_confirmed) => {
                styled(
                    &format!(
                        "what was chosen is in sync; {} left out",
                        count(plan.left_out.len(), "operation")
                    ),
                    CREATE,
                    colour,
                )
            }
            Some(0) if applied.is_complete() => styled("in sync, read back", CREATE, colour),
            Some(0) => {
                styled("in sync, read back, although not every operation succeeded", CREATE, colour)
            }
            Some(n) => styled(
                &format!("{} left after reading back", count(n, "difference")),
                DELETE,
                colour,
            ),
            None if *is_confirmed => styled("in sync, confirmed by the responses", CREATE, colour),
            None if applied.wrote_anything() => styled("not read back", DELETE, colour),
            None => styled("nothing was written", DELETE, colour),
        };
        writeln!(out, "{name}  {} of {total} done; {state}", applied.done())?;
        for Group { word, reason, addresses } in groups(plan, applied) {
            let word = styled(word, DELETE, colour);
            if let [address] = addresses[..] {
                writeln!(out, "  {word}  {}: {}", safe(address.as_str()), safe(reason))?;
                continue;
            }
            writeln!(out, "  {word}  {}: {}", count(addresses.len(), "operation"), safe(reason))?;
            for address in addresses.iter().take(SHOWN_OPERATIONS) {
                writeln!(out, "    {}", safe(address.as_str()))?;
            }
            if let Some(more) = addresses.len().checked_sub(SHOWN_OPERATIONS).filter(|n| *n > 0) {
                writeln!(out, "    and {more} more")?;
            }
        }
        for Noticed { address, what } in &applied.noticed {
            writeln!(
                out,
                "  {}  {}: {}",
                styled("changed", DELETE, colour),
                safe(address.as_str()),
                safe(what)
            )?;
        }
        for address in remaining.iter().flat_map(|r| r.addresses()).take(MOST_LEFT) {
            writeln!(out, "  {}  {}", styled("left", DELETE, colour), safe(address.as_str()))?;
        }
        if let Some(more) =
            remaining_count.and_then(|n| n.checked_sub(MOST_LEFT)).filter(|n| *n > 0)
        {
            writeln!(out, "  and {more} more")?;
        }
    }
    Ok(())
}

/// Describes the next step for operations that did not succeed, if there are any. `is_saved_plan`
/// is true if a saved plan was applied.
#[must_use]
pub fn next_step(zones: &[ZoneResult], is_saved_plan: bool) -> Option<String> {
    let outcomes = || zones.iter().flat_map(|zone| &zone.applied.outcomes);
    let number =
        |is: fn(&OperationOutcome) -> bool| outcomes().filter(|outcome| is(outcome)).count();
    let refused = number(|o| matches!(o, OperationOutcome::Refused(_)));
    let stale = number(|o| matches!(o, OperationOutcome::Stale(_)));
    let open_count = outcomes().filter(|outcome| !outcome.is_in_effect()).count();
    if open_count == 0 {
        return None;
    }
    let advice = match is_saved_plan {
        true if stale > 0 => "plan again, and apply the new plan",
        true => "run the same command with --resume: it sends only what is left",
        false => "run the same command again: it plans again and sends only what is left",
    };
    let open_operations = format!("{} left", count(open_count, "operation"));
    Some(match refused {
        0 => format!("{open_operations}. To finish, {advice}."),
        n => format!(
            "{open_operations}, {n} of them refused. Correct what was refused; then {advice}."
        ),
    })
}
