//! How much of what a rule finds is reported: findings, places, names of a chain.

use crate::diagnostic::{Diagnostic, Diagnostics, Finding, Severity};

/// Reports that findings were left out.
pub(super) static MORE: Finding = Finding {
    code: "LINT0000",
    severity: Severity::Note,
    summary: "more findings than are reported",
    why: "A rule keeps at most a thousand findings, of which the first hundred are reported.",
    fix: "Fix the reported ones and run the command again.",
};

/// How many findings of one rule are reported at most: a broken generator must not fill the memory.
pub(super) const MOST: usize = 1_000;

/// What one rule found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) kept: Diagnostics,
    /// How many there were in all.
    pub(super) count: usize,
}

impl Findings {
    /// Adds one, unless there are too many.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        if self.count <= MOST {
            self.kept.push(diagnostic);
        }
    }
}

/// The names of a chain for a message, with the number left out.
pub(super) fn chain<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    /// How many names are written out.
    const SHOWN: usize = 8;
    let length = names.len();
    let mut words: Vec<String> = Vec::new();
    for (n, name) in names.enumerate() {
        // The last one is the end of the chain, so it is always shown.
        if n + 1 < SHOWN || n + 1 == length {
            words.push(name.to_owned());
        } else if n + 1 == SHOWN {
            words.push(format!("… {} more …", length - SHOWN));
        }
    }
    words.join(" → ")
}

/// How many places a finding points to at most, in addition to the first.
pub(super) const RELATED: usize = 8;
