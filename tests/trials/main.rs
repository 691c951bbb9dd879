//! Long runs: every fault at every moment, drawn histories, and the rate limits, in virtual time.
#![cfg(feature = "sandbox")]

mod faults;
mod histories;
mod limits;
mod name_server;
#[path = "../support/mod.rs"]
mod support;
