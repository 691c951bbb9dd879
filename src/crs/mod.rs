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

use crate::insight::traffic::{Hit, Hits};
use crate::seclang::Outcome;

/// What rules found, as plain numbers.
#[must_use]
pub fn hits(outcome: &Outcome) -> Hits {
    let score = |score: i64| u32::try_from(score).unwrap_or(0);
    let hits = outcome.hits.iter().map(|hit| Hit { rule: hit.rule, level: hit.level, score: score(hit.score) });
    Hits { hits: hits.collect(), undecided: outcome.undecided.clone() }
}
