//! The logical form of a condition.

/// A condition of numbered parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Formula {
    Constant(bool),
    /// A part that cannot be divided, by its number.
    Part(usize),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    /// True if an odd number of them hold.
    Odd(Vec<Formula>),
}

impl Formula {
    pub(super) fn denied(self) -> Self {
        Self::Not(Box::new(self))
    }
}
