//! The data types of zonewright, their comparison, and findings about them. Use them through
//! `zonewright`, which re-exports these modules.
//!
//! They are a package of their own so that the compiler holds that they use nothing of the rest,
//! and so that a change elsewhere does not compile them again.

pub mod diagnostic;
pub mod diff;
pub mod model;
