//! The data types of zonewright, which all its other modules speak of. `zonewright` re-exports both modules; the crate is one of its
//! own so that it is compiled while the others are still read, and so that a change of them does not compile it again.

pub mod diagnostic;
pub mod model;
