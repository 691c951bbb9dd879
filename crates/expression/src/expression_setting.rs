//! The kind of rule that an expression belongs to.

/// The kind of rule that an expression belongs to. It determines the valid fields and functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpressionSetting<'a> {
    /// The name of the phase.
    pub phase: &'a str,
    /// True if it is an account-level rule.
    pub is_account: bool,
    /// True if it can read responses, as the counting expression of a rate limit may.
    pub sees_response: bool,
}

impl<'a> ExpressionSetting<'a> {
    /// Returns the setting of a rule of a phase, neither at account level nor with a response.
    #[must_use]
    pub fn in_phase(phase: &'a str) -> Self {
        Self { phase, is_account: false, sees_response: false }
    }
}
