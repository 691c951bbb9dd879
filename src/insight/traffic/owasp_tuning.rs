//! Finds the setting of the OWASP ruleset with the least damage: level, threshold, exceptions and
//! disabled rules, under which it acts on no benign request.
//!
//! Of all settings within the bounds that act on no benign request, it is the first in this order:
//!
//! 1. the fewest attacks that pass as recorded;
//! 2. the fewest entries: a rule on a path, a rule on a host, a disabled rule;
//! 3. the fewest attacks that would pass if they were sent to a place where an exception applies;
//! 4. narrow entries before wide ones;
//! 5. the highest threshold, then the lowest level: unseen benign requests have the widest margin;
//! 6. the entries by place and number, so that there is one answer.
//!
//! The search is exact (branch and bound: an entry never stops more attacks) within a number of
//! steps. Beyond it, the answer is the best setting found, and is marked as unproven. The order of
//! the requests has no influence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::anomaly_score::Hit;
use super::ways_to_let_through::{WayScope, exception, reason_of_weakening, rule_off};
use crate::diagnostic::Place;
use crate::model::managed::{Managed, Paranoia};
use crate::model::ruleset::{DesiredDeployment, DesiredWaf, Note, Phase, Switch};
use crate::model::{Gather, sort_by_key};

/// Maximum number of steps of the search for one level and threshold. A step evaluates one set of
/// entries; with many requests there are fewer steps.
const MOST_STEPS: usize = 20_000;
const LEAST_STEPS: usize = 200;
/// Maximum number of requests that all steps together evaluate.
const MOST_LOOKS: usize = 1_000_000;

/// The parts of a request that matter for tuning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    pub host: String,
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
}

impl Bounds {
    /// The default range of thresholds: from that of the Core Rule Set to Cloudflare's lowest
    /// sensitivity.
    pub const THRESHOLDS: (u32, u32) = (5, 60);
    /// The default maximum number of proposed entries.
    pub const ENTRIES: usize = 5;
    /// Maximum number of distinct requests: about 100 MB.
    pub const MOST_LOADS: usize = 300_000;

    /// Returns true if some setting within the bounds could act on a request; other requests have
    /// no influence.
    #[must_use]
    pub fn could_act_on(&self, request: &Load) -> bool {
        score(request, *self.levels.end(), &[]) >= *self.thresholds.start()
    }
}

/// An exception for a rule, or a disabled rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TuningEntry {
    pub scope: WayScope,
    /// The host; empty for the whole zone.
    pub host: String,
    /// The path; empty unless the scope is one path.
    pub path: String,
    pub rule: u32,
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuning {
    /// The paranoia level.
    pub level: u8,
    pub threshold: u32,
    /// Exceptions and disabled rules, sorted.
    pub entries: Vec<TuningEntry>,
    /// True if no better setting exists; false if the search ended early.
    pub is_proven: bool,
}

impl TuningEntry {
    /// Returns true if the entry applies to a request.
    fn holds_for(&self, request: &Load) -> bool {
        match self.scope {
            WayScope::Zone => true,
            WayScope::Host => self.host == request.host,
            WayScope::Path => self.host == request.host && self.path == request.path,
        }
    }

    /// Returns true if this entry applies to every request to which `other` applies.
    fn covers(&self, other: &Self) -> bool {
        match self.scope {
            WayScope::Zone => true,
            WayScope::Host => other.scope <= WayScope::Host && self.host == other.host,
            WayScope::Path => {
                other.scope == WayScope::Path && self.host == other.host && self.path == other.path
            }
        }
    }
}

impl Tuning {
    /// Returns the anomaly score that the request has under this tuning.
    #[must_use]
    pub fn score(&self, request: &Load) -> u32 {
        score(request, self.level, &self.entries)
    }

    /// Returns the setting without one of its entries.
    #[must_use]
    pub fn without(&self, entry: &TuningEntry) -> Self {
        let entries = self.entries.iter().filter(|other| *other != entry).cloned().collect();
        Self { entries, ..self.clone() }
    }

    /// Returns the edit of the spec: a section with the differences to today's level and threshold.
    /// Entries for one place share one exception. The reason and the last day of the note accept a
    /// weaker level or threshold, and an entry for more than one path.
    #[must_use]
    pub fn edit(&self, note: &Note, today: (Option<u8>, u32)) -> DesiredWaf {
        let mut section = DesiredWaf::new(Place::NOWHERE);
        let mut owasp = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
        owasp.paranoia = Paranoia::new(self.level).map(|level| (level, Place::NOWHERE));
        owasp.threshold = Some((self.threshold, Place::NOWHERE));
        let mut by_place: BTreeMap<(&str, Option<&str>), Vec<u32>> = BTreeMap::new();
        for TuningEntry { scope, host, path, rule } in &self.entries {
            match scope {
                WayScope::Zone => owasp.rules.push(rule_off(*rule, note)),
                WayScope::Host => by_place.entry((host, None)).or_default().push(*rule),
                WayScope::Path => by_place.entry((host, Some(path))).or_default().push(*rule),
            }
        }
        if !by_place.is_empty() {
            let exceptions =
                by_place.iter().map(|((host, path), rules)| exception(host, *path, rules, note));
            section.lists.insert(Phase::Managed, exceptions.collect());
        }
        let is_wide = self.entries.iter().any(|entry| entry.scope != WayScope::Path);
        let is_weaker =
            is_wide || today.0.is_none_or(|level| self.level < level) || self.threshold > today.1;
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
        let rules: BTreeSet<u32> =
            self.entries.iter().filter(|e| e.covers(entry)).map(|e| e.rule).gather();
        let of = |request: &Load, without: &BTreeSet<u32>| -> u32 {
            let counts = |hit: &&Hit| hit.level <= self.level && !without.contains(&hit.rule);
            request.hits.iter().filter(counts).map(|hit| hit.score).sum()
        };
        let passes = |request: &Load| {
            of(request, &BTreeSet::new()) >= self.threshold && of(request, &rules) < self.threshold
        };
        attacks.iter().filter(|(attack, _)| passes(attack)).map(|(_, count)| count).sum()
    }
}

/// Returns the score of a request at a level, without the rules of the entries.
fn score(request: &Load, level: u8, entries: &[TuningEntry]) -> u32 {
    let is_out =
        |hit: &Hit| entries.iter().any(|entry| entry.rule == hit.rule && entry.holds_for(request));
    request.hits.iter().filter(|hit| hit.level <= level && !is_out(hit)).map(|hit| hit.score).sum()
}

/// Returns the setting with the least damage; `None` if no setting within the bounds spares all
/// benign requests.
#[must_use]
pub fn least_damage(benign: &Loads, attacks: &Loads, bounds: &Bounds) -> Option<Tuning> {
    let mut search = Search { attacks, entries: bounds.entries, best: None, cut: false };
    // The weakest settings come first: they need the fewest entries, so that worse settings are
    // rejected early.
    for threshold in bounds.thresholds.clone().rev() {
        for level in bounds.levels.clone() {
            let harmed: Vec<&Load> =
                benign.keys().filter(|request| score(request, level, &[]) >= threshold).collect();
            let looks = harmed.len() + search.attacks.len();
            let mut steps = (MOST_LOOKS / looks.max(1)).clamp(LEAST_STEPS, MOST_STEPS);
            search.extend(
                &harmed,
                (level, threshold),
                &mut Vec::new(),
                &BTreeSet::new(),
                &mut steps,
            );
        }
    }
    let (_, tuning) = search.best?;
    Some(Tuning { is_proven: !search.cut, ..tuning })
}

/// The sort key of settings; the smallest is the best.
type Rank = (usize, usize, usize, usize, Reverse<u32>, u8, Vec<TuningEntry>);

/// A search for the best setting.
struct Search<'a> {
    attacks: &'a Loads,
    entries: usize,
    best: Option<(Rank, Tuning)>,
    /// True if the search ended early.
    cut: bool,
}

impl Search<'_> {
    /// Tries all sets of entries that contain the chosen ones and none of the refused ones.
    fn extend(
        &mut self,
        harmed: &[&Load],
        setting: (u8, u32),
        chosen: &mut Vec<TuningEntry>,
        refused: &BTreeSet<TuningEntry>,
        steps: &mut usize,
    ) {
        let (level, threshold) = setting;
        if *steps == 0 {
            self.cut = true;
            return;
        }
        *steps -= 1;
        let open = harmed.iter().find(|request| score(request, level, chosen) >= threshold);
        let missed = self.missed(setting, chosen);
        let least = chosen.len() + usize::from(open.is_some());
        if let Some((best, _)) = &self.best
            && (missed, least) > (best.0, best.1)
        {
            return;
        }
        let Some(open) = open else {
            self.offer(setting, chosen, missed);
            return;
        };
        if chosen.len() >= self.entries {
            return;
        }
        let mut refused = refused.clone();
        for entry in candidates(open, level, chosen) {
            // All sets with this entry were already tried.
            if !refused.insert(entry.clone()) {
                continue;
            }
            chosen.push(entry);
            self.extend(harmed, setting, chosen, &refused, steps);
            chosen.pop();
        }
    }

    /// Counts the attacks that pass as recorded.
    fn missed(&self, (level, threshold): (u8, u32), chosen: &[TuningEntry]) -> usize {
        self.attacks
            .iter()
            .filter(|(attack, _)| score(attack, level, chosen) < threshold)
            .map(|(_, count)| count)
            .sum()
    }

    /// Keeps a setting if it is better than the best one so far.
    fn offer(&mut self, (level, threshold): (u8, u32), chosen: &[TuningEntry], missed: usize) {
        let mut entries = chosen.to_vec();
        entries.sort();
        let tuning = Tuning { level, threshold, entries, is_proven: true };
        let breadth = tuning.entries.iter().map(|entry| entry.scope as usize).sum();
        let passing =
            tuning.entries.iter().map(|entry| tuning.passing_at(entry, self.attacks)).sum();
        let rank = (
            missed,
            tuning.entries.len(),
            passing,
            breadth,
            Reverse(threshold),
            level,
            tuning.entries.clone(),
        );
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, tuning));
        }
    }
}

/// Returns the entries that lower the score of a request, except the chosen ones.
fn candidates(request: &Load, level: u8, chosen: &[TuningEntry]) -> Vec<TuningEntry> {
    let is_out =
        |hit: &&Hit| chosen.iter().any(|entry| entry.rule == hit.rule && entry.holds_for(request));
    let mut hits: Vec<&Hit> = request
        .hits
        .iter()
        .filter(|hit| hit.level <= level && hit.score > 0 && !is_out(hit))
        .collect();
    sort_by_key(&mut hits, |hit| (Reverse(hit.score), hit.rule));
    let entries = hits.into_iter().flat_map(|hit| {
        let (host, path) = (request.host.clone(), request.path.clone());
        [
            TuningEntry { scope: WayScope::Path, host: host.clone(), path, rule: hit.rule },
            TuningEntry { scope: WayScope::Host, host, path: String::new(), rule: hit.rule },
            TuningEntry {
                scope: WayScope::Zone,
                host: String::new(),
                path: String::new(),
                rule: hit.rule,
            },
        ]
    });
    entries.collect()
}
