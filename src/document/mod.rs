//! The documents that programs read. Their shapes are types.
//!
//! In: the values of the other modules. Out: a value that serde writes. The names of members and
//! the words are a stable contract, held by tests; a change increases `format`. Their JSON Schemas
//! are in the list of [`crate::schema`]. The lines of a journal are in `apply`, those of a snapshot
//! in `live`: beside the code that writes and reads them.

pub mod apply;
pub mod conformance;
pub mod diagnostic;
pub mod dns_answer;
pub mod doctor;
pub mod drift;
pub mod expectations;
pub(crate) mod place;
pub mod plan;
pub mod rehearsal;
pub mod saved_plan;
pub mod saved_zone;
pub mod spec_diff;
pub mod stale;
pub mod waf;
pub mod waf_explain;
pub mod waf_trace;
pub mod waf_tune;
pub mod written_files;

use serde::Serialize;

/// Version of the forms.
pub const FORMAT: u32 = 1;

/// A document as text that a person can read.
///
/// # Panics
/// Never: only names of members that are no texts cannot be written, and none has any.
#[must_use]
pub fn text(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("every document can be written")
}
