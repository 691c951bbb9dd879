//! Foreign text made safe to show: names, contents, comments and error messages come from anywhere.
//!
//! Control characters could drive the terminal, bidirectional marks could make a plan read differently from what it says,
//! invisible characters could hide a difference, and a megabyte of text could bury the rest.

use std::borrow::Cow;

/// Characters shown of one text.
const MOST_CHARACTERS: usize = 1200;

/// A text with everything that is not plainly visible written as an escape, and cut if it is very long.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    let cut = text.char_indices().nth(MOST_CHARACTERS).map(|(n, _)| n);
    if cut.is_none() && !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = &text[..cut.unwrap_or(text.len())];
    let mut safe = String::with_capacity(shown.len() + 16);
    for c in shown.chars() {
        if is_hidden(c) { safe.extend(c.escape_unicode()) } else { safe.push(c) }
    }
    if cut.is_some() {
        safe.push_str(&format!("… ({} bytes in all)", text.len()));
    }
    Cow::Owned(safe)
}

/// Whether a character controls the terminal, reorders text, or cannot be seen.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_gets_through() {
        assert_eq!(safe("plain, ünïcode → 例"), "plain, ünïcode → 例");
        assert_eq!(safe("a\u{1b}[2Jb\nc\u{202e}d"), r"a\u{1b}[2Jb\u{a}c\u{202e}d");
        let long = safe(&"é".repeat(600_000)).into_owned();
        assert!(long.chars().count() < 1300 && long.ends_with("(1200000 bytes in all)"));
    }
}
