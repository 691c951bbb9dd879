//! Decides if a change of a rate limit makes it stronger or weaker.
//!
//! | part | stronger is |
//! |---|---|
//! | requests | fewer |
//! | timeout | longer |
//! | counted by | fewer characteristics (a request is counted together with more others) |
//! | only requests to the origin | no |
//! | what is counted (without a counting expression: what the rule matches) | more |
//! | period | longer |
//! | everything else | unknown |
//!
//! If requests and period both grow or both shrink, the rate decides. Fewer requests in a shorter
//! time at an equal or lower rate stop every client that was stopped before, and more. At a higher
//! rate they stop bursts that passed before, but let clients pass that stay just below the rate:
//! some of each.
//!
//! # Sources
//! developers.cloudflare.com/waf/rate-limiting-rules/parameters and …/request-rate, read
//! 2026-11-20.

use std::collections::{BTreeMap, BTreeSet};

use super::impact::Effects;
use super::rate_limit::{counted_by, list, number};
use super::rule_scope;
use crate::insight::direction::{Direction, more_is_stronger};
use crate::model::expression::Expression;
use crate::model::{Gather, Value};

/// Adds the effects of the differences between two rate limits, each with the requests that its
/// rule matches.
pub(super) fn compare(
    (before, concerned): (&BTreeMap<String, Value>, &Expression),
    (after, concerned_after): (&BTreeMap<String, Value>, &Expression),
    effects: &mut Effects,
) {
    compare_limits(before, after, effects);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).gather();
    for name in names.into_iter().map(String::as_str).filter(|n| before.get(*n) != after.get(*n)) {
        let numbers = (number(before, name), number(after, name));
        match (name, numbers) {
            ("requests_per_period" | "period", _) => {}
            ("mitigation_timeout", (b, a)) => {
                let (b, a) = (b.unwrap_or(0), a.unwrap_or(0));
                effects.add(more_is_stronger(b, a), format!("timeout {b} s → {a} s"));
            }
            ("characteristics", _) => {
                compare_counting(&counted_by(before), &counted_by(after), effects)
            }
            ("requests_to_origin", _) => {
                let only = after.get(name) == Some(&Value::Bool(true));
                let (direction, line) = match only {
                    true => (Direction::Weakens, "only requests that reach the origin are counted"),
                    false => (
                        Direction::Strengthens,
                        "requests answered from the cache are counted as well",
                    ),
                };
                effects.add(direction, line.to_owned());
            }
            ("counting_expression", _) => {
                let side =
                    |rate: &BTreeMap<String, Value>, concerned: &Expression| match rate.get(name) {
                        Some(Value::Text(text)) => Some(Expression::reported(text)),
                        None => Some(concerned.clone()),
                        Some(_) => None,
                    };
                let change = match (side(before, concerned), side(after, concerned_after)) {
                    (Some(before), Some(after)) => rule_scope::compare(&before, &after),
                    (None, _) | (_, None) => {
                        Some((Direction::Unclassified, "other requests match now".to_owned()))
                    }
                };
                if let Some((direction, words)) = change {
                    effects.add(direction, format!("what is counted: {words}"));
                }
            }
            (other, _) => {
                effects.add(
                    Direction::Unclassified,
                    format!("`{other}` of the rate limit changes, which has an unknown effect"),
                );
            }
        }
    }
}

/// Adds a change of the number of requests or the period.
fn compare_limits(
    before: &BTreeMap<String, Value>,
    after: &BTreeMap<String, Value>,
    effects: &mut Effects,
) {
    let limit = |rate: &BTreeMap<String, Value>| {
        (number(rate, "requests_per_period"), number(rate, "period"))
    };
    let (b, a) = (limit(before), limit(after));
    let strange = |name: &str| before.get(name) != after.get(name);
    match (b, a) {
        ((Some(requests), Some(period)), (Some(requests_after), Some(period_after)))
            if period > 0 && period_after > 0 =>
        {
            let fewer = more_is_stronger(requests_after, requests);
            let longer = more_is_stronger(period, period_after);
            // The rates, multiplied by both periods.
            let rate = i128::from(requests) * i128::from(period_after);
            let lower = more_is_stronger(i128::from(requests_after) * i128::from(period), rate);
            let combined = fewer.combine(longer);
            // The two have opposite directions. The rate is decisive if it agrees with the
            // requests.
            let direction = match combined == Direction::Both
                && (lower == fewer || lower == Direction::Neutral)
            {
                true => fewer,
                false => combined,
            };
            let what = match (fewer, longer) {
                (Direction::Neutral, Direction::Neutral) => return,
                (_, Direction::Neutral) => {
                    return effects
                        .add(direction, format!("limit {requests} → {requests_after} requests"));
                }
                (Direction::Neutral, _) => format!("period {period} s → {period_after} s"),
                (_, _) => {
                    format!("limit {requests} in {period} s → {requests_after} in {period_after} s")
                }
            };
            let sense = match direction {
                Direction::Strengthens => "the limit is reached sooner",
                Direction::Weakens => "the limit is reached later",
                Direction::Both if fewer == Direction::Strengthens => {
                    "smaller bursts reach the limit, and a higher steady rate does not"
                }
                Direction::Neutral | Direction::Both | Direction::Unclassified => {
                    "a lower steady rate reaches the limit, and larger bursts do not"
                }
            };
            effects.add(direction, format!("{what}: {sense}"));
        }
        (_, _) => {
            for name in ["requests_per_period", "period"].into_iter().filter(|n| strange(n)) {
                effects.add(
                    Direction::Unclassified,
                    format!("`{name}` of the rate limit changes, which has an unknown effect"),
                );
            }
        }
    }
}

/// Adds a change of the characteristics.
fn compare_counting(before: &BTreeSet<String>, after: &BTreeSet<String>, effects: &mut Effects) {
    let direction = match (before.is_subset(after), after.is_subset(before)) {
        (true, true) => Direction::Neutral,
        (true, false) => Direction::Weakens,
        (false, true) => Direction::Strengthens,
        (false, false) => Direction::Unclassified,
    };
    let words = match direction {
        Direction::Weakens => ": each counter sees at most as many requests",
        Direction::Strengthens => ": each counter sees at least as many requests",
        Direction::Unclassified => ": other requests are counted together",
        Direction::Neutral | Direction::Both => "",
    };
    effects.add(direction, format!("counted by {} → {}{words}", list(before), list(after)));
}
