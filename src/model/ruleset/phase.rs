//! The table of phases whose entry points are managed, with one row for each.

use crate::model::facts::rulesets::{CUSTOM_PHASE, MANAGED_PHASE, PHASES, PhaseFacts, RATE_LIMIT_PHASE};

/// A phase of which we manage the zone's entry point.
///
/// # Order
/// The order in which Cloudflare runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Custom rules.
    Custom,
    /// Rate limiting rules.
    RateLimit,
    /// Managed rulesets and the exceptions from them.
    Managed,
}

impl Phase {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Custom, Self::RateLimit, Self::Managed];

    /// Cloudflare's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Custom => CUSTOM_PHASE,
            Self::RateLimit => RATE_LIMIT_PHASE,
            Self::Managed => MANAGED_PHASE,
        }
    }

    /// Its purpose, as text.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Custom => "custom rules",
            Self::RateLimit => "rate limiting rules",
            Self::Managed => "managed rules",
        }
    }

    /// The facts about it.
    #[must_use]
    pub fn facts(self) -> &'static PhaseFacts {
        PHASES.iter().find(|p| p.name == self.as_str()).expect("every phase has its facts")
    }
}
