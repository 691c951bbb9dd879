//! Detects rules, records and settings that the plan of a zone does not allow. Cloudflare's limits
//! are in [`facts`](crate::facts).

mod records;
mod rules;
mod settings;

pub use records::record_limits;
pub use rules::{RuleUse, rule_count, rule_uses};
pub use settings::{dns_setting_limit, setting_limit, setting_value_limit};

use crate::diagnostic::{Diagnostic, Place, findings};
use crate::facts::certainty::Certainty;
use crate::state::{DesiredZone, LiveZone};
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
    /// The refused part of the spec.
    pub detail: String,
    /// A change that keeps within the plan.
    pub help: String,
    /// True if Cloudflare refuses it for certain.
    pub is_certain: bool,
}

impl BeyondPlan {
    /// Returns the finding: an error if the refusal is certain, so that nothing is written that would
    /// remain incomplete.
    #[must_use]
    pub fn diagnostic(self, place: Option<Place>, about: String) -> Diagnostic {
        let finding = if self.is_certain { findings::PLAN_LIMIT } else { findings::NOT_ALLOWED };
        let diagnostic = finding.nowhere(self.detail).help(self.help).about(about);
        match place {
            Some(place) => diagnostic.at(place, ""),
            None => diagnostic,
        }
    }
}

impl ZoneTier {
    /// Returns the plan of a live zone. If it is unknown, or the zone is still to be created, the
    /// plan that the spec names is assumed; a new zone without one is assumed to be free.
    #[must_use]
    pub fn of(desired: &DesiredZone, live: &LiveZone) -> Self {
        match desired.tier {
            Some((tier, _)) if live.is_new || live.tier == Tier::Unknown => {
                Self { tier, is_assumed: true }
            }
            Some(_) | None => Self { tier: live.tier, is_assumed: live.is_new },
        }
    }

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
