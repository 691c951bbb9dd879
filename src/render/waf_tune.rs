//! Settings of the OWASP ruleset with little damage, as text.

use std::io::{self, Write};

use super::safe::{safe, shortened};
use super::waf_explain::MOST_OF_EDIT;
use crate::diagnostic::count;
use crate::document::waf_tune::{Outcome, Tuned, TunedEntry, TunedRow};
use crate::insight::traffic::{ExceptionPlace, PathScope, SkippedRules};

/// Widths of the columns of the table.
const WIDTHS: [usize; 9] = [8, 7, 11, 13, 14, 13, 15, 13, 13];

/// Writes the settings, and the edit of the proposed one.
///
/// # Errors
/// The errors of the writer.
pub fn write_tuned(out: &mut dyn Write, tuned: &Tuned<'_>) -> io::Result<()> {
    let Tuned { zone, whose, has_attacks, .. } = tuned;
    writeln!(out, "{zone} ({whose})\n")?;
    write_table(out, tuned)?;
    writeln!(
        out,
        "\n  Setting {} is proposed; --row NUMBER prints the edit of another one. Settings were found on the requests that \
         are seen,\n  and judged on the others; the digest of a request decides its half.",
        tuned.proposed + 1
    )?;
    if !has_attacks {
        writeln!(
            out,
            "  Without attacks, the settings are the weakest that the floor allows, with the fewest exceptions."
        )?;
    }
    if !tuned.is_proven {
        writeln!(out, "  The search ended early: there may be better settings.")?;
    }
    for entry in &tuned.entries {
        write_entry(out, entry, tuned)?;
    }
    for (load, score) in &tuned.acted_on {
        let request = format!("{} {}{}", load.method, load.host, load.path);
        let rules: Vec<String> = load.hits.iter().map(|hit| hit.rule.to_string()).collect();
        writeln!(
            out,
            "  acts on a benign request: {} (score {score}: {})",
            safe(&shortened(&request, MOST_OF_EDIT)),
            rules.join(", ")
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
    let edit = tuned.row().edit.lines();
    edit.into_iter().try_for_each(|line| writeln!(out, "  {}", shortened(line, MOST_OF_EDIT)))
}

/// Writes today's setting and the others, one in a line.
fn write_table(out: &mut dyn Write, tuned: &Tuned<'_>) -> io::Result<()> {
    let shown = if tuned.has_attacks { WIDTHS.len() } else { WIDTHS.len() - 2 };
    let mut write_row = |row: [&str; 9]| {
        let cells =
            row.iter().zip(WIDTHS).take(shown).map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(out, "  {}", cells.collect::<String>().trim_end())
    };
    write_row([
        "",
        "level",
        "threshold",
        "exceptions",
        "exempt paths",
        "benign acted on",
        "",
        "attacks stopped",
        "",
    ])?;
    write_row(["", "", "", "", "", "seen", "not seen", "seen", "not seen"])?;
    let outcomes = |row: &TunedRow, part: fn(&Outcome) -> usize| {
        [row.seen.0, row.unseen.0, row.seen.1, row.unseen.1]
            .map(|outcome| format!("{} of {}", part(&outcome), outcome.all))
    };
    let level = tuned.level.map_or_else(|| "?".to_owned(), |level| level.to_string());
    let [a, b, c, d] = outcomes(tuned.row(), |outcome| outcome.today);
    let threshold = tuned.threshold.to_string();
    write_row(["today", &level, &threshold, "as they are", "", &a, &b, &c, &d])?;
    for (at, row) in tuned.rows.iter().enumerate() {
        let mark = if at == tuned.proposed { " *" } else { "" };
        let exempt = match (row.tuning.entries.is_empty(), tuned.places) {
            (true, _) | (false, 0) => String::new(),
            (false, all) => format!("{:.1} %", row.exempt as f64 * 100.0 / all as f64),
        };
        let [a, b, c, d] = outcomes(row, |outcome| outcome.then);
        write_row([
            &format!("{}{mark}", at + 1),
            &row.tuning.level.to_string(),
            &row.tuning.threshold.to_string(),
            &row.tuning.entries.len().to_string(),
            &exempt,
            &a,
            &b,
            &c,
            &d,
        ])?;
    }
    Ok(())
}

/// Writes what an exception does.
fn write_entry(out: &mut dyn Write, tuned: &TunedEntry<'_>, all: &Tuned<'_>) -> io::Result<()> {
    let place = &tuned.entry.place;
    let rules = match &tuned.entry.rules {
        SkippedRules::All => "the whole ruleset".to_owned(),
        SkippedRules::Rules(rules) => {
            rules.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        }
    };
    let what = match *place == ExceptionPlace::ZONE {
        true => format!("{rules} off"),
        false => format!("exception for {rules} on {place}"),
    };
    let cost = match all.has_attacks {
        true => format!(
            "; lets {} through as recorded, {} if sent there",
            count(tuned.lets_through, "attack"),
            tuned.lets_through_there
        ),
        false => String::new(),
    };
    writeln!(
        out,
        "  {}: spares {}{cost}; applies to {} of {}",
        safe(&what),
        count(tuned.spares, "benign request"),
        tuned.places,
        count(all.places, "recorded path")
    )?;
    if place.path == PathScope::Any {
        writeln!(
            out,
            "    warning: this concerns every path of {}. Check that the requests it spares are benign: scanners in the \
             recording look like this. --tolerate SHARE leaves a few requests acted on instead.",
            safe(place.host.as_deref().unwrap_or("the zone"))
        )?;
    }
    Ok(())
}
