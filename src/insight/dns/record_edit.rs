//! One edit of a record.

use super::entry::Entry;
use crate::model::{Fqdn, ZoneName};

/// One edit of a record: created without `before`, deleted without `after`.
#[derive(Debug, Clone, Copy)]
pub struct RecordEdit<'a> {
    /// The zone.
    pub zone: &'a ZoneName,
    /// The record before.
    pub before: Option<Entry<'a>>,
    /// The record after.
    pub after: Option<Entry<'a>>,
}

impl<'a> RecordEdit<'a> {
    /// The name that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&'a Fqdn> {
        self.after.or(self.before).map(|entry| entry.name)
    }

    /// Whether it changes an answer, and not only for how long it is kept, or a note.
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
