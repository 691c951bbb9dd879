//! A kind of finding and its severity.

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An error prevents a plan until it is fixed.
    Error,
    /// The input is valid, but probably a mistake.
    Warning,
    /// Useful information.
    Note,
}

impl Severity {
    /// Returns the word that every output uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code, such as `SPEC0012`.
    pub code: &'static str,
    /// Default severity; a diagnostic can be milder.
    pub severity: Severity,
    /// First words of every finding of this kind, without user data.
    pub summary: &'static str,
    /// Consequence of not fixing the problem.
    pub why: &'static str,
    /// Next step for the author.
    pub fix: &'static str,
}
