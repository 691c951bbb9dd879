//! The catalogue of what a zone can hold that acts on DNS or on requests.
//!
//! # Sources
//! Paths, members and permissions: developers.cloudflare.com/api, the page of each list, and
//! …/fundamentals/api/reference/permissions, read 2026-11-26. The values that a zone has without a change are those of the same pages;
//! where a page has none, the value that turns the thing off.

use super::fact_value::FactValue;
use super::permissions::PermissionGroup;

/// A kind of thing that a zone can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceFacts {
    /// What it is called, in the plural.
    pub about: &'static str,
    /// The path below the zone that reads it.
    pub path: &'static str,
    /// The permission for it.
    pub permission: PermissionGroup,
    /// The key of a zone in a spec that manages it.
    pub managed_by: Option<&'static str>,
    /// What a read shows.
    pub shows: ResourceAnswer,
}

/// What a read of a resource shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceAnswer {
    /// A list or an object that has a reader of its own, because a spec manages it.
    Managed,
    /// A list of things that act, apart from those whose member has this value.
    List {
        /// The member and its value in things that do not act.
        idle: Option<(&'static str, FactValue)>,
    },
    /// An object that every zone has.
    Object {
        /// The members with the values that they have without a change.
        usual: &'static [(&'static str, FactValue)],
        /// Members that say nothing about requests.
        ignored: &'static [&'static str],
    },
}

impl ResourceFacts {
    /// A kind that a spec manages.
    const fn managed(key: &'static str, about: &'static str, path: &'static str, permission: PermissionGroup) -> Self {
        Self { about, path, permission, managed_by: Some(key), shows: ResourceAnswer::Managed }
    }

    /// A list that no spec manages.
    const fn list(about: &'static str, path: &'static str, permission: PermissionGroup) -> Self {
        Self { about, path, permission, managed_by: None, shows: ResourceAnswer::List { idle: None } }
    }

    /// The same list, in which things with this value do not act.
    const fn idle_if(self, member: &'static str, value: FactValue) -> Self {
        Self { shows: ResourceAnswer::List { idle: Some((member, value)) }, ..self }
    }

    /// An object that no spec manages.
    const fn object(
        about: &'static str,
        path: &'static str,
        permission: PermissionGroup,
        usual: &'static [(&'static str, FactValue)],
        ignored: &'static [&'static str],
    ) -> Self {
        Self { about, path, permission, managed_by: None, shows: ResourceAnswer::Object { usual, ignored } }
    }
}

/// The records of a zone.
pub const RECORDS: ResourceFacts = ResourceFacts::managed("records", "records", "dns_records", PermissionGroup::Dns);
/// The settings of a zone, all at once: until 2027-03-31 (developers.cloudflare.com, fundamentals/api/reference/deprecations, read
/// 2026-11-26).
pub const SETTINGS: ResourceFacts =
    ResourceFacts::managed("settings", "settings", "settings", PermissionGroup::ZoneSettings);
/// DNSSEC of a zone.
pub const DNSSEC: ResourceFacts = ResourceFacts::managed("dnssec", "DNSSEC", "dnssec", PermissionGroup::Dns);
/// The DNS settings of a zone.
pub const DNS_SETTINGS: ResourceFacts =
    ResourceFacts::managed("dns_settings", "DNS settings", "dns_settings", PermissionGroup::ZoneDnsSettings);
/// The rulesets of a zone, without their rules. A spec manages the phases of [`super::phases::Phase`].
pub const RULESETS: ResourceFacts = ResourceFacts::managed("waf", "rules", "rulesets", PermissionGroup::ZoneWaf);

/// What a zone can hold and no spec manages, in the order in which it is looked at.
pub const UNMANAGED: &[ResourceFacts] = &[
    ResourceFacts::list("page rules", "pagerules", PermissionGroup::PageRules)
        .idle_if("status", FactValue::Word("disabled")),
    ResourceFacts::list("IP access rules", "firewall/access_rules/rules", PermissionGroup::FirewallServices),
    ResourceFacts::object(
        "bot settings",
        "bot_management",
        PermissionGroup::BotManagement,
        &[
            ("fight_mode", FactValue::Switch(false)),
            ("enable_js", FactValue::Switch(false)),
            ("ai_bots_protection", FactValue::Word("disabled")),
            ("crawler_protection", FactValue::Word("disabled")),
            ("content_bots_protection", FactValue::Word("disabled")),
            ("sbfm_definitely_automated", FactValue::Word("allow")),
            ("sbfm_likely_automated", FactValue::Word("allow")),
            ("sbfm_verified_bots", FactValue::Word("allow")),
        ],
        &["using_latest_model", "auto_update_model", "stale_zone_configuration", "bm_cookie_enabled"],
    ),
    ResourceFacts::list("zone lockdown rules", "firewall/lockdowns", PermissionGroup::FirewallServices)
        .idle_if("paused", FactValue::Switch(true)),
    ResourceFacts::list("user agent blocking rules", "firewall/ua_rules", PermissionGroup::FirewallServices)
        .idle_if("paused", FactValue::Switch(true)),
    ResourceFacts::list("Workers routes", "workers/routes", PermissionGroup::WorkersRoutes),
    ResourceFacts::list("Snippet rules", "snippets/snippet_rules", PermissionGroup::Snippets)
        .idle_if("enabled", FactValue::Switch(false)),
    ResourceFacts::list("load balancers", "load_balancers", PermissionGroup::LoadBalancers)
        .idle_if("enabled", FactValue::Switch(false)),
    ResourceFacts::list("waiting rooms", "waiting_rooms", PermissionGroup::WaitingRooms)
        .idle_if("suspended", FactValue::Switch(true)),
    ResourceFacts::list("email routing rules", "email/routing/rules", PermissionGroup::EmailRoutingRules)
        .idle_if("enabled", FactValue::Switch(false)),
    ResourceFacts::list("custom hostnames", "custom_hostnames", PermissionGroup::SslAndCertificates),
    ResourceFacts::object("managed transforms", "managed_headers", PermissionGroup::ManagedHeaders, &[], &[]),
    ResourceFacts::object(
        "URL normalization",
        "url_normalization",
        PermissionGroup::Sanitize,
        &[("type", FactValue::Word("cloudflare")), ("scope", FactValue::Word("incoming"))],
        &[],
    ),
    ResourceFacts::object(
        "tiered cache",
        "argo/tiered_caching",
        PermissionGroup::ZoneSettings,
        &[("value", FactValue::Word("off"))],
        &["id", "editable", "modified_on"],
    ),
    ResourceFacts::object(
        "universal SSL",
        "ssl/universal/settings",
        PermissionGroup::SslAndCertificates,
        &[("enabled", FactValue::Switch(true))],
        &["certificate_authority"],
    ),
    ResourceFacts::object(
        "leaked credential checks",
        "leaked-credential-checks",
        PermissionGroup::ZoneWaf,
        &[("enabled", FactValue::Switch(false))],
        &[],
    ),
];

/// The resource of a path below a zone, if no spec manages it.
#[must_use]
pub fn unmanaged(path: &str) -> Option<&'static ResourceFacts> {
    UNMANAGED.iter().find(|resource| resource.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_listed_once() {
        let managed = [RECORDS, SETTINGS, DNSSEC, DNS_SETTINGS, RULESETS];
        let mut paths: Vec<&str> = UNMANAGED.iter().chain(&managed).map(|resource| resource.path).collect();
        paths.sort_unstable();
        assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
        assert!(UNMANAGED.iter().all(|resource| resource.managed_by.is_none()));
    }
}
