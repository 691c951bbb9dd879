//! The setting of the OWASP ruleset with the least damage, as text.

use std::io::{self, Write};

use super::safe::{safe, shortened};
use super::waf_explain::MOST_OF_EDIT;
use crate::diagnostic::count;
use crate::document::waf_tune::{Outcome, Tuned};
use crate::insight::traffic::{TuningEntry, WayScope};

/// Writes the proposed setting.
///
/// # Errors
/// The errors of the writer.
pub fn write_tuned(out: &mut dyn Write, tuned: &Tuned<'_>) -> io::Result<()> {
    let Tuned { zone, whose, tuning, seen, unseen, has_attacks, .. } = tuned;
    let level = tuned.level.map_or_else(|| "?".to_owned(), |level| level.to_string());
    writeln!(out, "{zone} ({whose})\n")?;
    let heads =
        ["", "level", "threshold", "exceptions", "benign acted on", "", "attacks stopped", ""];
    let halves = ["", "", "", "", "seen", "not seen", "seen", "not seen"];
    let of = |part: usize, all: usize| format!("{part} of {all}");
    let outcomes = |part: fn(&Outcome) -> usize| {
        [seen.0, unseen.0, seen.1, unseen.1].map(|outcome| of(part(&outcome), outcome.all))
    };
    let [a, b, c, d] = outcomes(|outcome| outcome.today);
    let [e, f, g, h] = outcomes(|outcome| outcome.then);
    let (today, then) = (tuned.threshold.to_string(), tuning.threshold.to_string());
    let (proposed, entries) = (tuning.level.to_string(), tuning.entries.len().to_string());
    let shown = if *has_attacks { 8 } else { 6 };
    for row in [
        heads,
        halves,
        ["today", &level, &today, "as they are", &a, &b, &c, &d],
        ["proposed", &proposed, &then, &entries, &e, &f, &g, &h],
    ] {
        let widths = [10, 7, 11, 13, 11, 17, 11, 11];
        let cells =
            row.iter().zip(widths).take(shown).map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(out, "  {}", cells.collect::<String>().trim_end())?;
    }
    writeln!(
        out,
        "\n  The setting was found on the requests that are seen, and judged on the others; the digest of a request decides \
         its half."
    )?;
    if !has_attacks {
        writeln!(
            out,
            "  Without attacks, it is the weakest setting that the floor allows, with the fewest exceptions."
        )?;
    }
    if !tuning.is_proven {
        writeln!(out, "  The search ended early: there may be a better setting.")?;
    }
    for (entry, spared, costs, there) in &tuned.entries {
        let cost = match has_attacks {
            true => format!(
                "; lets {} through as recorded, {there} if sent there",
                count(*costs, "attack")
            ),
            false => String::new(),
        };
        writeln!(
            out,
            "  {}: spares {}{cost}",
            safe(&about(entry)),
            count(*spared, "benign request")
        )?;
    }
    for (number, what) in [
        (tuned.foreign, "to other hosts: left out"),
        (tuned.unreached, "that never reach the OWASP rules: nothing counts"),
        (
            tuned.undecided,
            "with rules that take too many steps: they count for benign requests, and not for attacks",
        ),
    ] {
        if number > 0 {
            writeln!(out, "  note: {} {what}", count(number, "request"))?;
        }
    }
    writeln!(out, "\nEdit (merge it into the spec):\n")?;
    tuned.edit.lines().try_for_each(|line| writeln!(out, "  {}", shortened(line, MOST_OF_EDIT)))
}

fn about(entry: &TuningEntry) -> String {
    let TuningEntry { scope, host, path, rule } = entry;
    match scope {
        WayScope::Path => format!("exception for {rule} on {host}{path}"),
        WayScope::Host => format!("exception for {rule} on {host}"),
        WayScope::Zone => format!("{rule} off"),
    }
}
