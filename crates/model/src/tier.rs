//! The Cloudflare plan of a zone, and its limits.

use super::facts::{
    FREE_QUOTA_CHANGED_ON, FREE_RECORDS_OF_OLD_ZONES, TIERS, TierFacts, UNKNOWN_TIER,
};

/// A zone's plan, from the smallest. An unknown plan comes last, because it may allow everything:
/// only Cloudflare refuses there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are Cloudflare's")]
pub enum Tier {
    Free,
    Pro,
    Business,
    Enterprise,
    /// A plan that this version does not know, such as a partner's, or no reported plan.
    Unknown,
}

impl Tier {
    /// Reads the `legacy_id` of the zone's plan.
    #[must_use]
    pub fn from_legacy_id(id: &str) -> Self {
        match id {
            "pro" | "pro_plus" => Self::Pro,
            "business" => Self::Business,
            "free" => Self::Free,
            "enterprise" => Self::Enterprise,
            _ => Self::Unknown,
        }
    }

    /// Returns the limits of the plan.
    #[must_use]
    pub fn facts(self) -> &'static TierFacts {
        match self {
            Self::Free => &TIERS[0],
            Self::Pro => &TIERS[1],
            Self::Business => &TIERS[2],
            Self::Enterprise => &TIERS[3],
            Self::Unknown => &UNKNOWN_TIER,
        }
    }

    /// Returns its position among the plans, from 0 for free to 3 for enterprise. No plan has more
    /// than enterprise, so an unknown plan has its position.
    #[must_use]
    pub fn rank(self) -> usize {
        (self as usize).min(Self::Enterprise as usize)
    }

    /// Returns the usual maximum number of records in a zone of this plan.
    ///
    /// # Units
    /// Records. The account's real quota can be larger; only Cloudflare's usage report is
    /// authoritative.
    #[must_use]
    pub fn record_quota(self, created_on: Option<&str>) -> usize {
        match (self, created_on) {
            // RFC 3339 dates sort as text.
            (Self::Free | Self::Unknown, Some(date)) if date < FREE_QUOTA_CHANGED_ON => {
                FREE_RECORDS_OF_OLD_ZONES
            }
            _ => self.facts().records,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_free_zones_hold_more() {
        assert_eq!(Tier::Free.record_quota(Some("2024-08-31T23:59:59Z")), 1000);
        assert_eq!(Tier::Free.record_quota(Some("2024-09-01T00:00:00Z")), 200);
        assert_eq!(Tier::Free.record_quota(None), 200);
        assert_eq!(Tier::Pro.record_quota(Some("2020-01-01")), 3500);
    }

    #[test]
    fn plans_are_in_the_order_of_the_facts() {
        for (rank, facts) in TIERS.iter().enumerate() {
            assert_eq!(Tier::from_legacy_id(facts.name).rank(), rank);
        }
        assert_eq!(Tier::Unknown.rank(), Tier::Enterprise.rank());
    }

    #[test]
    fn the_facts_belong_to_the_plan() {
        for (tier, name) in [
            (Tier::Free, "free"),
            (Tier::Pro, "pro"),
            (Tier::Business, "business"),
            (Tier::Enterprise, "enterprise"),
        ] {
            assert_eq!(tier.facts().name, name);
            assert_eq!(Tier::from_legacy_id(name), tier);
        }
        for name in ["", "partners_free", "partners_enterprise", "Free", "lite"] {
            assert_eq!(Tier::from_legacy_id(name), Tier::Unknown);
        }
    }

    #[test]
    fn an_unknown_plan_may_allow_what_any_plan_allows() {
        let unknown = Tier::Unknown.facts();
        for facts in TIERS {
            assert!(
                unknown.comment_characters >= facts.comment_characters
                    && unknown.tags >= facts.tags
            );
            assert!(unknown.minimum_ttl <= facts.minimum_ttl);
            // The size of one request must suit the smallest plan.
            assert!(
                unknown.batch_operations <= facts.batch_operations
                    && unknown.records <= facts.records
            );
        }
    }
}
