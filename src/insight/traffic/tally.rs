//! Counts requests for a report. Memory does not grow with their number: names beyond the first few thousand are counted as others.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Display;

use super::matrix::{Matrix, THRESHOLDS};
use super::report::{Cell, Counts, Example, Flip, Group, Named, Outcomes, Report, ReportKind, Set, Zone};
use super::score::{Fate, Hits, Scored};
use super::walk::Verdict;
use crate::model::request::{Outcome, Request, shown_path};
use crate::model::ruleset::Phase;

/// Names that are counted each.
const MOST_NAMES: usize = 2_000;
/// Groups that are counted each.
const MOST_GROUPS: usize = 500;
/// Examples of a group.
const MOST_EXAMPLES: usize = 3;
/// Names that a report lists.
const LISTED: usize = 10;
/// Characters of a name, and of an example.
const LONGEST_NAME: usize = 100;
const LONGEST_EXAMPLE: usize = 200;
/// The name of all that is not counted by its name.
const OTHERS: &str = "(others)";

/// The level, if there is one, and the threshold.
type OwaspSetting = Option<(Option<u8>, u32)>;

/// A request and what becomes of it.
pub struct Seen<'s> {
    /// Its set.
    pub set: Set,
    /// The zone that it is for.
    pub zone: &'s str,
    /// Its Ray ID or another name.
    pub id: Option<&'s str>,
    /// Where it is recorded.
    pub place: &'s dyn Display,
    /// The request.
    pub request: &'s Request,
    /// What the public OWASP rules found in it.
    pub hits: Option<&'s Hits>,
    /// Whether rules might find more, as parts of the request are not known.
    pub is_partial: bool,
    /// What becomes of it now.
    pub before: &'s Verdict,
    /// What becomes of it after the plan.
    pub after: &'s Verdict,
    /// Whether the zone has the OWASP ruleset after the plan.
    pub has_owasp: bool,
}

/// Counts of requests.
#[derive(Debug, Default)]
pub struct Tally {
    has_examples: bool,
    zones: BTreeMap<String, Zone>,
    sets: BTreeMap<Set, Outcomes>,
    groups: BTreeMap<(Set, Flip, String, String), Counted>,
    not_evaluated: Names,
    depends_on: Names,
}

/// A group.
#[derive(Debug, Default)]
struct Counted {
    requests: u64,
    owasp_rules: Names,
    hosts: Names,
    paths: Names,
    examples: Vec<Example>,
}

/// Names with numbers of requests.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, u64>);

impl Names {
    /// Counts a name.
    fn add(&mut self, name: &str) {
        let name = clipped(name, LONGEST_NAME);
        let is_counted = self.0.len() < MOST_NAMES || self.0.contains_key(&name);
        *self.0.entry(if is_counted { name } else { OTHERS.to_owned() }).or_default() += 1;
    }

    /// The most frequent ones.
    fn listed(self) -> Vec<Named> {
        let mut all: Vec<_> = self.0.into_iter().map(|(name, requests)| Named { name, requests }).collect();
        all.sort_by(|one, other| other.requests.cmp(&one.requests).then_with(|| one.name.cmp(&other.name)));
        let rest: u64 = all.iter().skip(LISTED).map(|named| named.requests).sum();
        all.truncate(LISTED);
        match all.iter_mut().find(|named| named.name == OTHERS) {
            Some(others) => others.requests += rest,
            None if rest > 0 => all.push(Named { name: OTHERS.to_owned(), requests: rest }),
            None => {}
        }
        all
    }
}

impl Tally {
    /// Without requests; `has_examples` is whether the report shows some of them.
    #[must_use]
    pub fn new(has_examples: bool) -> Self {
        Self { has_examples, ..Self::default() }
    }

    /// A zone of the spec, with its settings of the OWASP ruleset now and after the plan.
    pub fn add_zone(&mut self, name: &str, before: OwaspSetting, after: OwaspSetting) {
        let cell = |setting: OwaspSetting| setting.map(|(level, threshold)| Cell { level, threshold });
        let (before, after) = (cell(before), cell(after));
        let zone = Zone { name: name.to_owned(), before, after, requests: 0, stopped: 0, let_through: 0, unknown: 0 };
        self.zones.insert(name.to_owned(), zone);
    }

    /// A set.
    fn set(&mut self, set: Set) -> &mut Outcomes {
        self.sets.entry(set).or_insert_with(|| Outcomes {
            set,
            requests: 0,
            unreadable: 0,
            elsewhere: 0,
            dns_only: 0,
            partial: 0,
            before: Counts::default(),
            after: Counts::default(),
            matrix: None,
        })
    }

    /// Counts something that is not a request.
    pub fn unreadable(&mut self, set: Set) {
        self.set(set).unreadable += 1;
    }

    /// Counts a request for a host that is DNS only, which meets no rule.
    pub fn dns_only(&mut self, set: Set) {
        self.set(set).dns_only += 1;
    }

    /// Counts a request for a host of no zone.
    pub fn elsewhere(&mut self, set: Set) {
        self.set(set).elsewhere += 1;
    }

    /// Counts a request.
    pub fn add(&mut self, seen: &Seen<'_>) {
        let Seen { set, before, after, hits, .. } = *seen;
        let outcomes = self.set(set);
        outcomes.requests += 1;
        outcomes.partial += u64::from(seen.is_partial);
        outcomes.before.add(before.outcome);
        outcomes.after.add(after.outcome);
        if let Some(hits) = hits {
            let matrix = outcomes.matrix.get_or_insert_with(|| Matrix { thresholds: THRESHOLDS, ..Matrix::default() });
            let own = after.score.as_ref().map(Scored::by_level);
            // Without a deployment, what it would find in requests that nothing else stops.
            let would = (!seen.has_owasp && after.outcome == Outcome::Pass).then(|| hits.by_level());
            match own.or(would) {
                Some(levels) => matrix.add(levels),
                None => matrix.not_scored += 1,
            }
        }
        for what in &after.not_evaluated {
            self.not_evaluated.add(what);
        }
        for reason in before.depends_on.union(&after.depends_on) {
            self.depends_on.add(reason);
        }
        let is_unknown = |verdict: &Verdict| verdict.outcome == Outcome::Unknown;
        let flip = match (before.outcome, after.outcome) {
            (Outcome::Unknown, _) | (_, Outcome::Unknown) => None,
            (Outcome::Pass, Outcome::Pass) => None,
            (Outcome::Pass, Outcome::Block | Outcome::Challenge) => Some(Flip::Stopped),
            (Outcome::Block | Outcome::Challenge, Outcome::Pass) => Some(Flip::LetThrough),
            (one, other) => (one != other).then_some(Flip::Otherwise),
        };
        if let Some(zone) = self.zones.get_mut(seen.zone) {
            zone.requests += 1;
            zone.stopped += u64::from(flip == Some(Flip::Stopped));
            zone.let_through += u64::from(flip == Some(Flip::LetThrough));
            zone.unknown += u64::from(is_unknown(before) || is_unknown(after));
        }
        if let Some(flip) = flip {
            self.change(seen, flip);
        }
    }

    /// Counts a request whose outcome changes.
    fn change(&mut self, seen: &Seen<'_>, flip: Flip) {
        let cause = if flip == Flip::LetThrough { seen.before } else { seen.after };
        let rule = cause.by.as_ref().map_or("one of several rules", |by| by.name.as_str());
        let is_full = self.groups.len() >= MOST_GROUPS;
        let mut key = (seen.set, flip, seen.zone.to_owned(), clipped(rule, LONGEST_NAME));
        if is_full && !self.groups.contains_key(&key) {
            key.3 = OTHERS.to_owned();
        }
        let group = self.groups.entry(key).or_default();
        group.requests += 1;
        group.hosts.add(&seen.request.host);
        group.paths.add(&shown_path(&seen.request.path));
        // Other rules of the deployment are not why it acts.
        if cause.by.as_ref().is_some_and(|by| by.phase == Phase::Managed)
            && let Some(score) = &cause.score
        {
            for counted in score.hits.iter().filter(|counted| counted.fate == Fate::Counts) {
                group.owasp_rules.add(&counted.hit.rule.to_string());
            }
        }
        if self.has_examples && group.examples.len() < MOST_EXAMPLES {
            group.examples.push(Example {
                id: seen.id.map(|id| clipped(id, LONGEST_NAME)),
                place: seen.place.to_string(),
                request: shown(seen.request),
                score: seen.after.score.as_ref().map(|score| score.total),
            });
        }
    }

    /// The report.
    #[must_use]
    pub fn report(self) -> Report {
        let mut changes: Vec<Group> = (self.groups.into_iter())
            .map(|((set, change, zone, rule), counted)| Group {
                set,
                change,
                zone,
                rule,
                requests: counted.requests,
                owasp_rules: counted.owasp_rules.listed(),
                hosts: counted.hosts.listed(),
                paths: counted.paths.listed(),
                examples: counted.examples,
            })
            .collect();
        changes.sort_by_key(|group| Reverse(group.requests));
        Report {
            format: 1,
            kind: ReportKind::WafRehearsal,
            zones: self.zones.into_values().filter(|zone| zone.requests > 0).collect(),
            sets: self.sets.into_values().collect(),
            changes,
            not_evaluated: self.not_evaluated.listed(),
            depends_on: self.depends_on.listed(),
        }
    }
}

impl Counts {
    /// Counts an outcome.
    fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Pass => &mut self.pass,
            Outcome::Block => &mut self.block,
            Outcome::Challenge => &mut self.challenge,
            Outcome::Unknown => &mut self.unknown,
        } += 1;
    }
}

/// The beginning of a text.
fn clipped(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

/// A request as examples show it: what looks like a secret is left out.
fn shown(request: &Request) -> String {
    let request = Request { query: request.query.clone(), ..short(request) }.without_secrets();
    clipped(&request.to_string(), LONGEST_EXAMPLE)
}

/// What of a request is shown: no headers, and no body.
fn short(request: &Request) -> Request {
    Request::of_line(&request.method, request.is_https, &request.host, &request.path, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_most_are_others() {
        let mut names = Names::default();
        for n in 0..MOST_NAMES + 5 {
            names.add(&format!("{n:05}"));
        }
        names.add("00007");
        let listed = names.listed();
        assert_eq!((listed[0].name.as_str(), listed[0].requests), (OTHERS, 1996));
        assert_eq!((listed[1].name.as_str(), listed[1].requests), ("00007", 2));
        assert_eq!(listed.iter().map(|named| named.requests).sum::<u64>(), 2006);
    }

    #[test]
    fn secrets_are_not_shown() {
        let request = Request::parse("GET https://x.test/a?q=1&Access_Token=abc&b").expect("it is one");
        assert_eq!(shown(&request), "GET https://x.test/a?q=1&Access_Token=[redacted]&b");
    }
}
