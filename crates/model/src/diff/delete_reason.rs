//! Why records and rules are deleted, in the words that plans have for it.

/// `state: absent`, in words.
const TOMBSTONE: &str = "the spec says state: absent";
/// The same for a line with little space.
const TOMBSTONE_BRIEF: &str = "state: absent";
/// No longer in the spec, in words.
const REMOVED: &str = "removed from the spec";
/// Made by the apply that is undone, in words.
const UNDONE: &str = "created by the apply that is undone";

/// Why a live record is to be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteReason {
    /// The spec says `state: absent`.
    Tombstone,
    /// The spec is the complete state for the zone, and does not name it.
    Pruned,
    /// It cannot exist beside a record that the spec wants at this name.
    InTheWay,
    /// It is a DS record, and the delegation that it belongs to is deleted.
    WithDelegation,
    /// An earlier spec wanted it, and this one does not name it.
    Removed,
    /// The spec asked for its removal, and creates what takes its place: not counted as a delete.
    Replaced,
    /// An apply made it, and that is undone.
    Undone,
}

impl DeleteReason {
    /// In words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Tombstone => TOMBSTONE,
            Self::Pruned => "not in the spec, and the zone is pruned",
            Self::InTheWay => "replaced by another record at this name",
            Self::WithDelegation => "belongs to the delegation (NS), which is deleted",
            Self::Removed => REMOVED,
            Self::Replaced => {
                "replaced by a record that this plan creates; not counted as a delete"
            }
            Self::Undone => UNDONE,
        }
    }

    /// In words for a line with little space.
    #[must_use]
    pub fn brief(self) -> &'static str {
        match self {
            Self::Tombstone => TOMBSTONE_BRIEF,
            Self::InTheWay => "replaced by a record at this name",
            Self::WithDelegation => "goes with its delegation",
            Self::Replaced => "replaced, not counted as a delete",
            Self::Pruned | Self::Removed | Self::Undone => self.about(),
        }
    }
}

/// Why a rule is to be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleDeleteReason {
    /// Its last day is over.
    Expired,
    /// The spec says `state: absent`.
    Absent,
    /// The section is the complete state, and does not name it.
    Pruned,
    /// The base wanted it, and the spec does not name it.
    Removed,
    /// An apply made it, and that is undone.
    Undone,
}

impl RuleDeleteReason {
    /// In words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Expired => "its last day is over",
            Self::Absent => TOMBSTONE,
            Self::Pruned => "not in the spec, and the section is pruned",
            Self::Removed => REMOVED,
            Self::Undone => UNDONE,
        }
    }

    /// In words for a line with little space.
    #[must_use]
    pub fn brief(self) -> &'static str {
        match self {
            Self::Absent => TOMBSTONE_BRIEF,
            Self::Expired | Self::Pruned | Self::Removed | Self::Undone => self.about(),
        }
    }
}
