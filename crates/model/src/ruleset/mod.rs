//! Rulesets: phases, rules in Cloudflare's form, and desired rules.
//!
//! A rule keeps all its members, including unknown ones, because an update replaces the whole
//! definition: members that are not sent are lost. Two rules are compared by their canonical form.

mod canonical;
mod characteristics;
mod compile;
mod desired;
mod live_waf;
mod recognise;
mod rule;
mod without_source_places;

pub use crate::ids::{RuleId, RulesetId};
pub use canonical::{canonical, canonical_rate_limit};
pub use characteristics::{CountingError, counting_error, counting_expression};
pub use compile::compile_rule;
pub use desired::{
    AcceptedCause, AcceptedObject, Anchor, DesiredDeployment, DesiredRate, DesiredRule, DesiredWaf,
    Note, RuleForm, RuleTuning, SkipTarget, Switch, TagTuning, TuningTarget,
};
pub use live_waf::{LiveWaf, Unread};
pub use recognise::recognise_rule;
pub use rule::{AccountRules, EntryPoint, LiveRule, LiveRuleset, Position, RuleBody};

pub use super::facts::phases::{Phase, RuleKind};
