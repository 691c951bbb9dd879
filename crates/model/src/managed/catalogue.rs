//! A managed ruleset with all its rules, as Cloudflare provides it.

use super::catalogue_rule::CatalogueRule;
use super::catalogue_rules::CatalogueRules;
use crate::facts::owasp::{ANOMALY_RULE, THRESHOLD_KEYWORDS};
use crate::facts::rulesets::{MANAGED_RULESETS, ManagedFacts, SCORE_ACTIONS};
use crate::ruleset::RulesetId;

/// A managed ruleset that has a word in the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Managed {
    /// The Cloudflare Managed Ruleset.
    Cloudflare,
    /// The Cloudflare OWASP Core Ruleset.
    Owasp,
}

impl Managed {
    /// All rulesets, in the order in which new deployments are created.
    pub const ALL: &'static [Self] = &[Self::Cloudflare, Self::Owasp];

    /// Returns its word in the spec, which is also the `ref` of a new deployment.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::Owasp => "owasp",
        }
    }

    /// Returns the facts about it.
    #[must_use]
    pub fn facts(self) -> &'static ManagedFacts {
        MANAGED_RULESETS
            .iter()
            .find(|m| m.key == self.key())
            .expect("every managed ruleset has its facts")
    }

    /// Returns the ruleset with this id or, if the id is unknown, this name.
    #[must_use]
    pub fn recognise(id: &str, name: &str) -> Option<Self> {
        let by_id = Self::ALL.iter().copied().find(|m| m.facts().id == id);
        let is_known_id = || MANAGED_RULESETS.iter().any(|m| m.id == id);
        by_id.or_else(|| {
            let name = name.to_lowercase();
            match () {
                () if is_known_id() => None,
                () if name.contains("owasp") => Some(Self::Owasp),
                () if name == "cloudflare managed ruleset"
                    || name.starts_with("managed ruleset") =>
                {
                    Some(Self::Cloudflare)
                }
                () => None,
            }
        })
    }
}

/// The action for a request whose score reaches the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScoreAction(&'static str);

impl ScoreAction {
    /// Parses its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        SCORE_ACTIONS.iter().find(|a| **a == word).map(|a| Self(a))
    }

    /// Returns its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// Returns the word for a threshold, if it has one.
#[must_use]
pub fn threshold_keyword(threshold: u32) -> Option<&'static str> {
    THRESHOLD_KEYWORDS.iter().find(|(_, number)| *number == threshold).map(|(word, _)| *word)
}

/// A managed ruleset with all its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// The kind of ruleset, if the spec has a word for it.
    pub which: Option<Managed>,
    /// Cloudflare's id, which is the same in all zones.
    pub id: RulesetId,
    /// Name in the dashboard.
    pub name: String,
    /// Its version. Cloudflare raises it, so it says nothing about the zone.
    pub version: String,
    /// Its rules in their order.
    pub rules: CatalogueRules,
}

impl Catalogue {
    /// Returns the rule that compares the score with the threshold: the one with the documented id,
    /// else the last of the OWASP ruleset that has a threshold.
    #[must_use]
    pub fn anomaly_rule(&self) -> Option<&CatalogueRule> {
        let documented = self.rule(ANOMALY_RULE);
        let is_owasp = self.which == Some(Managed::Owasp);
        documented.or_else(|| self.rules.iter().rfind(|r| is_owasp && r.threshold.is_some()))
    }

    /// Returns the id of the rule that compares the score, as far as the ruleset is known.
    #[must_use]
    pub fn anomaly_id(catalogue: Option<&Self>) -> &str {
        catalogue.and_then(Self::anomaly_rule).map_or(ANOMALY_RULE, |rule| rule.id.0.as_str())
    }

    /// Returns true if it is the OWASP ruleset without a rule that compares the score.
    #[must_use]
    pub fn lacks_anomaly_rule(&self) -> bool {
        self.which == Some(Managed::Owasp) && self.anomaly_rule().is_none()
    }

    /// Returns a rule by its id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&CatalogueRule> {
        self.rules.by_id(id)
    }

    /// Returns true if any rule carries the tag.
    #[must_use]
    pub fn has_tag(&self, tag: &str) -> bool {
        self.rules.iter().any(|r| r.tags.iter().any(|t| t == tag))
    }

    /// Returns all tags, sorted.
    #[must_use]
    pub fn tags(&self) -> Vec<&str> {
        let mut tags: Vec<_> =
            self.rules.iter().flat_map(|r| &r.tags).map(String::as_str).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }
}
