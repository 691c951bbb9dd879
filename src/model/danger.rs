//! Kinds of danger: the one list. Each has its own consent; there is no blanket one.

/// A kind of danger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Danger {
    /// A record or rule is deleted.
    Delete,
    /// A record that the spec marks `protect: true` is changed or deleted.
    ChangesProtected,
    /// Traffic gets through that was stopped before.
    WeakensProtection,
    /// The address behind a proxied name becomes public.
    ExposesOrigin,
    /// The name servers at the apex change.
    ChangesApexNs,
    /// Where the domain's mail goes changes.
    ChangesApexMx,
    /// DNSSEC is switched off, or records of its chain change.
    ChangesDnssec,
    /// A name that had addresses has none afterwards.
    RemovesLastAddress,
    /// A name that is gone is answered by a wildcard afterwards.
    FallsToWildcard,
    /// A large part of a zone changes.
    ChangesMuch,
    /// The spec says much less than the one before.
    SpecShrank,
    /// The service has much less than the spec before wanted.
    LiveShrank,
    /// Both the spec and somebody else changed the same thing.
    OverridesConflict,
}

impl Danger {
    /// Every danger, in the order in which they are shown.
    pub const ALL: &'static [Self] = &[
        Self::Delete,
        Self::ChangesProtected,
        Self::WeakensProtection,
        Self::ExposesOrigin,
        Self::ChangesApexNs,
        Self::ChangesApexMx,
        Self::ChangesDnssec,
        Self::RemovesLastAddress,
        Self::FallsToWildcard,
        Self::ChangesMuch,
        Self::SpecShrank,
        Self::LiveShrank,
        Self::OverridesConflict,
    ];

    /// The stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::ChangesProtected => "changes-protected",
            Self::WeakensProtection => "weakens-protection",
            Self::ExposesOrigin => "exposes-origin",
            Self::ChangesApexNs => "changes-apex-ns",
            Self::ChangesApexMx => "changes-apex-mx",
            Self::ChangesDnssec => "changes-dnssec",
            Self::RemovesLastAddress => "removes-last-address",
            Self::FallsToWildcard => "falls-to-wildcard",
            Self::ChangesMuch => "changes-much",
            Self::SpecShrank => "spec-shrank",
            Self::LiveShrank => "live-shrank",
            Self::OverridesConflict => "overrides-conflict",
        }
    }

    /// What happens, in words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Delete => "records or rules are deleted",
            Self::ChangesProtected => "records marked `protect: true` are changed",
            Self::WeakensProtection => "the protection gets weaker",
            Self::ExposesOrigin => "the address behind a proxied name becomes public",
            Self::ChangesApexNs => "the name servers at the zone's apex change",
            Self::ChangesApexMx => "where the domain's mail goes changes",
            Self::ChangesDnssec => "the chain of DNSSEC changes",
            Self::RemovesLastAddress => "a name loses its last address",
            Self::FallsToWildcard => "a name that goes is answered by a wildcard instead",
            Self::ChangesMuch => "a large part of the zone changes",
            Self::SpecShrank => "the spec says much less about the zone than before",
            Self::LiveShrank => "the service has much less than the spec before wanted",
            Self::OverridesConflict => "somebody else changed the same thing as the spec",
        }
    }

    /// What is allowed by the consent, for the help of the command line.
    #[must_use]
    pub fn consent(self) -> &'static str {
        match self {
            Self::Delete => "delete exactly N records and rules",
            Self::ChangesProtected => "change records marked `protect: true`",
            Self::WeakensProtection => "let requests through that were stopped before",
            Self::ExposesOrigin => "make the address behind a proxied name public",
            Self::ChangesApexNs => "change the name servers at the apex",
            Self::ChangesApexMx => "change where the domain's mail goes",
            Self::ChangesDnssec => "switch DNSSEC off, or change DS and DNSKEY records",
            Self::RemovesLastAddress => "leave a name without any address",
            Self::FallsToWildcard => "let a wildcard answer for a name that goes",
            Self::ChangesMuch => "change more of a zone than the policy's share",
            Self::SpecShrank => "go on although the spec lost half of a zone",
            Self::LiveShrank => "go on although the service lost half of a zone",
            Self::OverridesConflict => "override what somebody else changed meanwhile",
        }
    }

    /// The dangers that a code can release; deletes are released by their number only.
    #[must_use]
    pub fn by_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.code() == code && *d != Self::Delete)
    }
}
