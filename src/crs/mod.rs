//! The OWASP Core Rule Set as the user has it on disk, and what it says about requests. We ship no rule text.
//!
//! | question | files |
//! |---|---|
//! | where are the rules? | `load` |
//! | which attacks is a way out tried on? | `shapes` |
//! | which rules does Cloudflare have, if it is not asked? | `catalogue` |

mod catalogue;
mod load;
mod shapes;

pub use catalogue::{catalogue, score};
pub use load::{CrsError, DEBIAN_RULES, load};
pub use shapes::{SHAPES, shapes};

use crate::insight::traffic::{FindsHits, Hit, Hits};
use crate::model::request::Request;
use crate::recorded::Sample;
use crate::seclang::{Outcome, RuleSet};

/// What rules found, as plain numbers.
#[must_use]
pub fn hits(outcome: &Outcome) -> Hits {
    let score = |score: i64| u32::try_from(score).unwrap_or(0);
    let hits = outcome.hits.iter().map(|hit| Hit { rule: hit.rule, level: hit.level, score: score(hit.score) });
    Hits { hits: hits.collect(), undecided: outcome.undecided.clone() }
}

impl FindsHits for RuleSet {
    fn hits(&self, request: &Request) -> Hits {
        let mut sent = Sample::of(request.clone(), "").as_sent();
        // What `curl` itself sends is not in its command.
        if request.has_all_headers && request.header("user-agent").is_none() {
            sent.headers.push((b"user-agent".to_vec(), b"curl/8.14.1".to_vec()));
        }
        hits(&self.evaluator().evaluate(&sent))
    }
}
