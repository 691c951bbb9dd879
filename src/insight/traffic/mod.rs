//! Evaluates requests against the rules of a zone.
//!
//! | step | files |
//! |---|---|
//! | the rules of a zone, prepared for evaluation | `protection` |
//! | the verdict, rule by rule | `request_verdict` |
//! | the setting with the least damage | `owasp_tuning` |
//! | ways to let a request through that was stopped by mistake, by damage | `ways_to_let_through` |
//! | the anomaly score under a deployment of the OWASP ruleset | `anomaly_score` |
//! | the rate of requests | `request_rates` |
//! | the number of requests on which each level and threshold would act | `owasp_matrix` |
//! | many recorded requests, before and after a change | `report`; `request_counts` counts them with bounded memory: `counted_request`, `changed_outcomes`, `most_frequent` |
//!
//! Nothing is guessed: unknown parts of a request stay unknown, and a verdict that depends on them
//! names them.

mod anomaly_score;
mod changed_outcomes;
mod counted_request;
mod exception_place;
mod most_frequent;
mod owasp_matrix;
mod owasp_tuning;
mod protection;
mod report;
mod request_counts;
mod request_rates;
mod request_verdict;
mod rule_action;
mod tuning_problem;
mod tuning_search;
mod ways_to_let_through;

pub use anomaly_score::{
    CountedHit, FindsHits, Hit, HitTreatment, Hits, ScoreSpan, Scored, Scoring,
};
pub use counted_request::CountedRequest;
pub use exception_place::{ExceptionPlace, PathScope, SkippedRules};
pub use owasp_matrix::{COLUMNS, Matrix};
pub use owasp_tuning::{Bounds, Load, Loads, Tuning, TuningEntry, acted_on};
pub use protection::Protection;
pub use report::{
    Cell, Counts, Example, Flip, Group, Named, Outcomes, Report, ReportKind, Set, Zone,
};
pub use request_counts::RequestCounts;
pub use request_rates::{Counters, Pace};
pub use request_verdict::{EvaluationStep, RequestVerdict};
pub use rule_action::{Act, RuleAt};
pub use tuning_problem::TuningRequests;
pub use tuning_search::{Tunings, least_damage};
pub use ways_to_let_through::{Attacks, Way, WayKind, WayScope, Ways, ways_to_let_through};
