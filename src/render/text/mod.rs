//! Plans and results as text: on a terminal, in a log, in a review.

mod conformance;
mod doctor;
mod drift;
mod dry_run;
mod entry;
mod layout;
mod plan;
mod readable;
mod result;
mod signs;
mod spec_diff;
mod style;
mod waf_diff;
mod waf_lock;
mod waf_overview;

pub use conformance::write_conformance;
pub use doctor::write_doctor;
pub use drift::write_drift;
pub use dry_run::write_requests;
pub use plan::{Extent, PlanView, write_plan};
pub use readable::write_readable;
pub use result::{ZoneResult, next_step, write_result};
pub use spec_diff::write_spec_changes;
pub use waf_diff::write_waf_difference;
pub use waf_lock::write_waf_lock;
pub use waf_overview::{write_waf_rules, write_waf_survey};
