//! Limits on the number and the length of findings.

/// Maximum number of reported findings of one kind. A generated spec can have the same mistake in
/// every entry.
pub const MOST_OF_A_KIND: usize = 100;

/// Maximum length of a text in a finding, which can include text from the input.
///
/// # Units
/// Characters.
pub(super) const LONGEST: usize = 1_000;

/// Characters reserved for the number of omitted characters.
pub(super) const RESERVED: usize = 80;

/// Maximum number of related places of one finding.
pub(super) const MOST_RELATED: usize = 20;
