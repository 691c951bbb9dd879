//! What is said of expressions, what holds for every expression, and what other implementations of
//! the language say.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod laws;
mod messages;
#[path = "../../../../tests/support/processor_time.rs"]
mod processor_time;
mod proofs;
mod public_engine;
mod wirefilter;
