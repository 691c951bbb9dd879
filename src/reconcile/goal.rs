//! What a run is to reach: the desired state of some zones, and where that comes from.
//!
//! In: a spec, a journal or a saved plan. Out: a [`Goal`], from which [`plan`](super::plan()) makes
//! a plan as often as it is needed: to show it, to see whether it still holds, and to verify the
//! result. Pure but for the files of the spec.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::base::Base;
use super::selection::Selection;
use super::undo::{Undo, UndoError};
use super::waf_lock;
use crate::diagnostic::{Diagnostics, Place, Severity, Sources, findings};
use crate::document::saved_zone::SavedZone;
use crate::document::stale::Reviewed;
use crate::insight::{OtherZones, Overview};
use crate::live::snapshot::AsOf;
use crate::live::{WafQuery, ZoneQuery};
use crate::model::{Desired, DesiredZone, LiveZone, Only, ZoneName};
use crate::plan::{ZonePlan, plan_part, plan_part_with_base};
use crate::{lint, spec};

/// The desired state of some zones, with what was found while reading it.
#[derive(Debug)]
pub struct Goal {
    /// What is desired of each zone.
    pub desired: Desired,
    /// Warnings and notes.
    pub diagnostics: Diagnostics,
    /// The texts that it was read from, for showing findings.
    pub sources: Sources,
    /// SHA-256 of what was read, hexadecimal; the journal and the plan carry it.
    pub digest: String,
    /// Files read.
    pub files: usize,
    /// Records desired.
    pub records: usize,
    /// Where it comes from.
    pub source: Source,
    /// What of the plan is chosen.
    pub only: Only,
    /// What its zones hide and use.
    pub(super) overview: Overview,
}

/// Where a goal comes from, which decides what is compared with what.
#[derive(Debug)]
pub enum Source {
    /// A spec, held against what Cloudflare has.
    Spec(SpecSource),
    /// A spec, held against a snapshot.
    Snapshot(SpecSource, AsOf),
    /// The journal of an apply that is to be undone.
    Journal(Undo),
    /// A saved plan, which has to come out the same once more before it is applied.
    SavedPlan {
        /// The previous spec that it was made with.
        base: Option<Base>,
        /// The day by which it was judged what has expired, `YYYY-MM-DD`.
        today: String,
        /// The operations as they were reviewed.
        reviewed: Vec<Reviewed>,
        /// The zones at Cloudflare that it was made for.
        zones: Vec<SavedZone>,
    },
}

/// A spec as the source of a goal.
#[derive(Debug, Clone, Default)]
pub struct SpecSource {
    /// The previous spec, if one is named.
    pub base: Option<Base>,
    /// The zones that were selected of the spec.
    pub selection: Selection,
    /// The file beside the spec in which the managed rulesets are locked; it need not exist.
    pub lock: PathBuf,
    /// The places of entries of `accept` that zones have which were not selected: those of
    /// profiles.
    pub accepted_elsewhere: BTreeSet<Place>,
}

/// The places of all entries of `accept`, with their zones.
fn accepted_places(desired: &Desired) -> Vec<(ZoneName, Place)> {
    let sections =
        desired.zones.values().filter_map(|zone| Some((&zone.name, zone.waf.as_deref()?)));
    let entries =
        sections.flat_map(|(name, section)| section.accept.iter().map(move |entry| (name, entry)));
    entries.map(|(name, entry)| (name.clone(), entry.place)).collect()
}

/// A spec with mistakes.
#[derive(Debug, thiserror::Error)]
#[error("the spec has mistakes{}", first(diagnostics))]
pub struct InvalidSpec {
    /// The mistakes, and what else was found.
    pub diagnostics: Diagnostics,
    /// Its texts.
    pub sources: Sources,
}

impl Goal {
    /// Reads a spec, checks it with every lint, and keeps the selected zones.
    ///
    /// # Errors
    /// The spec has mistakes, or the selection names a zone that it does not have.
    pub fn from_spec(
        inputs: &[spec::Input],
        options: &spec::Options,
        selection: Selection,
    ) -> Result<Self, Box<InvalidSpec>> {
        let mut sources = Sources::default();
        let spec::Outcome { desired, mut diagnostics, digest, files, records } =
            spec::load(inputs, options, &mut sources);
        // The whole spec, as what one zone says may concern another.
        if let Some(desired) = &desired {
            diagnostics.append(lint::check(desired));
        }
        let accepted: Vec<_> = desired.iter().flat_map(accepted_places).collect();
        let desired = desired.map(|desired| selection.apply(desired, &mut diagnostics));
        let is_left_out = |name: &ZoneName| {
            desired.as_ref().is_some_and(|desired| !desired.zones.contains_key(name))
        };
        let accepted_elsewhere = accepted.into_iter().filter(|(name, _)| is_left_out(name));
        let accepted_elsewhere = accepted_elsewhere.map(|(_, place)| place).collect();
        let lock = waf_lock::path_beside(inputs.first().and_then(|input| match input {
            spec::Input::Path(path) => Some(path.as_path()),
            spec::Input::Stdin(_) => None,
        }));
        if let Some(desired) = &desired {
            diagnostics.append(waf_lock::unknown_acceptances(&lock, desired));
        }
        diagnostics.sort(&sources);
        let source = Source::Spec(SpecSource { base: None, selection, lock, accepted_elsewhere });
        match desired {
            Some(desired) if !diagnostics.has_errors() => Ok(Self {
                desired,
                diagnostics,
                sources,
                digest,
                files,
                records,
                source,
                only: Only::default(),
                overview: Overview::default(),
            }),
            _ => Err(Box::new(InvalidSpec { diagnostics, sources })),
        }
    }

    /// Reads the journal of an apply that is to be undone. Later journals in `directory` say which
    /// of its records have other ids by now, because they were deleted and created again. With
    /// `skip_conflicts`, what someone changed since stays as it is, and the rest is undone; without
    /// it, such a change is an error of the plan. `zones` are names or globs; none for all zones.
    ///
    /// # Errors
    /// The journal cannot be read or used, or a pattern matches no zone of it.
    pub fn from_journal(
        path: &Path,
        directory: &Path,
        skip_conflicts: bool,
        zones: Vec<String>,
    ) -> Result<Self, UndoError> {
        let mut sources = Sources::default();
        let (undo, digest) = Undo::read(path, directory, skip_conflicts, &mut sources)?;
        let mut diagnostics = Diagnostics::default();
        let desired = Selection { zones, shard: None }.apply(undo.desired(), &mut diagnostics);
        if let Some(wrong) = diagnostics.iter().find(|d| d.severity == Severity::Error) {
            return Err(UndoError::NoSuchZone {
                summary: wrong.summary(),
                detail: wrong.detail.clone(),
            });
        }
        let records = undo.records();
        Ok(Self {
            desired,
            diagnostics,
            sources,
            digest,
            files: 1,
            records,
            source: Source::Journal(undo),
            only: Only::default(),
            overview: Overview::default(),
        })
    }

    /// Whether an entry of `accept` needs no report that it matches nothing: it has a report that
    /// it cannot, or zones that were not selected have it too.
    pub(super) fn is_told(&self, place: Place) -> bool {
        let says = |code: &str| {
            code == lint::ACCEPTANCE_WITHOUT_EFFECT || code == findings::ACCEPTS_UNKNOWN_RULE.code
        };
        let mut findings = self.diagnostics.iter().filter(|d| says(d.code()));
        let is_elsewhere = match &self.source {
            Source::Spec(spec) | Source::Snapshot(spec, _) => {
                spec.accepted_elsewhere.contains(&place)
            }
            Source::Journal(_) | Source::SavedPlan { .. } => false,
        };
        is_elsewhere
            || findings.any(|d| d.primary.as_ref().is_some_and(|label| label.place == place))
    }

    /// Adds the previous spec to one of a spec: drift is told from intent then, and what was
    /// removed is known.
    #[must_use]
    pub fn with_base(mut self, previous: Option<Base>) -> Self {
        if let Source::Spec(SpecSource { base, .. })
        | Source::Snapshot(SpecSource { base, .. }, _) = &mut self.source
        {
            *base = previous;
        }
        self
    }

    /// Chooses a part of the plan.
    #[must_use]
    pub fn with_only(mut self, only: Only) -> Self {
        self.only = only;
        self
    }

    /// The previous spec, if there is one.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        match &self.source {
            Source::Spec(spec) | Source::Snapshot(spec, _) => spec.base.as_ref(),
            Source::SavedPlan { base, .. } => base.as_ref(),
            Source::Journal(_) => None,
        }
    }

    /// Returns the day, `YYYY-MM-DD`, for which a saved plan was made.
    #[must_use]
    pub fn saved_day(&self) -> Option<&str> {
        match &self.source {
            Source::SavedPlan { today, .. } => Some(today),
            Source::Spec(_) | Source::Snapshot(..) | Source::Journal(_) => None,
        }
    }

    /// The moment of the snapshot that stands in for Cloudflare, if one does.
    #[must_use]
    pub fn as_of(&self) -> Option<&AsOf> {
        match &self.source {
            Source::Snapshot(_, as_of) => Some(as_of),
            Source::Spec(_) | Source::Journal(_) | Source::SavedPlan { .. } => None,
        }
    }

    /// The zones that have to exist, with the plan that each needs: those that a spec does not
    /// create itself.
    ///
    /// Managed rulesets need a paid plan, so a zone that is to be protected is rehearsed on one
    /// that has what specs ask for.
    pub fn needed_zones(&self) -> impl Iterator<Item = (&ZoneName, &'static str)> {
        let tier = |zone: &DesiredZone| if zone.waf.is_some() { "business" } else { "free" };
        let is_undo = matches!(self.source, Source::Journal(_));
        self.desired
            .zones
            .values()
            .filter(move |z| !z.create && !is_undo)
            .map(move |z| (&z.name, tier(z)))
    }

    /// What has to be read to plan.
    pub(super) fn zone_queries(&self) -> Vec<ZoneQuery> {
        let query = |zone| ZoneQuery { waf: self.waf_query(zone), ..ZoneQuery::of(zone) };
        self.desired.zones.values().map(query).collect()
    }

    /// What has to be read of a zone's protection: also what the previous spec had, for what is
    /// given up goes.
    pub(super) fn waf_query(&self, zone: &DesiredZone) -> WafQuery {
        if let Source::Journal(undo) = &self.source {
            return undo.waf_query(zone);
        }
        let previous = self.base().and_then(|base| base.desired.zones.get(&zone.name));
        let mut query = WafQuery::default();
        for section in
            [Some(zone), previous].into_iter().flatten().filter_map(|zone| zone.waf.as_deref())
        {
            query.extend(WafQuery::of(section));
        }
        query
    }

    /// Plans one zone as it was read.
    pub(super) fn plan_zone(
        &self,
        desired: &DesiredZone,
        live: &LiveZone,
    ) -> (ZonePlan, Diagnostics) {
        if let Source::Journal(undo) = &self.source {
            return undo.plan(desired, live);
        }
        match self.base() {
            None => {
                plan_part(desired, live, &self.only, OtherZones::of(&self.desired, &self.overview))
            }
            Some(base) => {
                let others = OtherZones::before(&base.desired, &self.desired, &self.overview);
                // A zone that the previous spec did not name wanted nothing.
                let nothing = DesiredZone::new(desired.name.clone(), desired.place);
                let base = base.desired.zones.get(&desired.name).unwrap_or(&nothing);
                plan_part_with_base(desired, base, live, &self.only, others)
            }
        }
    }
}

/// The first mistake, in words that go on after a noun.
pub(super) fn first(diagnostics: &Diagnostics) -> String {
    let first = diagnostics.iter().find(|d| d.severity == Severity::Error);
    first.map_or_else(String::new, |d| format!(": {}: {}", d.summary(), d.detail))
}
