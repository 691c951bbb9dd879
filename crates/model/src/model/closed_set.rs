//! Closed sets of which each member has a word: the same one in every document that the program
//! writes or reads.

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

/// Declares a closed set: an enum with the word of each member behind it.
#[macro_export]
macro_rules! closed_set {
    ($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $member:ident = $word:literal,)+ }) => {
        $(#[$about])*
        $vis enum $name { $($(#[$doc])* $member,)+ }

        impl $name {
            /// Every member, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$member),+];

            /// The word used in every output.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $word,)+ }
            }
        }

        impl $crate::model::ClosedSet for $name {
            const ALL: &'static [Self] = Self::ALL;

            fn keyword(self) -> &'static str {
                self.as_str()
            }
        }
    };
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
