//! The cause of an operation: the spec, drift, or a conflict of both.

use crate::model::ClosedSet;

/// The cause of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The spec changed.
    Spec,
    /// Someone changed the live state, and the plan reverts it.
    Drift,
    /// Both changed: a conflict.
    Both,
    /// The spec replaces a value that someone else created. This is a conflict as well.
    Foreign,
    /// It is unknown whether the spec or the live value changed, because there is no base.
    Unknown,
}

impl Cause {
    /// Returns the cause; `changed` if the spec changed, `drifted` if the live state differs from
    /// the previous spec.
    #[must_use]
    pub fn of(changed: bool, drifted: bool) -> Self {
        match (changed, drifted) {
            (true, false) => Self::Spec,
            (false, true) => Self::Drift,
            (true, true) => Self::Both,
            // Neither changed, and yet they differ, so the previous spec was never applied.
            (false, false) => Self::Spec,
        }
    }

    /// Returns the word that every output uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Drift => "drift",
            Self::Both | Self::Foreign => "both",
            Self::Unknown => "unknown",
        }
    }

    /// Describes the cause for a reader, with the time of the last change of the live state; `None`
    /// for an ordinary change of the spec.
    #[must_use]
    pub fn about(self, modified_on: Option<&str>) -> Option<String> {
        let when = modified_on.map(|time| format!(" (last changed {time})")).unwrap_or_default();
        match self {
            Self::Drift => Some(format!("reverts a change made outside the spec{when}")),
            Self::Both => Some(format!("changed in the spec, and by someone else as well{when}")),
            Self::Foreign => Some(format!("replaces what someone else created{when}")),
            Self::Spec | Self::Unknown => None,
        }
    }
}

impl ClosedSet for Cause {
    const ALL: &'static [Self] = &[Self::Spec, Self::Drift, Self::Both, Self::Unknown];

    fn keyword(self) -> &'static str {
        self.as_str()
    }
}
