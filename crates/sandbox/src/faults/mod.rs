//! Scripted failures: which request fails, and how.

mod effect;
mod fault;
mod fault_file;
mod malformed_responses;
mod script;

pub use effect::What;
pub(crate) use effect::{Cut, Ending};
pub use fault::{Fault, When};
pub use fault_file::FaultFileError;
pub use malformed_responses::Gzip;
pub(crate) use script::Script;
