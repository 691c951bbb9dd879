//! Shortens long texts for messages.

/// Maximum length of an excerpt of a text that is not an expression, in characters.
const CLIPPED_CHARACTERS: usize = 60;

/// Returns the beginning of a text, with an ellipsis if it has more characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Returns the beginning of a text on one line, without control characters.
pub fn clip(text: &str) -> String {
    cut(text, CLIPPED_CHARACTERS).replace(char::is_control, "\u{fffd}")
}
