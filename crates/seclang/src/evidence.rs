//! The evidence of a match: the part of the request, and its bytes.

use std::ops::Range;

use super::operators::{Operator, TextComparison};
use super::rules::Rule;

/// A part of a request that a rule matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The number of the rule.
    pub rule: u32,
    /// The collection, such as `ARGS`.
    pub collection: &'static str,
    /// The member of the collection, such as the name of an argument; empty if there is only one.
    pub key: Vec<u8>,
    /// True if the value is the number of such members.
    pub is_count: bool,
    /// The bytes that matched, after the transformations of the rule; at most
    /// [`MOST_BYTES`](super::MOST_BYTES) of them.
    pub matched: Vec<u8>,
    /// The position of these bytes in the value that the rule read; the whole value if the operator
    /// tests the value as a whole.
    pub bytes: Range<usize>,
    /// The length of the value in bytes.
    pub length: usize,
}

/// Returns the range of bytes of a value that a rule matched.
pub(super) fn matched_bytes(rule: &Rule, operator: &Operator, seen: &[u8]) -> Range<usize> {
    let place = match operator {
        _ if rule.negated => None,
        Operator::Rx(pattern) => {
            pattern.captures(seen).ok().flatten().and_then(|groups| groups.first().copied()?)
        }
        Operator::Pm(automaton, _) => {
            automaton.find(seen).map(|found| (found.start(), found.end()))
        }
        Operator::Text(TextComparison::Contains | TextComparison::ContainsWord, text) => {
            let part = text.plain().unwrap_or_default();
            memchr::memmem::find(seen, part).map(|at| (at, at + part.len()))
        }
        Operator::ValidateByteRange(allowed) => {
            seen.iter().position(|byte| !allowed[usize::from(*byte)]).map(|at| (at, at + 1))
        }
        _ => None,
    };
    // The position of an empty match has no meaning.
    place.filter(|(start, end)| start < end).map_or(0..seen.len(), |(start, end)| start..end)
}
