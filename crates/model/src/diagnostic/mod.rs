//! Findings about the user's input and about a plan.
//!
//! A [`Diagnostic`] is data: a stable code, a severity, a fixed summary, a detail with text from
//! the input, the affected places and a suggested fix. A run collects many diagnostics and does not
//! stop at the first. Places are byte spans into [`Sources`]; lines and columns are computed only
//! for outputs. This module imports no other module of the crate, so it also has the few text tools
//! that every module needs: counts with nouns, shortened texts, bounded reads, escapes for
//! hidden characters, scalars of YAML, and the removal of secrets.

mod bounded_input;
mod credential_names;
mod diagnostics;
mod excerpt;
mod finding;
pub mod findings;
mod hidden;
mod limits;
mod plurals;
mod secrets;
mod source;
mod yaml_scalar;

pub use bounded_input::{read_bytes, read_text};
pub use credential_names::names_credential;
pub use diagnostics::{Diagnostic, Diagnostics, Label};
pub use excerpt::{cut, first_of};
pub use finding::{Finding, Severity};
pub use hidden::{begins_command, is_hidden, visible, visible_json};
pub use limits::MOST_OF_A_KIND;
pub use plurals::{count, noun_for};
pub use secrets::{has_secret_argument, shown_path, shown_query, sounds_secret};
pub use source::{LineColumn, Place, Source, SourceId, Sources, Span};
pub use yaml_scalar::{double_quoted, escape_variables, one_line};

/// Replacement for a secret in outputs.
pub const REDACTED: &str = "[redacted]";
