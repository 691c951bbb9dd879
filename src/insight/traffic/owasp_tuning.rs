//! The setting of the OWASP ruleset with the least damage: level, threshold, exceptions and rules
//! that are off, under which no benign request is acted on.
//!
//! Of all settings within the bounds that act on no benign request, it is the first by this order:
//!
//! 1. the fewest attacks that pass as recorded;
//! 2. the fewest entries: a rule on a path, a rule on a host, a rule off;
//! 3. the fewest attacks that would pass if they were made where an exception holds;
//! 4. narrow entries before wide ones;
//! 5. the highest threshold, then the lowest level: benign requests that were not seen have the
//!    widest margin;
//! 6. the entries by place and number, so that there is one answer.
//!
//! The search is exact (branch and bound: an entry never stops more attacks) within a number of
//! steps; beyond it, the answer is the best that was found, and says so. The order of the requests
//! has no influence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::anomaly_score::Hit;
use super::ways_to_let_through::{Scope, accepted, exception, rule_off};
use crate::diagnostic::Place;
use crate::model::managed::{Managed, Paranoia};
use crate::model::ruleset::{DesiredDeployment, DesiredWaf, Note, Phase, Switch};
use crate::model::{Gather, sort_by_key};

/// Steps of the search for one level and threshold. A step is a look at one set of entries; with
/// many requests there are fewer.
const MOST_STEPS: usize = 20_000;
const LEAST_STEPS: usize = 200;
/// Requests that these steps look at all together.
const MOST_LOOKS: usize = 1_000_000;

/// A request, as far as the tuning is concerned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// The host.
    pub host: String,
    /// The path as rules see it.
    pub path: String,
    /// What can count, at all levels.
    pub hits: Vec<Hit>,
}

/// Requests that differ, and how many there are of each.
pub type Loads = BTreeMap<Load, usize>;

/// How many of some requests a setting acts on.
#[must_use]
pub fn acted_on(tuning: &Tuning, requests: &Loads) -> usize {
    requests.iter().filter(|(request, _)| tuning.acts_on(request)).map(|(_, count)| count).sum()
}

/// What a setting may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Paranoia levels, 1 to 4.
    pub levels: RangeInclusive<u8>,
    /// Thresholds, at least 1.
    pub thresholds: RangeInclusive<u32>,
    /// The most entries.
    pub entries: usize,
}

impl Bounds {
    /// The thresholds that are tried: from that of the Core Rule Set itself to Cloudflare's lowest
    /// sensitivity.
    pub const THRESHOLDS: (u32, u32) = (5, 60);
    /// Entries that are proposed at most, unless another number is given.
    pub const ENTRIES: usize = 5;
    /// Requests that differ at most: about 100 MB.
    pub const MOST_LOADS: usize = 300_000;

    /// Whether some setting within them could act on a request; any other request has no influence.
    #[must_use]
    pub fn could_act_on(&self, request: &Load) -> bool {
        score(request, *self.levels.end(), &[]) >= *self.thresholds.start()
    }
}

/// A rule that does not count somewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where.
    pub scope: Scope,
    /// The host; empty for the whole zone.
    pub host: String,
    /// The path; empty unless it is for one path.
    pub path: String,
    /// The rule.
    pub rule: u32,
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuning {
    /// The paranoia level.
    pub level: u8,
    /// The threshold.
    pub threshold: u32,
    /// Rules that do not count somewhere, sorted.
    pub entries: Vec<Entry>,
    /// Whether no better setting exists; otherwise the search ended early.
    pub is_proven: bool,
}

impl Entry {
    /// Whether it holds for a request.
    fn holds_for(&self, request: &Load) -> bool {
        match self.scope {
            Scope::Zone => true,
            Scope::Host => self.host == request.host,
            Scope::Path => self.host == request.host && self.path == request.path,
        }
    }

    /// Whether it holds wherever another one does.
    fn covers(&self, other: &Self) -> bool {
        match self.scope {
            Scope::Zone => true,
            Scope::Host => other.scope <= Scope::Host && self.host == other.host,
            Scope::Path => {
                other.scope == Scope::Path && self.host == other.host && self.path == other.path
            }
        }
    }
}

impl Tuning {
    /// The score of a request.
    #[must_use]
    pub fn score(&self, request: &Load) -> u32 {
        score(request, self.level, &self.entries)
    }

    /// The same without one of its entries.
    #[must_use]
    pub fn without(&self, entry: &Entry) -> Self {
        let entries = self.entries.iter().filter(|other| *other != entry).cloned().collect();
        Self { entries, ..self.clone() }
    }

    /// The edit of the spec: a section with what changes from today's level and threshold. Entries
    /// for one place are one exception. A weaker level or threshold, and an entry for more than one
    /// path, are accepted with the reason and the day of the note.
    #[must_use]
    pub fn edit(&self, note: &Note, today: (Option<u8>, u32)) -> DesiredWaf {
        let mut section = DesiredWaf::new(Place::NOWHERE);
        let mut owasp = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
        owasp.paranoia = Paranoia::new(self.level).map(|level| (level, Place::NOWHERE));
        owasp.threshold = Some((self.threshold, Place::NOWHERE));
        let mut by_place: BTreeMap<(&str, Option<&str>), Vec<u32>> = BTreeMap::new();
        for Entry { scope, host, path, rule } in &self.entries {
            match scope {
                Scope::Zone => owasp.rules.push(rule_off(*rule, note)),
                Scope::Host => by_place.entry((host, None)).or_default().push(*rule),
                Scope::Path => by_place.entry((host, Some(path))).or_default().push(*rule),
            }
        }
        if !by_place.is_empty() {
            let exceptions =
                by_place.iter().map(|((host, path), rules)| exception(host, *path, rules, note));
            section.lists.insert(Phase::Managed, exceptions.collect());
        }
        let is_wide = self.entries.iter().any(|entry| entry.scope != Scope::Path);
        let is_weaker =
            is_wide || today.0.is_none_or(|level| self.level < level) || self.threshold > today.1;
        section.accept_weakening = is_weaker.then(|| (accepted(note), Place::NOWHERE));
        section.deployments.push(owasp);
        section
    }

    /// Whether it acts on a request.
    #[must_use]
    pub fn acts_on(&self, request: &Load) -> bool {
        self.score(request) >= self.threshold
    }

    /// How many of the attacks that it would stop without entries pass if they are made where an
    /// entry holds.
    #[must_use]
    pub fn passing_at(&self, entry: &Entry, attacks: &Loads) -> usize {
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

/// The score of a request at a level, without what entries take out.
fn score(request: &Load, level: u8, entries: &[Entry]) -> u32 {
    let is_out =
        |hit: &Hit| entries.iter().any(|entry| entry.rule == hit.rule && entry.holds_for(request));
    request.hits.iter().filter(|hit| hit.level <= level && !is_out(hit)).map(|hit| hit.score).sum()
}

/// The setting with the least damage; `None` if none within the bounds spares all benign requests.
#[must_use]
pub fn least_damage(benign: &Loads, attacks: &Loads, bounds: &Bounds) -> Option<Tuning> {
    let mut search = Search { attacks, entries: bounds.entries, best: None, cut: false };
    // The weakest settings first: they need the fewest entries, so that worse ones are recognised
    // early.
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

/// What decides between settings, the better one first.
type Rank = (usize, usize, usize, usize, Reverse<u32>, u8, Vec<Entry>);

/// A search for the best setting.
struct Search<'a> {
    attacks: &'a Loads,
    entries: usize,
    best: Option<(Rank, Tuning)>,
    /// Whether it ended early somewhere.
    cut: bool,
}

impl Search<'_> {
    /// Tries all sets of entries that begin with these and contain none of the refused ones.
    fn extend(
        &mut self,
        harmed: &[&Load],
        setting: (u8, u32),
        chosen: &mut Vec<Entry>,
        refused: &BTreeSet<Entry>,
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
            // Sets with an entry that was tried before are behind us.
            if !refused.insert(entry.clone()) {
                continue;
            }
            chosen.push(entry);
            self.extend(harmed, setting, chosen, &refused, steps);
            chosen.pop();
        }
    }

    /// How many attacks pass as recorded.
    fn missed(&self, (level, threshold): (u8, u32), chosen: &[Entry]) -> usize {
        self.attacks
            .iter()
            .filter(|(attack, _)| score(attack, level, chosen) < threshold)
            .map(|(_, count)| count)
            .sum()
    }

    /// Takes a setting if it is better.
    fn offer(&mut self, (level, threshold): (u8, u32), chosen: &[Entry], missed: usize) {
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

/// The entries that lower the score of a request, beyond those that are chosen.
fn candidates(request: &Load, level: u8, chosen: &[Entry]) -> Vec<Entry> {
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
            Entry { scope: Scope::Path, host: host.clone(), path, rule: hit.rule },
            Entry { scope: Scope::Host, host, path: String::new(), rule: hit.rule },
            Entry { scope: Scope::Zone, host: String::new(), path: String::new(), rule: hit.rule },
        ]
    });
    entries.collect()
}
