//! A file of a spec whose text changes.

/// A file with both versions of its text.
#[derive(Debug, Clone, Copy)]
pub struct ChangedFile<'a> {
    /// Path as outputs show it.
    pub name: &'a str,
    /// Its text before.
    pub before: &'a str,
    /// Its text after.
    pub after: &'a str,
}
