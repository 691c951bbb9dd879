//! The OWASP ruleset as Cloudflare may have it, made of the public rules: for specs that are read without asking Cloudflare.

use crate::insight::traffic::HIGHEST_SCORE;
use crate::model::facts::crs::CRS_RULES;
use crate::model::facts::rulesets::{ANOMALY_RULE, ANOMALY_THRESHOLD, PARANOIA_TAGS};
use crate::model::managed::{Catalogue, CatalogueRule, Managed};
use crate::model::ruleset::{RuleId, RulesetId};
use crate::seclang::RuleSet;

/// The ruleset with the public rules. Their ids are their numbers, since Cloudflare's own are known only from its API.
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
    list.extend(rules.scoring().map(|rule| CatalogueRule {
        id: RuleId(format!("{:032}", rule.rule)),
        number: Some(rule.rule),
        description: format!("{}: {}", rule.rule, rule.message),
        tags: vec![PARANOIA_TAGS[usize::from(rule.level.clamp(1, 4)) - 1].to_owned()],
        enabled: true,
        action: "score".to_owned(),
        score: None,
        threshold: None,
    }));
    list.sort_by_key(|rule| rule.number);
    list.dedup_by_key(|rule| rule.number);
    list.push(CatalogueRule {
        id: RuleId(ANOMALY_RULE.to_owned()),
        number: Some(949_110),
        description: "949110: Inbound Anomaly Score Exceeded".to_owned(),
        tags: Vec::new(),
        enabled: true,
        action: "block".to_owned(),
        score: None,
        threshold: Some(ANOMALY_THRESHOLD),
    });
    catalogue
}

/// What a rule adds to the score in the public rules, the highest score if it is not known.
#[must_use]
pub fn score(rule: u32) -> u32 {
    let known = CRS_RULES.binary_search_by_key(&rule, |(number, _, _)| *number).ok();
    known.map_or(HIGHEST_SCORE, |at| CRS_RULES[at].2)
}
