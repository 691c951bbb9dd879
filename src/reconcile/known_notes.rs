//! Tells the notes and warnings that a change brings from those that were true before it.
//!
//! A reviewer reads what a change does. A note such as "this category can never reach the threshold" is true of the zone in every
//! plan, so plans count it, and `validate` and `-v` show it. A warning is counted only if the base has it as well: without a base
//! it may be new.

use std::collections::BTreeSet;

use super::goal::Goal;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::lint;
use crate::model::Live;
use crate::plan::plan_zone;

/// A finding without its place, which moves when lines are added above it.
type Note = (&'static str, Option<String>, String);

/// Marks what is known: without a base all notes about zones, with a base the notes and warnings that it has as well.
pub(super) fn mark(diagnostics: &mut Diagnostics, goal: &Goal, live: &Live) {
    if !diagnostics.iter().any(Diagnostic::is_of_zone) {
        return;
    }
    let Some(base) = goal.base() else { return diagnostics.mark_known(|d| d.severity == Severity::Note) };
    let mut before: BTreeSet<Note> = base.notes.iter().map(note).collect();
    before.extend(lint::check(&base.desired).iter().map(note));
    for (name, desired) in &base.desired.zones {
        let has_notes =
            |d: &Diagnostic| d.is_of_zone() && d.address.as_deref().is_none_or(|a| a.starts_with(name.as_str()));
        if let Some(live) = live.zones.get(name)
            && diagnostics.iter().any(has_notes)
        {
            before.extend(plan_zone(desired, live).1.iter().map(note));
        }
    }
    diagnostics.mark_known(|diagnostic| before.contains(&note(diagnostic)));
}

/// A finding in the form in which two specs can be compared.
fn note(diagnostic: &Diagnostic) -> Note {
    (diagnostic.code(), diagnostic.address.clone(), diagnostic.detail.clone())
}
