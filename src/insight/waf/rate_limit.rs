//! Reads and describes rate limits.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::count;
use crate::model::Value;
use crate::model::facts::rate_limits::RATE_COLO;

/// Returns a member that is a number.
pub(super) fn number(rate: &BTreeMap<String, Value>, name: &str) -> Option<i64> {
    match rate.get(name) {
        Some(Value::Integer(n)) => Some(*n),
        _ => None,
    }
}

/// Returns the characteristics that requests are counted by, without the data centre.
pub(super) fn counted_by(rate: &BTreeMap<String, Value>) -> BTreeSet<String> {
    match rate.get("characteristics") {
        Some(Value::List(list)) => {
            list.iter().map(ToString::to_string).filter(|c| c != RATE_COLO).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// Returns a rate in words: `more than 5 requests in 60 s by ip.src`.
pub(super) fn about(rate: &BTreeMap<String, Value>) -> String {
    let shown = |name: &str| number(rate, name).map_or_else(|| "?".to_owned(), |n| n.to_string());
    let requests = number(rate, "requests_per_period")
        .map_or_else(|| "? requests".to_owned(), |n| count(n, "request"));
    let by = counted_by(rate);
    let by = if by.is_empty() { String::new() } else { format!(" by {}", list(&by)) };
    format!("more than {requests} in {} s{by}", shown("period"))
}

/// Describes how long the action lasts.
pub(super) fn lasting(rate: &BTreeMap<String, Value>) -> String {
    number(rate, "mitigation_timeout")
        .filter(|n| *n > 0)
        .map_or_else(String::new, |n| format!(" for {n} s"))
}

/// Returns names as a list.
pub(super) fn list(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        RATE_COLO.to_owned()
    } else {
        names.iter().cloned().collect::<Vec<_>>().join(", ")
    }
}
