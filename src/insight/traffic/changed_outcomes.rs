//! Requests whose outcome changes, grouped by the rule that causes the change, with some examples.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::anomaly_score::HitTreatment;
use super::counted_request::CountedRequest;
use super::most_frequent::{LONGEST_NAME, Names, OTHERS};
use super::report::{Example, Flip, Group, Set};
use crate::diagnostic::{cut, shown_path};
use crate::model::request::{Outcome, Request, without_secrets};
use crate::model::ruleset::Phase;
use crate::model::sort_by_key;

/// Maximum number of groups that are counted separately.
const MOST_GROUPS: usize = 500;
/// Maximum number of examples of a group.
const MOST_EXAMPLES: usize = 3;
/// Maximum length of an example in characters.
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

/// Returns the change of a request's outcome; `None` if it does not change, or is unknown.
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
    /// Creates empty counts; `has_examples` is true if examples are kept.
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
        // Other rules of the deployment do not cause its action.
        if cause.by.as_ref().is_some_and(|by| by.phase == Phase::Managed)
            && let Some(score) = &cause.score
        {
            for counted in score.hits.iter().filter(|counted| counted.fate == HitTreatment::Counts)
            {
                group.owasp_rules.add(&counted.hit.rule.to_string());
            }
        }
        if self.has_examples && group.examples.len() < MOST_EXAMPLES {
            group.examples.push(Example {
                id: seen.id.map(|id| cut(id, LONGEST_NAME)),
                place: seen.place.to_string(),
                request: example_request(seen.request),
                score: seen.after.score.as_ref().map(|score| score.total),
            });
        }
    }

    /// Returns the groups, the largest first.
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

/// Formats a request for an example. Values that look like secrets are left out.
fn example_request(request: &Request) -> String {
    let request =
        without_secrets(&Request { query: request.query.clone(), ..without_headers(request) });
    cut(&request.to_string(), LONGEST_EXAMPLE)
}

/// Returns the shown part of a request, without headers and body.
fn without_headers(request: &Request) -> Request {
    Request::of_line(&request.method, request.is_https, &request.host, &request.path, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let request =
            Request::parse("GET https://x.test/a?q=1&Access_Token=abc&b").expect("it is one");
        assert_eq!(example_request(&request), "GET https://x.test/a?q=1&Access_Token=[redacted]&b");
    }
}
