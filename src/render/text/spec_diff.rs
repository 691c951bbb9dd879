//! The differences between two specs as text.

use std::io::{self, Write};

use super::layout::{Line, Paper, write_change as write_values};
use super::signs::{CREATED, DELETED, UPDATED};
use super::style::{BOLD, DIM, PLAIN, UPDATE, styled};
use crate::diagnostic::count;
use crate::diff::{SpecChange, SpecChangeKind, SpecChanges, ZoneSpecChanges, ZoneSpecKind};
use crate::model::Value;
use crate::render::names_in_words::in_both_forms;
use crate::render::safe::safe;

/// Writes the differences between two specs: each zone with its differences, and a line of counts.
///
/// # Errors
/// The errors of the writer.
pub fn write_spec_changes(
    out: &mut dyn Write,
    changes: &SpecChanges,
    colour: bool,
) -> io::Result<()> {
    for zone in &changes.zones {
        write_zone(out, zone, colour)?;
    }
    let same_zones = count(changes.unchanged, "zone");
    if changes.is_empty() {
        return writeln!(
            out,
            "{}",
            styled(&format!("No difference: {same_zones} the same in both."), BOLD, colour)
        );
    }
    let (mut added, mut removed, mut changed, mut moved) = (0, 0, 0, 0);
    for change in changes.zones.iter().flat_map(|zone| &zone.changes) {
        match change.kind {
            SpecChangeKind::Added { .. } => added += 1,
            SpecChangeKind::Removed { .. } => removed += 1,
            SpecChangeKind::Changed { .. } => changed += 1,
            SpecChangeKind::Moved { .. } => moved += 1,
        }
    }
    let line = format!("{added} added, {removed} removed, {changed} changed, {moved} moved.");
    let zones = count(changes.zones.len(), "zone");
    let differ = if changes.zones.len() == 1 { "differs" } else { "differ" };
    let same_in_words =
        if changes.unchanged == 0 { String::new() } else { format!(", {same_zones} the same") };
    let aside = format!("({zones} {differ}{same_in_words})");
    writeln!(out, "{}  {}", styled(&line, BOLD, colour), styled(&aside, DIM, colour))
}

fn write_zone(out: &mut dyn Write, zone: &ZoneSpecChanges, colour: bool) -> io::Result<()> {
    let ZoneSpecChanges { zone: name, kind, place: _, changes } = zone;
    let (mark, about) = match kind {
        ZoneSpecKind::Added => (styled(CREATED.0, CREATED.1, colour), "  begins to be managed"),
        ZoneSpecKind::Removed => {
            (styled(DELETED.0, DELETED.1, colour), "  no longer managed: what Cloudflare has stays")
        }
        ZoneSpecKind::Changed => (String::new(), ""),
    };
    writeln!(
        out,
        "{mark}{}{}",
        styled(&in_both_forms(name.as_str()), BOLD, colour),
        styled(about, DIM, colour)
    )?;
    if !changes.is_empty() {
        writeln!(out)?;
    }
    for change in changes {
        write_change(out, change, colour)?;
    }
    writeln!(out)
}

fn write_change(out: &mut dyn Write, change: &SpecChange, colour: bool) -> io::Result<()> {
    let SpecChange { path, kind, place: _ } = change;
    let path = safe(path);
    match kind {
        SpecChangeKind::Added { after, words } => {
            writeln!(
                out,
                "  {} {path}: {}",
                styled(CREATED.0.trim_end(), CREATED.1, colour),
                shown(after, words.as_deref())
            )
        }
        SpecChangeKind::Removed { before, words } => {
            writeln!(
                out,
                "  {} {path}: {}",
                styled(DELETED.0.trim_end(), DELETED.1, colour),
                shown(before, words.as_deref())
            )
        }
        SpecChangeKind::Changed { before, after } => {
            let head = Line::indented(2).add(UPDATED.0, UPDATED.1).add(format!("{path}: "), PLAIN);
            let paper = Paper { colour, width: None, is_full: true };
            write_values(out, head, (&before.to_string(), &after.to_string()), "", paper)
        }
        SpecChangeKind::Moved { behind } => {
            let to = behind
                .as_ref()
                .map_or_else(|| "to the top".to_owned(), |name| format!("behind {}", safe(name)));
            writeln!(out, "  {} {path}: moved {to}", styled(">", UPDATE, colour))
        }
    }
}

/// Formats a value that only one side has.
fn shown(value: &Value, words: Option<&str>) -> String {
    safe(&words.map_or_else(|| value.to_string(), str::to_owned)).into_owned()
}
