//! The settings and states of a zone that affect its answers, as far as they are known.
//!
//! Settings that were not read are `None`. An answer that depends on one assumes Cloudflare's
//! default, and [`Answer::unseen`](super::Answer::unseen) reports that.
//!
//! # Sources
//! developers.cloudflare.com, read 2026-11: dns/foundation-dns/setup (wildcards and empty
//! non-terminals), dns/cname-flattening/set-up-cname-flattening, dns/nameservers/nameserver-options
//! (multi-provider), dns/zone-setups/reference/domain-status, dns/zone-setups/partial-setup,
//! dns/manage-dns-records/reference/ttl, fundamentals/manage-domains/pause-cloudflare.

use std::collections::BTreeMap;

use super::caching::NEGATIVE_TTL;
use crate::model::{DesiredSettings, DesiredZone, LiveSetting, LiveZone, Value};

/// The reason why resolvers do not get the answers of a zone, or not all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// The registrar does not name Cloudflare's name servers yet.
    Pending,
    /// The registrar now names other name servers.
    Moved,
    /// Other name servers answer, and point some names at Cloudflare.
    Partial,
}

impl Hindrance {
    /// Returns the hindrance of a live zone.
    fn of_live(live: &LiveZone) -> Option<Self> {
        match () {
            () if live.is_inactive() => Some(Self::Pending),
            () if live.is_moved() => Some(Self::Moved),
            () if live.is_partial() => Some(Self::Partial),
            () => None,
        }
    }

    /// Describes the hindrance in words that follow the name of the zone.
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

/// The settings and states of a zone that affect its answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Serving {
    /// True if a wildcard does not cover names below an empty non-terminal, as RFC 4592 section
    /// 2.2.2 says. Cloudflare's standard name servers let it cover them, and the advanced ones do
    /// not.
    pub stops_at_empty: Option<bool>,
    /// True if every DNS-only CNAME is answered with addresses. At the apex it always is.
    pub flattens_all: Option<bool>,
    /// True if proxied names have IPv6 addresses.
    pub ipv6: Option<bool>,
    /// True if NS records at the apex are served beside Cloudflare's own.
    pub multi_provider: Option<bool>,
    /// True if the zone is signed, or will be.
    pub dnssec: Option<bool>,
    /// Seconds for which resolvers may cache "no such name"; `None` if the SOA settings were not
    /// read.
    pub negative_ttl: Option<u32>,
    /// True if proxied records are answered with their own values, because the zone is in DNS-only
    /// mode.
    pub never_proxies: Option<bool>,
    /// True if someone paused the zone, so that proxied records are answered with their own values.
    pub is_paused: bool,
    /// The reason why resolvers get other answers than those of the zone; `None` if they get these.
    pub hindrance: Option<Hindrance>,
    /// True if this is a plain zone as in RFC 1034, without Cloudflare's additions: no proxy, no
    /// flattening.
    pub is_plain: bool,
}

impl Serving {
    /// Returns true if a setting flattens a DNS-only alias with this value of `flatten_cname`. At
    /// the apex, aliases are flattened without any setting.
    #[must_use]
    pub fn flattens(&self, flatten_cname: Option<bool>) -> bool {
        !self.is_plain && (self.flattens_all == Some(true) || flatten_cname == Some(true))
    }

    /// Returns a plain zone, as any name server serves it.
    #[must_use]
    pub fn plain() -> Self {
        Self { stops_at_empty: Some(true), is_plain: true, ..Self::default() }
    }

    /// Returns the serving of a live zone.
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

    /// Returns the serving of a zone of a spec. Settings that the spec does not have are unknown.
    #[must_use]
    pub fn of_spec(zone: &DesiredZone) -> Self {
        Self::default().with(&zone.settings)
    }

    /// Applies the settings of a spec.
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

    /// Applies these members of the DNS settings.
    #[must_use]
    pub fn with_members(mut self, members: &BTreeMap<String, Value>) -> Self {
        for (name, value) in members {
            self.set(name, value);
        }
        self
    }

    /// Applies one member of the DNS settings.
    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "flatten_all_cnames" => self.flattens_all = is_on(value),
            "multi_provider" => self.multi_provider = is_on(value),
            "foundation_dns" => self.stops_at_empty = is_on(value),
            "zone_mode" => self.never_proxies = Some(value.to_string() == "dns_only"),
            "nameservers" => {
                if let Some(kind) = object_member(value, "type") {
                    self.stops_at_empty = Some(kind.to_string() == "cloudflare.advanced");
                }
            }
            "soa" => {
                if let Some(Value::Integer(seconds)) = object_member(value, "min_ttl") {
                    self.negative_ttl = u32::try_from(*seconds).ok();
                }
            }
            _ => {}
        }
    }

    /// Returns the seconds for which resolvers may cache "no such name".
    #[must_use]
    pub fn negative_seconds(&self) -> u32 {
        self.negative_ttl.unwrap_or(NEGATIVE_TTL)
    }

    /// Returns true if proxied records are answered with Cloudflare's edge.
    #[must_use]
    pub fn proxies(&self) -> bool {
        !self.is_plain && !self.is_paused && self.never_proxies != Some(true)
    }
}

/// Returns true if a setting is on; `None` for any other value.
fn is_on(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Text(word) if word == "on" => Some(true),
        Value::Text(word) if word == "off" => Some(false),
        _ => None,
    }
}

/// Returns a member of an object.
fn object_member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Map(members) => members.get(name),
        _ => None,
    }
}
