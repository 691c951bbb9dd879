//! The permissions of API tokens that this program needs or mentions, with Cloudflare's names.
//!
//! # Sources
//! Names: developers.cloudflare.com/fundamentals/api/reference/permissions, whose tab for the
//! dashboard says `Edit` where the tab for the API says `Write`. `Edit` includes reading:
//! …/fundamentals/api/get-started/create-token. Both read 2026-11.

/// The kind of resource that a permission is granted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum PermissionScope {
    Zone,
    Account,
}

/// A permission without its access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of Cloudflare's documentation")]
pub enum PermissionGroup {
    /// Zones themselves.
    Zone,
    /// Records and DNSSEC.
    Dns,
    ZoneSettings,
    ZoneDnsSettings,
    /// Managed rules, custom rules and rate limits of zones.
    ZoneWaf,
    CacheRules,
    DynamicUrlRedirects,
    OriginRules,
    ZoneTransformRules,
    /// Configuration rules.
    ConfigRules,
    AccountRulesets,
    AccountFilterLists,
    /// Overrides of the HTTP DDoS attack protection.
    HttpDdosManagedRuleset,
    CustomErrorRules,
    /// Compression rules.
    ResponseCompression,
    /// URL normalization.
    Sanitize,
    /// Logs and their fields.
    Logs,
    PageRules,
    /// IP access rules, zone lockdown and user agent blocking.
    FirewallServices,
    /// Bot settings.
    BotManagement,
    WorkersRoutes,
    /// Snippets and their rules.
    Snippets,
    LoadBalancers,
    WaitingRooms,
    /// Certificates and custom hostnames.
    SslAndCertificates,
    EmailRoutingRules,
    /// Managed transforms.
    ManagedHeaders,
}

/// The access that a permission gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PermissionAccess {
    /// Read access.
    Read,
    /// Read and write access.
    Edit,
}

impl PermissionGroup {
    /// All groups.
    pub const ALL: &'static [Self] = &[
        Self::Zone,
        Self::Dns,
        Self::ZoneSettings,
        Self::ZoneDnsSettings,
        Self::ZoneWaf,
        Self::CacheRules,
        Self::DynamicUrlRedirects,
        Self::OriginRules,
        Self::ZoneTransformRules,
        Self::ConfigRules,
        Self::AccountRulesets,
        Self::AccountFilterLists,
        Self::HttpDdosManagedRuleset,
        Self::CustomErrorRules,
        Self::ResponseCompression,
        Self::Sanitize,
        Self::Logs,
        Self::PageRules,
        Self::FirewallServices,
        Self::BotManagement,
        Self::WorkersRoutes,
        Self::Snippets,
        Self::LoadBalancers,
        Self::WaitingRooms,
        Self::SslAndCertificates,
        Self::EmailRoutingRules,
        Self::ManagedHeaders,
    ];

    /// Returns Cloudflare's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Zone => "Zone",
            Self::Dns => "DNS",
            Self::ZoneSettings => "Zone Settings",
            Self::ZoneDnsSettings => "Zone DNS Settings",
            Self::ZoneWaf => "Zone WAF",
            Self::CacheRules => "Cache Rules",
            Self::DynamicUrlRedirects => "Dynamic URL Redirects",
            Self::OriginRules => "Origin Rules",
            Self::ZoneTransformRules => "Zone Transform Rules",
            Self::ConfigRules => "Config Rules",
            Self::AccountRulesets => "Account Rulesets",
            Self::AccountFilterLists => "Account Filter Lists",
            Self::HttpDdosManagedRuleset => "HTTP DDoS Managed Ruleset",
            Self::CustomErrorRules => "Custom Error Rules",
            Self::ResponseCompression => "Response Compression",
            Self::Sanitize => "Sanitize",
            Self::Logs => "Logs",
            Self::PageRules => "Page Rules",
            Self::FirewallServices => "Firewall Services",
            Self::BotManagement => "Bot Management",
            Self::WorkersRoutes => "Workers Routes",
            Self::Snippets => "Snippets",
            Self::LoadBalancers => "Load Balancers",
            Self::WaitingRooms => "Waiting Rooms",
            Self::SslAndCertificates => "SSL and Certificates",
            Self::EmailRoutingRules => "Email Routing Rules",
            Self::ManagedHeaders => "Managed Headers",
        }
    }

    /// Returns the kind of resource that the permission is granted for.
    #[must_use]
    pub fn scope(self) -> PermissionScope {
        match self {
            Self::AccountRulesets | Self::AccountFilterLists => PermissionScope::Account,
            _ => PermissionScope::Zone,
        }
    }
}

/// A permission with its access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permission {
    /// Resource that the permission opens.
    pub group: PermissionGroup,
    /// Reading alone, or changes too.
    pub access: PermissionAccess,
}

impl Permission {
    /// Creates a permission to read.
    #[must_use]
    pub const fn read(group: PermissionGroup) -> Self {
        Self { group, access: PermissionAccess::Read }
    }

    /// Creates a permission to read and write.
    #[must_use]
    pub const fn edit(group: PermissionGroup) -> Self {
        Self { group, access: PermissionAccess::Edit }
    }

    /// Returns its name in the API's reference, such as `DNS Write`.
    #[must_use]
    pub fn api_name(self) -> String {
        let access = match self.access {
            PermissionAccess::Read => "Read",
            PermissionAccess::Edit => "Write",
        };
        format!("{} {access}", self.group.name())
    }

    /// Returns its name in the dashboard, such as `Zone > DNS > Edit`.
    #[must_use]
    pub fn dashboard_name(self) -> String {
        let scope = match self.group.scope() {
            PermissionScope::Zone => "Zone",
            PermissionScope::Account => "Account",
        };
        let access = match self.access {
            PermissionAccess::Read => "Read",
            PermissionAccess::Edit => "Edit",
        };
        format!("{scope} > {} > {access}", self.group.name())
    }
}
