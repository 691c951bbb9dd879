//! From differences to operations: complete, ordered, reversible, judged. Pure.
//!
//! A [`Plan`] leaves no choice to whoever executes it. [`plan_zone`] turns a zone's changes into [`Operation`]s with what
//! they expect to find and how to undo them; `record_checks` and `rule_checks` hold them against the limits of the zone's plan; `consent` names the
//! dangers and asks for consents; `changes_much` says when a large part of a zone changes; `grades` says which weakenings are narrow; `conflicts` says what happens to values of others; `order` puts them in order; `batches` cuts them into requests; `lower` turns steps into exact requests. `part` leaves out what was not chosen.

mod action;
mod base_source;
mod batches;
mod build;
mod changes_much;
mod conflicts;
mod consent;
mod dangers;
mod explain;
mod grades;
mod lower;
mod narrow;
mod not_in_force;
mod operation;
mod order;
mod part;
mod policy;
mod positions;
mod postponed;
mod record_checks;
mod rule_checks;
mod rules;
mod subject;
mod three_way;
mod transition;
mod zone_plan;

pub use action::{Action, Cause, Why};
pub use base_source::BaseSource;
pub use batches::{batches as record_batches, bonds, groups};
pub use build::{Differences, plan_changes, plan_part, plan_zone};
pub use conflicts::Overwrites;
pub use consent::{Consents, MissingConsent, Verdict};
pub use explain::explain_records;
pub use lower::{Lowering, Step, lower, lower_operation, lower_records};
pub use narrow::Narrow;
pub use operation::Operation;
pub use policy::{Policy, PolicyEntry};
pub use subject::{ExpectRuleset, RecordAction, RecordSubject, RuleAction, RuleSubject, Subject, SubjectKind};
pub use three_way::{plan_part_with_base, plan_zone_with_base};
pub use zone_plan::{GivenConsent, Keeper, Part, Plan, SetAsideCount, Summary, ZonePlan};
