//! What a setting of the protection means for traffic: which rules are on and why, which way a change goes, and what cannot
//! be stopped at all. Pure.
//!
//! | question | answer |
//! |---|---|
//! | what does this deployment do? | [`standing`] |
//! | what protects this zone? | [`survey`] |
//! | what differs between two states of it? | [`difference`] |
//! | what does this change of a deployment do? | [`deployment_impact`] |
//! | and this change of an exception, a custom rule, a rate limit? | [`rule_impact`], [`move_impact`] |
//! | does an exception leave anything of a deployment? | [`cancels`] |
//! | which attacks can the score never stop? | [`unreachable_families`] |
//! | what did the service change in its rulesets? | [`lock`] |
//!
//! Every effect is a sentence of its own; nothing is averaged to a grade. Where an effect cannot be told it says so. The
//! sentences hold words of the service (descriptions, expressions), so whoever shows them makes them safe to show.

mod deployment;
mod difference;
mod direction;
mod exception;
mod filter;
pub mod lock;
mod order;
mod rate;
mod reach;
mod rule;
mod scope;
mod standing;
mod survey;
mod tuning;
mod words;

pub use deployment::deployment_impact;
pub use difference::{ChangedRule, Difference, RuleDifference, difference};
pub use direction::{Direction, Impact, NO_EFFECT};
pub use exception::{Skipped, cancels, skipped};
pub use filter::RuleFilter;
pub use order::{Move, Passing, move_impact};
pub use reach::{Reach, reach_summary, unreachable_families};
pub use rule::rule_impact;
pub use standing::{RuleStanding, Standing, Why, standing};
pub use survey::{Deployed, FamilyCount, RuleRow, RuleSurvey, RulesetSurvey, Survey, survey};
pub use words::{rule_label, title};
