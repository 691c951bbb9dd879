//! What a plan does to one record of a zone.

use super::dns::{Entry, ZoneIndex};

/// What is done to one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// The record before; `None` if it is created.
    pub before: Option<Entry<'a>>,
    /// The record after; `None` if it is deleted.
    pub after: Option<Entry<'a>>,
}

impl<'a> Step<'a> {
    /// The record after the step, or before it if it is deleted.
    pub(super) fn entry(&self) -> Option<Entry<'a>> {
        self.after.or(self.before)
    }

    /// Does it.
    pub fn apply(&self, zone: &mut ZoneIndex<'a>) {
        if let Some(before) = self.before {
            zone.remove(before.name, before.data, before.id);
        }
        if let Some(after) = self.after {
            zone.insert(after);
        }
    }

    /// Takes it back.
    pub(super) fn revert(&self, zone: &mut ZoneIndex<'a>) {
        let reverse = Step { before: self.after, after: self.before };
        reverse.apply(zone);
    }
}
