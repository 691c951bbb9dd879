//! Limits of an evaluation: a number of steps, and a number of bytes that values may have at a
//! time.
//!
//! Every evaluation of a user's file has a budget: variables of a spec, Terraform's expressions,
//! rules in ModSecurity's language. A small file can describe values that double with each line.

use std::cell::Cell;

/// The steps and bytes that an evaluation may use.
#[derive(Debug, Clone)]
pub struct EvaluationBudget {
    /// Maximum number of steps.
    most_steps: usize,
    /// Maximum number of bytes that values may have at a time.
    most_bytes: usize,
    /// Steps used so far.
    steps: Cell<usize>,
    /// Bytes of the values that exist now.
    held: Cell<usize>,
}

impl EvaluationBudget {
    /// Creates an unused budget.
    #[must_use]
    pub const fn new(most_steps: usize, most_bytes: usize) -> Self {
        Self { most_steps, most_bytes, steps: Cell::new(0), held: Cell::new(0) }
    }

    /// Creates a budget of bytes, without a limit for steps.
    #[must_use]
    pub const fn of_bytes(most_bytes: usize) -> Self {
        Self::new(usize::MAX, most_bytes)
    }

    /// Uses steps; returns false if there are too many.
    pub fn take_steps(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_add(steps));
        self.steps.get() <= self.most_steps
    }

    /// Counts the bytes of a new value; returns false if there are too many.
    pub fn hold(&self, bytes: usize) -> bool {
        self.held.set(self.held.get().saturating_add(bytes));
        self.held.get() <= self.most_bytes
    }

    /// Returns the bytes of the values that exist now, as a mark for [`Self::release_to`].
    pub fn held(&self) -> usize {
        self.held.get()
    }

    /// Releases the bytes that were counted since a mark.
    pub fn release_to(&self, mark: usize) {
        self.held.set(self.held.get().min(mark));
    }

    /// Returns the number of bytes that a further value may have.
    pub fn remaining_bytes(&self) -> usize {
        self.most_bytes.saturating_sub(self.held.get())
    }

    /// Resets the used steps and bytes to zero.
    pub fn renew(&self) {
        self.steps.set(0);
        self.held.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_released_can_be_held_again() {
        let budget = EvaluationBudget::new(3, 100);
        let mark = budget.held();
        assert!(
            budget.hold(60)
                && budget.remaining_bytes() == 40
                && !budget.hold(60)
                && budget.remaining_bytes() == 0
        );
        budget.release_to(mark);
        assert!(budget.hold(100) && !budget.hold(usize::MAX));
        assert!(budget.take_steps(3) && !budget.take_steps(1));
        budget.renew();
        assert!(budget.take_steps(1) && budget.remaining_bytes() == 100);
    }
}
