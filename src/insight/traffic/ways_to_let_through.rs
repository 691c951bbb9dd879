//! Finds ways to let a request through that was stopped by mistake, ordered by how much they weaken
//! the protection.
//!
//! | way | weakening |
//! |---|---|
//! | an exception for the fewest sufficient rules, on the path of the request | these rules on one path |
//! | the same exception on its host | these rules on one host |
//! | these rules off | these rules everywhere |
//! | a lower paranoia level | all rules of higher levels |
//! | a higher threshold | all rules |
//!
//! Narrow ways come first. Of several smallest sets of rules, the set that lets through the fewest
//! attacks is taken, then the one with the lowest numbers.

use std::collections::BTreeMap;

use super::anomaly_score::{Hit, HitTreatment, Scored, Scoring};
use super::exception_place::{ExceptionPlace, SkippedRules};
use crate::diagnostic::Place;
use crate::model::managed::{Managed, Paranoia, RuleName};
use crate::model::request::Request;
use crate::model::ruleset::{
    DesiredDeployment, DesiredRule, DesiredWaf, Note, Phase, RuleForm, RuleTuning, SkipTarget,
    Switch, TuningTarget,
};
use crate::model::sort_by_key;

/// Maximum number of sets of rules that are compared, and of evaluations of attacks for all of
/// them.
const MOST_SETS: usize = 20_000;
const MOST_TRIALS: usize = 2_000_000;

/// The requests that a way affects, from narrow to wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WayScope {
    /// Requests to one path of one host.
    Path,
    /// Requests to one host.
    Host,
    /// All requests to the zone.
    Zone,
}

/// A kind of way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WayKind {
    /// An exception for some rules.
    Exception(WayScope),
    /// Disabled rules.
    Off,
    /// A lower paranoia level.
    Level(u8),
    /// A higher threshold.
    Threshold(u32),
}

/// A way to let the request through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub kind: WayKind,
    /// The rules that no longer count for the request.
    pub rules: Vec<u32>,
    /// The score of the request with this way.
    pub total: u32,
    /// The threshold with this way.
    pub threshold: u32,
    /// Number of attacks that are stopped now, but pass if they are sent to a place where the way
    /// applies.
    pub lets_through: usize,
}

/// Attacks for testing ways: sets of matching rules, with the number of attacks for each.
pub type Attacks = BTreeMap<Vec<Hit>, usize>;

/// The ways to let a request through, and the attacks that they were tested on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ways {
    /// The ways, the one with the least damage first.
    pub ways: Vec<Way>,
    /// Number of attacks that they were tested on.
    pub attacks: usize,
    /// Number of these attacks that are stopped now.
    pub stopped: usize,
}

impl Way {
    /// Returns the requests that the way affects.
    #[must_use]
    pub fn scope(&self) -> WayScope {
        match self.kind {
            WayKind::Exception(scope) => scope,
            WayKind::Off | WayKind::Level(_) | WayKind::Threshold(_) => WayScope::Zone,
        }
    }

    /// Returns the edit of the spec: a section with the changes. An exception for the path or the
    /// host of the request has the note; a level and a threshold cannot have one, so the reason is
    /// in the section.
    #[must_use]
    pub fn edit(&self, request: &Request, note: &Note) -> DesiredWaf {
        let mut section = DesiredWaf::new(Place::NOWHERE);
        let mut owasp = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
        match self.kind {
            WayKind::Exception(scope) => {
                let exempted = match scope {
                    WayScope::Path => ExceptionPlace::path(&request.host, &request.path_seen()),
                    WayScope::Host | WayScope::Zone => ExceptionPlace::host(&request.host),
                };
                let rules = SkippedRules::Rules(self.rules.iter().copied().collect());
                section.lists.insert(Phase::Managed, vec![exception(&exempted, &rules, note)]);
                return section;
            }
            WayKind::Off => {
                owasp.rules.extend(self.rules.iter().map(|rule| rule_off(*rule, note)));
            }
            WayKind::Level(level) => {
                owasp.paranoia = Paranoia::new(level).map(|level| (level, Place::NOWHERE))
            }
            WayKind::Threshold(threshold) => owasp.threshold = Some((threshold, Place::NOWHERE)),
        }
        if self.kind != WayKind::Off {
            section.accept_weakening = Some((reason_of_weakening(note), Place::NOWHERE));
        }
        section.deployments.push(owasp);
        section
    }
}

/// Returns the reason why a section may weaken the protection, for values without a reason and an
/// expiry of their own.
pub(super) fn reason_of_weakening(note: &Note) -> String {
    let until = note.expires.iter().map(|day| format!("; back by {day}")).collect::<String>();
    format!("{}{until}", note.reason.as_deref().unwrap_or_default())
}

/// Creates an exception for rules at a place.
pub(super) fn exception(
    exempted: &ExceptionPlace,
    rules: &SkippedRules,
    note: &Note,
) -> DesiredRule {
    let name = |rule: &u32| (RuleName::new(&rule.to_string()), Place::NOWHERE);
    let (first, target) = match rules {
        SkippedRules::Rules(rules) => (
            rules.first().map_or_else(String::new, u32::to_string),
            SkipTarget::Rules(Managed::Owasp, rules.iter().map(name).collect()),
        ),
        SkippedRules::All => ("owasp".to_owned(), SkipTarget::Ruleset(Managed::Owasp)),
    };
    DesiredRule {
        name: format!("{}-{first}", exempted.slug()),
        place: Place::NOWHERE,
        when: Some((exempted.condition(), Place::NOWHERE)),
        is_absent: false,
        enabled: true,
        description: None,
        form: RuleForm::Skip(vec![target]),
        log: None,
        anchors: Vec::new(),
        note: note.clone(),
        key_places: Vec::new(),
    }
}

/// Creates the tuning of a disabled rule.
pub(super) fn rule_off(rule: u32, note: &Note) -> RuleTuning {
    let target = TuningTarget::Rule(RuleName::new(&rule.to_string()));
    RuleTuning {
        target,
        enabled: Some(false),
        action: None,
        note: note.clone(),
        place: Place::NOWHERE,
    }
}

/// Returns the ways to let a stopped request through, tested on attacks. Empty if the request is
/// not stopped.
#[must_use]
pub fn ways_to_let_through(scored: &Scored, scoring: &Scoring, attacks: &Attacks) -> Ways {
    let attack_count = attacks.values().sum();
    if scored.acts() != Some(true) || scoring.act().is_none() {
        return Ways { attacks: attack_count, ..Ways::default() };
    }
    let threshold = scored.threshold;
    let sum = |hits: &[Hit]| -> u32 { hits.iter().map(|hit| hit.score).sum() };
    let mut stopped = Attacks::new();
    for (hits, count) in attacks {
        let on: Vec<Hit> = hits.iter().filter(|hit| scoring.has(hit.rule)).copied().collect();
        if sum(&on) >= threshold {
            *stopped.entry(on).or_default() += count;
        }
    }
    let passing = |keeps: &dyn Fn(&Hit) -> bool, threshold: u32| -> usize {
        let remaining_score =
            |hits: &[Hit]| hits.iter().filter(|hit| keeps(hit)).map(|hit| hit.score).sum::<u32>();
        stopped
            .iter()
            .filter(|(hits, _)| remaining_score(hits) < threshold)
            .map(|(_, count)| count)
            .sum()
    };
    let counting = scored.hits.iter().filter(|hit| hit.fate == HitTreatment::Counts);
    let mut hits: Vec<Hit> = counting.map(|counted| counted.hit).collect();
    sort_by_key(&mut hits, |hit| (std::cmp::Reverse(hit.score), hit.rule));

    let mut ways = Vec::new();
    let lets_through = |rules: &[u32]| passing(&|hit| !rules.contains(&hit.rule), threshold);
    let sets = MOST_SETS.min(MOST_TRIALS / stopped.len().max(1));
    if let Some(rules) = fewest(&hits, scored.total + 1 - threshold, sets, &lets_through) {
        let total = hits.iter().filter(|hit| !rules.contains(&hit.rule)).map(|hit| hit.score).sum();
        let lets_through = lets_through(&rules);
        for kind in
            [WayKind::Exception(WayScope::Path), WayKind::Exception(WayScope::Host), WayKind::Off]
        {
            ways.push(Way { kind, rules: rules.clone(), total, threshold, lets_through });
        }
    }
    let highest = scoring.level().unwrap_or(4);
    let at =
        |level: u8| hits.iter().filter(|hit| hit.level <= level).map(|hit| hit.score).sum::<u32>();
    if let Some(level) = (1..highest).rev().find(|level| at(*level) < threshold) {
        let rules = hits.iter().filter(|hit| hit.level > level).map(|hit| hit.rule).collect();
        let lets_through = passing(&|hit| hit.level <= level, threshold);
        ways.push(Way {
            kind: WayKind::Level(level),
            rules,
            total: at(level),
            threshold,
            lets_through,
        });
    }
    let higher = scored.total + 1;
    ways.push(Way {
        kind: WayKind::Threshold(higher),
        rules: Vec::new(),
        total: scored.total,
        threshold: higher,
        lets_through: passing(&|_| true, higher),
    });
    ways.iter_mut().for_each(|way| way.rules.sort_unstable());
    sort_by_key(&mut ways, |way| (way.scope(), way.lets_through, way.kind));
    Ways { ways, attacks: attack_count, stopped: stopped.values().sum() }
}

/// Returns the smallest set of rules whose scores have at least this sum, the highest score first.
/// Of several sets, the cheapest is taken.
fn fewest(
    hits: &[Hit],
    least: u32,
    sets: usize,
    cost: &dyn Fn(&[u32]) -> usize,
) -> Option<Vec<u32>> {
    let mut sum = 0;
    let size = 1 + hits.iter().position(|hit| {
        sum += hit.score;
        sum >= least
    })?;
    let greedy: Vec<u32> = hits[..size].iter().map(|hit| hit.rule).collect();
    let mut best = (cost(&greedy), sorted(&greedy));
    let (mut places, mut tried) = ((0..size).collect::<Vec<_>>(), 0);
    while tried < sets && best.0 > 0 {
        tried += 1;
        if places.iter().map(|place| hits[*place].score).sum::<u32>() >= least {
            let rules: Vec<u32> = places.iter().map(|place| hits[*place].rule).collect();
            best = best.min((cost(&rules), sorted(&rules)));
        }
        if !advance(&mut places, hits.len()) {
            break;
        }
    }
    Some(best.1)
}

/// Sorts numbers.
fn sorted(rules: &[u32]) -> Vec<u32> {
    let mut rules = rules.to_vec();
    rules.sort_unstable();
    rules
}

/// Advances to the next combination of indices below `end`; returns false after the last one.
fn advance(places: &mut [usize], end: usize) -> bool {
    let size = places.len();
    let Some(at) = (0..size).rev().find(|at| places[*at] < end - (size - at)) else { return false };
    places[at] += 1;
    for next in at + 1..size {
        places[next] = places[next - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(rule: u32, score: u32) -> Hit {
        Hit { rule, level: 1, score }
    }

    #[test]
    fn the_smallest_set_is_the_one_that_costs_least() {
        let hits = [hit(1, 5), hit(2, 5), hit(3, 5), hit(4, 3)];
        assert_eq!(fewest(&hits, 6, 99, &|_| 0), Some(vec![1, 2]));
        assert_eq!(
            fewest(&hits, 6, 99, &|rules| usize::from(rules.contains(&1))),
            Some(vec![2, 3])
        );
        assert_eq!(fewest(&hits, 3, 99, &|rules| usize::from(!rules.contains(&4))), Some(vec![4]));
        assert_eq!(fewest(&hits, 19, 99, &|_| 0), None);
    }

    #[test]
    fn all_choices_are_visited_once() {
        let mut places = vec![0, 1];
        let mut count = 1;
        while advance(&mut places, 5) {
            count += 1;
        }
        assert_eq!((count, places), (10, vec![3, 4]));
    }
}
