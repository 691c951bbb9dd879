//! One difference between two specs.

use crate::diagnostic::Place;
use crate::model::Value;

/// One difference between two specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecChange {
    /// What it is: `records[www A].ttl`, `waf.owasp.paranoia`, `settings.ssl`.
    pub path: String,
    /// How it differs.
    pub kind: SpecChangeKind,
    /// Its place in the later spec, or in the earlier one if it is only there.
    pub place: Place,
}

/// How something differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecChangeKind {
    /// Only the later spec says it.
    Added {
        /// What it says.
        after: Value,
        /// The same in a few words, where that is shorter.
        words: Option<String>,
    },
    /// Only the earlier spec says it.
    Removed {
        /// What it said.
        before: Value,
        /// The same in a few words, where that is shorter.
        words: Option<String>,
    },
    /// Both say it, differently.
    Changed {
        /// What the earlier says.
        before: Value,
        /// What the later says.
        after: Value,
    },
    /// Both have it, at different places of an order that has a meaning.
    Moved {
        /// What it is behind now; `None` if it is the first.
        behind: Option<String>,
    },
}
