//! Records that only someone else may change, and their owners.

/// The reason why a live record cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadOnly {
    /// `meta.read_only`: a Cloudflare product owns it.
    ReadOnly,
    /// `meta.email_routing`: written by Email Routing.
    EmailRouting,
    /// `meta.managed_by_apps`: a Cloudflare app owns it.
    Apps,
    /// `meta.managed_by_argo_tunnel`; in older answers `managed_by_edge_tunnel`.
    Tunnel,
    /// `meta.auto_added`: found by Cloudflare's scan when the zone was added.
    AutoAdded,
    /// `locked`: Cloudflare refuses changes.
    Locked,
    /// A name server of the zone itself, which Cloudflare maintains.
    ZoneNameServer,
    /// A name outside the zone, for any reason. A change to such a record could not be undone here.
    OtherZone,
}

impl ReadOnly {
    /// Returns the owner as text for use after "managed by".
    #[must_use]
    pub fn owner(self) -> &'static str {
        match self {
            Self::ReadOnly => "Cloudflare (read-only)",
            Self::EmailRouting => "Email Routing",
            Self::Apps => "an app",
            Self::Tunnel => "a tunnel",
            Self::AutoAdded => "Cloudflare's scan (auto-added)",
            Self::Locked => "Cloudflare (locked)",
            Self::ZoneNameServer => "Cloudflare (name server of the zone)",
            Self::OtherZone => "another zone (its name is not in this one)",
        }
    }
}
