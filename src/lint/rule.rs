//! A rule, and what it finds.

use super::view::View;
use crate::diagnostic::{Diagnostic, Diagnostics, Finding, Place};

/// A rule: what it finds, why that matters, how to fix it.
#[derive(Debug)]
pub struct Rule {
    /// Its code, severity, summary, reason and fix. A finding is milder where the rule says so.
    pub finding: Finding,
    /// The sources of the facts.
    pub sources: &'static [&'static str],
    /// The `zones` of a spec in which the rule finds nothing.
    pub good: &'static str,
    /// The `zones` of a spec in which the rule finds something.
    pub bad: &'static str,
    /// The check.
    pub(super) check: fn(&View<'_>, &mut Findings),
}

impl Rule {
    /// A finding of this rule at a place, which shows the detail.
    pub(super) fn at(&'static self, place: Place, detail: impl Into<String>) -> Diagnostic {
        self.finding.at(place, detail)
    }
}

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
