//! The goal of a run: the desired state of some zones, and its source.
//!
//! Takes a spec, a journal or a saved plan. Returns a [`Goal`], from which [`plan`](super::plan())
//! makes a plan as often as needed: for showing it, for checking that it is still valid, and for
//! verifying the result. Pure except for the files of the spec.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::base::Base;
use super::changed_zones::ChangedZones;
use super::selection::Selection;
use super::undo::{Undo, UndoError};
use super::waf_lock;
use crate::diagnostic::{Diagnostics, Place, Severity, Sources, findings};
use crate::document::saved_zone::SavedZone;
use crate::document::stale::Reviewed;
use crate::insight::{OtherZones, Overview};
use crate::live::snapshot::AsOf;
use crate::live::{WafQuery, ZoneQuery};
use crate::model::time::day;
use crate::model::{Desired, DesiredZone, LiveZone, Only, ZoneName};
use crate::plan::{ZonePlan, plan_part, plan_part_with_base};
use crate::{lint, spec};

/// The desired state of some zones, with the findings of reading it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Goal {
    /// The desired state of each zone.
    #[doc(hidden)]
    pub desired: Desired,
    /// Warnings and notes.
    pub diagnostics: Diagnostics,
    /// The texts that it was read from, for showing findings.
    pub sources: Sources,
    /// SHA-256 of the input, hexadecimal. It is in the journal and the plan.
    pub digest: String,
    /// Number of files read.
    pub files: usize,
    /// Number of desired records.
    pub records: usize,
    /// The source.
    #[doc(hidden)]
    pub source: Source,
    /// The selected part of the plan.
    #[doc(hidden)]
    pub only: Only,
    /// The zones to plan, if they are not all.
    pub(super) changed: Option<ChangedZones>,
    /// The hidden networks and used names of its zones.
    pub(super) overview: Overview,
}

/// The source of a goal, which determines the comparison.
#[derive(Debug)]
pub enum Source {
    /// A spec, compared with Cloudflare.
    Spec(SpecSource),
    /// A spec, compared with a snapshot.
    Snapshot(SpecSource, AsOf),
    /// The journal of an apply to undo.
    Journal(Undo),
    /// A saved plan. Planning again must give the same result before it is applied.
    SavedPlan {
        /// The previous spec that it was made with.
        base: Option<Base>,
        /// The day on which expiry was decided, `YYYY-MM-DD`.
        today: String,
        /// The reviewed operations.
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
    /// The selected zones of the spec.
    pub selection: Selection,
    /// The file beside the spec in which the managed rulesets are locked. It need not exist.
    pub lock: PathBuf,
    /// The places of entries of `accept` in zones that were not selected: those of profiles.
    pub accepted_elsewhere: BTreeSet<Place>,
}

/// Returns the places of all entries of `accept`, with their zones.
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
#[non_exhaustive]
pub struct InvalidSpec {
    /// The mistakes, and the other findings.
    pub diagnostics: Diagnostics,
    /// Its texts.
    pub sources: Sources,
}

impl Goal {
    /// Reads a spec from a file, or from all files of a directory. What expires before `now` counts
    /// as expired.
    ///
    /// # Errors
    /// As [`Goal::from_spec`].
    pub fn from_path(path: impl Into<PathBuf>, now: SystemTime) -> Result<Self, Box<InvalidSpec>> {
        Self::from_input(spec::Input::Path(path.into()), now)
    }

    /// Reads a spec from a text. What expires before `now` counts as expired.
    ///
    /// # Errors
    /// As [`Goal::from_spec`].
    pub fn from_text(text: impl Into<String>, now: SystemTime) -> Result<Self, Box<InvalidSpec>> {
        Self::from_input(spec::Input::Stdin(text.into()), now)
    }

    /// Reads a spec with default options, and keeps all zones.
    fn from_input(input: spec::Input, now: SystemTime) -> Result<Self, Box<InvalidSpec>> {
        let options = spec::Options { today: Some(day(now)), ..spec::Options::default() };
        Self::from_spec(&[input], &options, Selection::default())
    }

    /// Reads a spec, checks it with every lint, and keeps the selected zones.
    ///
    /// # Errors
    /// Fails if the spec has mistakes, or the selection names a zone that it does not have.
    pub fn from_spec(
        inputs: &[spec::Input],
        options: &spec::Options,
        selection: Selection,
    ) -> Result<Self, Box<InvalidSpec>> {
        let mut sources = Sources::default();
        let spec::Outcome { desired, mut diagnostics, digest, files, records } =
            spec::load(inputs, options, &mut sources);
        // The whole spec is checked, because a zone may affect another one.
        if let Some(desired) = &desired {
            diagnostics.append(lint::lint(desired));
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
                changed: None,
                overview: Overview::default(),
            }),
            _ => Err(Box::new(InvalidSpec { diagnostics, sources })),
        }
    }

    /// Adds what the zones' plans, as the spec names them, do not allow. A plan for live zones does
    /// not need it: it compares changes with the plans that Cloudflare reports.
    ///
    /// # Errors
    /// Fails if Cloudflare certainly refuses something of the spec.
    pub(crate) fn check_plans(mut self) -> Result<Self, Box<InvalidSpec>> {
        self.diagnostics.append(lint::check_plans(&self.desired));
        self.diagnostics.sort(&self.sources);
        if self.diagnostics.has_errors() {
            let Self { diagnostics, sources, .. } = self;
            return Err(Box::new(InvalidSpec { diagnostics, sources }));
        }
        Ok(self)
    }

    /// Reads the journal of an apply that is to be undone. Later journals in `directory` say which
    /// of its records have other ids by now, because they were deleted and created again. With
    /// `skip_conflicts`, what someone changed since stays as it is, and the rest is undone; without
    /// it, such a change is an error of the plan. `zones` are names or globs; none for all zones.
    ///
    /// # Errors
    /// Fails if the journal cannot be read or used, or a pattern matches no zone of it.
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
            changed: None,
            overview: Overview::default(),
        })
    }

    /// Returns true if an entry of `accept` that matches nothing needs no report: it has been
    /// reported as useless, or zones that were not selected have it too.
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
        let is_in_other = || {
            let other_zones = self.desired.zones.values().filter(|zone| !self.plans(&zone.name));
            let mut sections = other_zones.filter_map(|zone| zone.waf.as_deref());
            sections.any(|section| section.accept.iter().any(|entry| entry.place == place))
        };
        is_elsewhere
            || self.changed.is_some() && is_in_other()
            || findings.any(|d| d.primary.as_ref().is_some_and(|label| label.place == place))
    }

    /// Adds the previous spec to the goal of a spec. It distinguishes drift from intent, and shows
    /// what was removed.
    #[must_use]
    #[doc(hidden)]
    pub fn with_base(mut self, previous: Option<Base>) -> Self {
        if let Source::Spec(SpecSource { base, .. })
        | Source::Snapshot(SpecSource { base, .. }, _) = &mut self.source
        {
            *base = previous;
        }
        self
    }

    /// Selects a part of the plan.
    #[must_use]
    #[doc(hidden)]
    pub fn with_only(mut self, only: Only) -> Self {
        self.only = only;
        self
    }

    /// Plans only the zones that differ from the base, and those that are connected with them.
    /// Returns false if there is no base.
    #[must_use]
    #[doc(hidden)]
    pub fn choose_changed(&mut self) -> bool {
        let changed = self.base().map(|base| ChangedZones::between(&base.desired, &self.desired));
        self.changed = changed;
        self.changed.is_some()
    }

    /// Returns true if a zone is planned.
    pub(super) fn plans(&self, zone: &ZoneName) -> bool {
        self.changed.as_ref().is_none_or(|changed| changed.has(zone))
    }

    /// Returns the previous spec, if there is one.
    #[must_use]
    #[doc(hidden)]
    pub fn base(&self) -> Option<&Base> {
        match &self.source {
            Source::Spec(spec) | Source::Snapshot(spec, _) => spec.base.as_ref(),
            Source::SavedPlan { base, .. } => base.as_ref(),
            Source::Journal(_) => None,
        }
    }

    /// Returns the day, `YYYY-MM-DD`, for which a saved plan was made.
    #[must_use]
    #[doc(hidden)]
    pub fn saved_day(&self) -> Option<&str> {
        match &self.source {
            Source::SavedPlan { today, .. } => Some(today),
            Source::Spec(_) | Source::Snapshot(..) | Source::Journal(_) => None,
        }
    }

    /// Returns the time of the snapshot that replaces Cloudflare, if there is one.
    #[must_use]
    #[doc(hidden)]
    pub fn as_of(&self) -> Option<&AsOf> {
        match &self.source {
            Source::Snapshot(_, as_of) => Some(as_of),
            Source::Spec(_) | Source::Journal(_) | Source::SavedPlan { .. } => None,
        }
    }

    /// Returns the zones that have to exist, with the plan of each. Zones that the spec creates are
    /// left out.
    ///
    /// If the spec does not name the plan, a zone with protection gets a paid one, because managed
    /// rulesets need it.
    #[doc(hidden)]
    pub fn needed_zones(&self) -> impl Iterator<Item = (&ZoneName, &'static str)> {
        let tier = |zone: &DesiredZone| match zone.tier {
            Some((tier, _)) => tier.facts().name,
            None if zone.waf.is_some() => "business",
            None => "free",
        };
        let is_undo = matches!(self.source, Source::Journal(_));
        self.desired
            .zones
            .values()
            .filter(move |z| !z.create && !is_undo && self.plans(&z.name))
            .map(move |z| (&z.name, tier(z)))
    }

    /// Returns everything that has to be read for planning.
    pub(super) fn zone_queries(&self) -> Vec<ZoneQuery> {
        let query = |zone| ZoneQuery { waf: self.waf_query(zone), ..ZoneQuery::of(zone) };
        self.desired.zones.values().filter(|zone| self.plans(&zone.name)).map(query).collect()
    }

    /// Returns the part of a zone's protection that has to be read. It includes the part of the
    /// previous spec, because rules that were given up are deleted.
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

    /// Plans one zone from its live state.
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
                let other_zones = OtherZones::before(&base.desired, &self.desired, &self.overview);
                // The previous spec wanted nothing in a zone that it did not name.
                let nothing = DesiredZone::new(desired.name.clone(), desired.place);
                let base = base.desired.zones.get(&desired.name).unwrap_or(&nothing);
                plan_part_with_base(desired, base, live, &self.only, other_zones)
            }
        }
    }
}

/// Returns the first mistake, in words that continue a noun.
pub(super) fn first(diagnostics: &Diagnostics) -> String {
    let first = diagnostics.iter().find(|d| d.severity == Severity::Error);
    first.map_or_else(String::new, |d| format!(": {}: {}", d.summary(), d.detail))
}
