//! What a report comes to, for a caller who asks about some states.

use super::classify::{Report, ZoneReport};
use super::state::State;
use crate::model::closed_set;

closed_set! {
    /// What a report comes to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Verdict {
        /// Nothing differs.
        InSync = "in-sync",
        /// Something differs, and none of it is what the caller wants to be told by the exit code.
        Tolerated = "tolerated",
        /// Something is in a state that the caller asked about, or an expectation fails.
        Found = "drift",
        /// Not everything wanted could be looked at.
        Incomplete = "incomplete",
    }
}

impl Report {
    /// Whether nothing differs and no expectation fails; what the spec does not name does not
    /// count.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        let is_in_sync = |zone: &ZoneReport| zone.findings.is_empty() && zone.weakened.is_empty();
        self.is_complete && self.failed_expectations() == 0 && self.zones.iter().all(is_in_sync)
    }

    /// What it comes to for a caller who asks about these states.
    #[must_use]
    pub fn verdict(&self, asked: &[State]) -> Verdict {
        if !self.is_complete {
            Verdict::Incomplete
        } else if self.count_of(asked) > 0 || self.failed_expectations() > 0 {
            Verdict::Found
        } else if self.is_in_sync() {
            Verdict::InSync
        } else {
            Verdict::Tolerated
        }
    }
}
