//! Scripted failures: selects requests, and fails them.

mod fault_file;
mod malformed_responses;
mod script;
mod what_happens;
mod which_requests;

pub use fault_file::FaultFileError;
pub use malformed_responses::Gzip;
pub(crate) use script::Script;
pub use what_happens::What;
pub(crate) use what_happens::{Cut, Ending};
pub use which_requests::{Fault, When};
