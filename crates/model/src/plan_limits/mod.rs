//! What the plan of a zone does not allow. Cloudflare's limits are in [`facts`](crate::facts); here
//! they are compared with rules.

mod rules;

pub use rules::{RuleUse, rule_count, rule_uses};

use crate::facts::rule_features::Certainty;
use crate::tier::Tier;

/// The plan that a zone has, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneTier {
    /// The plan.
    pub tier: Tier,
    /// True if the zone may have another plan, so that no refusal is certain.
    pub is_assumed: bool,
}

/// Something that a zone's plan does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeyondPlan {
    /// The key of the spec that asks for it.
    pub key: &'static str,
    /// What is not allowed.
    pub detail: String,
    /// How to keep within the plan.
    pub help: String,
    /// True if Cloudflare refuses it for certain.
    pub is_certain: bool,
}

impl ZoneTier {
    /// Returns true if a refusal on this plan is certain.
    fn is_certain(self, certainty: Certainty) -> bool {
        !self.is_assumed
            && match certainty {
                Certainty::Certain => true,
                Certainty::FreePlanOnly => self.tier == Tier::Free,
                Certainty::Assumed => false,
            }
    }
}
