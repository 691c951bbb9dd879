//! Whether a rule concerns more or fewer requests than before.

use super::direction::Direction;
use super::words;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::ruleset::RuleBody;

/// The expression of a rule; one without any concerns nothing that we know.
pub(super) fn expression(body: &RuleBody) -> Expression {
    body.expression().unwrap_or_else(|| Expression::reported(""))
}

/// Which way a change of requests goes, for a rule that stops them.
pub(super) fn direction(change: ScopeChange) -> Direction {
    match change {
        ScopeChange::Equal => Direction::Neutral,
        ScopeChange::Wider => Direction::Strengthens,
        ScopeChange::Narrower => Direction::Weakens,
        ScopeChange::Unknown => Direction::Unclassified,
    }
}

/// The requests of an expression, in a sentence.
pub(super) fn requests(expression: &Expression) -> String {
    if expression.is_always_true() { "all requests".to_owned() } else { words::expression(expression.text().trim()) }
}

/// A change of expression in a sentence.
pub(super) fn sentence(before: &Expression, after: &Expression, change: ScopeChange) -> String {
    let about = match change {
        ScopeChange::Equal => "the same requests are concerned",
        ScopeChange::Wider => "more requests are concerned",
        ScopeChange::Narrower => "fewer requests are concerned",
        ScopeChange::Unknown => "whether more or fewer requests are concerned cannot be told from the expressions",
    };
    format!("scope {} → {}: {about}", requests(before), requests(after))
}
