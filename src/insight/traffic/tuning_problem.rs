//! The requests of a search for settings, in a form that is fast to evaluate: places have numbers,
//! and rules are bits.

use std::collections::{BTreeMap, BTreeSet};

use super::anomaly_score::Hit;
use super::exception_place::{ExceptionPlace, PathScope, SkippedRules};
use super::owasp_tuning::{Load, Loads, Tuning, TuningEntry};

/// One attack in the units of the damage.
pub(super) const ATTACK: u64 = 1_000;
/// Number of rules that the whole ruleset counts as, if there are no attacks.
pub(super) const RULES_OF_ALL: u64 = 200;

/// The requests for which settings are found.
#[derive(Debug, Clone, Copy)]
pub struct TuningRequests<'a> {
    pub benign: &'a Loads,
    /// Number of all benign requests, also of those that no setting acts on.
    pub all_benign: usize,
    pub attacks: &'a Loads,
    /// Places of benign requests, whether rules match there or not. The hits do not matter.
    pub places: &'a Loads,
}

/// A set of rules, as bits. The last bit is for all rules that match no benign request.
pub(super) type RuleBits = [u64; 4];
pub(super) const NO_RULES: RuleBits = [0; 4];
pub(super) const ALL_RULES: RuleBits = [u64::MAX; 4];
pub(super) const OTHER_RULES: usize = 255;

pub(super) fn union(one: RuleBits, other: RuleBits) -> RuleBits {
    std::array::from_fn(|at| one[at] | other[at])
}

pub(super) fn intersection(one: RuleBits, other: RuleBits) -> RuleBits {
    std::array::from_fn(|at| one[at] & other[at])
}

pub(super) fn has(bits: &RuleBits, bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn single(bit: usize) -> RuleBits {
    std::array::from_fn(|at| if at == bit / 64 { 1 << (bit % 64) } else { 0 })
}

/// A hit with the bit of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BitHit {
    pub(super) bit: usize,
    pub(super) level: u8,
    pub(super) score: u32,
}

/// A request with the places that contain it, in ascending order.
pub(super) struct PlacedRequest {
    pub(super) count: usize,
    pub(super) hits: Vec<BitHit>,
    pub(super) places: Vec<usize>,
}

impl PlacedRequest {
    /// Returns the rules that entries skip for the request.
    pub(super) fn skipped(&self, entries: &[ChosenEntry]) -> RuleBits {
        let is_here = |entry: &&ChosenEntry| self.places.binary_search(&entry.place).is_ok();
        entries.iter().filter(is_here).fold(NO_RULES, |all, entry| union(all, entry.rules))
    }
}

/// Returns the score of hits at a level, without some rules.
pub(super) fn score(hits: &[BitHit], level: u8, skipped: &RuleBits) -> u32 {
    let counts = |hit: &&BitHit| hit.level <= level && !has(skipped, hit.bit);
    hits.iter().filter(counts).map(|hit| hit.score).sum()
}

/// An entry in numbers of places and bits of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChosenEntry {
    pub(super) place: usize,
    pub(super) rules: RuleBits,
}

/// The requests in the form of the search.
pub(super) struct Problem {
    pub(super) places: Vec<ExceptionPlace>,
    /// The rules of the bits.
    pub(super) rules: Vec<u32>,
    pub(super) benign: Vec<PlacedRequest>,
    pub(super) attacks: Vec<PlacedRequest>,
    /// Recorded places, which have no hits.
    pub(super) surface: Vec<PlacedRequest>,
    /// For each place, the attacks and the recorded places there.
    pub(super) attacks_at: Vec<Vec<usize>>,
    pub(super) surface_at: Vec<Vec<usize>>,
    /// Distinct hits of attacks, with their numbers.
    pub(super) attack_hits: Vec<(Vec<BitHit>, u64)>,
    /// For each bit, the number of attacks.
    pub(super) attacks_of: Vec<u64>,
    /// Number of attacks, or of rules if there are no attacks.
    pub(super) total: u64,
    pub(super) all_benign: u64,
}

impl Problem {
    pub(super) fn new(requests: TuningRequests<'_>) -> Self {
        let places = candidate_places(requests.benign);
        let numbers: BTreeMap<&ExceptionPlace, usize> =
            places.iter().enumerate().map(|(number, place)| (place, number)).collect();
        let rules: BTreeSet<u32> =
            requests.benign.keys().flat_map(|load| load.hits.iter().map(|hit| hit.rule)).collect();
        let rules: Vec<u32> = rules.into_iter().take(OTHER_RULES).collect();
        let bit_hit = |hit: &Hit| {
            let bit = rules.binary_search(&hit.rule).unwrap_or(OTHER_RULES);
            BitHit { bit, level: hit.level, score: hit.score }
        };
        let placed = |loads: &Loads| -> Vec<PlacedRequest> {
            let request = |(load, count): (&Load, &usize)| {
                let places = ExceptionPlace::containing(&load.host, &load.method, &load.path);
                let mut places: Vec<usize> =
                    places.iter().filter_map(|place| numbers.get(place).copied()).collect();
                places.sort_unstable();
                let hits = load.hits.iter().map(bit_hit).collect();
                PlacedRequest { count: *count, hits, places }
            };
            loads.iter().map(request).collect()
        };
        let at_places = |requests: &[PlacedRequest]| {
            let mut at = vec![Vec::new(); places.len()];
            for (number, request) in requests.iter().enumerate() {
                request.places.iter().for_each(|place| at[*place].push(number));
            }
            at
        };
        let (benign, attacks, surface) =
            (placed(requests.benign), placed(requests.attacks), placed(requests.places));
        let mut attack_hits: BTreeMap<Vec<BitHit>, u64> = BTreeMap::new();
        let mut attacks_of = vec![0; OTHER_RULES + 1];
        for attack in &attacks {
            *attack_hits.entry(attack.hits.clone()).or_default() += attack.count as u64;
            attack.hits.iter().for_each(|hit| attacks_of[hit.bit] += attack.count as u64);
        }
        let total = attack_hits.values().sum();
        Self {
            attacks_at: at_places(&attacks),
            surface_at: at_places(&surface),
            attack_hits: attack_hits.into_iter().collect(),
            attacks_of,
            total: if total == 0 { RULES_OF_ALL } else { total },
            all_benign: (requests.all_benign as u64).max(1),
            places,
            rules,
            benign,
            attacks,
            surface,
        }
    }

    /// Returns the damage of one entry, whatever it does.
    pub(super) fn price(&self) -> u64 {
        self.total * ATTACK / 500
    }

    /// Returns a setting with entries.
    pub(super) fn tuning(&self, level: u8, threshold: u32, entries: &[ChosenEntry]) -> Tuning {
        let entry = |entry: &ChosenEntry| {
            let rules = self.rules.iter().enumerate().filter(|(bit, _)| has(&entry.rules, *bit));
            let rules = match entry.rules == ALL_RULES {
                true => SkippedRules::All,
                false => SkippedRules::Rules(rules.map(|(_, rule)| *rule).collect()),
            };
            TuningEntry { place: self.places[entry.place].clone(), rules }
        };
        let mut entries: Vec<TuningEntry> = entries.iter().map(entry).collect();
        entries.sort();
        Tuning { level, threshold, entries }
    }
}

/// Returns the places of possible entries: a beginning of paths must have two paths, and a place
/// without a host two hosts. Otherwise a narrower place has the same requests.
fn candidate_places(benign: &Loads) -> Vec<ExceptionPlace> {
    let mut seen: BTreeMap<ExceptionPlace, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for load in benign.keys() {
        for place in ExceptionPlace::containing(&load.host, &load.method, &load.path) {
            let (hosts, paths) = seen.entry(place).or_default();
            // Two of each are sufficient.
            if hosts.len() < 2 {
                hosts.insert(&load.host);
            }
            if paths.len() < 2 {
                paths.insert(&load.path);
            }
        }
    }
    let is_useful = |(place, (hosts, paths)): &(ExceptionPlace, (BTreeSet<_>, BTreeSet<_>))| {
        *place == ExceptionPlace::ZONE
            || (place.host.is_some() || hosts.len() > 1)
                && (!matches!(place.path, PathScope::Under(_)) || paths.len() > 1)
    };
    seen.into_iter().filter(is_useful).map(|(place, _)| place).collect()
}
