//! The OWASP Core Rule Set, read from the user's disk, and its verdicts about requests. zonewright
//! ships no rule text.
//!
//! | question | files |
//! |---|---|
//! | where are the rules? | `load` |
//! | which attacks test a change that lets requests through? | `sample_attacks` |
//! | which rules does Cloudflare have, for offline checks? | `catalogue` |

mod catalogue;
mod load;
mod sample_attacks;

pub use catalogue::{catalogue, score};
pub use load::{CrsError, DEBIAN_RULES, load};
pub use sample_attacks::{SAMPLE_ATTACKS, sample_attacks};

use crate::insight::traffic::{FindsHits, Hit, Hits};
use crate::model::request::Request;
use crate::recorded::Sample;
use crate::seclang::{Outcome, RuleSet};

/// Converts the hits of rules to plain numbers. Undecided rules count if they add to the score.
#[must_use]
pub fn hits(rules: &RuleSet, outcome: &Outcome) -> Hits {
    let number = |score: i64| u32::try_from(score).unwrap_or(0);
    let hits = outcome.hits.iter().map(|hit| Hit {
        rule: hit.rule,
        level: hit.level,
        score: number(hit.score),
    });
    let is_open = |rule: u32| {
        outcome.undecided.contains(&rule) && outcome.hits.iter().all(|hit| hit.rule != rule)
    };
    let undecided = match outcome.undecided.as_slice() {
        [] => Vec::new(),
        _ => (rules.scoring().filter(|scoring| is_open(scoring.rule)))
            .map(|scoring| Hit {
                rule: scoring.rule,
                level: scoring.level,
                score: score(scoring.rule),
            })
            .collect(),
    };
    Hits { hits: hits.collect(), undecided }
}

impl FindsHits for RuleSet {
    fn hits(&self, request: &Request) -> Hits {
        hits(self, &self.evaluator().evaluate(&Sample::of(request.clone(), "").as_sent()))
    }
}
