//! The data types of zonewright, how they are compared, and findings about them: all that its other modules speak of. `zonewright`
//! re-exports these modules, so use that.
//!
//! They are a package of their own so that their code is generated while the rest is still read, and so that a change elsewhere does
//! not compile them again.

pub mod diagnostic;
pub mod diff;
pub mod model;
