//! Options of reads, and queries of zones.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::api::Settings;
use crate::model::managed::Managed;
use crate::model::ruleset::{DesiredWaf, Phase, RuleForm, SkipTarget, Switch};
use crate::model::{DesiredSettings, DesiredZone, Gather, ZoneId, ZoneName};

/// Requested number of records on one page of the list. The documented maximum is 5,000,000;
/// responses above about 5,000 records have been seen to time out.
pub const RECORDS_PER_PAGE: u64 = 5000;

/// Options of reads.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Requested number of records on a page. Cloudflare may return fewer.
    pub page_size: u64,
    /// Maximum number of concurrent requests.
    pub concurrency: usize,
    /// Account in which zones are looked up, if one is named.
    pub account: Option<String>,
    /// Number of zones that are probably there, beyond those to read. A long list of zones is not
    /// tried for a few names.
    pub known_zones: usize,
    /// Cache of managed rulesets between runs.
    pub cache: Option<Arc<dyn CatalogueCache>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            page_size: RECORDS_PER_PAGE,
            concurrency: usize::from(Settings::CONCURRENCY),
            account: None,
            known_zones: 0,
            cache: None,
        }
    }
}

/// A zone to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneQuery {
    /// Name of the zone.
    pub name: ZoneName,
    /// Identifier of the zone, if the spec pins it.
    pub id: Option<ZoneId>,
    /// Zone settings to read.
    pub settings: DesiredSettings,
    /// Parts of the protection to read.
    pub waf: WafQuery,
}

impl ZoneQuery {
    /// Queries a zone by its name, with its records only.
    #[must_use]
    pub fn new(name: ZoneName) -> Self {
        Self { name, id: None, settings: DesiredSettings::default(), waf: WafQuery::default() }
    }

    /// Queries everything that is needed to plan a zone of a spec.
    #[must_use]
    pub fn of(zone: &DesiredZone) -> Self {
        let mut waf = zone.waf.as_deref().map(WafQuery::of).unwrap_or_default();
        if zone.expects_of_requests() {
            // The treatment of a request depends on the rules of every phase, including foreign
            // ones.
            waf.extend(WafQuery {
                phases: Phase::ALL.iter().copied().collect(),
                ..WafQuery::default()
            });
        }
        Self {
            id: zone.id.clone(),
            settings: zone.settings.clone(),
            waf,
            ..Self::new(zone.name.clone())
        }
    }
}

/// Progress of reads.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// The reads of zones begin.
    Reading {
        /// Number of zones.
        zones: usize,
    },
    /// A zone was read completely.
    ZoneRead {
        /// Name of the zone.
        zone: &'a ZoneName,
        /// Number of records.
        records: usize,
    },
    /// Cloudflare returns smaller pages than requested.
    SmallPages {
        /// Name of the zone.
        zone: &'a ZoneName,
        /// Number of records on a page.
        per_page: u64,
    },
}

/// Parts of a zone's protection to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WafQuery {
    /// Entry points.
    pub phases: BTreeSet<Phase>,
    /// Managed rulesets.
    pub managed: BTreeSet<Managed>,
    /// Entry points that are read only if they are worth a request: the zone's own list of rulesets
    /// has them, or the answer is recorded. They can hold rules that skip the managed rulesets.
    pub watched: BTreeSet<Phase>,
}

impl WafQuery {
    /// Queries everything.
    #[must_use]
    pub fn everything() -> Self {
        let (phases, managed) =
            (Phase::ALL.iter().copied().collect(), Managed::ALL.iter().copied().collect());
        Self { phases, managed, watched: BTreeSet::new() }
    }

    /// Queries the parts that a section of the spec requires.
    #[must_use]
    pub fn of(desired: &DesiredWaf) -> Self {
        let mut managed: BTreeSet<Managed> = desired.deployments.iter().map(|d| d.ruleset).gather();
        for rule in desired.all_rules() {
            let RuleForm::Skip(targets) = &rule.form else { continue };
            managed.extend(targets.iter().filter_map(|target| match target {
                SkipTarget::Ruleset(managed) | SkipTarget::Rules(managed, _) => Some(*managed),
                SkipTarget::Everything
                | SkipTarget::RulesetId(_)
                | SkipTarget::Phase(_)
                | SkipTarget::Product(_) => None,
            }));
        }
        if desired.lists.keys().any(|phase| phase.deploys()) {
            // The effect of a skip of everything is known only with the rulesets that are skipped.
            managed.insert(Managed::Owasp);
        }
        let phases: BTreeSet<Phase> = desired.phases().collect();
        let promises = desired.deployments.iter().any(|deployment| deployment.switch == Switch::On);
        let can_skip =
            |phase: &&Phase| **phase < Phase::Managed && phase.facts().actions.contains(&"skip");
        let watched = Phase::ALL
            .iter()
            .filter(can_skip)
            .copied()
            .filter(|phase| promises && !phases.contains(phase));
        Self { watched: watched.collect(), phases, managed }
    }

    /// Adds the parts of another query.
    pub fn extend(&mut self, other: Self) {
        let Self { phases, managed, watched } = other;
        self.phases.extend(phases);
        self.managed.extend(managed);
        self.watched.extend(watched);
        self.watched.retain(|phase| !self.phases.contains(phase));
    }
}

/// Cache of managed rulesets between runs. They are large, and a list shows whether they have
/// changed.
pub trait CatalogueCache: fmt::Debug + Send + Sync {
    /// Returns the ruleset with this id and version, as the API returned it.
    fn get(&self, id: &str, version: &str) -> Option<Json>;
    /// Stores a ruleset. A failure only costs a request later, so it is not reported.
    fn put(&self, id: &str, version: &str, ruleset: &Json);
}
