//! Whether a rule concerns more or fewer requests than before.

use super::direction::Direction;
use super::words;
use crate::model::expression::Expression;
use crate::model::ruleset::RuleBody;

/// What happens to the set of requests that a rule concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeChange {
    /// It stays.
    Same,
    /// It grows.
    Wider,
    /// It shrinks.
    Narrower,
    /// It cannot be told.
    Unknown,
}

impl ScopeChange {
    /// Which way that goes for a rule that stops requests.
    pub(super) fn direction(self) -> Direction {
        match self {
            Self::Same => Direction::Neutral,
            Self::Wider => Direction::Strengthens,
            Self::Narrower => Direction::Weakens,
            Self::Unknown => Direction::Unclassified,
        }
    }

    /// In words.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Same => "the same requests are concerned",
            Self::Wider => "more requests are concerned",
            Self::Narrower => "fewer requests are concerned",
            Self::Unknown => "whether more or fewer requests are concerned cannot be told from the expressions",
        }
    }
}

/// The expression of a rule; one without any concerns nothing that we know.
pub(super) fn expression(body: &RuleBody) -> Expression {
    body.expression().unwrap_or_else(|| Expression::reported(""))
}

/// Compares the requests of two expressions by their form.
pub(super) fn scope_change(before: &Expression, after: &Expression) -> ScopeChange {
    match (before.canonical(), after.canonical()) {
        (before, after) if before == after => ScopeChange::Same,
        ("true", _) | (_, "false") => ScopeChange::Narrower,
        (_, "true") | ("false", _) => ScopeChange::Wider,
        _ => ScopeChange::Unknown,
    }
}

/// A change of expression in a sentence.
pub(super) fn sentence(before: &Expression, after: &Expression, change: ScopeChange) -> String {
    let (before, after) = (words::expression(before.text()), words::expression(after.text()));
    format!("scope {before} → {after}: {}", change.about())
}
