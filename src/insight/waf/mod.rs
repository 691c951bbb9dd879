//! What the protection of a zone does: its managed rulesets, exceptions, custom rules and rate
//! limits, and what a change of them means.
//!
//! | question | answer |
//! |---|---|
//! | what does this deployment do? | [`effective_deployment`] |
//! | which rules are in force, in which order, and what does each do? | `rules_in_force` |
//! | what protects this zone? | [`survey`] |
//! | what differs between two states of it? | [`difference`] |
//! | what does this change of a deployment do? | [`deployment_impact`] |
//! | and this change of an exception, a custom rule, a rate limit? | [`rule_impact`], [`move_impact`] |
//! | does an exception cancel a deployment? | [`cancels`] |
//! | is what the spec promises of a deployment in force? | [`hold_deployment`]; without a spec: [`hold_floor`] |
//! | can an entry of `accept` match anything? | [`acceptance_without_effect`] |
//! | does it weaken few named rules only? | [`narrow_exception`], [`narrow_overrides`] |
//! | may it stop ordinary visitors? | [`deployment_locks_out`], [`rule_locks_out`] |
//! | which attacks can the score never stop? | [`unreachable_families`] |
//! | what does a request meet on its way through all phases? | [`Requests`] |
//! | what did Cloudflare change in its rulesets? | [`lock`] |

pub(super) mod action_strength;
mod deployment_change;
mod effective_rules;
pub(super) mod exception;
mod impact;
pub mod lock;
mod lock_out;
pub(super) mod narrow_weakening;
mod overview;
mod phrases;
mod promise;
mod protection_difference;
mod rate_limit;
mod rate_limit_change;
mod rate_limit_lock_out;
mod request_treatment;
mod rule_change;
mod rule_filter;
mod rule_position;
mod rule_scope;
pub(super) mod rules_in_force;
mod threshold_change;
mod tuning_change;
mod unreachable_scores;

pub use deployment_change::deployment_impact;
pub use effective_rules::{DecidedBy, EffectiveDeployment, EffectiveRule, effective_deployment};
pub use exception::{Skipped, cancels, relieves_nothing, skipped};
pub use impact::{Impact, NO_EFFECT};
pub use lock_out::{deployment_locks_out, rule_locks_out};
pub use narrow_weakening::{narrow_exception, narrow_overrides};
pub use overview::{
    AccountSurvey, Deployed, FamilyCount, RuleRow, RuleSurvey, RulesetSurvey, Survey, survey,
    survey_account,
};
pub use phrases::{SHORT_ID, rule_label, title};
pub use promise::{
    Cause, Context, InForce, LOOSEST_THRESHOLD, Promised, Shortfall, acceptance_without_effect,
    hold_deployment, hold_floor,
};
pub use protection_difference::{ChangedRule, Difference, RuleDifference, difference};
pub use request_treatment::{Changed, PhaseRules, Requests, SimpleRule, Treatment};
pub use rule_change::rule_impact;
pub use rule_filter::RuleFilter;
pub use rule_position::{Move, MovedRule, lets_pass, move_impact};
pub use unreachable_scores::{Reach, reach_summary, unreachable_families};
