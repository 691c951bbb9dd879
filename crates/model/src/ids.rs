//! Identifiers that Cloudflare assigns: 32 hexadecimal digits, not checked.

use std::fmt;

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
    /// Id of a zone.
    ZoneId,
    /// Id of a record.
    RecordId,
    /// Id of a ruleset.
    RulesetId,
    /// Id of a rule.
    RuleId,
}
