//! Converts differences to operations that are complete, ordered, reversible, and judged. Pure.
//!
//! A [`Plan`] leaves no choice to the executor. [`plan_zone`] converts a zone's changes to
//! [`Operation`]s with their expectations.
//!
//! | step | file |
//! |---|---|
//! | changes as operations | `operation_builder`, `record_operation`, `rules`, `setting_operations`, `subject` |
//! | with a previous spec: intent or drift, and what happens to values of others | `three_way`, `drift_since_base`, `cause`, `overwrites` |
//! | a part, chosen by addresses | `chosen_part` |
//! | their order | `record_order`, `rule_transition`, `rule_positions` |
//! | the limits of the zone's Cloudflare plan, and what has no effect | `record_checks`, `other_programs`, `rule_checks`, `not_in_force`, `postponed_expiry` |
//! | what the spec promises and is not in force | `in_force`; of all zones of a run: `protection_of_run` |
//! | what is dangerous about them | `dangers`, `replacements`, `effects_and_expectations`, `last_address`, `changes_much`, `shrank`, `weakening_grade` |
//! | the consents that are missing | `consent`, `model::policy` |
//! | exact requests | `batches`, `record_schedule`, `exact_requests` |

mod action;
mod base_source;
mod batches;
mod cause;
mod changes_much;
mod chosen_part;
mod consent;
mod dangers;
mod drift_since_base;
mod effects_and_expectations;
mod exact_requests;
mod in_force;
mod last_address;
mod lowering;
mod not_in_force;
mod operation;
mod operation_builder;
mod other_programs;
mod overwrites;
mod postponed_expiry;
mod protection_of_run;
mod record_checks;
mod record_operation;
mod record_order;
mod record_schedule;
mod replacements;
mod rule_checks;
mod rule_positions;
mod rule_transition;
mod rule_weighing;
mod rules;
mod setting_operations;
mod shrank;
mod subject;
mod three_way;
mod weakening_grade;
mod zone_plan;

pub use action::{Action, Why};
pub use base_source::BaseSource;
pub use cause::Cause;
pub use consent::{Consents, MissingConsent, Verdict};
pub use effects_and_expectations::explain_records;
pub use exact_requests::{Step, lower, lower_operation, lower_records};
pub use in_force::{DeploymentInForce, deployments_in_force};
pub use lowering::Lowering;
pub use operation::Operation;
pub use operation_builder::{Differences, plan_changes, plan_part, plan_zone};
pub use overwrites::Overwrites;
pub use protection_of_run::check_protection_of_run;
pub use record_schedule::RecordSchedule;
pub use replacements::SuccessorKey;
pub use subject::{ExpectRuleset, RecordSubject, RuleAction, RuleSubject, Subject, SubjectKind};
pub use three_way::{plan_part_with_base, plan_zone_with_base};
pub use zone_plan::{GivenConsent, Keeper, Part, Plan, SetAsideCount, Summary, ZonePlan};
