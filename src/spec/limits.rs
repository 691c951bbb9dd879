//! How much of a spec is read, and how much is reported: its files, their YAML, their variables.

use crate::diagnostic::{Diagnostics, cut};

/// Largest size of a file of the spec, and of standard input.
///
/// # Units
/// Bytes.
pub const LARGEST_FILE: u64 = 24 * 1024 * 1024;

/// Most files and directories that are visited for one spec.
pub(super) const MOST_ENTRIES: usize = 1_000_000;

/// Most links to directories that are followed for one spec.
pub(super) const MOST_LINKS: usize = 1_000;

/// Deepest nesting; a spec needs about eight levels.
pub(super) const DEPTH: usize = 64;

/// How many nodes a file may have; a record takes about ten.
pub(super) const NODES: usize = 2_000_000;

/// How many nodes aliases may add, counting each node as often as it is referenced.
pub(super) const ALIAS_NODES: u64 = 1_000_000;

/// The bytes of a text that count as one more node: a long text that is repeated takes memory, too.
pub(super) const BYTES_PER_NODE: usize = 256;

/// The most memory that a file may take once it is read; see `file_weight`.
///
/// # Units
/// Bytes, like the weights below.
pub(super) const MOST_WEIGHT: usize = 220 << 20;

/// The weight of a single value, beside its text.
pub(super) const SCALAR_WEIGHT: usize = 60;

/// The weight of a mapping, beside its values.
pub(super) const MAPPING_WEIGHT: usize = 500;

/// The weight of a zone, beside its values.
pub(super) const ZONE_WEIGHT: usize = 2_000;

/// The weight of the protection of a zone, beside its values.
pub(super) const SECTION_WEIGHT: usize = 4_500;

/// The weight of an expression, and of each byte of its text.
pub(super) const EXPRESSION_WEIGHT: (usize, usize) = (1_500, 48);

/// Longest result of substituting in one scalar.
///
/// # Units
/// Bytes.
pub(super) const LONGEST: usize = 64 * 1024;

/// The total length of all results in a spec, so that a small spec cannot fill the memory.
///
/// # Units
/// Bytes.
pub(super) const EXPANDED: usize = 64 * 1024 * 1024;

/// How many errors are reported in one scalar.
pub(super) const MISTAKES: usize = 20;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::findings;

    #[test]
    fn the_finding_names_the_limits() {
        let why = findings::TOO_LARGE.why;
        assert!(why.contains(&format!("{} MiB", LARGEST_FILE >> 20)), "{why}");
        assert!(why.replace(',', "").contains(&format!("{NODES} values")), "{why}");
    }
}
