//! The permissions of credentials, as JSON.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::FORMAT;
use crate::model::facts::permissions::{self, PermissionAccess};

/// The permissions of credentials, and those that a spec needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Doctor {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: DoctorKind,
    /// The verdict on the credentials.
    pub verdict: Sufficiency,
    /// The connection to Cloudflare.
    pub connection: Connection,
    /// The credentials.
    pub credentials: Credentials,
    /// The zones that were examined.
    pub zones: Vec<Zone>,
    /// Zones of the spec that Cloudflare does not have, or does not show to these credentials.
    pub missing_zones: Vec<String>,
    /// Zones of these credentials that were not examined, because there are many.
    pub zones_left_out: u64,
    /// The accounts of these zones.
    pub accounts: Vec<Account>,
    /// The permissions of the smallest token with which the spec can be applied; empty without a
    /// spec.
    pub smallest_token: Vec<Permission>,
    /// The managed rulesets that `waf.lock` has.
    pub managed_rulesets: Vec<ManagedRuleset>,
    /// The spec; `null` without one.
    pub spec: Option<Spec>,
    /// The requests of the command.
    pub requests: Requests,
}

/// The kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum DoctorKind {
    /// The permissions of credentials.
    Doctor,
}

/// A verdict on credentials for a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Sufficiency {
    /// Everything that is needed is allowed.
    Sufficient,
    /// Nothing that is needed is refused, and reading cannot show the rest.
    Unknown,
    /// Something that is needed is refused.
    Insufficient,
}

/// The connection.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Connection {
    /// The host, with its port if it is not the default.
    pub host: String,
    /// The proxy, without its credentials; `null` if there is none.
    pub proxy: Option<String>,
    /// Seconds by which Cloudflare's clock is ahead of this machine's; `null` if no answer had a
    /// date.
    #[serde(rename = "clock_offset_seconds")]
    #[schemars(with = "Option<i64>")]
    pub clock: Clock,
    /// The limits that Cloudflare reported.
    pub rate_limits: Vec<RateLimit>,
}

/// Seconds by which Cloudflare's clock is ahead of this machine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// No answer had a date.
    #[default]
    Unknown,
    /// The difference is tolerated.
    Agrees(i64),
    /// The difference is not tolerated.
    Differs(i64),
}

impl Serialize for Clock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => serializer.serialize_none(),
            Self::Agrees(seconds) | Self::Differs(seconds) => serializer.serialize_some(seconds),
        }
    }
}

/// A limit that Cloudflare reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RateLimit {
    /// Cloudflare's name for it.
    pub name: String,
    /// Remaining requests.
    pub remaining: Option<u64>,
    /// Seconds until the limit is reset.
    pub reset_seconds: Option<u64>,
    /// Requests in a window.
    pub quota: Option<u64>,
    /// Length of the window.
    pub window_seconds: Option<u64>,
}

/// The credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Credentials {
    /// The owner.
    pub owner: Owner,
    /// `active`, `disabled`, `expired`, or another word of Cloudflare; `null` if it does not say.
    pub status: Option<String>,
    /// The start of the token's validity.
    pub not_before: Option<String>,
    /// When the token expires; `null` if never.
    pub expires_on: Option<String>,
    /// The reason why its state is unknown.
    pub why: Option<String>,
}

impl Credentials {
    /// Returns true if Cloudflare says that they can be used; `None` if it does not say.
    #[must_use]
    pub fn is_active(&self) -> Option<bool> {
        self.status.as_deref().map(|status| status == "active")
    }
}

/// The owner of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Owner {
    /// The token of a user.
    User,
    /// The token of an account.
    Account,
    /// A token of an unknown owner.
    Unknown,
    /// The global API key of a user.
    GlobalKey,
}

/// A zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// `active`, `pending`, or another word of Cloudflare; `null` if it was not read.
    pub status: Option<String>,
    /// Its plan; `null` if it was not read.
    pub plan: Option<String>,
    /// Number of records; `null` if Cloudflare does not say.
    pub records: Option<u64>,
    /// Maximum number of records; `null` if Cloudflare does not say.
    pub record_quota: Option<u64>,
    /// Maximum number of record changes in one request.
    pub batch_size: u64,
    /// Allowed accesses, by kind.
    pub checks: Vec<Check>,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Account {
    /// Its id.
    pub id: String,
    /// Allowed accesses, by kind.
    pub checks: Vec<Check>,
}

/// A kind of object with a permission of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum What {
    /// Zones themselves.
    Zone,
    /// Records.
    Records,
    /// DNSSEC.
    Dnssec,
    /// Zone settings.
    Settings,
    /// DNS settings.
    DnsSettings,
    /// Managed rules, custom rules and rate limits.
    Rulesets,
    /// Rulesets of the account.
    AccountRulesets,
    /// Lists of the account.
    Lists,
}

/// An access that may be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// The kind of object.
    pub what: What,
    /// The access.
    pub access: Access,
    /// The permission for it.
    pub permission: Permission,
    /// True if the spec needs it.
    pub is_needed: bool,
    /// Yes, no or unknown.
    pub allowed: Allowed,
    /// Cloudflare's reason, or the reason why it is unknown.
    pub why: Option<String>,
}

/// An access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Access {
    /// Read access.
    Read,
    /// Write access.
    Write,
}

/// The answer to an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Allowed {
    /// It is allowed.
    Yes,
    /// It is not allowed.
    No,
    /// It is unknown.
    Unknown,
}

/// A permission of API tokens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Permission {
    /// The entry to choose in the dashboard, such as `Zone > DNS > Edit`.
    pub dashboard: String,
    /// Its name in the API, such as `DNS Write`.
    pub api: String,
}

impl From<permissions::Permission> for Permission {
    fn from(permission: permissions::Permission) -> Self {
        Self { dashboard: permission.dashboard_name(), api: permission.api_name() }
    }
}

impl From<PermissionAccess> for Access {
    fn from(access: PermissionAccess) -> Self {
        match access {
            PermissionAccess::Read => Self::Read,
            PermissionAccess::Edit => Self::Write,
        }
    }
}

/// A managed ruleset that `waf.lock` has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ManagedRuleset {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// The version in `waf.lock`.
    pub locked: String,
    /// The version that Cloudflare serves; `null` if it was not found.
    pub served: Option<String>,
}

/// The spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Spec {
    /// Its files.
    pub files: usize,
    /// The previous version, and its name: `--base`, or `HEAD` without one.
    pub base: Option<String>,
    /// The reason why there is no previous version.
    pub why_no_base: Option<String>,
}

/// The requests of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Requests {
    /// Number of requests.
    pub made: u64,
}

impl Doctor {
    /// Returns a report before any check.
    #[must_use]
    pub fn of(credentials: Credentials) -> Self {
        Self {
            format: FORMAT,
            kind: DoctorKind::Doctor,
            verdict: Sufficiency::Unknown,
            connection: Connection::default(),
            credentials,
            zones: Vec::new(),
            missing_zones: Vec::new(),
            zones_left_out: 0,
            accounts: Vec::new(),
            smallest_token: Vec::new(),
            managed_rulesets: Vec::new(),
            spec: None,
            requests: Requests { made: 0 },
        }
    }

    /// Returns all checks of zones and accounts.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.zones
            .iter()
            .flat_map(|zone| &zone.checks)
            .chain(self.accounts.iter().flat_map(|account| &account.checks))
    }

    /// Returns true if the token can be used at all.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.credentials.is_active().unwrap_or(true)
    }

    /// Returns true if Cloudflare answered everything that the spec needs to read, and at least
    /// something besides the zone itself.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        let reads = || self.checks().filter(|check| check.access == Access::Read);
        let is_known = |check: &Check| check.allowed != Allowed::Unknown;
        let mut other_reads = reads().filter(|check| check.what != What::Zone).peekable();
        let is_any_known = other_reads.peek().is_none() || other_reads.any(is_known);
        is_any_known && !reads().any(|check| check.is_needed && !is_known(check))
    }

    /// Sets the verdict according to the checks.
    #[must_use]
    pub fn judged(mut self) -> Self {
        let needed = |allowed: Allowed| {
            self.checks().any(|check| check.is_needed && check.allowed == allowed)
        };
        self.verdict = if !self.is_usable() || !self.missing_zones.is_empty() || needed(Allowed::No)
        {
            Sufficiency::Insufficient
        } else if needed(Allowed::Unknown) {
            Sufficiency::Unknown
        } else {
            Sufficiency::Sufficient
        };
        self
    }
}
