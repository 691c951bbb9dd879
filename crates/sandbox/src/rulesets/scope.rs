//! The owner of rulesets: an account or a zone.

use crate::envelope::HandlerResult;
use crate::request_context::RequestContext;
use crate::token;
use crate::zone::Zone;
use zonewright_model::facts::rule_features::RuleFeature;
use zonewright_model::facts::{self, rulesets::MANAGED_RULESETS};

/// An account or a zone in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopePath<'a> {
    /// `/accounts/{id}`.
    Account(&'a str),
    /// `/zones/{id}`.
    Zone(&'a str),
}

/// An account or a zone that exists.
#[derive(Debug, Clone)]
pub(crate) enum Scope {
    /// The account of this identifier.
    Account(String),
    Zone(Box<Zone>),
}

impl Scope {
    /// Finds the account or zone of a path.
    ///
    /// # Errors
    /// Fails if the zone does not exist, or if the sandbox does not have the account.
    pub(super) fn find(context: &RequestContext<'_>, path: ScopePath<'_>) -> HandlerResult<Self> {
        match path {
            ScopePath::Zone(id) => Ok(Self::Zone(Box::new(Zone::get(context.connection, id)?))),
            ScopePath::Account(id) => {
                token::check_account(context, id)?;
                Ok(Self::Account(id.to_owned()))
            }
        }
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Account(id) => id,
            Self::Zone(zone) => &zone.id,
        }
    }

    pub(super) fn is_account(&self) -> bool {
        matches!(self, Self::Account(_))
    }

    /// Returns the kind of its entry points.
    pub(super) fn entry_kind(&self) -> &'static str {
        if self.is_account() { "root" } else { "zone" }
    }

    /// Returns the rank of its plan, 0 for free to 3 for enterprise.
    ///
    /// # Sources
    /// Rulesets of accounts are for enterprise: developers.cloudflare.com/waf/account, read
    /// 2026-11-20.
    pub(super) fn plan(&self) -> usize {
        match self {
            Self::Account(_) => facts::TIERS.len() - 1,
            Self::Zone(zone) => {
                facts::TIERS.iter().position(|t| t.name == zone.tier().name).unwrap_or(0)
            }
        }
    }

    /// Returns true if its plan has a feature of rules.
    pub(super) fn has(&self, feature: RuleFeature) -> bool {
        self.plan() >= feature.facts().lowest_plan
    }

    /// Returns true if its plan includes a managed ruleset. ASSUMED: every plan includes unknown
    /// rulesets.
    pub(super) fn is_entitled_to(&self, managed: &str) -> bool {
        MANAGED_RULESETS
            .iter()
            .find(|m| m.id == managed)
            .is_none_or(|m| m.lowest_plan <= self.plan())
    }
}
