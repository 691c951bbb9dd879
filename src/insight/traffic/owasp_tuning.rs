//! Settings of the OWASP ruleset: level, threshold, exceptions and disabled rules, with what they do
//! to recorded requests. `tuning_search` finds the settings with the least damage.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::super::waf::narrow_weakening::FEWEST_SEGMENTS;
use super::anomaly_score::Hit;
use super::exception_place::{ExceptionPlace, SkippedRules};
use super::ways_to_let_through::{exception, reason_of_weakening, rule_off};
use crate::diagnostic::Place;
use crate::model::NARROW_RULES;
use crate::model::managed::{Managed, Paranoia};
use crate::model::ruleset::{DesiredDeployment, DesiredWaf, Note, Phase, Switch};

/// The parts of a request that matter for tuning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    pub host: String,
    pub method: String,
    /// The path in the form that rules use.
    pub path: String,
    /// The hits that can count, at all levels.
    pub hits: Vec<Hit>,
}

/// Distinct requests with their numbers.
pub type Loads = BTreeMap<Load, usize>;

/// Returns the number of requests on which a setting acts.
#[must_use]
pub fn acted_on(tuning: &Tuning, requests: &Loads) -> usize {
    requests.iter().filter(|(request, _)| tuning.acts_on(request)).map(|(_, count)| count).sum()
}

/// The bounds of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Range of paranoia levels, within 1 to 4.
    pub levels: RangeInclusive<u8>,
    /// Range of thresholds, at least 1.
    pub thresholds: RangeInclusive<u32>,
    /// Maximum number of entries.
    pub entries: usize,
    /// Maximum number of benign requests that may be acted on.
    pub tolerated: usize,
}

impl Bounds {
    /// The default range of thresholds: from that of the Core Rule Set to Cloudflare's lowest
    /// sensitivity.
    pub const THRESHOLDS: (u32, u32) = (5, 60);
    /// The default maximum number of proposed entries.
    pub const ENTRIES: usize = 8;
    /// Maximum number of distinct requests: about 100 MB.
    pub const MOST_LOADS: usize = 300_000;

    /// Returns true if some setting within the bounds could act on a request; other requests have
    /// no influence.
    #[must_use]
    pub fn could_act_on(&self, request: &Load) -> bool {
        let highest = *self.levels.end();
        let hits = request.hits.iter().filter(|hit| hit.level <= highest);
        hits.map(|hit| hit.score).sum::<u32>() >= *self.thresholds.start()
    }
}

/// An exception for rules, or disabled rules if its place is the whole zone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TuningEntry {
    pub place: ExceptionPlace,
    pub rules: SkippedRules,
}

impl TuningEntry {
    /// Returns true if the entry applies to a request.
    fn holds_for(&self, request: &Load) -> bool {
        self.place.contains(&request.host, &request.method, &request.path)
    }

    /// Returns true if the entry names few rules on one page or in one directory of a host.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        let is_few = match &self.rules {
            SkippedRules::Rules(rules) => rules.len() <= usize::from(NARROW_RULES),
            SkippedRules::All => false,
        };
        is_few && self.place.condition().is_one_place(FEWEST_SEGMENTS)
    }
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tuning {
    /// The paranoia level.
    pub level: u8,
    pub threshold: u32,
    /// Exceptions and disabled rules, sorted; at most one for a place.
    pub entries: Vec<TuningEntry>,
}

impl Tuning {
    /// Returns the anomaly score that the request has under this tuning.
    #[must_use]
    pub fn score(&self, request: &Load) -> u32 {
        let entries: Vec<_> =
            self.entries.iter().filter(|entry| entry.holds_for(request)).collect();
        self.score_without(request, |rule| entries.iter().any(|entry| entry.rules.contains(rule)))
    }

    /// Returns the score of a request without some rules.
    fn score_without(&self, request: &Load, is_out: impl Fn(u32) -> bool) -> u32 {
        let counts = |hit: &&Hit| hit.level <= self.level && !is_out(hit.rule);
        request.hits.iter().filter(counts).map(|hit| hit.score).sum()
    }

    /// Returns the setting without one of its entries.
    #[must_use]
    pub fn without(&self, entry: &TuningEntry) -> Self {
        let entries = self.entries.iter().filter(|other| *other != entry).cloned().collect();
        Self { entries, ..self.clone() }
    }

    /// Returns the edit of the spec: a section with the differences to today's level and threshold.
    /// The reason and the last day of the note accept a weaker level or threshold, and entries that
    /// are not narrow.
    #[must_use]
    pub fn edit(&self, note: &Note, today: (Option<u8>, u32)) -> DesiredWaf {
        let mut section = DesiredWaf::new(Place::NOWHERE);
        let mut owasp = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
        owasp.paranoia = Paranoia::new(self.level).map(|level| (level, Place::NOWHERE));
        owasp.threshold = Some((self.threshold, Place::NOWHERE));
        let mut exceptions = Vec::new();
        let mut names = BTreeSet::new();
        for TuningEntry { place, rules } in &self.entries {
            match rules {
                SkippedRules::Rules(rules) if *place == ExceptionPlace::ZONE => {
                    owasp.rules.extend(rules.iter().map(|rule| rule_off(*rule, note)));
                }
                _ => {
                    let mut rule = exception(place, rules, note);
                    let name = rule.name.clone();
                    let mut number = 1;
                    while !names.insert(rule.name.clone()) {
                        number += 1;
                        rule.name = format!("{name}-{number}");
                    }
                    exceptions.push(rule);
                }
            }
        }
        if !exceptions.is_empty() {
            section.lists.insert(Phase::Managed, exceptions);
        }
        let named = self.entries.iter().map(|entry| match &entry.rules {
            SkippedRules::Rules(rules) => rules.len(),
            SkippedRules::All => usize::MAX,
        });
        let named = named.fold(0, usize::saturating_add);
        let is_weaker = named > usize::from(NARROW_RULES)
            || !self.entries.iter().all(TuningEntry::is_narrow)
            || today.0.is_none_or(|level| self.level < level)
            || self.threshold > today.1;
        section.accept_weakening = is_weaker.then(|| (reason_of_weakening(note), Place::NOWHERE));
        section.deployments.push(owasp);
        section
    }

    /// Returns true if the setting acts on a request.
    #[must_use]
    pub fn acts_on(&self, request: &Load) -> bool {
        self.score(request) >= self.threshold
    }

    /// Counts the attacks that it would stop without entries, but that pass if they are sent to a
    /// place where the entry applies.
    #[must_use]
    pub fn passing_at(&self, entry: &TuningEntry, attacks: &Loads) -> usize {
        let covering = self.entries.iter().filter(|other| other.place.covers(&entry.place));
        let covering: Vec<&SkippedRules> = covering.map(|other| &other.rules).collect();
        let passes = |request: &Load| {
            let score_there =
                self.score_without(request, |rule| covering.iter().any(|c| c.contains(rule)));
            self.score_without(request, |_| false) >= self.threshold && score_there < self.threshold
        };
        attacks.iter().filter(|(attack, _)| passes(attack)).map(|(_, count)| count).sum()
    }

    /// Counts the requests that an entry applies to, whether rules match them or not.
    #[must_use]
    pub fn exempted(&self, requests: &BTreeMap<Load, usize>) -> usize {
        let is_exempted =
            |request: &Load| self.entries.iter().any(|entry| entry.holds_for(request));
        requests.iter().filter(|(request, _)| is_exempted(request)).map(|(_, count)| count).sum()
    }
}
