//! Ordered maps and sets from iterators.

/// What can be gathered: every iterator.
pub trait Gather: Iterator + Sized {
    /// As `collect`, for ordered maps and sets of which most have few members.
    ///
    /// `collect` makes a list first, sorts it, and builds the map from that: three large functions,
    /// compiled for each kind of iterator. This inserts one by one. Of equal keys the first one
    /// stays, with the last value.
    fn gather<C: Default + Extend<Self::Item>>(self) -> C {
        let mut all = C::default();
        all.extend(self);
        all
    }
}

impl<I: Iterator> Gather for I {}
