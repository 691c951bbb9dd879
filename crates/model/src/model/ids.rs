//! Identifiers that Cloudflare gives: 32 hexadecimal digits, not checked.

use std::fmt;

/// Declares identifiers.
macro_rules! ids {
    ($($(#[$about:meta])* $name:ident,)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// Of a zone.
    ZoneId,
    /// Of a record.
    RecordId,
    /// Of a ruleset.
    RulesetId,
    /// Of a rule.
    RuleId,
}
