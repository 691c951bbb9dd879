//! The action of an operation, and the reason for it in words.

use std::borrow::Cow;

use crate::model::closed_set;

closed_set! {
    /// The action of an operation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        /// Creates an object.
        Create = "create",
        /// Changes an object.
        Update = "update",
        /// Changes only the position of an object.
        Move = "move",
        /// Deletes an object.
        Delete = "delete",
    }
}

/// The reason why an operation does more or less than its action says. Empty if there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    /// The full form.
    pub about: Cow<'static, str>,
    /// The short form, for a line with little space.
    pub brief: Cow<'static, str>,
    /// The comment and tags of the live value that is overwritten, added to the full form, because
    /// they may identify its owner.
    pub noted: String,
}

impl Why {
    /// Returns the full form with the comment and tags of the live value.
    #[must_use]
    pub fn in_full(&self) -> String {
        format!("{}{}", self.about, self.noted)
    }

    /// Returns a reason with fixed words.
    pub(super) fn fixed(about: &'static str, brief: &'static str) -> Self {
        Self { about: about.into(), brief: brief.into(), noted: String::new() }
    }
}
