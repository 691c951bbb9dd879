//! The list of dangers. Each danger needs its own consent.

use std::fmt::Display;

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

            /// Returns the stable code.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// Describes the effect in a few words.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)+ }
            }

            /// Describes what the consent allows, for the help of the command line.
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
    /// Requests that were blocked or challenged reach the origin.
    WeakensProtection "weakens-protection", "the protection gets weaker", "let requests through that were stopped before";
    /// Ordinary visitors may be blocked or challenged.
    MayLockOut "may-lock-out", "ordinary visitors may be blocked or challenged", "block or challenge requests that ordinary visitors make";
    /// The address behind a proxied name becomes public.
    ExposesOrigin "exposes-origin", "the address behind a proxied name becomes public", "make the address behind a proxied name public";
    /// A delegation ends, is hidden behind a new one, or no longer matches its DS record.
    BreaksDelegation "breaks-delegation", "names stop being answered, because a delegation is removed, added or does not match", "remove a delegation, hide names, or break the match with its DS record";
    /// The name servers of the zone or of a delegated name change.
    ChangesNameServers "changes-name-servers", "the name servers of the zone or of a delegated name change", "change the name servers of a zone or of a delegated name";
    /// Mail of a domain goes to other servers, or in another order.
    ChangesMail "changes-mail", "mail goes to other servers, or nowhere", "change which servers receive mail";
    /// Receivers can no longer tell genuine mail, or are more lenient.
    BreaksMailAuthentication "breaks-mail-authentication", "SPF, DKIM or DMARC protects mail less, or not at all", "break or weaken SPF, DKIM or DMARC";
    /// Another set of authorities may issue certificates.
    ChangesIssuance "changes-issuance", "an authority may no longer issue certificates, or every one may", "change who may issue certificates";
    /// A new value is very similar to another known value.
    LooksMistyped "looks-mistyped", "an address, host or identifier looks like a typo", "use a value that looks like a typo";
    /// A token is removed that prevents others from claiming the hosting of a name.
    AllowsTakeover "allows-takeover", "someone else could claim the hosting that a name points to", "remove a token that keeps others from claiming a name";
    /// DNSSEC is disabled, or DS or DNSKEY records change.
    ChangesDnssec "changes-dnssec", "the DNSSEC chain of trust changes", "disable DNSSEC, or change DS and DNSKEY records";
    /// A name in use loses its last address.
    RemovesLastAddress "removes-last-address", "a name in use loses its last address", "leave a name in use without an address";
    /// A wildcard answers for a name that is deleted.
    FallsToWildcard "falls-to-wildcard", "a wildcard answers for a deleted name", "let a wildcard answer for a deleted name";
    /// An expectation of the spec would no longer hold.
    FailsExpectation "fails-expectation", "an expectation of the spec fails", "apply a plan after which an expectation of the spec fails";
    /// A large part of a zone changes.
    ChangesMuch "changes-much", "a large part of the zone changes", "change more of a zone than the policy allows";
    /// The spec has much less than the previous one.
    SpecShrank "spec-shrank", "the spec has much less for the zone than the previous spec", "continue although the spec lost half of a zone";
    /// The live zone has much less than the previous spec wanted.
    LiveShrank "live-shrank", "the live zone has much less than the previous spec wanted", "continue although the live zone lost half of its records";
    /// Someone else changed what the spec changes.
    OverridesConflict "overrides-conflict", "someone else changed what the spec changes", "override what someone else changed";
    /// A value that someone else made is replaced, or deleted because it conflicts.
    OverwritesForeign "overwrites-foreign", "a value that someone else made, or may have made, is replaced", "replace values that someone else made or may have made";
}

/// Codes of earlier versions, each with its successor.
///
/// They are refused and not read as their successors, because those cover more than the user
/// consented to.
const RETIRED: &[(&str, Danger)] =
    &[("changes-apex-ns", Danger::ChangesNameServers), ("changes-apex-mx", Danger::ChangesMail)];

/// Every danger by its weight for a reviewer, the heaviest first: what stops everything below a
/// name, then what others can misuse, then what some lose, then what is only a reason to look.
const BY_WEIGHT: &[Danger] = &[
    Danger::ChangesNameServers,
    Danger::BreaksDelegation,
    Danger::ChangesDnssec,
    Danger::AllowsTakeover,
    Danger::WeakensProtection,
    Danger::ExposesOrigin,
    Danger::RemovesLastAddress,
    Danger::ChangesMail,
    Danger::BreaksMailAuthentication,
    Danger::MayLockOut,
    Danger::ChangesIssuance,
    Danger::FallsToWildcard,
    Danger::FailsExpectation,
    Danger::SpecShrank,
    Danger::LiveShrank,
    Danger::ChangesMuch,
    Danger::ChangesProtected,
    Danger::OverridesConflict,
    Danger::OverwritesForeign,
    Danger::LooksMistyped,
    Danger::Delete,
];

impl Danger {
    /// Returns the place of the danger among all dangers by weight; the heaviest has the lowest
    /// number.
    #[must_use]
    pub fn rank(self) -> usize {
        BY_WEIGHT.iter().position(|danger| *danger == self).unwrap_or(BY_WEIGHT.len())
    }

    /// Returns true if the danger is that those whom a zone answers lose something. The other
    /// dangers are about a value itself, the spec, or what someone else made.
    #[must_use]
    pub fn is_loss(self) -> bool {
        match self {
            Self::WeakensProtection
            | Self::BreaksDelegation
            | Self::ChangesNameServers
            | Self::ChangesMail
            | Self::BreaksMailAuthentication
            | Self::ChangesIssuance
            | Self::AllowsTakeover
            | Self::ChangesDnssec
            | Self::RemovesLastAddress
            | Self::FallsToWildcard => true,
            Self::Delete
            | Self::ChangesProtected
            | Self::MayLockOut
            | Self::ExposesOrigin
            | Self::LooksMistyped
            | Self::FailsExpectation
            | Self::ChangesMuch
            | Self::SpecShrank
            | Self::LiveShrank
            | Self::OverridesConflict
            | Self::OverwritesForeign => false,
        }
    }

    /// Returns the successor of a danger of an earlier version.
    #[must_use]
    pub fn successor(code: &str) -> Option<Self> {
        RETIRED.iter().find(|(old, _)| *old == code).map(|(_, danger)| *danger)
    }

    /// Returns the command line option that allows the danger. Deletes are allowed by their number.
    #[must_use]
    pub fn flag(self, deletes: impl Display) -> String {
        match self {
            Self::Delete => format!("--allow-deletes {deletes}"),
            other => format!("--allow {}", other.code()),
        }
    }

    /// Returns the message for an unknown or retired code, with the list of known codes.
    #[must_use]
    pub fn unknown(code: &str) -> String {
        match Self::successor(code) {
            Some(danger) => format!(
                "`{code}` is now `{}`, which covers more: {}",
                danger.code(),
                danger.about()
            ),
            None => {
                let known_codes =
                    Self::ALL.iter().map(|d| d.code()).filter(|code| Self::by_code(code).is_some());
                format!(
                    "there is no danger called {code:?}; known dangers: {}",
                    known_codes.collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    /// Returns the danger with a code. `delete` has no consent by code, only by number.
    #[must_use]
    pub fn by_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.code() == code && *d != Self::Delete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_danger_has_a_weight() {
        let mut listed = BY_WEIGHT.to_vec();
        listed.sort();
        assert_eq!(listed, Danger::ALL);
    }
}
