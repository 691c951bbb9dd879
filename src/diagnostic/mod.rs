//! Findings about what the user wrote, and about a plan.
//!
//! A [`Diagnostic`] is data: a stable code, a severity, a fixed summary, a detail with the user's own words, the places
//! concerned and what to write instead. Many are collected at once; nothing here fails fast. Places are byte spans into
//! [`Sources`]; lines and columns are computed only when something is shown. This module imports nothing of ours.

mod diagnostics;
pub mod findings;
mod hidden;
mod source;

pub use diagnostics::{Diagnostic, Diagnostics, Label, MOST_OF_A_KIND, Severity};
pub use findings::Finding;
pub use hidden::{begins_command, is_hidden, visible, visible_json};
pub use source::{LineColumn, Place, Source, SourceId, Sources, Span};
