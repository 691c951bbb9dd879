//! How much is read, and how much is reported.

use crate::diagnostic::{Diagnostics, cut};

/// Largest size of a file of the spec, and of standard input.
///
/// # Units
/// Bytes.
pub(super) const LARGEST: u64 = 24 * 1024 * 1024;

/// How many findings are collected at most: a broken generator must not fill the memory.
pub(super) const MOST: usize = 10_000;

/// Whether there are so many findings that it is pointless to look for more.
pub(super) fn is_enough(diagnostics: &Diagnostics) -> bool {
    diagnostics.len() >= MOST
}

/// A text short enough for a message.
pub(super) fn clip(text: &str) -> String {
    cut(text, 60)
}
