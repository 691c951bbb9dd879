//! A rule of a managed ruleset.

use crate::facts::crs::{ATTACK_FAMILIES, AttackFamily, CRS_RULES};
use crate::facts::owasp::{ANOMALY_NUMBER, ANOMALY_RULE, ANOMALY_THRESHOLD, PARANOIA_TAGS};
use crate::ruleset::RuleId;

/// A rule of a managed ruleset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueRule {
    /// Cloudflare's id, by which overrides name the rule.
    pub id: RuleId,
    /// Its number in the Core Rule Set, if its description begins with one.
    pub number: Option<u32>,
    /// A description of what it detects, in Cloudflare's words.
    pub description: String,
    /// Cloudflare calls them categories.
    pub tags: Vec<String>,
    /// True if it is on by default.
    pub enabled: bool,
    /// Its default action.
    pub action: String,
    /// The number that it adds to the score, if Cloudflare reports it.
    pub score: Option<u32>,
    /// The threshold, if this is the rule that compares the score.
    pub threshold: Option<u32>,
}

impl CatalogueRule {
    /// Returns a rule of the Core Rule Set that adds to the score, with its number as its id,
    /// because Cloudflare's own ids are known only from its API. A level outside 1 to 4 becomes the
    /// nearest valid level.
    #[must_use]
    pub fn scoring(number: u32, level: u8, score: Option<u32>, message: &str) -> Self {
        Self {
            id: RuleId(format!("{number:032}")),
            number: Some(number),
            description: format!("{number}: {message}"),
            tags: vec![PARANOIA_TAGS[usize::from(level.clamp(1, 4)) - 1].to_owned()],
            enabled: true,
            action: "score".to_owned(),
            score,
            threshold: None,
        }
    }

    /// Returns the rule that compares the score with the threshold, in Cloudflare's form.
    #[must_use]
    pub fn anomaly() -> Self {
        Self {
            id: RuleId(ANOMALY_RULE.to_owned()),
            number: Some(ANOMALY_NUMBER),
            description: format!("{ANOMALY_NUMBER}: Inbound Anomaly Score Exceeded"),
            tags: Vec::new(),
            enabled: true,
            action: "block".to_owned(),
            score: None,
            threshold: Some(ANOMALY_THRESHOLD),
        }
    }

    /// Returns its description in lower case, without the number.
    #[must_use]
    pub fn title(&self) -> String {
        let lower = self.description.to_lowercase();
        match lower.split_once(':') {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => {
                rest.trim().to_owned()
            }
            _ => lower,
        }
    }

    /// Returns the family of attacks that it detects.
    #[must_use]
    pub fn attack_family(&self) -> Option<&'static AttackFamily> {
        attack_family(self.number?)
    }

    /// Returns the number that it adds to the score, from Cloudflare or else from the Core Rule
    /// Set.
    #[must_use]
    pub fn score(&self) -> Option<u32> {
        let number = self.number?;
        let score_of_core_rule =
            || CRS_RULES.binary_search_by_key(&number, |(n, _, _)| *n).ok().map(|n| CRS_RULES[n].2);
        self.score.or_else(score_of_core_rule)
    }
}

/// Returns the family of a rule number.
#[must_use]
pub fn attack_family(number: u32) -> Option<&'static AttackFamily> {
    ATTACK_FAMILIES.iter().find(|f| f.prefix == number / 1000)
}
