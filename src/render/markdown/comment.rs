//! Common parts of comments: the marker, and texts of limited length.

use crate::diagnostic::cut;
use crate::render::document::Comment;

/// Maximum length of the reason of a consent that is shown in full.
///
/// # Units
/// Characters.
const REASON: usize = 60;

/// Longest name of a marker.
const LONGEST_MARKER: usize = 64;

/// Returns true if a text can be the name of a marker: letters, digits and single `-`, `_`, `.`.
#[must_use]
pub fn is_marker(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    // Two hyphens would end the HTML comment that contains the marker.
    !name.is_empty()
        && name.len() <= LONGEST_MARKER
        && name.chars().all(fits)
        && !name.contains("--")
}

/// Returns the marker, which is the first line.
pub(super) fn marker(kind: &str, comment: Comment<'_>) -> String {
    match comment.marker.filter(|name| is_marker(name)) {
        Some(name) => format!("<!-- zonewright:{kind}:{name} -->\n"),
        None => format!("<!-- zonewright:{kind} -->\n"),
    }
}

/// Shortens a text, for parts that are never omitted.
pub(super) fn short(text: &str) -> String {
    cut(text, REASON)
}
