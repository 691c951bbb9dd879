//! What an operation does, and in words why it does more or less than that.

use std::borrow::Cow;

use crate::model::closed_set;

closed_set! {
    /// What is done.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        /// Something comes.
        Create = "create",
        /// Something changes.
        Update = "update",
        /// Something changes its place only.
        Move = "move",
        /// Something goes.
        Delete = "delete",
    }
}

/// Why an operation does more or less than its action says, in words; empty where there is nothing
/// to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    /// In full.
    pub about: Cow<'static, str>,
    /// For a line with little space.
    pub brief: Cow<'static, str>,
    /// What is noted at the live value that is overwritten, to be added to the full form; it may
    /// tell whose the value is.
    pub noted: String,
}

impl Why {
    /// In full, with what is noted at the live value.
    #[must_use]
    pub fn in_full(&self) -> String {
        format!("{}{}", self.about, self.noted)
    }

    /// From fixed words.
    pub(super) fn fixed(about: &'static str, brief: &'static str) -> Self {
        Self { about: about.into(), brief: brief.into(), noted: String::new() }
    }
}
