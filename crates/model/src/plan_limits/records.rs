//! Attributes of records that not every plan has.

use super::{BeyondPlan, ZoneTier};
use crate::diagnostic;
use crate::facts::certainty::Certainty;
use crate::facts::record_features::RECORD_FEATURES;
use crate::record::{Comment, Facets};

/// Returns what a plan does not allow of a record's attributes.
#[must_use]
pub fn record_limits(facets: &Facets, zone: ZoneTier) -> Vec<BeyondPlan> {
    let limits = zone.tier.facts();
    let plan = limits.name;
    let mut beyond = Vec::new();
    let mut refuse = |key, certainty, detail: String, help: String| {
        let is_certain = zone.is_certain(certainty);
        beyond.push(BeyondPlan { key, detail, help, is_certain });
    };
    let length = facets.comment.as_ref().and_then(Comment::text).map_or(0, |c| c.chars().count());
    if length > limits.comment_characters {
        let character_limit = limits.comment_characters;
        refuse(
            "comment",
            Certainty::Certain,
            format!(
                "the comment has {length} characters; the {plan} plan allows {character_limit}"
            ),
            "shorten the comment".to_owned(),
        );
    }
    let tags = facets.tags.as_ref().map_or(0, std::collections::BTreeSet::len);
    if tags > limits.tags {
        let help = match limits.tags {
            0 => "remove `tags`".to_owned(),
            most => format!("keep at most {most} tags"),
        };
        let tags = diagnostic::count(tags, "tag");
        refuse(
            "tags",
            Certainty::Certain,
            format!("the record has {tags}; the {plan} plan allows {}", limits.tags),
            help,
        );
    }
    let ttl = facets.ttl.filter(|ttl| {
        facets.proxied != Some(true) && !ttl.is_automatic() && ttl.as_number() < limits.minimum_ttl
    });
    if let Some(ttl) = ttl {
        let minimum = limits.minimum_ttl;
        refuse(
            "ttl",
            Certainty::Certain,
            format!("the time to live is {ttl} s; the {plan} plan allows {minimum} s or more"),
            format!("write `ttl: {minimum}` or `ttl: auto`"),
        );
    }
    let switches = facets.settings.named();
    let on = switches.into_iter().filter(|(_, value)| *value == Some(true)).map(|(name, _)| name);
    for facts in on.filter_map(|name| RECORD_FEATURES.iter().find(|facts| facts.key == name)) {
        if zone.tier.rank() < facts.lowest_plan {
            refuse(facts.key, facts.certainty, facts.refusal.to_owned(), facts.instead.to_owned());
        }
    }
    beyond
}
