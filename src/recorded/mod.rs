//! Recorded requests, as other tools export them: one after the other, however many there are.
//!
//! | question | files |
//! |---|---|
//! | which files are there, and what are they? | `input`; `compression`: packed ones; `options`, `limit`: how they are read |
//! | which requests do they hold? | `har`, `json_line`, `logpush`, `access_log`, `raw`: one for each form |
//! | what is a request of a log to the rules? | `sample`, `target`, `moment`; `verbatim`: a request exactly as it is written |
//!
//! Memory does not grow with the number of requests, and no request is larger than [`LONGEST`]. What a source does not tell stays
//! unknown.

mod access_log;
mod compression;
mod error;
mod har;
mod input;
mod json_line;
mod limit;
mod logpush;
mod moment;
mod options;
mod raw;
mod sample;
mod target;
mod verbatim;

pub use error::ReadError;
pub use input::{Recorded, open, open_verbatim, read};
pub use json_line::Line;
pub use limit::LONGEST;
pub use options::Options;
pub use sample::{Place, Sample};
pub use verbatim::{Recording, Verbatim};
