//! The list of dangers. Each needs its own consent; there is no blanket consent.

/// Declares the dangers, in the order in which they are shown.
macro_rules! dangers {
    ($($(#[$doc:meta])+ $name:ident $code:literal, $about:literal, $consent:literal;)+) => {
        /// A kind of danger.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Danger {
            $($(#[$doc])+ $name,)+
        }

        impl Danger {
            /// Every danger, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The stable code.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// What happens, in words.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)+ }
            }

            /// What the consent allows, for the help of the command line.
            #[must_use]
            pub fn consent(self) -> &'static str {
                match self { $(Self::$name => $consent,)+ }
            }
        }
    };
}

dangers! {
    /// A record or rule is deleted.
    Delete "delete", "records or rules are deleted", "delete exactly N records and rules";
    /// A record that the spec marks `protect: true` is changed or deleted.
    ChangesProtected "changes-protected", "records marked `protect: true` are changed", "change records marked `protect: true`";
    /// Requests that were stopped get through.
    WeakensProtection "weakens-protection", "the protection gets weaker", "let requests through that were stopped before";
    /// The address behind a proxied name becomes public.
    ExposesOrigin "exposes-origin", "the address behind a proxied name becomes public", "make the address behind a proxied name public";
    /// The name servers at the apex change.
    ChangesApexNs "changes-apex-ns", "the name servers at the zone's apex change", "change the name servers at the apex";
    /// The mail servers of the apex change.
    ChangesApexMx "changes-apex-mx", "the mail servers of the domain change", "change the mail servers of the domain";
    /// DNSSEC is disabled, or DS or DNSKEY records change.
    ChangesDnssec "changes-dnssec", "the DNSSEC chain of trust changes", "disable DNSSEC, or change DS and DNSKEY records";
    /// A name loses its last address.
    RemovesLastAddress "removes-last-address", "a name loses its last address", "leave a name without an address";
    /// A wildcard answers for a name that is deleted.
    FallsToWildcard "falls-to-wildcard", "a wildcard answers for a deleted name", "let a wildcard answer for a deleted name";
    /// A large part of a zone changes.
    ChangesMuch "changes-much", "a large part of the zone changes", "change more of a zone than the policy allows";
    /// The spec has much less than the previous one.
    SpecShrank "spec-shrank", "the spec has much less for the zone than the previous spec", "continue although the spec lost half of a zone";
    /// The live zone has much less than the previous spec wanted.
    LiveShrank "live-shrank", "the live zone has much less than the previous spec wanted", "continue although the live zone lost half of its records";
    /// Someone else changed what the spec changes.
    OverridesConflict "overrides-conflict", "someone else changed what the spec changes", "override what someone else changed";
}

impl Danger {
    /// The danger that a code allows. Deletes are allowed by their number only.
    #[must_use]
    pub fn by_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.code() == code && *d != Self::Delete)
    }
}
