//! A file of a spec whose text changes.

/// A file before and after.
#[derive(Debug, Clone, Copy)]
pub struct ChangedFile<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text before.
    pub before: &'a str,
    /// Its text after.
    pub after: &'a str,
}
