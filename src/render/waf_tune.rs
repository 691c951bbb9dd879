//! The setting of the OWASP ruleset with the least damage, as text and as JSON.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::safe::{safe, shortened};
use super::waf_explain::MOST_OF_EDIT;
use crate::diagnostic::count;
use crate::document::FORMAT;
use crate::insight::traffic::{Entry, Scope, Tuning};

/// The number of requests on which the ruleset acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcome {
    /// All requests.
    pub all: usize,
    /// Requests under the current setting.
    pub today: usize,
    /// Requests under the proposed setting.
    pub then: usize,
}

/// A proposed setting with its evaluation.
#[derive(Debug)]
pub struct Tuned<'t> {
    /// The zone.
    pub zone: &'t str,
    /// The origin of the current setting: `spec` or `live`.
    pub whose: &'static str,
    /// The current paranoia level; `None` if the levels are mixed.
    pub level: Option<u8>,
    /// The current threshold.
    pub threshold: u32,
    /// The current action, which stays.
    pub action: &'t str,
    /// The proposed setting.
    pub tuning: &'t Tuning,
    /// Benign requests and attacks in the half that the search used.
    pub seen: (Outcome, Outcome),
    /// Benign requests and attacks in the other half.
    pub unseen: (Outcome, Outcome),
    /// True if there are attacks.
    pub has_attacks: bool,
    /// For each entry, counted in the half that the search used: benign requests that it spares,
    /// attacks that it lets through as recorded, and attacks that would pass if they were sent to a
    /// place where the entry applies.
    pub entries: Vec<(&'t Entry, usize, usize, usize)>,
    /// Requests to hosts outside of the zone.
    pub foreign: usize,
    /// Requests that never reach the ruleset.
    pub unreached: usize,
    /// Requests with rules that could not be decided.
    pub undecided: usize,
    /// The edit of the spec.
    pub edit: &'t str,
}

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

fn about(entry: &Entry) -> String {
    let Entry { scope, host, path, rule } = entry;
    match scope {
        Scope::Path => format!("exception for {rule} on {host}{path}"),
        Scope::Host => format!("exception for {rule} on {host}"),
        Scope::Zone => format!("{rule} off"),
    }
}

/// The proposed setting in the form of the JSON output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'t> {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: &'static str,
    zone: &'t str,
    settings: &'static str,
    today: Setting,
    proposed: Setting,
    action: &'t str,
    is_proven: bool,
    seen: Judged,
    unseen: Judged,
    entries: Vec<EntryDocument<'t>>,
    foreign: usize,
    unreached: usize,
    undecided: usize,
    edit: &'t str,
}

/// A level and a threshold.
#[derive(Debug, Serialize, JsonSchema)]
struct Setting {
    paranoia: Option<u8>,
    threshold: u32,
}

/// The evaluation of the requests of a half.
#[derive(Debug, Serialize, JsonSchema)]
struct Judged {
    benign: Outcome,
    attacks: Outcome,
}

/// An exception or a disabled rule.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryDocument<'t> {
    rule: u32,
    host: Option<&'t str>,
    path: Option<&'t str>,
    spares: usize,
    lets_through: usize,
    lets_through_there: usize,
}

/// Returns the form of the JSON output.
#[must_use]
pub fn document<'t>(tuned: &'t Tuned<'t>) -> Document<'t> {
    let judged = |(benign, attacks): (Outcome, Outcome)| Judged { benign, attacks };
    let entry = |(entry, spares, costs, there): &(&'t Entry, usize, usize, usize)| EntryDocument {
        rule: entry.rule,
        host: (entry.scope < Scope::Zone).then_some(entry.host.as_str()),
        path: (entry.scope == Scope::Path).then_some(entry.path.as_str()),
        spares: *spares,
        lets_through: *costs,
        lets_through_there: *there,
    };
    Document {
        format: FORMAT,
        kind: "waf_tune",
        zone: tuned.zone,
        settings: tuned.whose,
        today: Setting { paranoia: tuned.level, threshold: tuned.threshold },
        proposed: Setting { paranoia: Some(tuned.tuning.level), threshold: tuned.tuning.threshold },
        action: tuned.action,
        is_proven: tuned.tuning.is_proven,
        seen: judged(tuned.seen),
        unseen: judged(tuned.unseen),
        entries: tuned.entries.iter().map(entry).collect(),
        foreign: tuned.foreign,
        unreached: tuned.unreached,
        undecided: tuned.undecided,
        edit: tuned.edit,
    }
}
