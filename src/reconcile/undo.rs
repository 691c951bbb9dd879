//! Undoes a journal: the plan of the undo, and its refusals.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::journals;
use crate::apply::{
    JournalReadError, JournalRun, JournalText, Moved, RestoredRecords, Undone, needed, undo_zone,
};
use crate::diagnostic::{Diagnostics, Severity, Sources, count, findings};
use crate::live::WafQuery;
use crate::model::managed::Managed;
use crate::model::ruleset::Phase;
use crate::model::{Desired, DesiredZone, Gather, LiveZone};
use crate::plan::{ZonePlan, plan_zone};

/// Maximum number of journals that are searched for records that were deleted and created again.
const LATER_JOURNALS: usize = 100;

/// A journal to undo.
#[derive(Debug)]
pub struct Undo {
    /// Its content.
    run: JournalRun,
    /// True if the rest is undone when something cannot be undone.
    skip_conflicts: bool,
    /// Later journals that were not read, or not completely.
    unread_journals: Vec<PathBuf>,
}

/// The reason why a journal cannot be undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// It cannot be read or used.
    #[error("{name} cannot be undone")]
    Journal {
        /// The file.
        name: String,
        /// The reason.
        #[source]
        source: JournalReadError,
    },
    /// Its apply did nothing.
    #[error("there is nothing to undo in {name}")]
    Nothing {
        /// The file.
        name: String,
        /// The reason.
        #[source]
        source: JournalReadError,
    },
    /// A pattern matches no zone of it.
    #[error("{summary}: {detail}")]
    NoSuchZone {
        /// The error.
        summary: &'static str,
        /// The pattern.
        detail: String,
    },
}

impl Undo {
    /// Reads a journal. Returns its SHA-256 as well, and adds the text that findings point to.
    /// Later journals of a directory show which of its records have other ids now.
    pub(super) fn read(
        path: &Path,
        directory: &Path,
        skip_conflicts: bool,
        sources: &mut Sources,
    ) -> Result<(Self, String), UndoError> {
        let name = path.display().to_string();
        let fail = |source| match source {
            JournalReadError::Empty => UndoError::Nothing { name: name.clone(), source },
            _ => UndoError::Journal { name: name.clone(), source },
        };
        let text = JournalText::open(path).map_err(fail)?;
        let source = sources.add(name.clone(), text.outline().to_owned());
        let digest = text.digest().to_owned();
        let mut run = JournalRun::read(text, source).map_err(fail)?;
        let mut restored = RestoredRecords::default();
        let mut later = journals::begun_since(directory, &run.began_at);
        let mut unread_journals = later.split_off(LATER_JOURNALS.min(later.len()));
        later.retain(|path| !journals::open(path).is_some_and(|text| restored.add(text)));
        unread_journals.extend(later);
        run.follow(restored);
        Ok((Self { run, skip_conflicts, unread_journals }, digest))
    }

    /// Returns the zones that were written to, with the parts that have to be read.
    pub(super) fn desired(&self) -> Desired {
        let written = self.run.zones.iter().filter(|(_, zone)| !zone.is_without_id());
        let zones = written.map(|(name, zone)| (name.clone(), needed(name, zone)));
        Desired { zones: zones.gather(), ..Desired::default() }
    }

    /// Warns of zones that may or may not have been created, and of later journals that were not
    /// read.
    pub(super) fn doubts(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if let Some(first) = self.unread_journals.first() {
            let journals = count(self.unread_journals.len(), "later journal");
            let words = format!(
                "{journals} could not be read, the first: {}; records that those applies deleted \
                and created \
                 again have other ids, and may be reported as changed by someone else",
                first.display()
            );
            diagnostics.push(findings::LATER_JOURNAL_UNREAD.nowhere(words));
        }
        for (name, _) in
            self.run.zones.iter().filter(|(_, zone)| zone.is_without_id() && zone.is_made)
        {
            let words = format!(
                "it is unknown whether {name} was created: the apply ended before the response came"
            );
            let help = "if the zone exists, it stays as it is: zonewright never deletes a zone";
            diagnostics
                .push(findings::ZONE_IN_DOUBT.nowhere(words).about(name.to_string()).help(help));
        }
        diagnostics
    }

    /// Returns the number of records that were written to.
    pub(super) fn records(&self) -> usize {
        self.run.zones.values().map(|zone| zone.records.len()).sum()
    }

    /// Returns the part of a zone's protection that has to be read: the phases that were written
    /// to, and the rulesets that their rules name.
    pub(super) fn waf_query(&self, zone: &DesiredZone) -> WafQuery {
        let rules = self.run.zones.get(&zone.name).into_iter().flat_map(|run| &run.rules);
        let phases: BTreeSet<Phase> = rules.map(|entry| entry.effect.phase).gather();
        let managed = if phases.contains(&Phase::Managed) { Managed::ALL } else { &[] };
        WafQuery { phases, managed: managed.iter().copied().collect(), ..WafQuery::default() }
    }

    /// Plans the undoing of a zone.
    pub(super) fn plan(&self, desired: &DesiredZone, live: &LiveZone) -> (ZonePlan, Diagnostics) {
        let Some(run) = self.run.zones.get(&desired.name) else {
            return plan_zone(desired, live);
        };
        let Undone { plan, mut diagnostics, conflicts } = undo_zone(run, desired, live);
        for Moved { address, what } in conflicts {
            let diagnostic = findings::UNDO_CONFLICT.nowhere(what);
            let diagnostic = match self.skip_conflicts {
                true => diagnostic.as_severity(Severity::Warning).help("it is left as it is"),
                false => diagnostic
                    .help("check the later change; --skip-conflicts keeps it and undoes the rest"),
            };
            diagnostics.push(diagnostic.about(address));
        }
        (plan, diagnostics)
    }
}

/// Returns true if every error of a plan is a change that someone made after the apply to undo. The
/// plan is stale then.
pub(super) fn has_conflicts_only(diagnostics: &Diagnostics) -> bool {
    diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .all(|d| d.finding == findings::UNDO_CONFLICT)
}
