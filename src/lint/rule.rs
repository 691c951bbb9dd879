//! The definition of a rule.

use super::context::LintContext;
use super::report_limits::Findings;
use crate::diagnostic::{Diagnostic, Finding, Place};

/// A rule: its finding, the reason why it matters, and the fix.
#[derive(Debug)]
pub struct LintRule {
    /// Its code, severity, summary, reason and fix. A finding is milder where the rule says so.
    pub finding: Finding,
    /// The sources of the facts.
    pub sources: &'static [&'static str],
    /// The `zones` of a spec in which the rule finds nothing.
    pub good: &'static str,
    /// The `zones` of a spec in which the rule finds something.
    pub bad: &'static str,
    pub(super) check: fn(&LintContext<'_>, &mut Findings),
}

impl LintRule {
    /// Returns a finding of this rule at a place, which shows the detail.
    pub(super) fn at(&'static self, place: Place, detail: impl Into<String>) -> Diagnostic {
        self.finding.at(place, detail)
    }
}
