//! Limits on what is read from a spec and on what is reported: files, YAML, variables, findings.

use crate::diagnostic::{Diagnostics, cut};

/// Largest size of a file of the spec, and of standard input.
///
/// # Units
/// Bytes.
pub const LARGEST_FILE: u64 = 24 * 1024 * 1024;

/// Maximum number of files and directories that are visited for one spec.
pub(super) const MOST_ENTRIES: usize = 1_000_000;

/// Maximum number of links to directories that are followed for one spec.
pub(super) const MOST_LINKS: usize = 1_000;

/// Maximum nesting. A spec needs about eight levels.
pub(super) const DEPTH: usize = 64;

/// Maximum number of nodes in a file. A record takes about ten.
pub(super) const NODES: usize = 2_000_000;

/// Maximum number of nodes that aliases may add. Each node counts as often as it is referenced.
pub(super) const ALIAS_NODES: u64 = 1_000_000;

/// Bytes of a text that count as one more node, because a long text that is repeated takes memory,
/// too.
pub(super) const BYTES_PER_NODE: usize = 256;

/// Maximum memory that a file may take once it is read; see `file_weight`.
///
/// # Units
/// Bytes, like the weights below.
pub(super) const MOST_WEIGHT: usize = 220 << 20;

/// Weight of a single value without its text.
pub(super) const SCALAR_WEIGHT: usize = 60;

/// Weight of a mapping without its values.
pub(super) const MAPPING_WEIGHT: usize = 500;

/// The weight of an item of a list: each value of a list `content` is a record.
pub(super) const ITEM_WEIGHT: usize = 750;

/// The weight of a label of a record's name: checks keep every name above it.
pub(super) const LABEL_WEIGHT: usize = 140;

/// Weight of a zone without its values.
pub(super) const ZONE_WEIGHT: usize = 2_000;

/// Weight of the protection of a zone without its values.
pub(super) const SECTION_WEIGHT: usize = 4_500;

/// The most memory of all profiles that zones use, each counted for every zone.
pub(super) const MOST_PROFILE_WEIGHT: usize = 100 << 20;

/// The weight of a rule of a profile, and of an override of a managed rule, for a zone.
pub(super) const PROFILE_WEIGHTS: (usize, usize) = (900, 250);

/// Weight of an expression, and of each byte of its text.
pub(super) const EXPRESSION_WEIGHT: (usize, usize) = (1_500, 48);

/// Weight of a byte of an exception from pruning: each character of a glob is a token.
pub(super) const PATTERN_WEIGHT: usize = 60;

/// Maximum length of the result of substituting in one scalar.
///
/// # Units
/// Bytes.
pub(super) const LONGEST: usize = 64 * 1024;

/// Maximum total length of all results in a spec, so that a small spec cannot fill the memory.
///
/// # Units
/// Bytes.
pub(super) const EXPANDED: usize = 64 * 1024 * 1024;

/// Maximum number of errors that are reported in one scalar.
pub(super) const MISTAKES: usize = 20;

/// Maximum number of findings that are collected, because a broken generator must not fill the
/// memory.
pub(super) const MOST: usize = 10_000;

/// Returns true if there are so many findings that further checks are useless.
pub(super) fn is_enough(diagnostics: &Diagnostics) -> bool {
    diagnostics.len() >= MOST
}

/// Shortens a text for a message.
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
