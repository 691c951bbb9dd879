//! `pull`: it writes the live state into the files of a spec, and changes nothing else in them.

mod kinds;
mod random;

use std::collections::BTreeMap;

use tempfile::TempDir;
use zonewright::diff::{diff_rulesets, planned};
use zonewright::model::ruleset::{EntryPoint, Phase};
use zonewright::model::{Live, LiveDnssec, LiveSetting, LiveZone, Only, Tier, ZoneId, ZoneName};
use zonewright::plan::{Plan, plan_zone};
use zonewright::reconcile::pull::{Choice, PullError, Pulled, pull};
use zonewright::reconcile::{Goal, Selection};
use zonewright::render::ChangedFile;
use zonewright::render::patch::patch;
use zonewright::spec;

use crate::support::generators::stored;
use crate::support::rulesets::waf;

/// Files of a spec; the first is given to the program.
pub(super) struct Files {
    directory: TempDir,
    first: String,
    given: Vec<(String, String)>,
}

impl Files {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let directory = TempDir::new().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self { directory, first: files[0].0.to_owned(), given: Vec::new() }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.given.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the spec with some texts in place of files.
    #[track_caller]
    pub(super) fn goal(&self, texts: BTreeMap<String, String>) -> Goal {
        let inputs = [spec::Input::Path(self.directory.path().join(&self.first))];
        let options = spec::Options {
            texts,
            variables: self.given.clone(),
            may_leave_variables: true,
            ..spec::Options::default()
        };
        Goal::from_spec(&inputs, &options, Selection::default())
            .unwrap_or_else(|e| panic!("{:#?}", e.diagnostics))
    }

    /// Pulls from a live state.
    pub(super) fn pull(
        &self,
        live: &Live,
        only: &[&str],
        unmanaged: bool,
    ) -> Result<Pulled, PullError> {
        let goal = self.goal(BTreeMap::new());
        let plan = plan(&goal, live);
        let only = Only::new(only.iter().map(|text| glob::Pattern::new(text).unwrap()).collect());
        let choice = Choice {
            only: &only,
            is_wanted: &|_| true,
            is_weakened_wanted: &|_| true,
            unmanaged,
            given: &self.given,
        };
        let inputs = [spec::Input::Path(self.directory.path().join(&self.first))];
        let reread = |texts| {
            let options = spec::Options {
                texts,
                variables: self.given.clone(),
                may_leave_variables: true,
                ..spec::Options::default()
            };
            Goal::from_spec(&inputs, &options, Selection::default())
        };
        pull(&goal, (&plan, live), &choice, &reread)
    }

    /// Returns what was pulled as a patch, with names below the directory, and what is said about
    /// it.
    pub(super) fn shown(&self, pulled: &Pulled) -> String {
        let root = format!("{}/", self.directory.path().display());
        let files: Vec<_> = pulled
            .files
            .iter()
            .map(|f| ChangedFile {
                name: f.name.strip_prefix(&root).unwrap(),
                before: &f.before,
                after: &f.after,
            })
            .collect();
        let mut text = patch(&files);
        pulled.notes.iter().for_each(|words| text.push_str(&format!("note: {words}\n")));
        pulled
            .left
            .iter()
            .for_each(|(address, why)| text.push_str(&format!("left: {address}: {why}\n")));
        text.replace(&root, "")
    }

    /// Returns the plan after the new texts are written.
    pub(super) fn after(&self, pulled: &Pulled, live: &Live) -> Plan {
        let texts =
            pulled.files.iter().map(|file| (file.name.clone(), file.after.clone())).collect();
        plan(&self.goal(texts), live)
    }
}

/// Returns the plans of all zones.
pub(super) fn plan(goal: &Goal, live: &Live) -> Plan {
    let zones = goal
        .desired
        .zones
        .iter()
        .filter_map(|(name, desired)| Some((desired, live.zones.get(name)?)));
    Plan {
        zones: zones.map(|(desired, live)| plan_zone(desired, live).0).collect(),
        ..Plan::default()
    }
}

/// Returns zones that are as a spec wants them.
pub(super) fn converged(goal: &Goal) -> Live {
    let mut live = Live::default();
    for (name, desired) in &goal.desired.zones {
        let mut zone = LiveZone {
            tier: Tier::Enterprise,
            records: desired
                .records
                .iter()
                .enumerate()
                .map(|(n, record)| stored(n, &record.form()))
                .collect(),
            waf: waf(),
            ..LiveZone::new(name.clone(), ZoneId("f".repeat(32)))
        };
        for (key, (value, _)) in &desired.settings.settings {
            let value =
                LiveSetting::Value { value: value.clone(), editable: true, modified_on: None };
            zone.settings.settings.insert(key.clone(), value);
        }
        zone.settings.dnssec = desired.settings.dnssec.map(|(on, _)| LiveDnssec {
            status: if on { "active" } else { "disabled" }.to_owned(),
            ..LiveDnssec::default()
        });
        for (key, (value, _)) in &desired.settings.dns_settings {
            zone.settings.dns_settings.insert(key.clone(), value.clone());
        }
        zone.waf.entry_points =
            Phase::ALL.iter().map(|phase| (*phase, EntryPoint::Absent)).collect();
        let waf = planned(&zone.waf, &diff_rulesets(desired, &zone));
        zone.waf = waf;
        live.zones.insert(name.clone(), zone);
    }
    assert!(
        plan(goal, &live).zones.iter().all(|zone| zone.is_empty()),
        "{:#?}",
        plan(goal, &live).zones
    );
    live
}

/// Returns the zone that most tests are about.
pub(super) fn example() -> ZoneName {
    ZoneName::parse("example.com").unwrap()
}
