//! Decides which of several expressions can hold together.

use crate::decision::Parts;
use crate::expression::Expression;
use crate::formula::Formula;

/// Expressions that are compared with one another.
#[derive(Debug, Default)]
pub struct Conditions {
    parts: Parts,
    formulas: Vec<Formula>,
}

impl Conditions {
    /// Adds an expression and returns its number. An expression that cannot be parsed is only equal
    /// to itself.
    pub fn add(&mut self, expression: &Expression) -> usize {
        let formula = match expression.canonical_form() {
            Some(form) => self.parts.formula(form),
            None => self.parts.unknown(expression.canonical()),
        };
        self.formulas.push(formula);
        self.formulas.len() - 1
    }

    /// Returns false if it is certain that no request matches all of `held` and none of `denied`.
    #[must_use]
    pub fn are_possible(
        &self,
        held: impl IntoIterator<Item = usize>,
        denied: impl IntoIterator<Item = usize>,
    ) -> bool {
        let held = held.into_iter().map(|n| self.formulas[n].clone());
        let denied = denied.into_iter().map(|n| self.formulas[n].clone().denied());
        !self.parts.is_impossible(&Formula::All(held.chain(denied).collect()))
    }
}
