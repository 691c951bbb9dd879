//! One difference between two specs.

use crate::Value;
use crate::diagnostic::Place;

/// One difference between two specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecChange {
    /// The path of the changed item: `records[www A].ttl`, `waf.owasp.paranoia`, `settings.ssl`.
    pub path: String,
    /// The kind of difference, with both values.
    pub kind: SpecChangeKind,
    /// Its place in the later spec, or in the earlier one if only that contains it.
    pub place: Place,
}

/// The kind of difference, with both values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecChangeKind {
    /// Only the later spec contains it.
    Added {
        /// The value in the later spec.
        after: Value,
        /// A shorter description, if there is one.
        words: Option<String>,
    },
    /// Only the earlier spec contains it.
    Removed {
        /// The value in the earlier spec.
        before: Value,
        /// A shorter description, if there is one.
        words: Option<String>,
    },
    /// Both specs contain it, with different values.
    Changed {
        /// The value in the earlier spec.
        before: Value,
        /// The value in the later spec.
        after: Value,
    },
    /// Both specs contain it, at different positions of an ordered list.
    Moved {
        /// Its new predecessor; `None` if it is the first.
        behind: Option<String>,
    },
}
