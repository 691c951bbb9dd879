//! Why an operation is in the plan: the spec, drift, or a conflict of both; and how that is said.

use crate::model::ClosedSet;

/// Why an operation is in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The spec changed.
    Spec,
    /// Someone changed the live state, and the plan reverts it.
    Drift,
    /// Both: a conflict.
    Both,
    /// The spec wants the place of a value that someone else made: a conflict as well.
    Foreign,
    /// Unknown: there is no base that tells whether the spec or the live value changed.
    Unknown,
}

impl Cause {
    /// From whether the spec changed, and whether the live state differs from the previous spec.
    #[must_use]
    pub fn of(changed: bool, drifted: bool) -> Self {
        match (changed, drifted) {
            (true, false) => Self::Spec,
            (false, true) => Self::Drift,
            (true, true) => Self::Both,
            // Neither changed, and yet they differ: the previous spec was never applied.
            (false, false) => Self::Spec,
        }
    }

    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Drift => "drift",
            Self::Both | Self::Foreign => "both",
            Self::Unknown => "unknown",
        }
    }

    /// For a reader, with the time at which what is live was last changed; `None` where it is the
    /// plain wish of the spec.
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
