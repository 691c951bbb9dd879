//! Identifiers that Cloudflare assigns: 32 hexadecimal digits, not checked.

use std::fmt;

macro_rules! ids {
    ($($name:ident of $owner:literal,)+) => {$(
        #[doc = concat!("Cloudflare's id of a ", $owner, ".")]
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
    ZoneId of "zone",
    RecordId of "record",
    RulesetId of "ruleset",
    RuleId of "rule",
}
