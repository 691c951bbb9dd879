//! Requests whose outcome changes, grouped by the rule that makes the difference, with some of them
//! as examples.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::anomaly_score::Fate;
use super::counted_request::CountedRequest;
use super::most_frequent::{LONGEST_NAME, Names, OTHERS};
use super::report::{Example, Flip, Group, Set};
use crate::diagnostic::{cut, shown_path};
use crate::model::request::{Outcome, Request, without_secrets};
use crate::model::ruleset::Phase;
use crate::model::sort_by_key;

/// Groups that are counted each.
const MOST_GROUPS: usize = 500;
/// Examples of a group.
const MOST_EXAMPLES: usize = 3;
/// Characters of an example.
const LONGEST_EXAMPLE: usize = 200;

/// Requests whose outcome changes.
#[derive(Debug, Default)]
pub(super) struct ChangedOutcomes {
    has_examples: bool,
    groups: BTreeMap<(Set, Flip, String, String), Counted>,
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

/// How the outcome of a request changes; none if it does not, or is not known.
pub(super) fn flip(before: Outcome, after: Outcome) -> Option<Flip> {
    match (before, after) {
        (Outcome::Unknown, _) | (_, Outcome::Unknown) => None,
        (Outcome::Pass, Outcome::Pass) => None,
        (Outcome::Pass, Outcome::Block | Outcome::Challenge) => Some(Flip::Stopped),
        (Outcome::Block | Outcome::Challenge, Outcome::Pass) => Some(Flip::LetThrough),
        (one, other) => (one != other).then_some(Flip::Otherwise),
    }
}

impl ChangedOutcomes {
    /// Without requests; `has_examples` is whether some of them are kept.
    pub(super) fn new(has_examples: bool) -> Self {
        Self { has_examples, ..Self::default() }
    }

    /// Counts a request whose outcome changes.
    pub(super) fn add(&mut self, seen: &CountedRequest<'_>, flip: Flip) {
        let cause = if flip == Flip::LetThrough { seen.before } else { seen.after };
        let rule = cause.by.as_ref().map_or("one of several rules", |by| by.name.as_str());
        let is_full = self.groups.len() >= MOST_GROUPS;
        let mut key = (seen.set, flip, seen.zone.to_owned(), cut(rule, LONGEST_NAME));
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
                id: seen.id.map(|id| cut(id, LONGEST_NAME)),
                place: seen.place.to_string(),
                request: shown(seen.request),
                score: seen.after.score.as_ref().map(|score| score.total),
            });
        }
    }

    /// The groups, the largest first.
    pub(super) fn groups(self) -> Vec<Group> {
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
        sort_by_key(&mut changes, |group| Reverse(group.requests));
        changes
    }
}

/// A request as examples show it: what looks like a secret is left out.
fn shown(request: &Request) -> String {
    let request = without_secrets(&Request { query: request.query.clone(), ..short(request) });
    cut(&request.to_string(), LONGEST_EXAMPLE)
}

/// What of a request is shown: no headers, and no body.
fn short(request: &Request) -> Request {
    Request::of_line(&request.method, request.is_https, &request.host, &request.path, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let request =
            Request::parse("GET https://x.test/a?q=1&Access_Token=abc&b").expect("it is one");
        assert_eq!(shown(&request), "GET https://x.test/a?q=1&Access_Token=[redacted]&b");
    }
}
