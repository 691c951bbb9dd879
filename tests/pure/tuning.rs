//! The setting with the least damage is compared with one that is found by trying all of them.

use std::cmp::Reverse;

use zonewright::insight::traffic::{Bounds, Hit, Load, Loads, Tuning, TuningEntry, WayScope};

/// Returns the default number of cases; ZONEWRIGHT_TUNINGS sets another one.
fn cases() -> u64 {
    std::env::var("ZONEWRIGHT_TUNINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

/// The rules of the oracle: number, level, score.
const RULES: [(u32, u8, u32); 3] = [(941_100, 1, 5), (942_100, 1, 3), (942_200, 2, 5)];
const PLACES: [(&str, &str); 3] = [("a.example", "/x"), ("a.example", "/y"), ("b.example", "/x")];

fn draw(random: &mut fastrand::Rng, most: usize) -> Vec<Load> {
    (0..random.usize(0..=most))
        .map(|_| {
            let (host, path) = PLACES[random.usize(0..PLACES.len())];
            let hits = RULES
                .iter()
                .filter(|_| random.u8(0..5) < 3)
                .map(|&(rule, level, score)| Hit { rule, level, score });
            Load { host: host.to_owned(), path: path.to_owned(), hits: hits.collect() }
        })
        .collect()
}

/// Returns the setting for requests one by one. Requests on which no setting within the bounds acts
/// are left out, as in the command.
fn least_damage(benign: &[Load], attacks: &[Load], bounds: &Bounds) -> Option<Tuning> {
    let counted = |requests: &[Load]| {
        let mut loads = Loads::new();
        for request in requests.iter().filter(|request| bounds.could_act_on(request)) {
            *loads.entry(request.clone()).or_default() += 1;
        }
        loads
    };
    zonewright::insight::traffic::least_damage(&counted(benign), &counted(attacks), bounds)
}

/// The requests for which a rule is off: all, those to a host, or those to a path of a host.
type Off = (u32, Option<&'static str>, Option<&'static str>);

fn total(load: &Load, level: u8, offs: &[Off]) -> u32 {
    let mut sum = 0;
    for hit in &load.hits {
        let mut counts = hit.level <= level;
        for (rule, host, path) in offs {
            if *rule == hit.rule
                && host.is_none_or(|h| h == load.host)
                && path.is_none_or(|p| p == load.path)
            {
                counts = false;
            }
        }
        if counts {
            sum += hit.score;
        }
    }
    sum
}

/// Returns the number of attacks that would pass at a place with disabled rules.
fn passing(attacks: &[Load], level: u8, threshold: u32, offs: &[Off]) -> usize {
    let mut count = 0;
    for (_, host, path) in offs {
        for attack in attacks {
            // Rules that are off wherever this place is.
            let is_off = |rule: u32| {
                offs.iter().any(|(r, h, p)| {
                    *r == rule && (h.is_none() || h == host) && (p.is_none() || p == path)
                })
            };
            let plain: u32 =
                attack.hits.iter().filter(|hit| hit.level <= level).map(|hit| hit.score).sum();
            let there: u32 = attack
                .hits
                .iter()
                .filter(|hit| hit.level <= level && !is_off(hit.rule))
                .map(|hit| hit.score)
                .sum();
            count += usize::from(plain >= threshold && there < threshold);
        }
    }
    count
}

/// Tries every level, threshold and set of at most so many rules that are off somewhere.
fn by_trying_all(
    benign: &[Load],
    attacks: &[Load],
    most: usize,
) -> Option<(usize, usize, usize, usize, Reverse<u32>, u8)> {
    let mut all: Vec<Off> = Vec::new();
    for (rule, _, _) in RULES {
        all.push((rule, None, None));
        for host in ["a.example", "b.example"] {
            all.push((rule, Some(host), None));
        }
        for (host, path) in PLACES {
            all.push((rule, Some(host), Some(path)));
        }
    }
    let mut sets: Vec<Vec<Off>> = vec![Vec::new()];
    for size in 0..most {
        for set in sets.clone().into_iter().filter(|set| set.len() == size) {
            let after =
                set.last().map_or(0, |last| all.iter().position(|off| off == last).unwrap() + 1);
            sets.extend(all[after..].iter().map(|off| set.iter().copied().chain([*off]).collect()));
        }
    }
    let mut best = None;
    for level in 1..=2 {
        for threshold in [3, 4, 6, 9] {
            for offs in &sets {
                if benign.iter().any(|load| total(load, level, offs) >= threshold) {
                    continue;
                }
                let missed =
                    attacks.iter().filter(|load| total(load, level, offs) < threshold).count();
                let breadth = offs
                    .iter()
                    .map(|(_, host, path)| {
                        usize::from(host.is_none()) + usize::from(path.is_none())
                    })
                    .sum();
                let passing = passing(attacks, level, threshold, offs);
                let rank = (missed, offs.len(), passing, breadth, Reverse(threshold), level);
                best = Some(best.map_or(rank, |best| rank.min(best)));
            }
        }
    }
    best
}

/// Returns the rank of a setting.
fn rank(
    tuning: &Tuning,
    benign: &[Load],
    attacks: &[Load],
) -> (usize, usize, usize, usize, Reverse<u32>, u8) {
    let off = |entry: &TuningEntry| -> Off {
        let of = |text: &str| {
            PLACES.iter().flat_map(|(h, p)| [*h, *p]).find(|known| *known == text).unwrap()
        };
        let host = (entry.scope < WayScope::Zone).then(|| of(&entry.host));
        (entry.rule, host, (entry.scope == WayScope::Path).then(|| of(&entry.path)))
    };
    let offs: Vec<Off> = tuning.entries.iter().map(off).collect();
    assert!(
        benign.iter().all(|load| total(load, tuning.level, &offs) < tuning.threshold),
        "a benign request is acted on"
    );
    let missed =
        attacks.iter().filter(|load| total(load, tuning.level, &offs) < tuning.threshold).count();
    let breadth = offs
        .iter()
        .map(|(_, host, path)| usize::from(host.is_none()) + usize::from(path.is_none()))
        .sum();
    let passing = passing(attacks, tuning.level, tuning.threshold, &offs);
    (missed, offs.len(), passing, breadth, Reverse(tuning.threshold), tuning.level)
}

#[test]
fn no_setting_is_better_than_the_one_that_is_found() {
    for seed in 0..cases() {
        let random = &mut fastrand::Rng::with_seed(seed);
        let (benign, attacks) = (draw(random, 5), draw(random, 6));
        let most = random.usize(0..=2);
        let mut found: Vec<Tuning> = Vec::new();
        // The thresholds of the oracle, one bound after the other, as bounds are ranges.
        for threshold in [3, 4, 6, 9] {
            let bounds = Bounds { levels: 1..=2, thresholds: threshold..=threshold, entries: most };
            found.extend(least_damage(&benign, &attacks, &bounds));
        }
        assert!(found.iter().all(|tuning| tuning.is_proven));
        let best = found.iter().map(|tuning| rank(tuning, &benign, &attacks)).min();
        assert_eq!(
            best,
            by_trying_all(&benign, &attacks, most),
            "seed {seed}\n{benign:?}\n{attacks:?}"
        );
    }
}

#[test]
fn the_order_of_requests_has_no_influence() {
    for seed in 1_000..1_000 + cases() {
        let random = &mut fastrand::Rng::with_seed(seed);
        let (mut benign, mut attacks) = (draw(random, 8), draw(random, 8));
        let bounds = Bounds { levels: 1..=2, thresholds: 3..=12, entries: 3 };
        let found = least_damage(&benign, &attacks, &bounds);
        random.shuffle(&mut benign);
        random.shuffle(&mut attacks);
        assert_eq!(least_damage(&benign, &attacks, &bounds), found, "seed {seed}");
        // A range is as good as its best threshold.
        let missed = |tuning: &Tuning| rank(tuning, &benign, &attacks);
        let single = (3..=12)
            .filter_map(|n| {
                least_damage(&benign, &attacks, &Bounds { thresholds: n..=n, ..bounds.clone() })
            })
            .map(|tuning| missed(&tuning))
            .min();
        assert_eq!(found.as_ref().map(missed), single, "seed {seed}");
    }
}
