//! Edits of a spec's own files: what Cloudflare has written into them, and their layout.
//!
//! A text is taken apart into its values, each with its bytes, its anchor and its aliases
//! (`source_tree`). Changes of values, entries and items become replacements of bytes
//! (`file_changes`), so whatever is not changed stays as it was, comments and blanks included.
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
//! Nothing is written here, and nothing here knows whether a new text is right: whoever asks for it
//! reads it again and plans again.

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
