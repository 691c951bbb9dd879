//! What a request meets on its way through a zone's rules.
//!
//! | step | files |
//! |---|---|
//! | the rules of a zone, ready to be evaluated | `protection` |
//! | the verdict, rule by rule | `walk` |
//! | the anomaly score under a deployment of the OWASP ruleset | `score` |
//!
//! Nothing is guessed: what a request does not tell is unknown, and a verdict that depends on it says on what.

mod act;
mod protection;
mod score;
mod walk;

pub use act::{Act, RuleAt};
pub use protection::Protection;
pub use score::{Counted, Fate, Hit, Hits, Scored};
pub use walk::{Step, Verdict};
