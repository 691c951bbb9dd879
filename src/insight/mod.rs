//! The effect of protection settings on traffic: which rules are on and why, the direction of a change, and which
//! attacks cannot be stopped. Pure.
//!
//! | question | answer |
//! |---|---|
//! | what does this deployment do? | [`effective_deployment`] |
//! | what protects this zone? | [`survey`] |
//! | what differs between two states of it? | [`difference`] |
//! | what does this change of a deployment do? | [`deployment_impact`] |
//! | and this change of an exception, a custom rule, a rate limit? | [`rule_impact`], [`move_impact`] |
//! | does an exception cancel a deployment? | [`cancels`] |
//! | does it weaken few named rules only? | [`narrow_exception`], [`narrow_overrides`] |
//! | may it stop ordinary visitors? | [`deployment_locks_out`], [`rule_locks_out`] |
//! | which attacks can the score never stop? | [`unreachable_families`] |
//! | what does a request meet on its way through all phases? | [`Requests`] |
//! | what did Cloudflare change in its rulesets? | [`lock`] |
//! | what does a change of records mean for mail, certificates, delegations, addresses? | [`effects()`] |
//! | does an expectation of the spec hold? | [`expect::hold`] |
//! | what do name servers answer, and what differs after a change? | [`dns`] |
//!
//! Every effect is a sentence of its own; effects are not summed up as a grade. If an effect is unknown, the sentence
//! says so. The sentences contain text from Cloudflare (descriptions, expressions), so outputs must escape them.

mod addresses;
mod delegation;
mod deployment;
mod difference;
mod direction;
pub mod dns;
mod effect;
mod effective;
mod exception;
pub mod expect;
mod filter;
mod hosts;
mod issuance;
pub mod lock;
mod lock_out;
pub mod mail;
mod meaning;
mod mistyped;
mod narrow;
mod order;
mod other_zones;
mod phrases;
mod providers;
mod rate;
mod reach;
mod rule;
mod scope;
mod services;
mod step;
mod survey;
mod takeover;
pub mod traffic;
mod treatment;
mod tuning;
mod view;

pub use deployment::deployment_impact;
pub use difference::{ChangedRule, Difference, RuleDifference, difference};
pub use direction::{Direction, Impact, NO_EFFECT};
pub use effect::{Effect, Topic};
pub use effective::{DecidedBy, EffectiveDeployment, EffectiveRule, effective_deployment};
pub use exception::{Skipped, cancels, relieves_nothing, skipped};
pub use filter::RuleFilter;
pub use lock_out::{deployment_locks_out, rule_locks_out};
pub use meaning::effects;
pub use narrow::{narrow_exception, narrow_overrides};
pub use order::{Move, MovedRule, lets_pass, move_impact};
pub use other_zones::{OtherZones, Overview};
pub use phrases::{SHORT_ID, rule_label, title};
pub use providers::{PROVIDERS, Provider};
pub use reach::{Reach, reach_summary, unreachable_families};
pub use rule::rule_impact;
pub use step::Step;
pub use survey::{
    AccountSurvey, Deployed, FamilyCount, RuleRow, RuleSurvey, RulesetSurvey, Survey, survey, survey_account,
};
pub use takeover::ownership_token;
pub use treatment::{Requests, SimpleRule, Treatment};
