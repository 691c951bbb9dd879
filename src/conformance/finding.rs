//! Results of checks.

/// Result of a check.
pub(super) type Checked = Result<(), Finding>;

/// Reason why an assumption was not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Cloudflare behaves differently.
    Differed(String),
    /// The check learned nothing, for this reason.
    Unknown(String),
}
