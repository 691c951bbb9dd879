//! What a request meets on its way through a zone's rules.
//!
//! | step | files |
//! |---|---|
//! | the rules of a zone, ready to be evaluated | `protection` |
//! | the verdict, rule by rule | `walk` |
//! | the setting with the least damage | `tune` |
//! | ways to let a request through that was stopped by mistake, by damage | `ways` |
//! | the anomaly score under a deployment of the OWASP ruleset | `score` |
//! | how often requests are made | `rates` |
//! | how many requests each level and threshold would act on | `matrix` |
//! | many recorded requests, before and after a change | `report`; `tally` counts them with bounded memory: `seen`, `flips`, `most_frequent` |
//!
//! Nothing is guessed: what a request does not tell is unknown, and a verdict that depends on it says on what.

mod act;
mod flips;
mod matrix;
mod most_frequent;
mod protection;
mod rates;
mod report;
mod score;
mod seen;
mod tally;
mod tune;
mod walk;
mod ways;

pub use act::{Act, RuleAt};
pub use matrix::{COLUMNS, Matrix};
pub use protection::Protection;
pub use rates::{Counters, Pace};
pub use report::{Cell, Counts, Example, Flip, Group, Named, Outcomes, Report, ReportKind, Set, Zone};
pub use score::{Counted, Fate, FindsHits, Hit, Hits, Scored, Scoring, Span};
pub use seen::Seen;
pub use tally::Tally;
pub use tune::{Bounds, Entry, Load, Loads, Tuning, acted_on, least_damage};
pub use walk::{Step, Verdict};
pub use ways::{Attacks, Scope, Way, WayKind, Ways, ways_to_let_through};
