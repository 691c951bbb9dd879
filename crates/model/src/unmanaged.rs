//! The treatment of live records and rules that the spec does not name.

/// The treatment of live records that the spec does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unmanaged {
    /// Unmanaged records are counted and left alone.
    #[default]
    Keep,
    /// Unmanaged records are deleted: the spec is the complete state.
    Prune,
}
