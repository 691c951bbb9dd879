//! Separates the notes and warnings that a change causes from those that were true before it.
//!
//! A reviewer reads the effects of a change. A note such as "this category can never reach the
//! threshold" is true of the zone in every plan, so plans only count it, and `validate` and `-v`
//! show it. A warning is only counted if the base has it as well, because without a base it may be
//! new.

use std::collections::{BTreeMap, BTreeSet};

use super::goal::Goal;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, findings};
use crate::lint;
use crate::model::Live;
use crate::plan::{check_protection_of_run, plan_zone};

/// Findings without their places, which move when lines are added above them.
#[derive(Default)]
struct Known {
    /// The details, by code and address.
    details: BTreeSet<(&'static str, Option<String>, String)>,
    /// The counted names, by code and address.
    names: BTreeMap<(&'static str, Option<String>), BTreeSet<String>>,
}

impl Known {
    /// Adds findings.
    fn extend<'d>(&mut self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        for found in diagnostics {
            self.details.insert((found.code(), found.address.clone(), found.detail.clone()));
            if !found.names.is_empty() {
                let names = self.names.entry((found.code(), found.address.clone())).or_default();
                names.extend(found.names.iter().cloned());
            }
        }
    }

    /// Returns true if a finding is known, or counts fewer names than a known one.
    fn has(&self, found: &Diagnostic) -> bool {
        if found.names.is_empty() {
            return self.details.contains(&(
                found.code(),
                found.address.clone(),
                found.detail.clone(),
            ));
        }
        let names = self.names.get(&(found.code(), found.address.clone()));
        names.is_some_and(|names| found.names.iter().all(|name| names.contains(name)))
    }
}

/// Marks known findings: without a base all notes about zones, with a base the notes and warnings
/// that it has as well.
pub(super) fn mark(diagnostics: &mut Diagnostics, goal: &Goal, live: &Live) {
    if !diagnostics.iter().any(Diagnostic::is_of_zone) {
        return;
    }
    // These are about the live state, and must always be reported, so that silence is not mistaken
    // for agreement.
    let is_always_said = |d: &Diagnostic| {
        [findings::WEAKENED.code, findings::PROTECTION_NOT_KNOWN.code].contains(&d.code())
    };
    // The reads of a run do not depend on the change.
    let is_of_run = |d: &Diagnostic| d.code() == findings::EARLIER_NOT_READ.code;
    let Some(base) = goal.base() else {
        return diagnostics.mark_known(|d| d.severity == Severity::Note && !is_always_said(d));
    };
    let mut known_notes = Known::default();
    known_notes.extend(base.notes.iter());
    known_notes.extend(lint::lint(&base.desired).iter());
    let mut plans = Vec::new();
    for (name, desired) in &base.desired.zones {
        let is_of_zone = |d: &Diagnostic| {
            d.is_of_zone() && d.address.as_deref().is_none_or(|a| a.starts_with(name.as_str()))
        };
        let has_notes = |d: &Diagnostic| is_of_zone(d) && !is_of_run(d);
        if let Some(live) = live.zones.get(name)
            && diagnostics.iter().any(has_notes)
        {
            let (plan, found) = plan_zone(desired, live);
            known_notes.extend(found.iter());
            plans.push(plan);
        }
    }
    known_notes.extend(check_protection_of_run(&plans, &base.desired, &|_| false).iter());
    diagnostics.mark_known(|d| is_of_run(d) || (!is_always_said(d) && known_notes.has(d)));
}
