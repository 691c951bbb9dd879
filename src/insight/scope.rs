//! Whether a rule applies to more or fewer requests than before.

use super::direction::Direction;
use super::words;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::ruleset::RuleBody;

/// The expression of a rule; a rule without one matches nothing that we know.
pub(super) fn expression(body: &RuleBody) -> Expression {
    body.expression().unwrap_or_else(|| Expression::reported(""))
}

/// Whether it is certain that no request matches both.
pub(super) fn are_apart(one: &Expression, other: &Expression) -> bool {
    let nothing = Expression::reported("false");
    // An invalid expression could change its meaning between parentheses.
    let is_readable = |e: &Expression| Expression::scope_change(e, &nothing) != ScopeChange::Unknown;
    if !is_readable(one) || !is_readable(other) {
        return false;
    }
    let (left, right) = (one.canonical(), other.canonical());
    let is_outside = |inner: &Expression, outer: &str| {
        let outside = Expression::reported(&format!("not ({outer})"));
        matches!(Expression::scope_change(inner, &outside), ScopeChange::Equal | ScopeChange::Wider)
    };
    Expression::reported(&format!("({left}) and ({right})")).is_always_false()
        || is_outside(one, right)
        || is_outside(other, left)
}

/// The direction of a change of scope, for a rule that stops requests.
pub(super) fn direction(change: ScopeChange) -> Direction {
    match change {
        ScopeChange::Equal => Direction::Neutral,
        ScopeChange::Wider => Direction::Strengthens,
        ScopeChange::Narrower => Direction::Weakens,
        ScopeChange::Unknown => Direction::Unclassified,
    }
}

/// The requests of an expression, as part of a sentence.
pub(super) fn requests(expression: &Expression) -> String {
    if expression.is_always_true() { "all requests".to_owned() } else { words::expression(expression.text().trim()) }
}

/// A change of expression as a sentence.
pub(super) fn sentence(before: &Expression, after: &Expression, change: ScopeChange) -> String {
    let about = match change {
        ScopeChange::Equal => "the same requests are concerned",
        ScopeChange::Wider => "more requests are concerned",
        ScopeChange::Narrower => "fewer requests are concerned",
        ScopeChange::Unknown => "whether more or fewer requests are concerned cannot be told from the expressions",
    };
    format!("scope {} → {}: {about}", requests(before), requests(after))
}
