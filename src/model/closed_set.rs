//! Closed sets of which each member has a word: the same one in every document that the program writes or reads.

use super::Danger;
use crate::diagnostic::Severity;

/// A closed set of which each member has a word.
pub trait ClosedSet: Copy + PartialEq + 'static {
    /// Every member.
    const ALL: &'static [Self];

    /// The word of a member.
    fn keyword(self) -> &'static str;

    /// The member that has a word.
    #[must_use]
    fn by_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|member| member.keyword() == keyword)
    }
}

impl ClosedSet for Danger {
    const ALL: &'static [Self] = Self::ALL;

    fn keyword(self) -> &'static str {
        self.code()
    }
}

impl ClosedSet for Severity {
    const ALL: &'static [Self] = &[Self::Error, Self::Warning, Self::Note];

    fn keyword(self) -> &'static str {
        self.as_str()
    }
}
