//! Drift detection: reads a plan and reports what differs and who changed it. Pure.
//!
//! In: a [`Plan`](crate::plan::Plan) and the time. Out: a [`Report`] that gives every operation a
//! [`State`] and counts what is in sync and what the spec does not name. Nothing is compared again
//! here, so a plan and a report cannot disagree: a zone has a finding for each operation of its
//! plan, and one for each deployment that the plan shows to be weaker than the spec says.

mod classify;
mod drift_verdict;
mod state;

pub use classify::{CheckedExpectation, Finding, Report, WeakenedDeployment, ZoneReport, classify};
pub use drift_verdict::Verdict;
pub use state::State;
