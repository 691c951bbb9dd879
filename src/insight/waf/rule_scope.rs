//! Compares the requests that a rule applies to before and after a change.

use std::sync::LazyLock;

use super::phrases;
use crate::insight::direction::Direction;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::ruleset::RuleBody;

/// Returns the expression of a rule; a rule without one matches nothing that we know.
pub(super) fn expression(body: &RuleBody) -> Expression {
    body.expression().unwrap_or_else(|| Expression::reported(""))
}

/// Returns true if it is certain that no request matches both.
pub(super) fn are_apart(one: &Expression, other: &Expression) -> bool {
    // An invalid expression could change its meaning between parentheses.
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

/// Returns a change of scope: its direction, for a rule that stops requests, and a sentence. `None`
/// if the scope is the same.
pub(super) fn compare(before: &Expression, after: &Expression) -> Option<(Direction, String)> {
    let (direction, about) = match Expression::scope_change(before, after) {
        ScopeChange::Equal => return None,
        // The proof is one-sided: the two may be equal.
        ScopeChange::Wider => (Direction::Strengthens, "at least as many requests match"),
        ScopeChange::Narrower => (Direction::Weakens, "at most as many requests match"),
        ScopeChange::Unknown if is_negated(before, after) => {
            (Direction::Both, "the opposite: exactly the requests that did not match before")
        }
        ScopeChange::Unknown if are_apart(before, after) => {
            (Direction::Both, "other requests match, and none of the previous ones")
        }
        ScopeChange::Unknown => (
            Direction::Unclassified,
            "the expressions do not show whether more or fewer requests match",
        ),
    };
    Some((direction, format!("scope {} → {}: {about}", requests(before), requests(after))))
}

/// Returns true if one is the negation of the other.
fn is_negated(one: &Expression, other: &Expression) -> bool {
    let opposite = Expression::reported(&format!("not ({})", one.canonical()));
    // An invalid expression could change its meaning between parentheses.
    is_readable(one) && Expression::scope_change(&opposite, other) == ScopeChange::Equal
}

/// Returns true if an expression is valid, so that it can be compared.
fn is_readable(expression: &Expression) -> bool {
    static NO_REQUEST: LazyLock<Expression> = LazyLock::new(|| Expression::reported("false"));
    Expression::scope_change(expression, &NO_REQUEST) != ScopeChange::Unknown
}

/// Returns the requests of an expression, as part of a sentence.
pub(super) fn requests(expression: &Expression) -> String {
    if expression.is_always_true() {
        "all requests".to_owned()
    } else {
        phrases::expression(expression.text().trim())
    }
}
