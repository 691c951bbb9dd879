//! How a zone is served: the settings and states that decide about answers, as far as they are
//! known.
//!
//! What was not read is `None`. An answer that depends on it takes Cloudflare's default, and
//! [`Answer::unseen`](super::Answer::unseen) says so.
//!
//! # Sources
//! developers.cloudflare.com, read 2026-11: dns/foundation-dns/setup (wildcards and empty
//! non-terminals), dns/cname-flattening/set-up-cname-flattening, dns/nameservers/nameserver-options
//! (multi-provider), dns/zone-setups/reference/domain-status, dns/zone-setups/partial-setup,
//! dns/manage-dns-records/reference/ttl, fundamentals/manage-domains/pause-cloudflare.

use std::collections::BTreeMap;

use super::caching::NEGATIVE_TTL;
use crate::model::{DesiredSettings, DesiredZone, LiveSetting, LiveZone, Value};

/// Why the answers that follow from a zone do not reach the world, or not all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// The registrar does not name Cloudflare's name servers yet.
    Pending,
    /// The registrar names other name servers by now.
    Moved,
    /// Other name servers answer, and point some names at Cloudflare.
    Partial,
}

impl Hindrance {
    /// That of a live zone.
    fn of_live(live: &LiveZone) -> Option<Self> {
        match () {
            () if live.is_inactive() => Some(Self::Pending),
            () if live.is_moved() => Some(Self::Moved),
            () if live.is_partial() => Some(Self::Partial),
            () => None,
        }
    }

    /// In words that follow the name of the zone.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Pending => "is pending: Cloudflare does not serve it yet",
            Self::Moved => {
                "has moved: the registrar names other name servers, so resolvers do not ask Cloudflare"
            }
            Self::Partial => {
                "is partial: other name servers answer for it, and only the names that they point at Cloudflare are answered like this"
            }
        }
    }
}

/// How a zone is served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Serving {
    /// Whether a wildcard stops at an empty non-terminal, as RFC 4592 section 2.2.2 says.
    /// Cloudflare's standard name servers let it cover such a name; the advanced ones do not.
    pub stops_at_empty: Option<bool>,
    /// Whether every DNS-only CNAME is answered with addresses. At the apex it always is.
    pub flattens_all: Option<bool>,
    /// Whether proxied names have IPv6 addresses.
    pub ipv6: Option<bool>,
    /// Whether NS records at the apex are served beside Cloudflare's own.
    pub multi_provider: Option<bool>,
    /// Whether the zone is signed, or will be.
    pub dnssec: Option<bool>,
    /// Seconds that "no such name" may be kept; `None` if the SOA settings were not read.
    pub negative_ttl: Option<u32>,
    /// Whether proxied records are answered with what they say: the zone is in DNS-only mode.
    pub never_proxies: Option<bool>,
    /// Whether someone paused the zone, so that proxied records are answered with what they say.
    pub is_paused: bool,
    /// Why other answers reach the world than those that follow from the zone; `None` if they do.
    pub hindrance: Option<Hindrance>,
    /// Whether this is a plain zone as of RFC 1034, without anything that Cloudflare adds: no
    /// proxy, no flattening.
    pub is_plain: bool,
}

impl Serving {
    /// A plain zone, as any name server serves it.
    #[must_use]
    pub fn plain() -> Self {
        Self { stops_at_empty: Some(true), is_plain: true, ..Self::default() }
    }

    /// How a live zone is served.
    #[must_use]
    pub fn of_live(live: &LiveZone) -> Self {
        let settings = &live.settings;
        let ipv6 = match settings.settings.get("ipv6") {
            Some(LiveSetting::Value { value, .. }) => is_on(value),
            Some(LiveSetting::Refused(_)) | None => None,
        };
        let mut serving = Self {
            ipv6,
            dnssec: settings.dnssec.as_ref().map(crate::model::LiveDnssec::is_on),
            is_paused: live.is_paused,
            hindrance: Hindrance::of_live(live),
            ..Self::default()
        };
        for (name, value) in &settings.dns_settings {
            serving.set(name, value);
        }
        serving
    }

    /// How a zone of a spec is served; what the spec does not set is unknown.
    #[must_use]
    pub fn of_spec(zone: &DesiredZone) -> Self {
        Self::default().with(&zone.settings)
    }

    /// The same zone once the settings of a spec are applied.
    #[must_use]
    pub fn with(mut self, wanted: &DesiredSettings) -> Self {
        if let Some((value, _)) = wanted.settings.get("ipv6") {
            self.ipv6 = is_on(value).or(self.ipv6);
        }
        self.dnssec = wanted.dnssec.map(|(on, _)| on).or(self.dnssec);
        for (name, (value, _)) in &wanted.dns_settings {
            self.set(name, value);
        }
        self
    }

    /// The same zone once these members of its DNS settings are applied.
    #[must_use]
    pub fn with_members(mut self, members: &BTreeMap<String, Value>) -> Self {
        for (name, value) in members {
            self.set(name, value);
        }
        self
    }

    /// Takes over one member of the DNS settings.
    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "flatten_all_cnames" => self.flattens_all = is_on(value),
            "multi_provider" => self.multi_provider = is_on(value),
            "foundation_dns" => self.stops_at_empty = is_on(value),
            "zone_mode" => self.never_proxies = Some(value.to_string() == "dns_only"),
            "nameservers" => {
                if let Some(kind) = member(value, "type") {
                    self.stops_at_empty = Some(kind.to_string() == "cloudflare.advanced");
                }
            }
            "soa" => {
                if let Some(Value::Integer(seconds)) = member(value, "min_ttl") {
                    self.negative_ttl = u32::try_from(*seconds).ok();
                }
            }
            _ => {}
        }
    }

    /// Seconds that "no such name" may be kept.
    #[must_use]
    pub fn negative_seconds(&self) -> u32 {
        self.negative_ttl.unwrap_or(NEGATIVE_TTL)
    }

    /// Whether proxied records are answered with Cloudflare's edge.
    #[must_use]
    pub fn proxies(&self) -> bool {
        !self.is_plain && !self.is_paused && self.never_proxies != Some(true)
    }
}

/// Whether a setting is on; `None` for a value that does not say.
fn is_on(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Text(word) if word == "on" => Some(true),
        Value::Text(word) if word == "off" => Some(false),
        _ => None,
    }
}

/// A member of an object.
fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Map(members) => members.get(name),
        _ => None,
    }
}
