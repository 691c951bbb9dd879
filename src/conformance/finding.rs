//! Results of checks.

/// Result of a check.
pub(super) type CheckedAssumption = Result<(), Unconfirmed>;

/// Reason why an assumption was not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unconfirmed {
    /// Cloudflare behaves differently.
    Differed(String),
    /// The check learned nothing, for this reason.
    Unknown(String),
}
