//! Limits of zones on each of Cloudflare's plans: records and custom rules. The limits of rate
//! limiting rules are in `rate_limits.rs`.

use super::ttl::{MINIMUM_TTL, MINIMUM_TTL_OF_ENTERPRISE};

/// The limits of Cloudflare's plans.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes and
/// developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes, read 2026-11-20.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TierFacts {
    /// `legacy_id` of the plan in the zone object.
    pub name: &'static str,
    /// Operations in one batch request, all lists combined.
    pub batch_operations: usize,
    /// Records in a zone.
    pub records: usize,
    /// Characters in a comment.
    pub comment_characters: usize,
    /// Tags on a record.
    pub tags: usize,
    /// Smallest TTL other than automatic, in seconds.
    pub minimum_ttl: u32,
}

/// The plans, from the smallest.
pub const TIERS: &[TierFacts] = &[
    TierFacts {
        name: "free",
        batch_operations: 200,
        records: 200,
        comment_characters: 100,
        tags: 0,
        minimum_ttl: MINIMUM_TTL,
    },
    TierFacts {
        name: "pro",
        batch_operations: 3500,
        records: 3500,
        comment_characters: 500,
        tags: 20,
        minimum_ttl: MINIMUM_TTL,
    },
    TierFacts {
        name: "business",
        batch_operations: 3500,
        records: 3500,
        comment_characters: 500,
        tags: 20,
        minimum_ttl: MINIMUM_TTL,
    },
    TierFacts {
        name: "enterprise",
        batch_operations: 3500,
        records: 3500,
        comment_characters: 500,
        tags: 20,
        minimum_ttl: MINIMUM_TTL_OF_ENTERPRISE,
    },
];

/// Limits for an unknown plan: per record the limits of the largest plan, per request and per zone
/// the limits of the smallest.
pub const UNKNOWN_TIER: TierFacts = TierFacts {
    name: "unknown",
    batch_operations: 200,
    records: 200,
    comment_characters: 500,
    tags: 20,
    minimum_ttl: MINIMUM_TTL_OF_ENTERPRISE,
};

/// Maximum number of custom rules of a zone on the plans free, pro, business and enterprise.
pub(super) const CUSTOM_RULES: [usize; 4] = [5, 20, 100, 1000];

/// Maximum number of records in a free zone that was created before [`FREE_QUOTA_CHANGED_ON`].
pub const FREE_RECORDS_OF_OLD_ZONES: usize = 1000;

/// The day since which new free zones are limited to 200 records (RFC 3339 date).
pub const FREE_QUOTA_CHANGED_ON: &str = "2024-09-01";
