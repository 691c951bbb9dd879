//! Verdict of a drift report for a caller who watches certain states.

use super::classify::{Report, ZoneReport};
use super::state::State;
use crate::model::closed_set;

closed_set! {
    /// Verdict of a drift report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Verdict {
        /// Nothing differs.
        InSync = "in-sync",
        /// Something differs, but in no state that the caller watches.
        Tolerated = "tolerated",
        /// An object is in a watched state, or an expectation fails.
        Found = "drift",
        /// Some objects could not be read.
        Incomplete = "incomplete",
    }
}

impl Report {
    /// Returns true if nothing differs and no expectation fails. Unmanaged objects do not count.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        let is_in_sync = |zone: &ZoneReport| zone.findings.is_empty() && zone.weakened.is_empty();
        self.is_complete && self.failed_expectations() == 0 && self.zones.iter().all(is_in_sync)
    }

    /// Returns the verdict for a caller who watches the states in `asked`.
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
