//! What became of the operations of a plan.

use crate::model::Address;

/// What became of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It took effect.
    Done,
    /// Cloudflare calls the text identical to one that is live and differs only in its cuts; which
    /// one.
    OtherCuts(String),
    /// Cloudflare refused it.
    Refused(String),
    /// It was not sent.
    NotSent(String),
    /// It was not sent, because what it concerns has changed since the plan was made.
    Stale(String),
    /// It was undone, because what it made room for is not known to be there.
    Restored,
    /// Unknown whether it took effect, or what is there now.
    Unknown(String),
    /// It has to wait for something that no request can bring about; a later run does it.
    Deferred(String),
}

impl Outcome {
    /// Why an operation was [`Self::Restored`], in words.
    pub const WHY_RESTORED: &'static str =
        "its replacement was refused, or it is unknown whether the replacement exists";

    /// Whether what the operation is about is as it wants it, as far as Cloudflare tells records
    /// apart.
    #[must_use]
    pub fn is_in_effect(&self) -> bool {
        matches!(self, Self::Done | Self::OtherCuts(_))
    }
}

/// A record that someone else changed while a plan was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// The address of the operation that met it.
    pub address: Address,
    /// What was found.
    pub what: String,
}

/// What became of a zone's operations on records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordsApplied {
    /// One for each operation on a record, in their order.
    pub outcomes: Vec<Outcome>,
    /// Records that someone else changed meanwhile.
    pub noticed: Vec<Noticed>,
    /// Whether the answers confirm each of them, and nothing unusual happened.
    pub is_confirmed: bool,
}

/// What became of a zone's operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneApplied {
    /// One for each operation of the plan, in their order.
    pub outcomes: Vec<Outcome>,
    /// Records that someone else changed meanwhile.
    pub noticed: Vec<Noticed>,
    /// Whether the answers confirm each of them, and nothing unusual happened.
    pub is_confirmed: bool,
}

impl ZoneApplied {
    /// How many took effect.
    #[must_use]
    pub fn done(&self) -> usize {
        self.outcomes.iter().filter(|o| **o == Outcome::Done).count()
    }

    /// Whether all took effect.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|o| o.is_in_effect() || matches!(o, Outcome::Deferred(_)))
    }

    /// Whether Cloudflare called any text identical to a live one with other cuts.
    pub(super) fn has_other_cuts(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::OtherCuts(_)))
    }

    /// Whether anything at Cloudflare may be other than before.
    #[must_use]
    pub fn wrote_anything(&self) -> bool {
        self.outcomes
            .iter()
            .any(|o| matches!(o, Outcome::Done | Outcome::Unknown(_) | Outcome::Restored))
    }
}
