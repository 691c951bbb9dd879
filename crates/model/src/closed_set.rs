//! Closed sets, such as actions, with one keyword for each member: the same in every document that
//! the program writes or reads.

use super::Danger;
use crate::diagnostic::Severity;

/// A closed set with a keyword for each member.
pub trait ClosedSet: Copy + PartialEq + 'static {
    /// All members.
    const ALL: &'static [Self];

    /// Returns the keyword of a member.
    fn keyword(self) -> &'static str;

    /// Returns the member with this keyword.
    #[must_use]
    fn by_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|member| member.keyword() == keyword)
    }
}

/// Declares a closed set: an enum with the keyword of each member behind it.
#[macro_export]
macro_rules! closed_set {
    ($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $member:ident = $word:literal,)+ }) => {
        $(#[$about])*
        $vis enum $name { $($(#[$doc])* $member,)+ }

        impl $name {
            /// All members, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$member),+];

            /// Returns the word used in every output.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $word,)+ }
            }
        }

        impl $crate::ClosedSet for $name {
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
