//! Characters as Terraform counts them: what a reader sees as one (a grapheme cluster).
//!
//! Texts of letters that never combine are divided here. Where characters can combine, such as
//! emoji, flags and marks, the division needs the tables of Unicode; such texts are not counted.
//!
//! # Sources
//! github.com/zclconf/go-cty (`function/stdlib/string.go`, `format.go`); Unicode Standard Annex 29.

/// Reason for a text whose characters are not counted.
pub(super) const NOT_COUNTED: &str = "Terraform counts characters that belong together as one, and \
    an import does not; import the state instead";

/// Ranges of characters that combine with no other one.
const ALONE: &[(char, char)] = &[
    ('\0', '\u{a8}'),
    ('\u{aa}', '\u{ad}'),
    ('\u{af}', '\u{2ff}'),
    // Greek, Cyrillic without its combining signs, Armenian, Hebrew letters.
    ('\u{370}', '\u{482}'),
    ('\u{48a}', '\u{590}'),
    ('\u{5d0}', '\u{5f4}'),
    // Letters with several marks, and Greek ones.
    ('\u{1e00}', '\u{1fff}'),
    // Punctuation and signs of currencies, without joiners.
    ('\u{2010}', '\u{203b}'),
    ('\u{20a0}', '\u{20cf}'),
    // Kana, ideographs, and whole syllables of Hangul.
    ('\u{3001}', '\u{3029}'),
    ('\u{3041}', '\u{3096}'),
    ('\u{309d}', '\u{30ff}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{ac00}', '\u{d7a3}'),
];

/// Returns the characters of a text as Terraform counts them.
pub(super) fn characters(text: &str) -> Result<Vec<char>, &'static str> {
    let is_alone = |c: char| ALONE.iter().any(|(first, last)| (*first..=*last).contains(&c));
    match text.chars().all(is_alone) && !text.contains("\r\n") {
        true => Ok(text.chars().collect()),
        false => Err(NOT_COUNTED),
    }
}
