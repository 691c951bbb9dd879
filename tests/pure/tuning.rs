//! The setting with the least damage is compared with one that is found by trying all of them.

use std::cmp::Reverse;

use zonewright::insight::traffic::{
    Bounds, ExceptionPlace, Hit, Load, Loads, PathScope, SkippedRules, Tuning, TuningRequests,
    Tunings,
};

/// Returns the default number of cases; ZONEWRIGHT_TUNINGS sets another one.
fn cases() -> u64 {
    std::env::var("ZONEWRIGHT_TUNINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

/// The rules of the oracle: number, level, score.
const RULES: [(u32, u8, u32); 3] = [(941_100, 1, 5), (942_100, 1, 3), (942_200, 2, 5)];
const PLACES: [(&str, &str); 3] = [("a.example", "/x"), ("a.example", "/y"), ("b.example", "/x")];

fn load((host, path): (&str, &str), hits: Vec<Hit>) -> Load {
    Load { host: host.to_owned(), method: "GET".to_owned(), path: path.to_owned(), hits }
}

fn draw(random: &mut fastrand::Rng, most: usize) -> Vec<Load> {
    (0..random.usize(0..=most))
        .map(|_| {
            let place = PLACES[random.usize(0..PLACES.len())];
            let hits = RULES
                .iter()
                .filter(|_| random.u8(0..5) < 3)
                .map(|&(rule, level, score)| Hit { rule, level, score });
            load(place, hits.collect())
        })
        .collect()
}

/// Returns the settings for requests one by one. Requests on which no setting within the bounds acts
/// are left out, as in the command.
fn least_damage(benign: &[Load], attacks: &[Load], bounds: &Bounds, steps: &[usize]) -> Tunings {
    let counted = |requests: &[Load]| {
        let mut loads = Loads::new();
        for request in requests.iter().filter(|request| bounds.could_act_on(request)) {
            *loads.entry(request.clone()).or_default() += 1;
        }
        loads
    };
    let places = PLACES.map(|place| (load(place, Vec::new()), 1)).into();
    let all_benign = benign.len();
    let (benign, attacks) = (counted(benign), counted(attacks));
    let requests =
        TuningRequests { benign: &benign, all_benign, attacks: &attacks, places: &places };
    zonewright::insight::traffic::least_damage(requests, bounds, steps)
}

/// Rules that are off: for all requests, those to a host, or those to a path; `None` for all rules.
type Off = (Option<Vec<u32>>, Option<&'static str>, Option<&'static str>);

fn is_off(offs: &[Off], rule: u32, load: &Load) -> bool {
    offs.iter().any(|(rules, host, path)| {
        rules.as_ref().is_none_or(|rules| rules.contains(&rule))
            && host.is_none_or(|host| host == load.host)
            && path.is_none_or(|path| path == load.path)
    })
}

fn total(load: &Load, level: u8, offs: &[Off]) -> u32 {
    let counts = |hit: &&Hit| hit.level <= level && !is_off(offs, hit.rule, load);
    load.hits.iter().filter(counts).map(|hit| hit.score).sum()
}

/// The rank of a setting: damage, benign requests acted on, places on all hosts, threshold, level.
type Rank = (usize, usize, usize, Reverse<u32>, u8);

/// Returns the rank of a setting, computed request by request.
fn rank(benign: &[Load], attacks: &[Load], level: u8, threshold: u32, offs: &[Off]) -> Rank {
    let stopped = |load: &Load, offs: &[Off]| total(load, level, offs) >= threshold;
    let missed = attacks.iter().filter(|attack| !stopped(attack, offs)).count();
    let mut exposure = 0;
    for place in PLACES {
        if attacks.is_empty() {
            // Numbers of rules count instead; the whole ruleset counts as 200.
            let here: Vec<&Off> = (offs.iter())
                .filter(|(_, host, path)| {
                    host.is_none_or(|host| host == place.0)
                        && path.is_none_or(|path| path == place.1)
                })
                .collect();
            let is_whole = here.iter().any(|(rules, _, _)| rules.is_none());
            let off = RULES.iter().filter(|rule| is_off(offs, rule.0, &load(place, vec![])));
            exposure += if is_whole { 200 } else { off.count() } * 1000;
        }
        for attack in attacks {
            let there = load(place, attack.hits.clone());
            exposure += usize::from(stopped(attack, &[]) && !stopped(&there, offs)) * 1000;
        }
    }
    let all = if attacks.is_empty() { 200 } else { attacks.len() } * 1000;
    let fragile = benign.iter().filter(|load| {
        let is_single = benign.iter().filter(|other| other == load).count() == 1;
        let known = without_single_rules(benign, level, threshold, offs);
        is_single && !stopped(load, offs) && stopped(load, &known)
    });
    let fragility = fragile.count() * 5 * all / benign.len().max(1);
    let damage = missed * 1000 + exposure / PLACES.len() + offs.len() * all / 500 + fragility;
    let acted_on = benign.iter().filter(|load| stopped(load, offs)).count();
    let on_all_hosts = offs.iter().filter(|(_, host, _)| host.is_none()).count();
    (damage, acted_on, on_all_hosts, Reverse(threshold), level)
}

/// Returns the exceptions without the rules that a single benign request matches at their places.
fn without_single_rules(benign: &[Load], level: u8, threshold: u32, offs: &[Off]) -> Vec<Off> {
    let known = |(rules, host, path): &Off| -> Off {
        let here: Vec<&Load> = (benign.iter())
            .filter(|load| total(load, level, &[]) >= threshold)
            .filter(|load| host.is_none_or(|host| host == load.host))
            .filter(|load| path.is_none_or(|path| path == load.path))
            .collect();
        let is_known = |rule: &u32| {
            let has = |hit: &Hit| hit.rule == *rule && hit.level <= level;
            here.iter().filter(|load| load.hits.iter().any(has)).count() > 1
        };
        let rules = match rules {
            Some(rules) => Some(rules.iter().copied().filter(is_known).collect()),
            None if here.len() > 1 => None,
            None => Some(Vec::new()),
        };
        (rules, *host, *path)
    };
    offs.iter().map(known).collect()
}

/// Tries every level, threshold and set of at most so many exceptions.
fn by_trying_all(benign: &[Load], attacks: &[Load], bounds: &Bounds) -> Option<Rank> {
    let named = (1..8).map(|bits: usize| {
        let rules = (0..3).filter(|at| bits >> at & 1 == 1).map(|at| RULES[at].0);
        Some(rules.collect::<Vec<u32>>())
    });
    let sets: Vec<Option<Vec<u32>>> = named.chain([None]).collect();
    let mut places: Vec<(Option<&'static str>, Option<&'static str>)> =
        PLACES.iter().map(|(host, path)| (Some(*host), Some(*path))).collect();
    places.extend([(Some("a.example"), None), (Some("b.example"), None)]);
    places.extend([(None, Some("/x")), (None, None)]);
    let mut all: Vec<Off> = Vec::new();
    for (host, path) in places {
        let is_zone = host.is_none() && path.is_none();
        let sets = sets.iter().filter(|set| !is_zone || set.is_some());
        all.extend(sets.map(|set| (set.clone(), host, path)));
    }
    let mut best = None;
    let mut offer = |offs: &[Off]| {
        for level in bounds.levels.clone() {
            for threshold in bounds.thresholds.clone() {
                let rank = rank(benign, attacks, level, threshold, offs);
                if rank.1 <= bounds.tolerated && best.is_none_or(|best| rank < best) {
                    best = Some(rank);
                }
            }
        }
    };
    offer(&[]);
    for (at, one) in all.iter().enumerate().take(if bounds.entries > 0 { all.len() } else { 0 }) {
        offer(std::slice::from_ref(one));
        for other in all[at + 1..].iter().filter(|_| bounds.entries > 1) {
            offer(&[one.clone(), other.clone()]);
        }
    }
    best
}

/// Returns the rank of a setting that was found.
fn rank_of(tuning: &Tuning, benign: &[Load], attacks: &[Load]) -> Rank {
    let known = |text: &str| {
        PLACES.iter().flat_map(|(host, path)| [*host, *path]).find(|known| *known == text).unwrap()
    };
    let off = |(place, rules): (&ExceptionPlace, &SkippedRules)| -> Off {
        let path = match &place.path {
            PathScope::Is(path) => Some(known(path)),
            PathScope::Under(_) => unreachable!("no path has two segments"),
            PathScope::Any => None,
        };
        let rules = match rules {
            SkippedRules::Rules(rules) => Some(rules.iter().copied().collect()),
            SkippedRules::All => None,
        };
        (rules, place.host.as_deref().map(known), path)
    };
    let offs: Vec<Off> =
        tuning.entries.iter().map(|entry| off((&entry.place, &entry.rules))).collect();
    rank(benign, attacks, tuning.level, tuning.threshold, &offs)
}

#[test]
fn no_setting_is_better_than_the_one_that_is_found() {
    for seed in 0..cases() {
        let random = &mut fastrand::Rng::with_seed(seed);
        let (benign, attacks) = (draw(random, 5), draw(random, 6));
        let (entries, tolerated) = (random.usize(0..=2), random.usize(0..=1));
        let bounds = Bounds { levels: 1..=2, thresholds: 3..=9, entries, tolerated };
        // The command leaves out attacks that no setting stops.
        let attacks: Vec<Load> =
            attacks.into_iter().filter(|attack| bounds.could_act_on(attack)).collect();
        let found = least_damage(&benign, &attacks, &bounds, &[]);
        assert!(found.is_proven, "seed {seed}");
        let best = found.best.as_ref().map(|tuning| rank_of(tuning, &benign, &attacks));
        let expected = by_trying_all(&benign, &attacks, &bounds);
        assert_eq!(best, expected, "seed {seed}\n{benign:?}\n{attacks:?}\n{found:?}");
    }
}

#[test]
fn the_order_of_requests_has_no_influence() {
    for seed in 1_000..1_000 + cases() {
        let random = &mut fastrand::Rng::with_seed(seed);
        let (mut benign, mut attacks) = (draw(random, 8), draw(random, 8));
        let bounds = Bounds { levels: 1..=2, thresholds: 3..=12, entries: 3, tolerated: 0 };
        let found = least_damage(&benign, &attacks, &bounds, &[1, 2]);
        random.shuffle(&mut benign);
        random.shuffle(&mut attacks);
        assert_eq!(least_damage(&benign, &attacks, &bounds, &[1, 2]), found, "seed {seed}");
        // Each row acts on fewer benign requests than the next one, and stops fewer attacks.
        let acted_on =
            |row: &Tuning, loads: &[Load]| loads.iter().filter(|load| row.acts_on(load)).count();
        let outcomes: Vec<_> = (found.rows.iter())
            .map(|row| (acted_on(row, &benign), acted_on(row, &attacks), row.entries.len()))
            .collect();
        assert!(outcomes.is_sorted_by_key(|(benign, _, _)| *benign), "seed {seed}: {outcomes:?}");
        assert!(found.best.is_none_or(|best| found.rows.contains(&best)), "seed {seed}");
    }
}

/// Requests to many paths under one beginning need one exception, also if they match other rules.
#[test]
fn a_beginning_of_paths_is_one_exception() {
    let hit = |at: usize| {
        let (rule, level, score) = RULES[at];
        Hit { rule, level, score }
    };
    let post = |n: usize| Load {
        method: "POST".to_owned(),
        ..load(("a.example", &format!("/t/{n}/reply")), vec![hit(n % 2), hit(2)])
    };
    let benign: Loads = (0..30).map(|n| (post(n), 1)).collect();
    let attack = |n: usize| load(("a.example", &format!("/news/{n}")), vec![hit(n % 3)]);
    let attacks: Loads = (0..30).map(|n| (attack(n), 1)).collect();
    let pages = (0..300).map(|n| load(("a.example", &format!("/news/{n}")), vec![]));
    let replies = benign.keys().map(|request| Load { hits: vec![], ..request.clone() });
    let places: Loads = pages.chain(replies).map(|place| (place, 1)).collect();
    let bounds = Bounds { levels: 1..=2, thresholds: 3..=12, entries: 4, tolerated: 0 };
    let requests =
        TuningRequests { benign: &benign, all_benign: 30, attacks: &attacks, places: &places };
    let found = zonewright::insight::traffic::least_damage(requests, &bounds, &[]);
    let best = found.best.expect("one exception is sufficient");
    assert_eq!((best.level, best.threshold, best.entries.len()), (2, 3, 1), "{best:?}");
    assert_eq!(best.entries[0].place.path, PathScope::Under("/t/".to_owned()), "{best:?}");
    assert_eq!(best.entries[0].rules, SkippedRules::Rules(RULES.map(|rule| rule.0).into()));
}
