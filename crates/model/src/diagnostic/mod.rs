//! Findings about the user's input and about a plan.
//!
//! A [`Diagnostic`] is data: a stable code, a severity, a fixed summary, a detail with text from
//! the input, the places affected and what to write instead. Many are collected; the first does not
//! stop the run. Places are byte spans into [`Sources`]; lines and columns are computed only when
//! something is shown. This module imports no other module of the crate, so it also has the few
//! tools for text that every module needs: counts with nouns, the beginnings of long texts, bounded
//! reads, and what is hidden.

mod bounded_input;
mod diagnostics;
mod excerpt;
pub mod findings;
mod hidden;
mod limits;
mod plurals;
mod source;

pub use bounded_input::{read_bytes, read_text};
pub use diagnostics::{Diagnostic, Diagnostics, Label, Severity};
pub use excerpt::{cut, first_of};
pub use findings::Finding;
pub use hidden::{begins_command, is_hidden, visible, visible_json};
pub use limits::MOST_OF_A_KIND;
pub use plurals::{count, noun_for};
pub use source::{LineColumn, Place, Source, SourceId, Sources, Span};

/// What is shown in place of a secret.
pub const REDACTED: &str = "[redacted]";
