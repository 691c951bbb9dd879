//! Settings of records that only some of Cloudflare's plans have.

use super::certainty::Certainty;

/// The plans that have a setting of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordFeatureFacts {
    /// Its name.
    pub key: &'static str,
    /// The smallest plan that has it: 0 free, 1 pro, 2 business, 3 enterprise.
    pub lowest_plan: usize,
    /// How certain the refusal on smaller plans is.
    pub certainty: Certainty,
    /// The message about a plan that does not have it.
    pub refusal: &'static str,
    /// The replacement on smaller plans.
    pub instead: &'static str,
    /// The page of developers.cloudflare.com that documents it, and the day on which it was read.
    pub source: &'static str,
}

/// All settings of records that not every plan has.
pub const RECORD_FEATURES: &[RecordFeatureFacts] = &[
    RecordFeatureFacts {
        key: "flatten_cname",
        lowest_plan: 1,
        certainty: Certainty::Certain,
        refusal: "CNAME flattening of single records needs a paid plan",
        instead: "remove `flatten_cname`; at the apex and on proxied records flattening is automatic",
        source: "/dns/cname-flattening (availability), read 2026-11-20; refusal 9226: observed",
    },
    address_family("ipv4_only", "`ipv4_only` needs the enterprise plan"),
    address_family("ipv6_only", "`ipv6_only` needs the enterprise plan"),
];

/// Returns the facts of a setting that leaves only one family of addresses.
const fn address_family(key: &'static str, refusal: &'static str) -> RecordFeatureFacts {
    RecordFeatureFacts {
        key,
        lowest_plan: 3,
        certainty: Certainty::Assumed,
        refusal,
        instead: "remove it; proxied records answer with addresses of both families",
        source: "the words of a refusal: observed; the plan is not documented",
    }
}

/// Returns the smallest plan that has a setting of records: 0 free, 1 pro, 2 business, 3 enterprise.
#[must_use]
pub fn lowest_plan(key: &str) -> usize {
    RECORD_FEATURES.iter().find(|facts| facts.key == key).map_or(0, |facts| facts.lowest_plan)
}
