//! The catalogue of the resources of a zone that affect DNS or requests.
//!
//! # Sources
//! Paths, members and permissions: developers.cloudflare.com/api, the page of each list, and
//! …/fundamentals/api/reference/permissions, read 2026-11-26. Default values are those of the same
//! pages; if a page has none, the default is the value that disables the resource. Resources of
//! Terraform: developers.cloudflare.com/api/terraform and
//! registry.terraform.io/providers/cloudflare/cloudflare, documentation of 4.52 and 5.x, read
//! 2026-11-26.

use super::fact_value::FactValue;
use super::permissions::PermissionGroup;

/// A kind of resource in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceFacts {
    /// Its name, in the plural.
    pub about: &'static str,
    /// The path below the zone that reads it.
    pub path: &'static str,
    /// The permission that a read needs.
    pub permission: PermissionGroup,
    /// The key of a zone in a spec that manages it.
    pub managed_by: Option<&'static str>,
    /// The form of the answer to a read.
    pub shows: ResourceAnswer,
    /// The resources of Terraform's provider that create it, in versions 4 and 5.
    pub terraform: &'static [&'static str],
}

/// The form of the answer to a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceAnswer {
    /// A list or an object with a reader of its own, because a spec manages it.
    Managed,
    /// A list of items. Items whose member has the value `idle` have no effect.
    List {
        /// The member and its value in items without effect.
        idle: Option<(&'static str, FactValue)>,
    },
    /// An object that every zone has.
    Object {
        /// The members with their default values.
        usual: &'static [(&'static str, FactValue)],
        /// Members that have no effect on requests.
        ignored: &'static [&'static str],
    },
}

impl ResourceFacts {
    /// Returns a kind that a spec manages.
    const fn managed(
        key: &'static str,
        about: &'static str,
        path: &'static str,
        permission: PermissionGroup,
    ) -> Self {
        Self {
            about,
            path,
            permission,
            managed_by: Some(key),
            shows: ResourceAnswer::Managed,
            terraform: &[],
        }
    }

    /// Returns a list that no spec manages.
    const fn list(about: &'static str, path: &'static str, permission: PermissionGroup) -> Self {
        let shows = ResourceAnswer::List { idle: None };
        Self { about, path, permission, managed_by: None, shows, terraform: &[] }
    }

    /// Marks items with this value as items without effect.
    const fn idle_if(self, member: &'static str, value: FactValue) -> Self {
        Self { shows: ResourceAnswer::List { idle: Some((member, value)) }, ..self }
    }

    /// Returns an object that no spec manages.
    const fn object(
        about: &'static str,
        path: &'static str,
        permission: PermissionGroup,
        usual: &'static [(&'static str, FactValue)],
        ignored: &'static [&'static str],
    ) -> Self {
        let shows = ResourceAnswer::Object { usual, ignored };
        Self { about, path, permission, managed_by: None, shows, terraform: &[] }
    }

    /// Sets the resources of Terraform's provider that create it.
    const fn made_by(self, terraform: &'static [&'static str]) -> Self {
        Self { terraform, ..self }
    }
}

/// The records of a zone.
pub const RECORDS: ResourceFacts =
    ResourceFacts::managed("records", "records", "dns_records", PermissionGroup::Dns);
/// The settings of a zone, all at once. Available until 2027-03-31 (developers.cloudflare.com,
/// fundamentals/api/reference/deprecations, read 2026-11-26).
pub const SETTINGS: ResourceFacts =
    ResourceFacts::managed("settings", "settings", "settings", PermissionGroup::ZoneSettings);
/// DNSSEC of a zone.
pub const DNSSEC: ResourceFacts =
    ResourceFacts::managed("dnssec", "DNSSEC", "dnssec", PermissionGroup::Dns);
/// The DNS settings of a zone.
pub const DNS_SETTINGS: ResourceFacts = ResourceFacts::managed(
    "dns_settings",
    "DNS settings",
    "dns_settings",
    PermissionGroup::ZoneDnsSettings,
);
/// The rulesets of a zone, without their rules. A spec manages the phases of
/// [`super::phases::Phase`].
pub const RULESETS: ResourceFacts =
    ResourceFacts::managed("waf", "rules", "rulesets", PermissionGroup::ZoneWaf);

/// The resources of a zone that no spec manages, in the order of reading.
pub const UNMANAGED: &[ResourceFacts] = &[
    ResourceFacts::list("page rules", "pagerules", PermissionGroup::PageRules)
        .idle_if("status", FactValue::Word("disabled"))
        .made_by(&["cloudflare_page_rule"]),
    ResourceFacts::list(
        "IP access rules",
        "firewall/access_rules/rules",
        PermissionGroup::FirewallServices,
    )
    .made_by(&["cloudflare_access_rule"]),
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
        &[
            "using_latest_model",
            "auto_update_model",
            "stale_zone_configuration",
            "bm_cookie_enabled",
        ],
    )
    .made_by(&["cloudflare_bot_management"]),
    ResourceFacts::list(
        "zone lockdown rules",
        "firewall/lockdowns",
        PermissionGroup::FirewallServices,
    )
    .idle_if("paused", FactValue::Switch(true))
    .made_by(&["cloudflare_zone_lockdown"]),
    ResourceFacts::list(
        "user agent blocking rules",
        "firewall/ua_rules",
        PermissionGroup::FirewallServices,
    )
    .idle_if("paused", FactValue::Switch(true))
    .made_by(&["cloudflare_user_agent_blocking_rule", "cloudflare_user_agent_blocking_rules"]),
    ResourceFacts::list("Workers routes", "workers/routes", PermissionGroup::WorkersRoutes)
        .made_by(&["cloudflare_worker_route", "cloudflare_workers_route"]),
    ResourceFacts::list("Snippet rules", "snippets/snippet_rules", PermissionGroup::Snippets)
        .idle_if("enabled", FactValue::Switch(false))
        .made_by(&["cloudflare_snippet_rules"]),
    ResourceFacts::list("load balancers", "load_balancers", PermissionGroup::LoadBalancers)
        .idle_if("enabled", FactValue::Switch(false))
        .made_by(&["cloudflare_load_balancer"]),
    ResourceFacts::list("waiting rooms", "waiting_rooms", PermissionGroup::WaitingRooms)
        .idle_if("suspended", FactValue::Switch(true))
        .made_by(&["cloudflare_waiting_room"]),
    ResourceFacts::list(
        "email routing rules",
        "email/routing/rules",
        PermissionGroup::EmailRoutingRules,
    )
    .idle_if("enabled", FactValue::Switch(false))
    .made_by(&["cloudflare_email_routing_rule", "cloudflare_email_routing_catch_all"]),
    ResourceFacts::list(
        "custom hostnames",
        "custom_hostnames",
        PermissionGroup::SslAndCertificates,
    )
    .made_by(&["cloudflare_custom_hostname"]),
    ResourceFacts::object(
        "managed transforms",
        "managed_headers",
        PermissionGroup::ManagedHeaders,
        &[],
        &[],
    )
    .made_by(&["cloudflare_managed_headers", "cloudflare_managed_transforms"]),
    ResourceFacts::object(
        "URL normalization",
        "url_normalization",
        PermissionGroup::Sanitize,
        &[("type", FactValue::Word("cloudflare")), ("scope", FactValue::Word("incoming"))],
        &[],
    )
    .made_by(&["cloudflare_url_normalization_settings"]),
    ResourceFacts::object(
        "tiered cache",
        "argo/tiered_caching",
        PermissionGroup::ZoneSettings,
        &[("value", FactValue::Word("off"))],
        &["id", "editable", "modified_on"],
    )
    .made_by(&["cloudflare_tiered_cache", "cloudflare_argo_tiered_caching"]),
    ResourceFacts::object(
        "universal SSL",
        "ssl/universal/settings",
        PermissionGroup::SslAndCertificates,
        &[("enabled", FactValue::Switch(true))],
        &["certificate_authority"],
    )
    .made_by(&["cloudflare_universal_ssl_setting"]),
    ResourceFacts::object(
        "leaked credential checks",
        "leaked-credential-checks",
        PermissionGroup::ZoneWaf,
        &[("enabled", FactValue::Switch(false))],
        &[],
    )
    .made_by(&["cloudflare_leaked_credential_check"]),
];

/// Returns the resource at a path below a zone, if no spec manages it.
#[must_use]
pub fn unmanaged(path: &str) -> Option<&'static ResourceFacts> {
    UNMANAGED.iter().find(|resource| resource.path == path)
}

/// Returns the resource that a resource type of Terraform's provider creates, if no spec manages
/// it.
#[must_use]
pub fn made_by_terraform(kind: &str) -> Option<&'static ResourceFacts> {
    UNMANAGED.iter().find(|resource| resource.terraform.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_listed_once() {
        let managed = [RECORDS, SETTINGS, DNSSEC, DNS_SETTINGS, RULESETS];
        let mut paths: Vec<&str> =
            UNMANAGED.iter().chain(&managed).map(|resource| resource.path).collect();
        paths.sort_unstable();
        assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
        assert!(
            UNMANAGED
                .iter()
                .all(|resource| resource.managed_by.is_none() && !resource.terraform.is_empty())
        );
        let mut kinds: Vec<&str> =
            UNMANAGED.iter().flat_map(|resource| resource.terraform).copied().collect();
        kinds.sort_unstable();
        assert!(kinds.windows(2).all(|pair| pair[0] != pair[1]), "{kinds:?}");
    }
}
