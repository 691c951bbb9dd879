//! Recorded requests in the export formats of other tools, read in sequence without a limit.
//!
//! | question | files |
//! |---|---|
//! | which files are there, and what are they? | `input_files`; `compression`: packed ones; `options`, `request_limits`: how they are read |
//! | which requests do they hold? | `har`, `json_line`, `logpush`, `access_log`, `raw_request`, `curl`: one for each form |
//! | how do rules see a logged request? | `sample`, `request_target`, `timestamps`; `verbatim`: a
//! request exactly as it is written |
//!
//! Memory does not grow with the number of requests, and no request is larger than [`LONGEST`].
//! Facts that a source does not contain stay unknown.

mod access_log;
mod compression;
mod curl;
mod error;
mod har;
mod input_files;
mod json_line;
mod logpush;
mod options;
mod raw_request;
mod request_limits;
mod request_target;
mod sample;
mod timestamps;
mod verbatim;

pub use curl::parse_curl;
pub use error::ReadError;
pub use input_files::{Recorded, open, open_verbatim, read};
pub use json_line::Line;
pub use options::RecordingOptions;
pub use request_limits::LONGEST;
pub use sample::{InputPosition, Sample};
pub use verbatim::{Recording, Verbatim};
