//! States of objects in a drift report.

use crate::model::closed_set;
use crate::plan::Cause;

closed_set! {
    /// State of an object, derived from the spec, the previous spec and Cloudflare. The states that
    /// need most attention come first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum State {
        /// The spec and someone else changed the object in different ways, or the spec replaces a
        /// foreign value.
        Conflicting = "conflicting",
        /// Someone changed the object at Cloudflare, and the spec did not change.
        Drifted = "drifted",
        /// The object matches the spec, but something unmanaged makes it weaker than the spec
        /// promises.
        Weakened = "weakened",
        /// The object differs, and without a base it is unknown who changed it.
        Unknown = "unknown",
        /// The spec changed, and the change is not applied yet.
        Pending = "pending",
        /// Cloudflare has the object, and the spec does not name it.
        Unmanaged = "unmanaged",
        /// The object matches the spec.
        InSync = "in-sync",
    }
}

impl State {
    /// Describes the state for a reader.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Conflicting => {
                "changed in the spec, and at Cloudflare as well; or the spec replaces a foreign \
                value"
            }
            Self::Drifted => "changed at Cloudflare",
            Self::Weakened => "weaker than the spec says, through something that it does not name",
            Self::Unknown => "differs; without --base it is unknown who changed it",
            Self::Pending => "changed in the spec, not applied yet",
            Self::Unmanaged => "at Cloudflare, not in the spec",
            Self::InSync => "as in the spec",
        }
    }

    /// Iterates over the states of objects that differ.
    pub fn differing() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|state| *state != Self::InSync)
    }

    /// Returns true for states that `--fail-on` includes by default.
    #[must_use]
    pub fn counts_by_default(self) -> bool {
        match self {
            Self::Conflicting | Self::Drifted | Self::Weakened | Self::Unknown | Self::Pending => {
                true
            }
            Self::Unmanaged | Self::InSync => false,
        }
    }

    /// Returns true if someone changed the object at Cloudflare, or may have changed it.
    #[must_use]
    pub fn is_outside(self) -> bool {
        match self {
            Self::Conflicting | Self::Drifted | Self::Weakened | Self::Unknown => true,
            Self::Pending | Self::Unmanaged | Self::InSync => false,
        }
    }
}

impl From<Cause> for State {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Spec => Self::Pending,
            Cause::Drift => Self::Drifted,
            Cause::Both | Cause::Foreign => Self::Conflicting,
            Cause::Unknown => Self::Unknown,
        }
    }
}
