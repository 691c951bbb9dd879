//! Features of rules that only some of Cloudflare's plans have, and the maximum size of their
//! responses. The client and the sandbox both read this table.  # Sources Each row names its pages
//! of developers.cloudflare.com.

use super::certainty::Certainty;
use super::rulesets::RATE_LIMIT_PHASE;

/// Something that a rule uses and that not every plan has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleFeature {
    /// The action `log`, which lets the request pass.
    LogAction,
    /// A response of its own to blocked requests.
    CustomResponse,
    /// Skips Super Bot Fight Mode.
    SkipOfBotFightMode,
    /// Counts by visitor, even if several visitors share one address.
    VisitorCharacteristic,
    /// Counts by something else than address and visitor.
    OtherCharacteristic,
    /// Counts other requests than those that the rule matches.
    CountingExpression,
    /// Counts scores from a header of responses, and not requests.
    CountingScores,
    /// Blocks only the requests above the rate.
    BlockAboveRate,
    /// Challenges for a time, and not only above the rate.
    ChallengeDuration,
}

/// The plans that have a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleFeatureFacts {
    /// Part of a rule that smaller plans refuse.
    pub feature: RuleFeature,
    /// The smallest plan that has it: 0 free, 1 pro, 2 business, 3 enterprise.
    pub lowest_plan: usize,
    /// How certain the refusal on smaller plans is.
    pub certainty: Certainty,
    /// The key of a rule in a spec that asks for it; `raw` if only a rule in Cloudflare's form can.
    pub key: &'static str,
    /// The feature, as the subject of a sentence.
    pub about: &'static str,
    /// The replacement on smaller plans.
    pub instead: &'static str,
    /// The page that documents it, and the day on which it was read.
    pub source: &'static str,
}

/// The page about the parameters of rate limits.
const PARAMETERS: &str = "/waf/rate-limiting-rules/parameters, read 2026-11-27";
/// The page about what each plan's rate limits have.
const AVAILABILITY: &str = "/waf/rate-limiting-rules (availability), read 2026-11-27";

/// All features that not every plan has.
pub const RULE_FEATURES: &[RuleFeatureFacts] = &[
    RuleFeatureFacts {
        feature: RuleFeature::LogAction,
        lowest_plan: 3,
        certainty: Certainty::Certain,
        key: "action",
        about: "the action `log` of custom and rate limiting rules",
        instead: "use `managed_challenge`",
        source: "/waf/custom-rules (availability), read 2026-11-27",
    },
    RuleFeatureFacts {
        feature: RuleFeature::CustomResponse,
        lowest_plan: 1,
        certainty: Certainty::Certain,
        key: "response",
        about: "a response of a rule's own",
        instead: "remove `response`",
        source: "/waf/custom-rules/create-dashboard and \
                 /waf/rate-limiting-rules/create-zone-dashboard, read 2026-11-27",
    },
    RuleFeatureFacts {
        feature: RuleFeature::SkipOfBotFightMode,
        lowest_plan: 1,
        certainty: Certainty::Assumed,
        key: "skip",
        about: "Super Bot Fight Mode, which a rule skips,",
        instead: "remove `http_request_sbfm` from `phases`",
        source: "/bots/get-started/super-bot-fight-mode, read 2026-11-20",
    },
    RuleFeatureFacts {
        feature: RuleFeature::VisitorCharacteristic,
        lowest_plan: 2,
        certainty: Certainty::Certain,
        key: "per",
        about: "a rate limit for each `visitor`",
        instead: "write `per: [ip]`",
        source: AVAILABILITY,
    },
    RuleFeatureFacts {
        feature: RuleFeature::OtherCharacteristic,
        lowest_plan: 3,
        certainty: Certainty::Certain,
        key: "per",
        about: "a rate limit for each value of something else than `ip` and `visitor`",
        instead: "write `per: [ip]`",
        source: AVAILABILITY,
    },
    RuleFeatureFacts {
        feature: RuleFeature::CountingExpression,
        lowest_plan: 2,
        certainty: Certainty::Certain,
        key: "count",
        about: "`count`, which counts other requests than those of `when`,",
        instead: "remove `count`",
        source: AVAILABILITY,
    },
    RuleFeatureFacts {
        feature: RuleFeature::CountingScores,
        lowest_plan: 3,
        certainty: Certainty::Certain,
        key: "raw",
        about: "`score_per_period`, which counts scores and not requests,",
        instead: "write `requests_per_period`",
        source: PARAMETERS,
    },
    RuleFeatureFacts {
        feature: RuleFeature::BlockAboveRate,
        lowest_plan: 3,
        certainty: Certainty::Certain,
        key: "then",
        about: "`block for 0s`, which blocks only what is above the rate,",
        instead: "write a duration, such as `block for 10s`",
        source: PARAMETERS,
    },
    RuleFeatureFacts {
        feature: RuleFeature::ChallengeDuration,
        lowest_plan: 3,
        certainty: Certainty::Certain,
        key: "then",
        about: "a duration of a challenge",
        instead: "write the challenge without `for`",
        source: PARAMETERS,
    },
];

impl RuleFeature {
    /// Returns the plans that have the feature.
    #[must_use]
    pub fn facts(self) -> &'static RuleFeatureFacts {
        &RULE_FEATURES[self as usize]
    }
}

/// Returns the maximum length of a rule's own response to blocked requests in a phase, in bytes.
///
/// # Sources
/// The pages of [`RuleFeature::CustomResponse`]: "maximum field size" 2 KB and 30 KB.
#[must_use]
pub fn response_bytes(phase: &str) -> usize {
    if phase == RATE_LIMIT_PHASE { 30 * 1024 } else { 2 * 1024 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_at_its_index() {
        for facts in RULE_FEATURES {
            assert_eq!(facts.feature.facts(), facts);
        }
    }
}
