//! Approximation of Cloudflare's OWASP ruleset, made of the public rules. Used for specs that are
//! checked without credentials.

use crate::model::facts::crs::CRS_RULES;
use crate::model::facts::crs::HIGHEST_SCORE;
use crate::model::managed::{Catalogue, CatalogueRule, Managed};
use crate::model::ruleset::RulesetId;
use crate::model::sort_by_key;
use crate::seclang::RuleSet;

/// Returns the managed ruleset with the public rules.
#[must_use]
pub fn catalogue(rules: &RuleSet) -> Catalogue {
    let mut catalogue = Catalogue {
        which: Some(Managed::Owasp),
        id: RulesetId(Managed::Owasp.facts().id.to_owned()),
        name: Managed::Owasp.facts().name.to_owned(),
        version: "unknown".to_owned(),
        rules: Default::default(),
    };
    let list = catalogue.rules.list_mut();
    list.extend(
        rules
            .scoring()
            .map(|rule| CatalogueRule::scoring(rule.rule, rule.level, None, rule.message)),
    );
    sort_by_key(list, |rule| rule.number);
    list.dedup_by_key(|rule| rule.number);
    list.push(CatalogueRule::anomaly());
    catalogue
}

/// Returns the score that a public rule adds. Unknown rules get the highest score.
#[must_use]
pub fn score(rule: u32) -> u32 {
    let index = CRS_RULES.binary_search_by_key(&rule, |(number, _, _)| *number).ok();
    index.map_or(HIGHEST_SCORE, |at| CRS_RULES[at].2)
}
