//! How many findings are reported, and how long they are.

/// How many findings of one kind are reported at most: a generator repeats its mistakes everywhere.
pub const MOST_OF_A_KIND: usize = 100;

/// Longest text in a finding; it can include text from the input.
///
/// # Units
/// Characters.
pub(super) const LONGEST: usize = 1_000;

/// Characters reserved for saying how much was left out.
pub(super) const RESERVED: usize = 80;

/// How many related places one finding has at most.
pub(super) const MOST_RELATED: usize = 20;
