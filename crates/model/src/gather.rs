//! Collects iterators into ordered maps and sets.

/// An extension of every iterator.
pub trait Gather: Iterator + Sized {
    /// Collects into an ordered map or set that usually has few members.  `collect` first makes a
    /// list, sorts it, and builds the map from that: three large functions, compiled for each kind
    /// of iterator. This function inserts each item into the map. Of equal keys the first one
    /// stays, with the last value.
    fn gather<C: Default + Extend<Self::Item>>(self) -> C {
        let mut collection = C::default();
        collection.extend(self);
        collection
    }
}

impl<I: Iterator> Gather for I {}
