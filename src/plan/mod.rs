//! From differences to operations: complete, ordered, reversible, judged. Pure.
//!
//! A [`Plan`] leaves no choice to whoever executes it. [`plan_zone`] turns a zone's changes into [`Operation`]s with what
//! they expect to find and how to undo them; `check` holds them against the limits of the zone's plan; `guard` names the
//! dangers and asks for consents; `order` cuts them into steps; `lower` turns steps into exact requests.

mod around;
mod base;
mod build;
mod check;
mod dangers;
pub mod file;
mod guard;
mod lower;
mod operation;
mod order;
mod rule_operation;
mod standing;
mod waf;
mod waf_check;

pub use base::plan_zone_with_base;
pub use build::{plan_changes, plan_zone};
pub use guard::{Consents, GivenConsent, MissingConsent, Policy, PolicyEntry};
pub use lower::{Lowering, Step, lower, lower_rule_operation, lower_step, lower_zone_operation};
pub use operation::{
    Action, Cause, Expect, Keeper, Operation, Plan, Reverse, SetAsideCount, Summary, Verdict, ZoneAction,
    ZoneOperation, ZonePlan,
};
pub use order::groups;
pub use rule_operation::{ExpectRuleset, RuleAction, RuleOperation, RuleReverse};
