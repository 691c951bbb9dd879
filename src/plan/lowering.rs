//! The kind of requests for record changes, and how many changes a request contains.

/// The kind of requests for record changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lowering {
    /// Batches of at most this many operations. With 1, each operation has a request of its own,
    /// except that deletes are batches of one: only the response of a batch shows what was deleted.
    Batches(usize),
    /// One request for each operation, if batch requests are not available.
    Single,
}

impl Lowering {
    /// Returns the maximum number of operations in a request.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Batches(size) => size.max(1),
            Self::Single => 1,
        }
    }
}
