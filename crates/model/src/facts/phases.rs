//! The phases of request handling, with a row for each phase whose rules a spec can have.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine (phases list, rules language actions) and /waf/concepts
//! (the order), read 2026-11-20. The member `source` was seen in answers. Permissions by product:
//! …/fundamentals/api/reference/permissions, read 2026-11-26.

use super::permissions::PermissionGroup;
use super::rate_limits::RATE_LIMITS;
use super::tiers::CUSTOM_RULES;

/// The facts of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseFacts {
    /// Cloudflare's name.
    pub name: &'static str,
    /// The name of its rules.
    pub about: &'static str,
    /// The permission that its rules need.
    pub permission: PermissionGroup,
    /// The member `source` of its rulesets, if Cloudflare sets one (seen in answers).
    pub source: Option<&'static str>,
    /// Actions of a zone's rules in this phase; empty if this program does not manage the phase.
    pub actions: &'static [&'static str],
    /// Maximum number of rules of a zone on the plans free, pro, business and enterprise; `None` if
    /// unknown.
    pub most_rules: Option<[usize; 4]>,
}

/// The list of a phase's rules in a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseList {
    /// The key of the list under `waf`.
    pub key: &'static str,
    /// The kind of its rules, which decides their keys.
    pub rules: RuleKind,
    /// The heading of its rules in an overview. With `_` for blanks, it is their key in the
    /// overview's JSON.
    pub heading: &'static str,
    /// The description of the key, which editors show.
    pub help: &'static str,
}

/// The kind of the rules of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// Each rule takes an action on its requests, or skips other rules for them.
    Action,
    /// Each rule takes an action above a rate.
    Rate,
    /// Rules of the phase deploy managed rulesets, and the rules of the list are exceptions from
    /// these.
    Exception,
}

/// Declares the phases: a row for each phase whose entry point is managed, and the names of the
/// others.
macro_rules! phases {
    ($($(#[$doc:meta])* $phase:ident { $($fact:ident: $value:expr,)+ } { $($word:ident: $text:expr,)+ })+
     [$($other:literal: $about:literal, $permission:ident;)+]) => {
        /// A phase whose entry point is managed.
        ///
        /// # Order
        /// Cloudflare's order of execution.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Phase {
            $($(#[$doc])* $phase,)+
        }

        impl Phase {
            /// All managed phases.
            pub const ALL: &'static [Self] = &[$(Self::$phase),+];
        }

        /// All phases; managed phases come first, in their order.
        pub const PHASES: &[PhaseFacts] = &[
            $(PhaseFacts { $($fact: $value,)+ },)+
            $(PhaseFacts {
                name: $other,
                about: $about,
                permission: PermissionGroup::$permission,
                source: None,
                actions: &[],
                most_rules: None,
            },)+
        ];

        /// The lists of the managed phases, in their order.
        const LISTS: &[PhaseList] = &[$(PhaseList { $($word: $text,)+ }),+];
    };
}

phases! {
    /// Custom rules.
    Custom {
        name: "http_request_firewall_custom",
        about: "custom rules",
        permission: PermissionGroup::ZoneWaf,
        source: Some("firewall_custom"),
        actions: &["block", "challenge", "js_challenge", "managed_challenge", "log", "skip"],
        most_rules: Some(CUSTOM_RULES),
    } {
        key: "custom",
        rules: RuleKind::Action,
        heading: "custom rules",
        help: "Custom rules, in their order.",
    }
    /// Rate limiting rules.
    RateLimit {
        name: "http_ratelimit",
        about: "rate limiting rules",
        permission: PermissionGroup::ZoneWaf,
        source: Some("rate_limit"),
        actions: &["block", "challenge", "js_challenge", "managed_challenge", "log"],
        most_rules: Some(RATE_LIMITS),
    } {
        key: "rate_limits",
        rules: RuleKind::Rate,
        heading: "rate limits",
        help: "Rate limiting rules, in their order.",
    }
    /// Managed rulesets and the exceptions from them.
    Managed {
        name: "http_request_firewall_managed",
        about: "managed rules",
        permission: PermissionGroup::ZoneWaf,
        source: Some("firewall_managed"),
        actions: &["execute", "skip"],
        most_rules: None,
    } {
        key: "exceptions",
        rules: RuleKind::Exception,
        heading: "exceptions",
        help: "Exceptions from the managed rulesets, in their order; they run before the rulesets.",
    }
    // Phases that are not managed.
    [
        "ddos_l4": "overrides of the network-layer DDoS protection", HttpDdosManagedRuleset;
        "ddos_l7": "overrides of the HTTP DDoS protection", HttpDdosManagedRuleset;
        "http_config_settings": "configuration rules", ConfigRules;
        "http_custom_errors": "custom error rules", CustomErrorRules;
        "http_log_custom_fields": "custom log fields", Logs;
        "http_request_cache_settings": "cache rules", CacheRules;
        "http_request_dynamic_redirect": "single redirects", DynamicUrlRedirects;
        "http_request_late_transform": "request header transforms", ZoneTransformRules;
        "http_request_origin": "origin rules", OriginRules;
        "http_request_redirect": "bulk redirects", AccountRulesets;
        "http_request_sanitize": "URL normalization rules", Sanitize;
        "http_request_sbfm": "Super Bot Fight Mode rules", BotManagement;
        "http_request_transform": "URL rewrites", ZoneTransformRules;
        "http_response_cache_settings": "cache response rules", CacheRules;
        "http_response_compression": "compression rules", ResponseCompression;
        "http_response_firewall_managed": "rules for managed rulesets of responses", ZoneWaf;
        "http_response_headers_transform": "response header transforms", ZoneTransformRules;
        "magic_transit": "Network Firewall rules", AccountRulesets;
        "magic_transit_ids_managed": "intrusion detection rules", AccountRulesets;
        "magic_transit_managed": "managed Network Firewall rules", AccountRulesets;
        "magic_transit_ratelimit": "Network Firewall rate limits", AccountRulesets;
    ]
}

impl Phase {
    /// Returns the facts of the phase.
    #[must_use]
    pub const fn facts(self) -> &'static PhaseFacts {
        &PHASES[self as usize]
    }

    /// Returns the list of its rules in a spec.
    #[must_use]
    pub const fn list(self) -> &'static PhaseList {
        &LISTS[self as usize]
    }

    /// Returns Cloudflare's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// Returns the key of its rules under `waf` in a spec.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.list().key
    }

    /// Returns the kind of its rules.
    #[must_use]
    pub const fn rules(self) -> RuleKind {
        self.list().rules
    }

    /// Returns its purpose, as text.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.facts().about
    }

    /// Returns true if its rules can deploy managed rulesets.
    #[must_use]
    pub fn deploys(self) -> bool {
        self.rules() == RuleKind::Exception
    }

    /// Returns true if a rule with this action has an entry of its own under [`key`](Self::key). In
    /// the phase of managed rulesets only exceptions have one.
    #[must_use]
    pub fn lists(self, action: &str) -> bool {
        !self.deploys() || action == "skip"
    }

    /// Iterates over the phases in the order of a spec: exceptions are beside the managed rulesets,
    /// before the other lists.
    pub fn in_spec() -> impl Iterator<Item = Self> {
        let (first, rest): (Vec<Self>, Vec<Self>) =
            Self::ALL.iter().partition(|phase| phase.deploys());
        first.into_iter().chain(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phase_is_listed_twice() {
        let mut names: Vec<_> = PHASES.iter().map(|phase| phase.name).collect();
        let mut keys: Vec<_> = Phase::ALL.iter().map(|phase| phase.key()).collect();
        for list in [&mut names, &mut keys] {
            list.sort_unstable();
            assert!(list.windows(2).all(|pair| pair[0] != pair[1]), "{list:?}");
        }
    }
}
