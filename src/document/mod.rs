//! The documents that other programs read, as types.
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
pub mod readable;
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

/// Version of the formats.
pub const FORMAT: u32 = 1;

/// Returns a document as indented text.
///
/// # Panics
/// Never fails: only a map whose keys are not text cannot be written, and no document has one.
#[must_use]
pub fn text(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("every document can be written")
}
