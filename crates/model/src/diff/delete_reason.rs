//! Reasons for deleting records and rules, with the phrases that plans use.

const TOMBSTONE: &str = "the spec says state: absent";
const TOMBSTONE_BRIEF: &str = "state: absent";
const EXPIRED: &str = "its last day is over";
const REMOVED: &str = "removed from the spec";
const UNDONE: &str = "created by the apply that is undone";

/// The reason why a live record is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteReason {
    /// The spec says `state: absent`.
    Tombstone,
    /// The record's last day is over.
    Expired {
        /// True if the base had the same last day, which is then agreed. Not counted as a delete.
        is_agreed: bool,
    },
    /// The spec is the complete state of the zone and does not name the record.
    Pruned,
    /// The record cannot exist beside a record that the spec wants at the same name.
    InTheWay,
    /// The record is a DS record whose delegation is deleted.
    WithDelegation,
    /// The base wanted the record, and the spec does not name it.
    Removed,
    /// The spec asks for the removal of the record and creates its replacement. Not counted as a
    /// delete.
    Replaced,
    /// The record was created by an apply that is undone.
    Undone,
}

impl DeleteReason {
    /// Returns the reason as a phrase.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Tombstone => TOMBSTONE,
            Self::Expired { is_agreed: true } => {
                "its last day is over, and the previous spec had this day; not counted as a delete"
            }
            Self::Expired { is_agreed: false } => EXPIRED,
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

    /// Returns the reason as a short phrase, for a line with little space.
    #[must_use]
    pub fn brief(self) -> &'static str {
        match self {
            Self::Tombstone => TOMBSTONE_BRIEF,
            Self::Expired { .. } => EXPIRED,
            Self::InTheWay => "replaced by a record at this name",
            Self::WithDelegation => "goes with its delegation",
            Self::Replaced => "replaced, not counted as a delete",
            Self::Pruned | Self::Removed | Self::Undone => self.about(),
        }
    }
}

/// The reason why a live rule is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleDeleteReason {
    /// The last day of the rule is over.
    Expired,
    /// The spec says `state: absent`.
    Absent,
    /// The section is the complete state and does not name the rule.
    Pruned,
    /// The base wanted the rule, and the spec does not name it.
    Removed,
    /// The rule was created by an apply that is undone.
    Undone,
}

impl RuleDeleteReason {
    /// Returns the reason as a phrase.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Expired => EXPIRED,
            Self::Absent => TOMBSTONE,
            Self::Pruned => "not in the spec, and the section is pruned",
            Self::Removed => REMOVED,
            Self::Undone => UNDONE,
        }
    }

    /// Returns the reason as a short phrase, for a line with little space.
    #[must_use]
    pub fn brief(self) -> &'static str {
        match self {
            Self::Absent => TOMBSTONE_BRIEF,
            Self::Expired | Self::Pruned | Self::Removed | Self::Undone => self.about(),
        }
    }
}
