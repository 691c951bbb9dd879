//! Limits on what is reported for a rule: findings, places, names of a chain.

use crate::diagnostic::{Diagnostic, Diagnostics, Finding, Severity};

/// Reports that findings were left out.
pub(super) static MORE: Finding = Finding {
    code: "LINT0000",
    severity: Severity::Note,
    summary: "more findings than are reported",
    why: "A rule keeps at most a thousand findings, of which the first hundred are reported.",
    fix: "Fix the reported ones and run the command again.",
};

/// Maximum number of findings of one rule that are reported, because a broken generator must not
/// fill the memory.
pub(super) const MOST: usize = 1_000;

/// The findings of one rule.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) kept: Diagnostics,
    /// Number of all findings.
    pub(super) count: usize,
}

impl Findings {
    /// Adds a finding, unless there are too many.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        if self.count <= MOST {
            self.kept.push(diagnostic);
        }
    }
}

/// Returns the names of a chain for a message, with the number of names left out.
pub(super) fn chain<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    /// Maximum number of names that are written out.
    const SHOWN: usize = 8;
    let length = names.len();
    let mut words: Vec<String> = Vec::new();
    for (n, name) in names.enumerate() {
        // The last name is the end of the chain, so it is always shown.
        if n + 1 < SHOWN || n + 1 == length {
            words.push(name.to_owned());
        } else if n + 1 == SHOWN {
            words.push(format!("… {} more …", length - SHOWN));
        }
    }
    words.join(" → ")
}

/// Maximum number of places of a finding, in addition to the first.
pub(super) const RELATED: usize = 8;
