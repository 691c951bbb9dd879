//! The sandbox against the documented and observed behaviour of Cloudflare, over real HTTP.
#![cfg(feature = "sandbox")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod assumptions;
mod contract;
mod dns;
mod exchanges;
#[path = "../support/mod.rs"]
mod support;
