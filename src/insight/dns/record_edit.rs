//! One edit of a record.

use super::caching::LONG_TTL;
use super::entry::Entry;
use super::index::ZoneIndex;
use crate::model::{Fqdn, ZoneName};

/// A change of one record: created without `before`, deleted without `after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordEdit<'a> {
    pub zone: &'a ZoneName,
    /// The record before.
    pub before: Option<Entry<'a>>,
    /// The record after.
    pub after: Option<Entry<'a>>,
}

impl<'a> RecordEdit<'a> {
    /// Returns the record after the edit, or before it if it is deleted.
    #[must_use]
    pub fn entry(&self) -> Option<Entry<'a>> {
        self.after.or(self.before)
    }

    /// Returns the name that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&'a Fqdn> {
        self.entry().map(|entry| entry.name)
    }

    /// Makes the edit.
    pub fn apply(&self, zone: &mut ZoneIndex<'a>) {
        if let Some(before) = self.before {
            zone.remove(before.name, before.data, before.id);
        }
        if let Some(after) = self.after {
            zone.insert(after);
        }
    }

    /// Takes the edit back.
    pub(in crate::insight) fn revert(&self, zone: &mut ZoneIndex<'a>) {
        Self { before: self.after, after: self.before, ..*self }.apply(zone);
    }

    /// Returns the old time to live of a record of which only that becomes shorter, if it was long.
    #[must_use]
    pub fn lowered_ttl(&self) -> Option<u32> {
        let (before, after) = (self.before?, self.after?);
        let (old, new) = (before.seconds(), after.seconds());
        (!self.changes_answers() && old >= LONG_TTL && new < old).then_some(old)
    }

    /// Returns true if it changes an answer, and not only for how long it is kept, or a note.
    #[must_use]
    pub fn changes_answers(&self) -> bool {
        match (self.before, self.after) {
            (Some(before), Some(after)) => {
                before.data != after.data
                    || before.proxied != after.proxied
                    || before.settings != after.settings
            }
            (before, after) => before.is_some() || after.is_some(),
        }
    }
}
