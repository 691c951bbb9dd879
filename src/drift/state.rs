//! The states in which an object can be.

use crate::model::closed_set;
use crate::plan::Cause;

closed_set! {
    /// The state of an object, from the spec, the previous spec, and Cloudflare; those that need
    /// most attention first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum State {
        /// The spec and someone else changed it, each in their own way, or the spec replaces a
        /// foreign value.
        Conflicting = "conflicting",
        /// Someone changed it at Cloudflare; the spec is as before.
        Drifted = "drifted",
        /// It is as the spec writes it, and something that the spec does not name makes it weaker
        /// than the spec promises.
        Weakened = "weakened",
        /// It differs, and without a base it is unknown who changed what.
        Unknown = "unknown",
        /// The spec changed, and that is not applied yet.
        Pending = "pending",
        /// Cloudflare has it, and the spec does not name it.
        Unmanaged = "unmanaged",
        /// It is as the spec wants it.
        InSync = "in-sync",
    }
}

impl State {
    /// What it means, for a reader.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Conflicting => {
                "changed in the spec, and at Cloudflare as well; or the spec replaces a foreign value"
            }
            Self::Drifted => "changed at Cloudflare",
            Self::Weakened => "weaker than the spec says, through something that it does not name",
            Self::Unknown => "differs; without --base it is unknown who changed it",
            Self::Pending => "changed in the spec, not applied yet",
            Self::Unmanaged => "at Cloudflare, not in the spec",
            Self::InSync => "as in the spec",
        }
    }

    /// The states of objects that differ.
    pub fn differing() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|state| *state != Self::InSync)
    }

    /// Whether it is a finding unless `--fail-on` says otherwise.
    #[must_use]
    pub fn counts_by_default(self) -> bool {
        match self {
            Self::Conflicting | Self::Drifted | Self::Weakened | Self::Unknown | Self::Pending => {
                true
            }
            Self::Unmanaged | Self::InSync => false,
        }
    }

    /// Whether someone did something at Cloudflare, or may have done.
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
