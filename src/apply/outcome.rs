//! The outcomes of the operations of a plan.

use crate::model::Address;

/// The outcome of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationOutcome {
    /// The operation took effect.
    Done,
    /// Cloudflare says that the text is identical to this live one, which differs only in its cuts.
    OtherCuts(String),
    /// Cloudflare refused it.
    Refused(String),
    /// The operation was not sent.
    NotSent(String),
    /// Not sent, because the object has changed since the plan was made.
    Stale(String),
    /// Undone, because it is unknown whether the record that replaces it exists.
    Restored,
    /// Unknown whether the operation took effect, or what is live now.
    Unknown(String),
    /// It waits for something that no request can cause. A later run sends it.
    Deferred(String),
}

impl OperationOutcome {
    /// The reason for [`Self::Restored`], in words.
    pub const WHY_RESTORED: &'static str =
        "its replacement was refused, or it is unknown whether the replacement exists";

    /// Returns true if the live object is as the operation wants it, as far as Cloudflare
    /// distinguishes records.
    #[must_use]
    pub fn is_in_effect(&self) -> bool {
        matches!(self, Self::Done | Self::OtherCuts(_))
    }
}

/// A record that someone else changed during the apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// The address of the operation that found it.
    pub address: Address,
    /// The change.
    pub what: String,
}

/// The outcomes of a zone's operations on records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordsApplied {
    /// One outcome for each operation on a record, in order.
    pub outcomes: Vec<OperationOutcome>,
    /// Records that someone else changed during the apply.
    pub noticed: Vec<Noticed>,
    /// True if the responses confirm each operation, and nothing unusual happened.
    pub is_confirmed: bool,
}

/// The outcomes of a zone's operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneApplied {
    /// One outcome for each operation of the plan, in order.
    pub outcomes: Vec<OperationOutcome>,
    /// Records that someone else changed during the apply.
    pub noticed: Vec<Noticed>,
    /// True if the responses confirm each operation, and nothing unusual happened.
    pub is_confirmed: bool,
}

impl ZoneApplied {
    /// Returns the number of operations that took effect.
    #[must_use]
    pub fn done(&self) -> usize {
        self.outcomes.iter().filter(|o| **o == OperationOutcome::Done).count()
    }

    /// Returns true if all operations took effect, except those that have to wait.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|o| o.is_in_effect() || matches!(o, OperationOutcome::Deferred(_)))
    }

    /// Returns true if Cloudflare called any text identical to a live text with other cuts.
    pub(super) fn has_other_cuts(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome, OperationOutcome::OtherCuts(_)))
    }

    /// Returns true if the apply may have changed anything at Cloudflare.
    #[must_use]
    pub fn wrote_anything(&self) -> bool {
        self.outcomes.iter().any(|o| {
            matches!(
                o,
                OperationOutcome::Done | OperationOutcome::Unknown(_) | OperationOutcome::Restored
            )
        })
    }
}
