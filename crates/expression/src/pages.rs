//! Decides which texts about the path of a request name pages.

/// Paths of ordinary requests. A test that all of them pass names no page.
const PATHS: &[&str] = &["/index.html", "/about/team", "/assets/app.3f2a.js", "/de/shop/item-42"];

/// Returns the number of directory names in a prefix. Returns 0 if one of them may mean another
/// directory.
pub(super) fn segments(prefix: &[u8]) -> usize {
    let Some(rest) = prefix.strip_prefix(b"/") else { return 0 };
    let directories: Vec<&[u8]> =
        rest.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty()).collect();
    let is_strange = |segment: &&[u8]| {
        segment.iter().any(|byte| b"%\\;".contains(byte)) || !says_something(segment)
    };
    if directories.iter().any(is_strange) { 0 } else { directories.len() }
}

/// Returns true if a field is the path of a request.
pub(super) fn is_path_field(name: &str) -> bool {
    matches!(name.trim_start_matches("raw."), "http.request.uri" | "http.request.uri.path")
}

/// Returns true if a test of the path names pages. A test that no ordinary path passes does, and
/// one that all of them pass does not.
pub(super) fn tells_pages_apart(says_something: bool, passes: impl Fn(&str) -> bool) -> bool {
    match PATHS.iter().filter(|path| passes(path)).count() {
        0 => true,
        some => some < PATHS.len() && says_something,
    }
}

/// Returns true if a text has a letter or a digit, so that it is meaningful.
pub(super) fn says_something(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}
