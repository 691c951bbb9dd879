//! Facts about rulesets: actions and managed rulesets, as plain data. The phases are in
//! [`super::phases`], the facts of rate limits in [`super::rate_limits`], the limits of plans in
//! `tiers.rs`.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine (rules language actions, rulesets API) and
//! /waf/managed-rules, read 2026-11-20. Facts known only from answers are marked.

use super::phases::Phase;

/// Maximum length of a `ref` that a spec can name, in characters.
pub const REF_CHARACTERS: usize = 128;

/// Returns true for a character that a `ref` in a spec can contain.
#[must_use]
pub fn is_ref_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Returns true for a `ref` that a spec can name. Cloudflare does not document the valid ones; it
/// has refused `a-`, so neither end may be a separator.
#[must_use]
pub fn is_ref(text: &str) -> bool {
    let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.len() <= REF_CHARACTERS
        && text.chars().all(is_ref_character)
        && is_end(text.chars().next())
        && is_end(text.chars().next_back())
}

/// The phase of managed rulesets.
pub const MANAGED_PHASE: &str = Phase::Managed.as_str();
/// The phase of custom rules.
pub const CUSTOM_PHASE: &str = Phase::Custom.as_str();
/// The phase of rate limiting rules.
pub const RATE_LIMIT_PHASE: &str = Phase::RateLimit.as_str();

/// All actions of the rules language.
pub const ACTIONS: &[&str] = &[
    "block",
    "challenge",
    "compress_response",
    "ddos_dynamic",
    "execute",
    "force_connection_close",
    "js_challenge",
    "log",
    "log_custom_field",
    "managed_challenge",
    "redirect",
    "rewrite",
    "route",
    "score",
    "serve_error",
    "set_cache_control",
    "set_cache_settings",
    "set_cache_tags",
    "set_config",
    "skip",
];

/// Actions that an override may set on the anomaly rule of the OWASP ruleset.
pub const SCORE_ACTIONS: &[&str] =
    &["block", "managed_challenge", "js_challenge", "challenge", "log"];

/// A ruleset that Cloudflare maintains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManagedFacts {
    /// Its keyword in the spec.
    pub key: &'static str,
    /// Its id, the same for every account.
    pub id: &'static str,
    /// Its name in the documentation.
    pub name: &'static str,
    /// The phase in which it can be deployed.
    pub phase: &'static str,
    /// The smallest plan that has it: 0 free, 1 pro, 2 business, 3 enterprise.
    pub lowest_plan: usize,
}

/// All known managed rulesets.
pub const MANAGED_RULESETS: &[ManagedFacts] = &[
    ManagedFacts {
        key: "cloudflare",
        id: "efb7b8c949ac4650a09736fc376e9aee",
        name: "Cloudflare Managed Ruleset",
        phase: MANAGED_PHASE,
        lowest_plan: 1,
    },
    ManagedFacts {
        key: "owasp",
        id: "4814384a9e5d4991b9815dcfc25d2f1f",
        name: "Cloudflare OWASP Core Ruleset",
        phase: MANAGED_PHASE,
        lowest_plan: 1,
    },
    ManagedFacts {
        key: "exposed-credentials",
        id: "c2e184081120413c86c3ab7e14069605",
        name: "Cloudflare Exposed Credentials Check",
        phase: MANAGED_PHASE,
        lowest_plan: 1,
    },
    ManagedFacts {
        key: "free",
        id: "77454fe2d30c4220b5701f6fdfb893ba",
        name: "Cloudflare Managed Free Ruleset",
        phase: MANAGED_PHASE,
        lowest_plan: 0,
    },
    ManagedFacts {
        key: "sensitive-data",
        id: "e22d83c647c64a3eae91b71b499d988e",
        name: "Cloudflare Sensitive Data Detection",
        phase: "http_response_firewall_managed",
        lowest_plan: 3,
    },
];

/// Products outside the Ruleset Engine that a custom rule can skip. Case-sensitive (seen in
/// refusals).
pub const SKIP_PRODUCTS: &[&str] =
    &["bic", "hot", "rateLimit", "securityLevel", "uaBlock", "waf", "zoneLockdown"];
/// Phases that a custom rule can skip: the phases after its own.
pub const SKIP_PHASES: &[&str] = &[RATE_LIMIT_PHASE, BOT_FIGHT_PHASE, MANAGED_PHASE];
/// The phase of Super Bot Fight Mode.
pub const BOT_FIGHT_PHASE: &str = "http_request_sbfm";

/// Status codes for the response to a blocked request.
pub const RESPONSE_STATUSES: std::ops::RangeInclusive<i64> = 400..=499;
/// Content types for the response to a blocked request (/waf/custom-rules/create-api, read
/// 2026-11-20).
pub const RESPONSE_CONTENT_TYPES: &[&str] =
    &["application/json", "text/html", "text/plain", "text/xml"];

/// Maximum length of the description of a rule, in characters.
pub const DESCRIPTION_CHARACTERS: usize = 500;
