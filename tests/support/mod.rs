//! Shared by the tests.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses its own part, and fails by panicking"
)]

pub(crate) mod concurrently;
pub(crate) mod generators;
#[cfg(feature = "sandbox")]
pub(crate) mod imports;
#[cfg(feature = "sandbox")]
pub(crate) mod interrupt;
#[cfg(feature = "sandbox")]
pub(crate) mod journals;
pub(crate) mod listener;
#[cfg(feature = "sandbox")]
pub(crate) mod octodns;
pub(crate) mod openmetrics;
pub(crate) mod processor_time;
pub(crate) mod protection;
pub(crate) mod resolver;
pub(crate) mod rulesets;
pub(crate) mod saved_plans;
pub(crate) mod spellings;
#[cfg(feature = "sandbox")]
pub(crate) mod virtual_time;
#[cfg(feature = "sandbox")]
pub(crate) mod workspace;
