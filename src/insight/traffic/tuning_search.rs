//! Finds the settings of the OWASP ruleset with the least damage to recorded requests.
//!
//! The damage of a setting is a sum, in attacks:
//!
//! | part | counts |
//! |---|---|
//! | missed | attacks that pass as recorded |
//! | exposure | attacks that pass because of an exception if they are sent to a recorded place, on average over the places |
//! | price | a 500th of the attacks for each entry, so that an entry is worth it |
//! | fragility | the share of benign requests that are spared only because the search saw them, five times |
//!
//! A request is fragile if an exception without the rules that only this request matches there would
//! not spare it: others of its kind will be acted on.
//!
//! Without attacks, the exposure counts rules instead. Of equal settings, the one is taken that acts
//! on the fewest benign requests, then the one with the fewest entries for all hosts, the highest
//! threshold, the lowest level, and the narrowest entries.
//!
//! Each level and threshold is searched twice. A greedy search adds the entry that spares the most
//! benign requests for its damage. Then all sets of entries are tried, if few benign requests are
//! acted on. Both are bounded by counts, so the same requests give the same answer; the order of
//! the requests has no influence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::exception_place::ExceptionPlace;
use super::owasp_tuning::{Bounds, Tuning};
use super::tuning_problem::{
    ALL_RULES, ATTACK, BitHit, ChosenEntry, NO_RULES, OTHER_RULES, PlacedRequest, Problem,
    RULES_OF_ALL, RuleBits, TuningRequests, has, intersection, score, single, union,
};

/// Maximum number of requests that the greedy search looks at, for one level and threshold.
const MOST_LOOKS: usize = 400_000;
/// Maximum number of requests that the exact search looks at, for one level and threshold, and
/// maximum numbers of sets of entries and of different benign requests.
const MOST_EXACT_LOOKS: usize = 200_000;
const MOST_STEPS: usize = 20_000;
const MOST_HARMED: usize = 16;
/// Weight of the share of fragile requests, compared with the share of attacks that pass.
const FRAGILITY: u64 = 5;
/// Maximum number of rules of one exception; beyond that, it skips the whole ruleset.
const MOST_RULES: usize = 12;
/// Numbers of entries for which the table has rows of their own.
const FEW_ENTRIES: [usize; 2] = [0, 2];

/// The settings that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tunings {
    /// The setting with the least damage within the tolerated number of benign requests.
    pub best: Option<Tuning>,
    /// Settings of which none is better than another one in attacks stopped, benign requests acted
    /// on and exposure at once; the first acts on the fewest benign requests. Contains the best.
    pub rows: Vec<Tuning>,
    /// True if no better setting exists; false if the search ended early.
    pub is_proven: bool,
}

/// Returns the settings with the least damage, for each number of benign requests that may be acted
/// on: that of the bounds, and the `steps`.
#[must_use]
pub fn least_damage(requests: TuningRequests<'_>, bounds: &Bounds, steps: &[usize]) -> Tunings {
    let problem = Problem::new(requests);
    let mut tolerances: Vec<usize> = steps.iter().copied().chain([bounds.tolerated]).collect();
    tolerances.sort_unstable();
    tolerances.dedup();
    let caps = FEW_ENTRIES.into_iter().filter(|few| *few < bounds.entries).chain([bounds.entries]);
    let caps: Vec<usize> = caps.collect();
    let slots = tolerances.iter().flat_map(|most| caps.iter().map(|cap| (*most, *cap)));
    let mut found =
        Found { slots: slots.map(|limits| Slot { limits, best: None }).collect(), cut: false };
    // Strict settings come first: weak ones, which let many attacks pass, are then rejected early.
    for threshold in bounds.thresholds.clone() {
        for level in bounds.levels.clone() {
            let mut setting = Setting::new(&problem, level, threshold, bounds);
            setting.search_greedily(&mut found);
            setting.search_exactly(&mut found);
        }
    }
    found.tunings(&problem, bounds)
}

/// The damage of a setting, and the benign requests that it acts on.
#[derive(Debug, Clone, Copy)]
struct Damage {
    missed: u64,
    exposure: u64,
    /// The damage without fragility, which more entries never lower.
    least: u64,
    total: u64,
    acted_on: usize,
}

/// The sort key of settings; the smallest is the best.
type Rank = (u64, usize, usize, Reverse<u32>, u8, Tuning);

/// The best setting within limits.
struct Slot {
    /// Maximum numbers of benign requests that are acted on, and of entries.
    limits: (usize, usize),
    best: Option<(Rank, Damage)>,
}

/// The best settings so far.
struct Found {
    slots: Vec<Slot>,
    /// True if the search ended early.
    cut: bool,
}

impl Found {
    /// Returns true if no slot takes a setting with this damage and number of entries.
    fn rejects(&self, damage: u64, entries: usize) -> bool {
        self.slots.iter().all(|slot| {
            entries > slot.limits.1 || slot.best.as_ref().is_some_and(|(rank, _)| rank.0 < damage)
        })
    }

    /// Keeps a setting where it is better than the best one so far.
    fn offer(&mut self, setting: &Setting<'_>, entries: &[ChosenEntry], damage: Damage) {
        let mut rank: Option<Rank> = None;
        for slot in &mut self.slots {
            let best = slot.best.as_ref().map(|(rank, _)| rank);
            if damage.acted_on > slot.limits.0
                || entries.len() > slot.limits.1
                || best.is_some_and(|best| best.0 < damage.total)
            {
                continue;
            }
            let rank = rank.get_or_insert_with(|| {
                let tuning = setting.problem.tuning(setting.level, setting.threshold, entries);
                let on_all_hosts = tuning.entries.iter().filter(|entry| entry.place.host.is_none());
                let (wide, threshold) = (on_all_hosts.count(), Reverse(setting.threshold));
                (damage.total, damage.acted_on, wide, threshold, setting.level, tuning)
            });
            if best.is_none_or(|best| *rank < *best) {
                slot.best = Some((rank.clone(), damage));
            }
        }
    }

    fn tunings(self, problem: &Problem, bounds: &Bounds) -> Tunings {
        let wanted = (bounds.tolerated, bounds.entries);
        let best = self.slots.iter().find(|slot| slot.limits == wanted);
        let best = best.and_then(|slot| slot.best.as_ref()).map(|(rank, _)| rank.5.clone());
        let mut all: Vec<(Damage, Tuning)> = Vec::new();
        for (rank, damage) in self.slots.into_iter().filter_map(|slot| slot.best) {
            if all.iter().all(|(_, tuning)| *tuning != rank.5) {
                all.push((damage, rank.5));
            }
        }
        // What differs by less than a hundredth of the attacks is no reason for a row of its own.
        let margin = problem.total / 100;
        let is_worse = |(one, _): &(Damage, Tuning), (other, _): &(Damage, Tuning)| {
            other.missed <= one.missed + margin
                && other.acted_on <= one.acted_on
                && other.exposure <= one.exposure
                && (other.missed, other.acted_on, other.exposure)
                    != (one.missed, one.acted_on, one.exposure)
                && (other.missed <= one.missed || other.acted_on < one.acted_on)
        };
        let is_row = |row: &&(Damage, Tuning)| {
            best.as_ref() == Some(&row.1) || !all.iter().any(|other| is_worse(row, other))
        };
        let mut rows: Vec<&(Damage, Tuning)> = all.iter().filter(is_row).collect();
        rows.sort_by_key(|(damage, tuning)| (damage.acted_on, damage.missed, tuning));
        let rows = rows.into_iter().map(|(_, tuning)| tuning.clone()).collect();
        Tunings { best, rows, is_proven: !self.cut }
    }
}

/// The search for one level and threshold.
struct Setting<'p> {
    problem: &'p Problem,
    level: u8,
    threshold: u32,
    tolerated: usize,
    most_entries: usize,
    /// Benign requests that are acted on without entries.
    harmed: Vec<usize>,
    /// Attacks that pass without entries.
    passing: u64,
    /// For sets of rules, the attacks that are stopped, but pass without these rules.
    passing_without: HashMap<RuleBits, u64>,
    looks: usize,
    steps: usize,
}

/// An entry that could be added.
struct Candidate {
    entry: ChosenEntry,
    /// Number of benign requests that it spares, as far as it matters.
    spared: usize,
    /// Its damage; at least 1.
    damage: u64,
}

impl Candidate {
    /// Returns true if it spares more requests for its damage.
    fn is_better_than(&self, other: &Self) -> bool {
        self.spared as u128 * u128::from(other.damage)
            > other.spared as u128 * u128::from(self.damage)
    }
}

impl<'p> Setting<'p> {
    fn new(problem: &'p Problem, level: u8, threshold: u32, bounds: &Bounds) -> Self {
        let is_acted_on =
            |request: &PlacedRequest| score(&request.hits, level, &NO_RULES) >= threshold;
        let harmed = (0..problem.benign.len()).filter(|at| is_acted_on(&problem.benign[*at]));
        let passing = problem.attacks.iter().filter(|attack| !is_acted_on(attack));
        Self {
            problem,
            level,
            threshold,
            tolerated: bounds.tolerated,
            most_entries: bounds.entries,
            harmed: harmed.collect(),
            passing: passing.map(|attack| attack.count as u64).sum(),
            passing_without: HashMap::new(),
            looks: MOST_LOOKS,
            steps: MOST_STEPS,
        }
    }

    /// Takes a number of requests from the bound; returns false if it is exhausted.
    fn look(&mut self, requests: usize) -> bool {
        let is_within = requests <= self.looks;
        self.looks = self.looks.saturating_sub(requests);
        is_within
    }

    fn is_stopped(&self, request: &PlacedRequest, skipped: &RuleBits) -> bool {
        score(&request.hits, self.level, skipped) >= self.threshold
    }

    /// Returns the harmed requests that entries do not spare.
    fn open(&self, entries: &[ChosenEntry]) -> Vec<usize> {
        let benign = &self.problem.benign;
        let is_open = |at: &usize| self.is_stopped(&benign[*at], &benign[*at].skipped(entries));
        self.harmed.iter().copied().filter(is_open).collect()
    }

    fn count(&self, benign: &[usize]) -> usize {
        benign.iter().map(|at| self.problem.benign[*at].count).sum()
    }

    /// Counts the attacks that are stopped, but pass without some rules.
    fn passing_without(&mut self, rules: RuleBits) -> u64 {
        if rules == NO_RULES {
            return 0;
        }
        let (problem, level, threshold) = (self.problem, self.level, self.threshold);
        *self.passing_without.entry(rules).or_insert_with(|| {
            if problem.attack_hits.is_empty() {
                let number = rules.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                return number.min(RULES_OF_ALL);
            }
            let passes = |(hits, _): &&(Vec<BitHit>, u64)| {
                score(hits, level, &NO_RULES) >= threshold && score(hits, level, &rules) < threshold
            };
            problem.attack_hits.iter().filter(passes).map(|(_, count)| count).sum()
        })
    }

    /// Returns the damage of entries.
    fn damage(&mut self, entries: &[ChosenEntry], acted_on: usize) -> Damage {
        let problem = self.problem;
        let mut missed = self.passing;
        let mut exposure = 0;
        if !entries.is_empty() {
            let passes = |attack: &&PlacedRequest| {
                let skipped = attack.skipped(entries);
                skipped != NO_RULES
                    && self.is_stopped(attack, &NO_RULES)
                    && !self.is_stopped(attack, &skipped)
            };
            let attacks = problem.attacks.iter().filter(passes);
            missed += attacks.map(|attack| attack.count as u64).sum::<u64>();
            for place in &problem.surface {
                exposure += self.passing_without(place.skipped(entries)) * ATTACK;
            }
        }
        let exposure = exposure / (problem.surface.len() as u64).max(1);
        let least = missed * ATTACK + exposure + entries.len() as u64 * problem.price();
        let weight = FRAGILITY * problem.total * ATTACK;
        let fragility = self.fragile(entries) * weight / problem.all_benign;
        Damage { missed, exposure, least, total: least + fragility, acted_on }
    }

    /// Counts the requests that are spared only because of rules that no other benign request at the
    /// place matches.
    fn fragile(&self, entries: &[ChosenEntry]) -> u64 {
        let is_counted = |hit: &BitHit| hit.level <= self.level;
        // For each entry, the rules that one request matches there, and those that more match.
        let mut supported = Vec::new();
        for entry in entries {
            let (mut once, mut often, mut requests) = (NO_RULES, NO_RULES, 0);
            for at in &self.harmed {
                let request = &self.problem.benign[*at];
                if request.places.binary_search(&entry.place).is_err() {
                    continue;
                }
                requests += request.count;
                let hits = request.hits.iter().filter(|hit| is_counted(hit));
                let rules = hits.fold(NO_RULES, |all, hit| union(all, single(hit.bit)));
                let repeated = if request.count > 1 { rules } else { intersection(once, rules) };
                often = union(often, repeated);
                once = union(once, rules);
            }
            let rules = match entry.rules == ALL_RULES {
                true if requests > 1 => ALL_RULES,
                true => NO_RULES,
                false => intersection(entry.rules, often),
            };
            supported.push(ChosenEntry { place: entry.place, rules });
        }
        let is_fragile = |request: &&PlacedRequest| {
            request.count == 1
                && !self.is_stopped(request, &request.skipped(entries))
                && self.is_stopped(request, &request.skipped(&supported))
        };
        let harmed = self.harmed.iter().map(|at| &self.problem.benign[*at]);
        harmed.filter(is_fragile).count() as u64
    }

    /// Adds the best entry until no benign request is acted on, and offers each step.
    fn search_greedily(&mut self, found: &mut Found) {
        let mut entries: Vec<ChosenEntry> = Vec::new();
        let mut was_within = false;
        loop {
            let open = self.open(&entries);
            let acted_on = self.count(&open);
            let damage = self.damage(&entries, acted_on);
            found.offer(self, &entries, damage);
            if found.rejects(damage.least, entries.len()) {
                return;
            }
            let is_within = acted_on <= self.tolerated;
            if (is_within && !was_within) || acted_on == 0 {
                self.offer_pruned(entries.clone(), acted_on, found);
            }
            was_within |= is_within;
            if acted_on == 0 {
                return;
            }
            if !self.look(self.harmed.len() + self.problem.attacks.len()) {
                found.cut = true;
                return;
            }
            let needed = if is_within { acted_on } else { acted_on - self.tolerated };
            let Some(entry) = self.best_candidate(&entries, &open, needed, found) else { return };
            match entries.iter_mut().find(|other| other.place == entry.place) {
                Some(other) => other.rules = union(other.rules, entry.rules),
                None => entries.push(entry),
            }
        }
    }

    /// Returns the entry that spares the most requests for its damage.
    fn best_candidate(
        &mut self,
        entries: &[ChosenEntry],
        open: &[usize],
        needed: usize,
        found: &mut Found,
    ) -> Option<ChosenEntry> {
        let problem = self.problem;
        let mut open_at: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in open {
            for place in &problem.benign[*at].places {
                open_at.entry(*place).or_default().push(*at);
            }
        }
        let skipped: Vec<RuleBits> =
            problem.surface.iter().map(|place| place.skipped(entries)).collect();
        let stopped: Vec<Option<RuleBits>> = (problem.attacks.iter())
            .map(|attack| (attack, attack.skipped(entries)))
            .map(|(attack, skipped)| self.is_stopped(attack, &skipped).then_some(skipped))
            .collect();
        let mut best: Option<Candidate> = None;
        for (place, requests) in open_at {
            let is_new = entries.iter().all(|entry| entry.place != place);
            if is_new && entries.len() >= self.most_entries {
                continue;
            }
            let sets = self.rules_for(place, &requests, entries);
            if !self.look(requests.len() * sets.len()) {
                found.cut = true;
                break;
            }
            for (rules, spared) in sets {
                let entry = ChosenEntry { place, rules };
                let spared = spared.min(needed);
                let least = if is_new { problem.price() } else { 0 } + 1;
                let mut candidate = Candidate { entry, spared, damage: least };
                if best.as_ref().is_some_and(|best| !candidate.is_better_than(best)) {
                    continue;
                }
                candidate.damage += self.added_damage(entry, &skipped, &stopped);
                if best.as_ref().is_none_or(|best| candidate.is_better_than(best)) {
                    best = Some(candidate);
                }
            }
        }
        best.map(|candidate| candidate.entry)
    }

    /// Returns sets of rules for an entry at a place, each with the number of requests that it
    /// spares: rules that matter the most and match the fewest attacks, one after the other; then
    /// the whole ruleset.
    fn rules_for(
        &self,
        place: usize,
        requests: &[usize],
        entries: &[ChosenEntry],
    ) -> Vec<(RuleBits, usize)> {
        let problem = self.problem;
        let mut open: Vec<(&PlacedRequest, RuleBits)> = requests
            .iter()
            .map(|at| &problem.benign[*at])
            .map(|request| (request, request.skipped(entries)))
            .collect();
        let mut sets = Vec::new();
        let (mut rules, mut spared) = (NO_RULES, 0);
        for _ in 0..MOST_RULES {
            let mut weights: BTreeMap<usize, u64> = BTreeMap::new();
            for (request, skipped) in &open {
                let excess = score(&request.hits, self.level, skipped) + 1 - self.threshold;
                let counts = |hit: &&BitHit| hit.level <= self.level && !has(skipped, hit.bit);
                for hit in request.hits.iter().filter(counts) {
                    let weight = u64::from(hit.score.min(excess)) * request.count as u64;
                    *weights.entry(hit.bit).or_default() += weight * ATTACK;
                }
            }
            let attacks_of = |bit: usize| 1 + problem.total / 20 + problem.attacks_of[bit];
            let best = weights.iter().filter(|(bit, _)| **bit != OTHER_RULES);
            let Some((&bit, _)) =
                best.max_by_key(|(bit, weight)| (**weight / attacks_of(**bit), Reverse(**bit)))
            else {
                break;
            };
            rules = union(rules, single(bit));
            open.iter_mut().for_each(|(_, skipped)| *skipped = union(*skipped, single(bit)));
            let before = open.len();
            open.retain(|(request, skipped)| {
                let is_open = self.is_stopped(request, skipped);
                spared += if is_open { 0 } else { request.count };
                is_open
            });
            if open.len() < before {
                sets.push((rules, spared));
            }
            if open.is_empty() {
                break;
            }
        }
        if problem.places[place] != ExceptionPlace::ZONE {
            sets.push((ALL_RULES, self.count(requests)));
        }
        sets
    }

    /// Returns the damage that an entry adds, without its price: given the rules that other entries
    /// skip at the recorded places, and for the attacks that are still stopped.
    fn added_damage(
        &mut self,
        entry: ChosenEntry,
        skipped: &[RuleBits],
        stopped: &[Option<RuleBits>],
    ) -> u64 {
        let problem = self.problem;
        self.look(problem.attacks_at[entry.place].len());
        // Most places have the same rules skipped.
        let mut classes: Vec<(RuleBits, u64)> = Vec::new();
        for place in &problem.surface_at[entry.place] {
            match classes.iter_mut().find(|(rules, _)| *rules == skipped[*place]) {
                Some((_, count)) => *count += 1,
                None => classes.push((skipped[*place], 1)),
            }
        }
        let mut exposure = 0;
        for (rules, count) in classes {
            let passing = self.passing_without(union(rules, entry.rules));
            exposure += count * (passing - self.passing_without(rules));
        }
        let mut missed = 0;
        for at in &problem.attacks_at[entry.place] {
            let attack = &problem.attacks[*at];
            if let Some(skipped) = &stopped[*at]
                && !self.is_stopped(attack, &union(*skipped, entry.rules))
            {
                missed += attack.count as u64;
            }
        }
        missed * ATTACK + exposure * ATTACK / (problem.surface.len() as u64).max(1)
    }

    /// Removes entries and rules that others made unnecessary, and offers the result.
    fn offer_pruned(&mut self, mut entries: Vec<ChosenEntry>, most: usize, found: &mut Found) {
        let most = most.max(self.tolerated);
        let mut at = 0;
        while at < entries.len() {
            let mut fewer = entries.clone();
            fewer.remove(at);
            if self.look(self.harmed.len()) && self.count(&self.open(&fewer)) <= most {
                entries = fewer;
                continue;
            }
            if entries[at].rules != ALL_RULES {
                for bit in 0..OTHER_RULES {
                    if has(&entries[at].rules, bit) && self.look(self.harmed.len()) {
                        let mut fewer = entries.clone();
                        fewer[at].rules[bit / 64] &= !(1 << (bit % 64));
                        if self.count(&self.open(&fewer)) <= most {
                            entries = fewer;
                        }
                    }
                }
            }
            at += 1;
        }
        let acted_on = self.count(&self.open(&entries));
        let damage = self.damage(&entries, acted_on);
        found.offer(self, &entries, damage);
    }

    /// Tries all sets of entries, as far as the bound allows.
    fn search_exactly(&mut self, found: &mut Found) {
        if self.harmed.len() > MOST_HARMED {
            found.cut |= !found.rejects(self.passing * ATTACK, 0);
            return;
        }
        self.looks = MOST_EXACT_LOOKS;
        self.extend(&mut Vec::new(), &BTreeSet::new(), &mut Vec::new(), found);
    }

    /// Tries all sets of entries that contain the chosen ones and none of the refused ones. The
    /// requests that are given up stay acted on.
    fn extend(
        &mut self,
        chosen: &mut Vec<ChosenEntry>,
        refused: &BTreeSet<ChosenEntry>,
        given_up: &mut Vec<usize>,
        found: &mut Found,
    ) {
        if self.steps == 0
            || !self.look(self.harmed.len() + self.problem.attacks.len() * (chosen.len() + 1))
        {
            found.cut = true;
            return;
        }
        self.steps -= 1;
        let open = self.open(chosen);
        let acted_on = self.count(&open);
        let damage = self.damage(chosen, acted_on);
        if found.rejects(damage.least, chosen.len()) {
            return;
        }
        found.offer(self, chosen, damage);
        let Some(first) = open.into_iter().find(|at| !given_up.contains(at)) else { return };
        let request = &self.problem.benign[first];
        let skipped = request.skipped(chosen);
        let mut refused = refused.clone();
        let hits = request.hits.iter().filter(|hit| hit.level <= self.level && hit.score > 0);
        let rules: Vec<RuleBits> = hits
            .filter(|hit| hit.bit != OTHER_RULES && !has(&skipped, hit.bit))
            .map(|hit| single(hit.bit))
            .chain([ALL_RULES])
            .collect();
        for place in &request.places {
            for rules in &rules {
                let entry = ChosenEntry { place: *place, rules: *rules };
                let is_off =
                    *rules == ALL_RULES && self.problem.places[*place] == ExceptionPlace::ZONE;
                // All sets with a refused entry were already tried.
                if is_off || !refused.insert(entry) {
                    continue;
                }
                let at = chosen.iter().position(|other| other.place == *place);
                if at.is_none() && chosen.len() >= self.most_entries {
                    continue;
                }
                let before = chosen.clone();
                match at {
                    Some(at) => chosen[at].rules = union(chosen[at].rules, *rules),
                    None => chosen.push(entry),
                }
                self.extend(chosen, &refused, given_up, found);
                *chosen = before;
            }
        }
        if self.count(given_up) + request.count <= self.most_acted_on(found) {
            given_up.push(first);
            self.extend(chosen, &refused, given_up, found);
            given_up.pop();
        }
    }

    /// Returns the highest number of benign requests that any slot tolerates.
    fn most_acted_on(&self, found: &Found) -> usize {
        found.slots.iter().map(|slot| slot.limits.0).max().unwrap_or(0)
    }
}
