//! The behaviour of a sandbox in cases in which Cloudflare's behaviour depends on plan and age, or
//! is uncertain.
//!
//! The limits of each plan are in `model::facts::tiers`.

use super::rate_limit::RateLimit;
use super::token_permissions::Permissions;
use zonewright_model::facts::{self, TierFacts};

/// The settings of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Plan of newly created zones: `free`, `pro`, `business` or `enterprise`.
    pub tier: String,
    /// Form of record objects in responses.
    pub shape: RecordMembers,
    /// True if the batch endpoint exists.
    pub batch: bool,
    /// Largest page of records; a larger `per_page` is lowered to it.
    pub page_limit: u64,
    /// Maximum number of records in a zone, in place of the plan's limit.
    pub record_quota: Option<usize>,
    /// The stored form of unquoted TXT content.
    pub txt_quotes: TxtQuotes,
    /// Decides if texts that differ only in their cuts into strings are the same record.
    pub txt_cuts: TxtCuts,
    /// The treatment of a TTL that is sent with `proxied`.
    pub proxied_ttl: ProxiedTtl,
    /// True if the names of zones are stored and answered in Unicode, and only found in Unicode.
    /// Punycode is documented.
    ///
    /// Acceptance tests of Cloudflare's Terraform provider 5 create a zone with a name in Unicode
    /// and expect the same name in answers (read 2026-11-23).
    pub unicode_zone_names: bool,
    /// The form of validation errors.
    pub errors: ErrorStyle,
    /// Number of requests that are answered in a window; `None` for no limit.
    pub rate_limit: Option<RateLimit>,
    /// Order in which lists are answered.
    pub list_order: ListOrder,
    /// The records that may not point into Cloudflare's own network.
    pub own_network: OwnNetwork,
    /// The treatment of members of SRV data that repeat parts of the record's name.
    pub old_srv_members: OldSrvMembers,
    /// The treatment of other members of `data` that the type does not have.
    pub unknown_data: UnknownData,
    /// The types that can share a name with NS records below the apex.
    pub ns_neighbours: NsNeighbours,
    /// Decides if DS records can exist at a name without NS records.
    pub ds_without_ns: DsWithoutNs,
    /// Time added to each response, in milliseconds.
    pub latency_milliseconds: u64,
    /// Time after a deletion in which the name still counts as taken, in milliseconds.
    ///
    /// Observed as retries of 81053 and 81054 in clients; 0 for none.
    pub conflict_lag_milliseconds: u64,
    /// True if the parent publishes a zone's key at once, so that DNSSEC is active at the next
    /// read; otherwise it stays pending.
    pub dnssec_activates: bool,
    /// Time after POST /zones in which everything below the new zone is forbidden, in milliseconds.
    ///
    /// Reported by clients as 403 "Authentication error"; 0 for none.
    pub fresh_zone_forbidden_milliseconds: u64,
    /// The permissions of the credentials. A token of [`SandboxOptions`](crate::SandboxOptions)
    /// brings its own permissions.
    pub permissions: Permissions,
    /// True if all settings of a zone can be read at once, which is possible until 2027-03-31.
    pub settings_list: bool,
    /// True if writes to rulesets support `dry_run`. Otherwise a request with that parameter is
    /// refused with 400, so that it has no effect.
    pub dry_run: bool,
    /// True if the account's plan has rulesets of its own.
    pub account_rulesets: bool,
    /// True if `messages` is null, and not an empty list, when there is no entry point; both were
    /// observed.
    pub null_messages: bool,
    /// True if a move of a rule to its current position is refused with code 20011 (reported 2026).
    pub refuse_needless_moves: bool,
    /// Maximum number of rulesets in a list without a cursor.
    pub ruleset_page_limit: usize,
    /// True if the rules of the OWASP ruleset include their score; no such answer is known.
    pub owasp_scores: bool,
    /// Highest paranoia level whose rules are enabled by default in the OWASP ruleset, 1 to 4; not
    /// documented.
    pub owasp_level: u8,
}

impl Default for Profile {
    /// Today's Cloudflare, with zones on the free plan.
    fn default() -> Self {
        Self {
            tier: "free".to_owned(),
            shape: RecordMembers::Modern,
            batch: true,
            // The documented maximum is 5,000,000, but larger pages time out at Cloudflare:
            // observed.
            page_limit: 5000,
            record_quota: None,
            txt_quotes: TxtQuotes::Verbatim,
            txt_cuts: TxtCuts::Apart,
            proxied_ttl: ProxiedTtl::Coerce,
            unicode_zone_names: false,
            errors: ErrorStyle::Direct,
            rate_limit: Some(RateLimit::USUAL),
            list_order: ListOrder::Stable,
            own_network: OwnNetwork::ProxiedOnly,
            old_srv_members: OldSrvMembers::Refuse,
            unknown_data: UnknownData::Ignore,
            ns_neighbours: NsNeighbours::Refuse,
            ds_without_ns: DsWithoutNs::Accept,
            latency_milliseconds: 0,
            conflict_lag_milliseconds: 0,
            dnssec_activates: false,
            fresh_zone_forbidden_milliseconds: 0,
            permissions: Permissions::everything(),
            settings_list: true,
            dry_run: true,
            account_rulesets: true,
            null_messages: true,
            refuse_needless_moves: true,
            // ASSUMED: neither the maximum nor the default is documented.
            ruleset_page_limit: 100,
            owasp_scores: false,
            // ASSUMED: a lower level is set by disabling the tags above it, so all of them are
            // enabled.
            owasp_level: 4,
        }
    }
}

impl Profile {
    /// Returns an older generation of Cloudflare's API: the old form of records, wrapped errors, no
    /// batches, small pages.  ASSUMED: the largest page is today's default, and there is no rate
    /// limit.
    #[must_use]
    pub fn previous_generation() -> Self {
        Self {
            shape: RecordMembers::Seed,
            batch: false,
            page_limit: 100,
            txt_quotes: TxtQuotes::Auto,
            errors: ErrorStyle::Chain,
            rate_limit: None,
            own_network: OwnNetwork::Strict,
            ..Self::default()
        }
    }
}

/// Form of record objects in responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordMembers {
    /// The form observed in 2025 and 2026.
    Modern,
    /// The documented form: each record has every member that the documentation lists for it, even
    /// members that were never observed.
    Full,
    /// The form of before 2024-07: with `zone_id`, `zone_name`, `locked` and a filled `meta`.
    Seed,
}

/// The stored form of unquoted TXT content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TxtQuotes {
    /// The content is stored as sent (observed 2025-08 and later).
    Verbatim,
    /// The content is stored in quotes.
    Auto,
}

/// Decides if two TXT records of a name are identical. Only refusals of exact duplicates were
/// observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TxtCuts {
    /// Records with the same strings are identical.
    Apart,
    /// Records whose strings have the same concatenation are identical, even with different cuts.
    Joined,
}

/// The treatment of a TTL that is sent with `proxied`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxiedTtl {
    /// The TTL is replaced by automatic (observed).
    Coerce,
    /// The record is refused.
    Refuse,
}

/// The form of validation errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorStyle {
    /// Each error has its own code (since 2024-10).
    Direct,
    /// Errors are in the chain under code 1004.
    Chain,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListOrder {
    /// The order of creation.
    Stable,
    /// A different order for every request without an explicit order. Clients must handle this,
    /// because the default is not documented.
    Random,
    /// A different order for every request, even with an explicit order: clients must not depend on
    /// the order.
    Hostile,
}

/// The treatment of `service`, `proto` and `name` in the data of SRV records.
///
/// # Sources
/// The list of deprecations says that they are refused since 2024-05-31. octodns-cloudflare 1.2.0
/// and DNSControl 4 still send them, always equal to the record's name, and both are in use; in the
/// one refusal that was published (cloudflare/terraform-provider-cloudflare#3502) they differ from
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldSrvMembers {
    /// The record is refused.
    Refuse,
    /// ASSUMED: the members are accepted but not kept if they match the record's name; otherwise
    /// the record is refused.
    AcceptEqual,
}

/// The treatment of members of `data` that a record's type does not have.
///
/// # Sources
/// DNSControl 4 sends `"weight": 0` for CAA and others, one structure for all types, and is in use.
/// ASSUMED: any value is treated like zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownData {
    /// The members are ignored, and not kept.
    Ignore,
    /// The record is refused.
    Refuse,
}

/// The types that can share a name with NS records below the apex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NsNeighbours {
    /// Only DS: developers.cloudflare.com/api, "Create DNS Record", read 2026-11-20.
    Refuse,
    /// All types except A, AAAA and CNAME: zones with MX or TXT beside NS exist, contrary to the
    /// documentation.
    Accept,
}

/// Decides if DS records can exist at a name without NS records.
///
/// ASSUMED: other clients create the NS records first and delete the DS records first (observed in
/// octoDNS, read 2026-11-22), so Cloudflare refuses at least one of the other orders. The
/// documentation does not say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DsWithoutNs {
    /// DS records need no NS records.
    Accept,
    /// A DS record without NS records is refused, and so is deleting the last NS record beside it.
    Refuse,
}

/// The records that may not point into Cloudflare's own network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnNetwork {
    /// Proxied records (observed 2026-08).
    ProxiedOnly,
    /// All records.
    Strict,
}

/// Returns the limits of a plan.
pub(super) fn tier(name: &str) -> Option<&'static TierFacts> {
    // ASSUMED: a partner's plan has the limits of the plan with the same name.
    let name = name.strip_prefix("partners_").unwrap_or(name);
    facts::TIERS.iter().find(|t| t.name == name)
}

/// Returns true if a plan includes at least the features of the plan `least`.
pub(super) fn reaches(plan: &str, least: &str) -> bool {
    let rank = |name: &str| {
        facts::TIERS.iter().position(|t| tier(name).is_some_and(|own| own.name == t.name))
    };
    rank(plan) >= rank(least)
}
