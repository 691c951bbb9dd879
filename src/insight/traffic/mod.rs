//! What a request meets on its way through a zone's rules.
//!
//! | step | files |
//! |---|---|
//! | the rules of a zone, ready to be evaluated | `protection` |
//! | the verdict, rule by rule | `walk` |
//!
//! Nothing is guessed: what a request does not tell is unknown, and a verdict that depends on it says on what.

mod protection;
mod walk;

pub use protection::Act;
pub use protection::Protection;
pub use walk::{RuleAt, Step, Verdict};
