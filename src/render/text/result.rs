//! The result of an apply as text.

use std::io::{self, Write};

use super::layout::{BOLD, CREATE, DELETE, count, styled};
use crate::apply::{Outcome, Verified, ZoneApplied};
use crate::plan::ZonePlan;
use crate::render::safe::safe;

/// Largest number of differences named when a zone did not converge.
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
}

/// Writes the result of an apply; operations that did not succeed are named with the reason.
///
/// # Errors
/// Those of the writer.
pub fn write_result(out: &mut dyn Write, zones: &[ZoneResult], colour: bool) -> io::Result<()> {
    for ZoneResult { plan, applied, verified } in zones {
        let total = count(applied.outcomes.len(), "operation");
        let name = styled(plan.name.as_str(), BOLD, colour);
        let remaining = verified.map(|v| &v.remaining);
        let left = remaining.map(|plan| plan.operations.len());
        let state = match left {
            Some(0) if verified.is_some_and(|v| !v.is_in_sync()) => {
                styled("something wanted cannot be had", DELETE, colour)
            }
            Some(0) if applied.is_complete() => styled("in sync, read back", CREATE, colour),
            Some(0) => styled("in sync, read back, although not everything was ours", CREATE, colour),
            Some(n) => styled(&format!("{} left after reading back", count(n, "difference")), DELETE, colour),
            None if applied.wrote_anything() => styled("not read back", DELETE, colour),
            None => styled("nothing was written", DELETE, colour),
        };
        writeln!(out, "{name}  {} of {total} done; {state}", applied.done())?;
        for (address, outcome) in plan.addresses().zip(&applied.outcomes) {
            let (word, reason) = match outcome {
                Outcome::Done => continue,
                Outcome::Refused(reason) => ("refused", reason.as_str()),
                Outcome::NotSent(reason) => ("not sent", reason.as_str()),
                Outcome::Stale(reason) => ("stale", reason.as_str()),
                Outcome::Restored => ("restored", Outcome::WHY_RESTORED),
                Outcome::Unknown(reason) => ("unknown", reason.as_str()),
                Outcome::Deferred(reason) => ("deferred", reason.as_str()),
            };
            let word = styled(word, DELETE, colour);
            writeln!(out, "  {word}  {}: {}", safe(address.as_str()), safe(reason))?;
        }
        for address in remaining.iter().flat_map(|r| r.addresses()).take(MOST_LEFT) {
            writeln!(out, "  {}  {}", styled("left", DELETE, colour), safe(address.as_str()))?;
        }
        if let Some(more) = left.and_then(|n| n.checked_sub(MOST_LEFT)).filter(|n| *n > 0) {
            writeln!(out, "  and {more} more")?;
        }
    }
    Ok(())
}
