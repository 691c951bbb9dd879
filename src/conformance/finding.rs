//! What a check learns.

/// What was learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The assumption holds.
    Held,
    /// Something else was found.
    Differed(String),
    /// Nothing was learned, for this reason.
    Unknown(String),
}
