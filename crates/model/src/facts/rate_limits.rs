//! Facts about rate limiting rules: characteristics, periods, and the limits of plans.
//!
//! # Sources
//! developers.cloudflare.com/waf/rate-limiting-rules/parameters and /waf/rate-limiting-rules
//! (availability), read 2026-11-27.

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
/// Durations of a mitigation in seconds.
pub const RATE_TIMEOUTS: &[u32] = &[0, 10, 60, 120, 300, 600, 3600, 86_400];
/// Maximum number of rate limiting rules of a zone on the plans free, pro, business and enterprise.
pub(super) const RATE_LIMITS: [usize; 4] = [1, 2, 5, 100];
/// Longest duration of a mitigation on the plans free, pro, business and enterprise, in seconds. On
/// the free plan it is also the only one for `block`.
pub const RATE_LONGEST_TIMEOUT: [u32; 4] = [10, 3600, 86_400, 86_400];
/// Longest period of a rate limiting rule on the plans free, pro, business and enterprise, in
/// seconds.
pub const RATE_LONGEST_PERIOD: [u32; 4] = [10, 60, 600, 86_400];
