//! What a check learns.

/// Whether an assumption holds.
pub(super) type Checked = Result<(), Finding>;

/// What was learned where an assumption was not seen to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Something else was found.
    Differed(String),
    /// Nothing was learned, for this reason.
    Unknown(String),
}
