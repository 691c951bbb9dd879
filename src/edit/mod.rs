//! Edits of a spec's own files: writes the live state into them, and formats them.
//!
//! `source_tree` parses a text into values with their bytes, anchors and aliases. `file_changes`
//! turns changes of values, entries and items into replacements of bytes, so the rest of the text
//! stays as it was, including comments and blanks.
//!
//! | file | from → to |
//! |---|---|
//! | `source_tree` | text → values with their bytes, and comments |
//! | `yaml_text` | value → text that fits into its surroundings |
//! | `file_changes` | changes of one file → replacements of bytes |
//! | `workspace` | changes of all files; a value changes where it is defined, if nothing else uses it |
//! | `variables` | where a value with `${NAME}` is changed: at the definition, or written out |
//! | `records`, `rules`, `settings` | what differs in a zone → changes |
//! | `pull` | spec and live state → new texts |
//! | `format`, `format_order`, `indented_blocks` | text → the same values in one layout |
//!
//! This module writes no files and does not verify new texts. The caller reads a new text again and
//! plans again.

mod file_changes;
mod format;
mod format_order;
mod indented_blocks;
mod pull;
mod records;
mod rules;
mod selected_differences;
mod settings;
mod source_tree;
mod text_edits;
mod variables;
mod workspace;
mod yaml_text;

pub use format::{FormatError, format};
pub use pull::{Proposal, ProposeError, Sides, comments, propose};
pub use selected_differences::{Chosen, Left};

/// Why an entry stays as it is although the live object exists.
const LAST_DAY_IS_OVER: &str =
    "its last day in the spec is over; write a later one, or apply the spec";
