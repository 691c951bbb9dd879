//! What a change of a rate limit does.
//!
//! | part | stronger is |
//! |---|---|
//! | requests | fewer |
//! | timeout | longer |
//! | counted by | less (a request is counted together with more others) |
//! | only requests to the origin | no |
//! | what is counted | more |
//! | period, everything else | not known |
//!
//! # Sources
//! developers.cloudflare.com/waf/rate-limiting-rules/parameters and …/request-rate, read 2026-11-20.

use std::collections::{BTreeMap, BTreeSet};

use super::direction::{Direction, Effects, more_is_stronger};
use super::scope;
use crate::model::Value;
use crate::model::expression::Expression;
use crate::model::facts::rulesets::RATE_COLO;
use crate::model::ruleset::{RuleBody, canonical};

/// The members of a rule's rate, in canonical form; `None` if it has none.
pub(super) fn rate(body: &RuleBody) -> Option<BTreeMap<String, Value>> {
    match canonical(body).get("ratelimit") {
        Some(Value::Map(members)) => Some(members.clone()),
        _ => None,
    }
}

/// A member that is a number.
fn number(rate: &BTreeMap<String, Value>, name: &str) -> Option<i64> {
    match rate.get(name) {
        Some(Value::Integer(n)) => Some(*n),
        _ => None,
    }
}

/// What requests are counted by, without the data centre.
fn counted_by(rate: &BTreeMap<String, Value>) -> BTreeSet<String> {
    match rate.get("characteristics") {
        Some(Value::List(list)) => list.iter().map(ToString::to_string).filter(|c| c != RATE_COLO).collect(),
        _ => BTreeSet::new(),
    }
}

/// A rate in words: `more than 5 requests in 60 s by ip.src`.
pub(super) fn about(rate: &BTreeMap<String, Value>) -> String {
    let shown = |name: &str| number(rate, name).map_or_else(|| "?".to_owned(), |n| n.to_string());
    let by = counted_by(rate);
    let by = if by.is_empty() { String::new() } else { format!(" by {}", list(&by)) };
    format!("more than {} requests in {} s{by}", shown("requests_per_period"), shown("period"))
}

/// How long what is done lasts, in words.
pub(super) fn lasting(rate: &BTreeMap<String, Value>) -> String {
    number(rate, "mitigation_timeout").filter(|n| *n > 0).map_or_else(String::new, |n| format!(" for {n} s"))
}

/// Adds what changes between two rates.
pub(super) fn compare(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>, effects: &mut Effects) {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names.into_iter().map(String::as_str).filter(|n| before.get(*n) != after.get(*n)) {
        let numbers = (number(before, name), number(after, name));
        match (name, numbers) {
            ("requests_per_period", (Some(b), Some(a))) => {
                effects.add(more_is_stronger(a, b), format!("limit {b} → {a} requests"));
            }
            ("mitigation_timeout", (b, a)) => {
                let (b, a) = (b.unwrap_or(0), a.unwrap_or(0));
                effects.add(more_is_stronger(b, a), format!("timeout {b} s → {a} s"));
            }
            ("period", (Some(b), Some(a))) => {
                let line =
                    format!("period {b} s → {a} s: whether more or fewer requests exceed the rate depends on them");
                effects.add(Direction::Unclassified, line);
            }
            ("characteristics", _) => compare_counting(&counted_by(before), &counted_by(after), effects),
            ("requests_to_origin", _) => {
                let only = after.get(name) == Some(&Value::Bool(true));
                let (direction, line) = match only {
                    true => (Direction::Weakens, "only requests that reach the origin are counted"),
                    false => (Direction::Strengthens, "requests answered from the cache are counted as well"),
                };
                effects.add(direction, line.to_owned());
            }
            ("counting_expression", _) => {
                let side = |rate: &BTreeMap<String, Value>| match rate.get(name) {
                    Some(Value::Text(text)) => Some(Expression::reported(text)),
                    _ => None,
                };
                let (direction, words) = match (side(before), side(after)) {
                    (Some(before), Some(after)) => {
                        let change = Expression::scope_change(&before, &after);
                        (scope::direction(change), scope::sentence(&before, &after, change))
                    }
                    (None, _) | (_, None) => (Direction::Unclassified, "it is another set of requests now".to_owned()),
                };
                effects.add(direction, format!("what is counted: {words}"));
            }
            (other, _) => {
                effects.add(Direction::Unclassified, format!("{other} of the rate: what the change does is not known"));
            }
        }
    }
}

/// Adds a change of what requests are counted by.
fn compare_counting(before: &BTreeSet<String>, after: &BTreeSet<String>, effects: &mut Effects) {
    let direction = match (before.is_subset(after), after.is_subset(before)) {
        (true, true) => Direction::Neutral,
        (true, false) => Direction::Weakens,
        (false, true) => Direction::Strengthens,
        (false, false) => Direction::Unclassified,
    };
    let words = match direction {
        Direction::Weakens => ": each counter sees fewer requests",
        Direction::Strengthens => ": each counter sees more requests",
        Direction::Unclassified => ": other requests are counted together",
        Direction::Neutral | Direction::Both => "",
    };
    effects.add(direction, format!("counted by {} → {}{words}", list(before), list(after)));
}

/// Names in a row.
fn list(names: &BTreeSet<String>) -> String {
    if names.is_empty() { RATE_COLO.to_owned() } else { names.iter().cloned().collect::<Vec<_>>().join(", ") }
}
