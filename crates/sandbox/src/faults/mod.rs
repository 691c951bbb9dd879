//! Scripted failures: which request fails, and how.

mod effect;
mod fault;
mod file;
mod malformed_responses;
mod script;

pub(crate) use effect::{Cut, Ending};
pub use fault::{Fault, Gzip, What, When};
pub use file::ScriptError;
pub(crate) use script::Script;
