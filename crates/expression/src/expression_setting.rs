//! Which kind of rule an expression is for.

/// The kind of rule that an expression is for; it decides what the expression may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpressionSetting<'a> {
    /// The name of the phase.
    pub phase: &'a str,
    /// Whether it is an account-level rule.
    pub is_account: bool,
    /// Whether it can see responses, as the counting expression of a rate limit may.
    pub sees_response: bool,
}

impl<'a> ExpressionSetting<'a> {
    /// A rule of a phase, neither at account level nor with a response.
    #[must_use]
    pub fn in_phase(phase: &'a str) -> Self {
        Self { phase, is_account: false, sees_response: false }
    }
}
