//! Rulesets that Cloudflare maintains, and how a zone tunes them.

mod catalogue;
mod catalogue_rule;
mod catalogue_rules;
mod deployment;
mod effective;
mod overrides;
mod paranoia;
mod rule_names;

pub use catalogue::{Catalogue, Managed, ScoreAction, threshold_keyword};
pub use catalogue_rule::{CatalogueRule, attack_family};
pub use catalogue_rules::CatalogueRules;
pub use deployment::{
    Compiled, Problem, ProblemKind, Recognised, compile, find_deployment, recognise,
};
pub use effective::{Anyway, Effect, effective};
pub use overrides::{Overrides, RuleOverride, TagOverride};
pub use paranoia::Paranoia;
pub use rule_names::{RuleName, Unresolved};
