//! How many changes of records a request carries.

/// How Cloudflare takes changes of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lowering {
    /// In batches of at most this many operations. With 1, operations are requests of their own,
    /// but for deletes: only the answer of a batch says what was deleted.
    Batches(usize),
    /// One request for each operation, where batch requests are not available.
    Single,
}

impl Lowering {
    /// How many operations a request may carry.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Batches(size) => size.max(1),
            Self::Single => 1,
        }
    }
}
