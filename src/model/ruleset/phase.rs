//! The table of phases whose entry points are managed, with one row for each.

use crate::model::facts::rulesets::{CUSTOM_PHASE, MANAGED_PHASE, PHASES, PhaseFacts, RATE_LIMIT_PHASE};

/// Declares the phases, one row each: its facts, the key of its rules under `waf` in a spec, and its purpose as text.
macro_rules! phases {
    ($($(#[$doc:meta])* $phase:ident $name:ident $key:literal $about:literal;)+) => {
        /// A phase of which we manage the zone's entry point.
        ///
        /// # Order
        /// The order in which Cloudflare runs them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Phase {
            $($(#[$doc])* $phase,)+
        }

        impl Phase {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$phase),+];

            /// Cloudflare's name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$phase => $name,)+
                }
            }

            /// The key of its rules under `waf` in a spec.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$phase => $key,)+
                }
            }

            /// Its purpose, as text.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$phase => $about,)+
                }
            }
        }
    };
}

phases! {
    /// Custom rules.
    Custom CUSTOM_PHASE "custom" "custom rules";
    /// Rate limiting rules.
    RateLimit RATE_LIMIT_PHASE "rate_limits" "rate limiting rules";
    /// Managed rulesets and the exceptions from them.
    Managed MANAGED_PHASE "exceptions" "managed rules";
}

impl Phase {
    /// Whether its rules can deploy managed rulesets.
    #[must_use]
    pub fn deploys(self) -> bool {
        self == Self::Managed
    }

    /// Whether a rule with an action has an entry of its own under [`key`](Self::key); where rulesets are deployed, only exceptions do.
    #[must_use]
    pub fn lists(self, action: &str) -> bool {
        !self.deploys() || action == "skip"
    }

    /// The facts about it.
    #[must_use]
    pub fn facts(self) -> &'static PhaseFacts {
        PHASES.iter().find(|p| p.name == self.as_str()).expect("every phase has its facts")
    }
}
