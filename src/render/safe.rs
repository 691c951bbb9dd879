//! Escapes foreign text for display: names, contents, comments and error messages come from anyone.
//!
//! Control characters could control the terminal, bidirectional marks could change the apparent
//! meaning of a plan, invisible characters could hide a difference, and a megabyte of text could
//! hide everything else.

use std::borrow::Cow;

pub use crate::diagnostic::{is_hidden, visible, visible_json};

/// Maximum number of characters that are shown of one text.
const MOST_CHARACTERS: usize = 1200;

/// Escapes all invisible characters of a text, and cuts it if it is very long.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    shortened(text, MOST_CHARACTERS)
}

/// Escapes a text like [`safe`], and cuts it after `most` characters; a note then gives the full
/// length.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => visible(text),
        Some((cut, _)) => {
            Cow::Owned(format!("{}… ({} bytes in all)", visible(&text[..cut]), text.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_gets_through() {
        assert_eq!(safe("plain, ünïcode → 例"), "plain, ünïcode → 例");
        assert_eq!(safe("a\u{1b}[2Jb\nc\u{202e}d"), r"a\u{1b}[2Jb\u{a}c\u{202e}d");
        assert_eq!(
            safe("a\u{fe0f}\u{e0101}\u{3164}b\u{a0}c"),
            r"a\u{fe0f}\u{e0101}\u{3164}b\u{a0}c"
        );
        let long = safe(&"é".repeat(600_000)).into_owned();
        assert!(long.chars().count() < 1300 && long.ends_with("(1200000 bytes in all)"));
    }
}
