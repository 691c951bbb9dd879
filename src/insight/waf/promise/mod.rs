//! The promises of a spec about a managed ruleset, compared with the live state. Pure.
//!
//! | the spec says | promised |
//! |---|---|
//! | nothing, `off`, `raw` | nothing |
//! | `on` or a mapping | the deployment is on and acts: the floor of the keys that are left out |
//! | `paranoia: n` | every rule of the levels 1 to n that is on by default, without those that the spec's own entries disable |
//!
//! The floor of the OWASP ruleset: the rules of level 1 are on, the threshold is at most
//! [`LOOSEST_THRESHOLD`], the action stops requests, the rule that acts on the score is on, all
//! requests are checked. The floor of the Cloudflare Managed Ruleset: what is on by default is on,
//! and what blocks or challenges by default still does. A key that is stated is compared by the
//! plan.
//!
//! Both sides are resolved with the same rules: those of the version that the live rule executes.
//! Rules that the spec does not name and that let requests skip the ruleset are in
//! [`foreign_skip`].

mod acceptance;
mod context;
mod foreign_skip;
mod held;
mod words;

use std::collections::BTreeSet;

pub use acceptance::acceptance_without_effect;
pub use context::Context;
pub use held::{hold_deployment, hold_floor};

use crate::model::managed::Managed;
use crate::model::ruleset::{Phase, RuleBody, RuleId};

/// The highest threshold that a spec without `threshold` promises: Cloudflare's loosest preset.
pub const LOOSEST_THRESHOLD: u32 = 60;

/// The comparison of a deployment with the promises of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// The managed ruleset.
    pub ruleset: Managed,
    /// Number of rules that are promised to be on.
    pub promised_rules: usize,
    /// Promises that are not in force, without those that the spec accepts.
    pub shortfalls: Vec<Shortfall>,
    /// Descriptions of accepted causes.
    pub accepted: Vec<String>,
    /// The numbers of the entries of `accept` that match something here.
    pub matched: BTreeSet<usize>,
    /// The numbers of entries that name a cause with another value, and the live value.
    pub outdated: Vec<(usize, String)>,
    /// Parts that the spec leaves open, and that are within the floor or stronger.
    pub choices: Vec<String>,
    /// Foreign rules that free requests from too few rules to count, with their effect.
    pub narrow_skips: Vec<String>,
    /// Parts that cannot be compared.
    pub unknown: Vec<String>,
    /// Earlier phases that were not read, because nothing indicated that they have rules.
    pub not_asked: Vec<Phase>,
}

impl InForce {
    /// Returns a comparison without findings.
    fn new(ruleset: Managed) -> Self {
        Self {
            ruleset,
            promised_rules: 0,
            shortfalls: Vec::new(),
            accepted: Vec::new(),
            matched: BTreeSet::new(),
            outdated: Vec::new(),
            choices: Vec::new(),
            narrow_skips: Vec::new(),
            unknown: Vec::new(),
            not_asked: Vec::new(),
        }
    }

    /// Returns true if a promise is not in force.
    #[must_use]
    pub fn is_weakened(&self) -> bool {
        !self.shortfalls.is_empty()
    }

    /// Returns the promised rules that are off, bypassed or too weak.
    #[must_use]
    pub fn lost_rules(&self) -> BTreeSet<&str> {
        self.shortfalls.iter().flat_map(|shortfall| &shortfall.rules).map(String::as_str).collect()
    }
}

/// A kind of promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Promised {
    /// The deployment is enabled.
    Deployment,
    /// It checks all requests.
    AllRequests,
    /// No foreign rule lets arbitrary clients skip it.
    NoBypass,
    /// The rule that acts on the score is on.
    ScoreRule,
    /// The threshold is low enough.
    Threshold,
    /// The action at the threshold is strong enough.
    Action,
    /// Rules are on.
    Rules,
    /// Rules block or challenge.
    RuleActions,
}

/// A promise that is not in force, for one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// The kind of promise.
    pub what: Promised,
    /// The promise in words.
    pub promised: String,
    /// What is live, in words.
    pub live: String,
    /// The cause.
    pub cause: Cause,
    /// The ids of the promised rules that it concerns.
    pub rules: BTreeSet<String>,
}

/// The cause of a shortfall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A property of the deployment, by its key in a spec.
    Key {
        /// The key.
        name: &'static str,
        /// Its value, as `accept` has it.
        is: String,
        /// The rule of the ruleset that has the override, if one does.
        rule: Option<String>,
    },
    /// An override of a rule, by its id, or of a tag.
    Override {
        /// The id or the tag.
        name: String,
        /// The name for readers.
        shown: String,
        /// `off`, or the action.
        is: String,
    },
    /// A rule that the spec does not name.
    Rule {
        /// Its phase.
        phase: Phase,
        /// Its id.
        id: RuleId,
        /// The name for readers.
        shown: String,
        /// Its definition.
        body: Box<RuleBody>,
    },
}

impl Cause {
    /// Returns the id of the object: of a rule, a tag or an override.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Key { rule: Some(rule), .. } => rule,
            Self::Key { name, rule: None, .. } => name,
            Self::Override { name, .. } => name,
            Self::Rule { id, .. } => &id.0,
        }
    }
}
