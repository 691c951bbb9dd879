//! The effects of an apply, in numbers, for a list of applies. Pure but for its input.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Seek};

use super::JournalReadError;
use super::reader::{Event, EventContent, Fate, JournalText};
use crate::plan::Action;
use crate::wire::keyword::Keyword;

/// The effects of an apply, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalSummary {
    /// When the apply began, RFC 3339.
    pub began_at: String,
    /// The zones to which requests were sent.
    pub zones: BTreeSet<String>,
    /// Operations that took effect, by action.
    pub done: BTreeMap<Action, usize>,
    /// Operations whose result is unknown.
    pub unknown: usize,
    /// False if the apply did not reach its end.
    pub has_ended: bool,
    /// The SHA-256 of the journal.
    pub digest: String,
    /// The SHA-256 of what the apply was made from: a spec, or the journal that it undid.
    pub source_digest: String,
}

impl JournalSummary {
    /// Counts the operations of a journal.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read<R: BufRead + Seek>(text: JournalText<R>) -> Result<Self, JournalReadError> {
        Self::read_each(text, |_, _, _| {})
    }

    /// Counts the operations of a journal. `each` gets the address, the action and the result of
    /// every operation, in their order.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read_each<R: BufRead + Seek>(
        mut text: JournalText<R>,
        mut each: impl FnMut(&str, Action, &'static str),
    ) -> Result<Self, JournalReadError> {
        let mut summary = Self {
            digest: text.digest().to_owned(),
            source_digest: text.source_digest().to_owned(),
            ..Self::default()
        };
        let mut events = text.events()?;
        while let Some(Event { number, time, content, .. }) = events.next()? {
            if number == 1 {
                summary.began_at = time;
            }
            let (intent, fate) = match content {
                EventContent::Sent(intent, fate, _) => (*intent, fate),
                EventContent::End => {
                    summary.has_ended = true;
                    continue;
                }
                EventContent::Other => continue,
            };
            for operation in intent.operations {
                let Keyword(action) = operation.action;
                let result = match fate {
                    Fate::Done => {
                        *summary.done.entry(action).or_default() += 1;
                        "done"
                    }
                    Fate::Unknown => {
                        summary.unknown += 1;
                        "unknown result"
                    }
                    Fate::Restored => "taken back",
                    Fate::Nothing => "no effect",
                };
                each(&operation.address, action, result);
            }
            summary.zones.insert(intent.zone);
        }
        Ok(summary)
    }

    /// Returns true if the apply changed something, or may have.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.unknown > 0 || !self.done.is_empty()
    }
}
