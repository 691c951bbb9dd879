//! Plans and results as text: on a terminal, in a log, in a review.

mod drift;
mod entry;
mod layout;
mod plan;
mod requests;
mod result;
mod signs;
mod spec_diff;
mod style;
mod waf;

pub use drift::write_drift;
pub use plan::{Extent, PlanView, write_plan};
pub use requests::write_requests;
pub use result::{ZoneResult, next_step, write_result};
pub use spec_diff::write_spec_changes;
pub use waf::{write_waf_difference, write_waf_lock, write_waf_rules, write_waf_survey};
