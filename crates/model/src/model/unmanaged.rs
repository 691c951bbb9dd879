//! What happens to what the spec does not name.

/// What happens to live records that the spec does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unmanaged {
    /// They are counted and left alone.
    #[default]
    Keep,
    /// They are deleted: the spec is the complete state.
    Prune,
}
