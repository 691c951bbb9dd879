//! Facts about rate limiting rules: characteristics, periods, and the limits of plans.
//!
//! # Sources
//! developers.cloudflare.com/waf/rate-limiting-rules/parameters and /waf/rate-limiting-rules
//! (availability), read 2026-11-27.

use super::certainty::Certainty;

/// The characteristic that every rate limiting rule must include.
pub const RATE_COLO: &str = "cf.colo.id";
/// The client's address, as a characteristic.
pub const RATE_IP: &str = "ip.src";
/// A visitor, even if several visitors share one address, as a characteristic.
pub const RATE_VISITOR: &str = "cf.unique_visitor_id";
/// All documented periods, in seconds.
pub const RATE_PERIODS: &[u32] = &[
    10, 15, 20, 30, 40, 45, 60, 90, 120, 180, 240, 300, 480, 600, 900, 1200, 1800, 2400, 3600,
    65_535, 86_400,
];
/// Durations of a mitigation in seconds. Zones of the enterprise plan can have any other up to a day
/// ("a custom mitigation timeout period via API"). The page about availability also names those of
/// [`RATE_PERIODS`], and says that not all plans have all values.
pub const RATE_TIMEOUTS: &[u32] = &[0, 10, 60, 120, 300, 600, 3600, 86_400];
/// Maximum number of rate limiting rules of a zone on the plans free, pro, business and enterprise.
pub(super) const RATE_LIMITS: [usize; 4] = [1, 2, 5, 100];
/// Longest duration of a mitigation on the plans free, pro, business and enterprise, in seconds. On
/// the free plan it is also the only one for `block`.
pub const RATE_LONGEST_TIMEOUT: [u32; 4] = [10, 3600, 86_400, LONGEST_TIMEOUT];
/// Longest duration of a mitigation on any plan, in seconds.
pub const LONGEST_TIMEOUT: u32 = 86_400;
/// Longest period of a rate limiting rule on the plans free, pro, business and enterprise, in
/// seconds. The supported values under the same table end with a day.
pub const RATE_LONGEST_PERIOD: [u32; 4] = [10, 60, 600, 65_535];

/// Fields that expressions of rate limiting rules can use below the enterprise plan, each with the
/// smallest plan: 0 free, 1 pro, 2 business.
///
/// # Sources
/// "Available fields in rule expression" of the page about availability. On the free plan,
/// Cloudflare refused `ip.src`, `http.request.headers`, `http.request.headers.names` and
/// `cf.worker.upstream_zone` (observed 2026), and one rule with `http.host` is in use there.
const RATE_FIELDS: &[(&str, usize)] = &[
    ("http.request.uri.path", 0),
    ("http.request.uri.path.extension", 0),
    ("raw.http.request.uri.path", 0),
    ("raw.http.request.uri.path.extension", 0),
    ("cf.client.bot", 0),
    ("cf.bot_management.verified_bot", 0),
    ("http.host", 1),
    ("http.request.uri", 1),
    ("http.request.full_uri", 1),
    ("http.request.uri.query", 1),
    ("raw.http.request.uri", 1),
    ("raw.http.request.full_uri", 1),
    ("raw.http.request.uri.query", 1),
    ("http.request.method", 2),
    ("ip.src", 2),
    ("http.user_agent", 2),
    ("http.response.code", 2),
    ("http.response.headers", 2),
    ("http.response.headers.names", 2),
    ("http.response.headers.values", 2),
];

/// Returns the smallest plan whose rate limiting rules can use a field: 0 free, 1 pro, 2 business,
/// 3 enterprise.
#[must_use]
pub fn lowest_plan_of_field(name: &str) -> usize {
    RATE_FIELDS.iter().find(|(field, _)| *field == name).map_or(3, |(_, plan)| *plan)
}

/// Returns how certain it is that smaller plans refuse a field of rate limiting rules.
#[must_use]
pub fn field_certainty(name: &str) -> Certainty {
    if lowest_plan_of_field(name) > 1 { Certainty::FreePlanOnly } else { Certainty::Assumed }
}
