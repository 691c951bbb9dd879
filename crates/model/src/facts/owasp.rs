//! The OWASP ruleset of Cloudflare: its score, its paranoia levels, and their keywords.
//!
//! # Sources
//! developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset, read 2026-11-20. The
//! rules themselves are in `crs`.

/// Id of the rule that compares the score with the threshold; it is the last rule of the ruleset.
pub const ANOMALY_RULE: &str = "6179ae15870a4bb7b2d480d4843b323c";
/// The number of that rule in the Core Rule Set.
pub const ANOMALY_NUMBER: u32 = 949_110;
/// The default threshold of that rule.
pub const ANOMALY_THRESHOLD: u32 = 40;
/// The tags of the paranoia levels 1 to 4.
pub const PARANOIA_TAGS: [&str; 4] =
    ["paranoia-level-1", "paranoia-level-2", "paranoia-level-3", "paranoia-level-4"];
/// The dashboard's words for thresholds.
pub const THRESHOLD_KEYWORDS: &[(&str, u32)] = &[("low", 60), ("medium", 40), ("high", 25)];
