//! Rules and rulesets in Cloudflare's form.

use std::collections::BTreeMap;

use crate::Gather;
use crate::expression::Expression;
use crate::facts::phases::Phase;
use crate::fields::Value;
use crate::ids::{RuleId, RulesetId};

/// The definition of a rule: every member except those that Cloudflare sets (`id`, `version`,
/// `last_updated`).
///
/// Unknown members are included, and are sent back with every change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RuleBody(BTreeMap<String, Value>);

impl RuleBody {
    /// Takes members and leaves out those that Cloudflare sets.
    #[must_use]
    pub fn new(members: BTreeMap<String, Value>) -> Self {
        let is_ours = |name: &str| !matches!(name, "id" | "version" | "last_updated");
        Self(members.into_iter().filter(|(name, _)| is_ours(name)).gather())
    }

    /// Returns all members.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<String, Value> {
        &self.0
    }

    /// Returns a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Sets a member.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Removes a member.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Returns a text member.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns its action.
    #[must_use]
    pub fn action(&self) -> &str {
        self.text("action").unwrap_or_default()
    }

    /// Returns its `ref`, if someone set one.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.text("ref").filter(|r| !r.is_empty())
    }

    /// Returns its description, if there is one.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.text("description").filter(|d| !d.is_empty())
    }

    /// Returns true if it is on.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.get("enabled") != Some(&Value::Bool(false))
    }

    /// Returns the requests that it applies to.
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        self.text("expression").map(Expression::reported)
    }

    /// Returns a member that is a map.
    fn map(&self, name: &str) -> Option<&BTreeMap<String, Value>> {
        match self.get(name) {
            Some(Value::Map(members)) => Some(members),
            _ => None,
        }
    }

    /// Returns the parameters of its action.
    #[must_use]
    pub fn parameters(&self) -> Option<&BTreeMap<String, Value>> {
        self.map("action_parameters")
    }

    /// Returns the members of its rate limit.
    #[must_use]
    pub fn rate_limit(&self) -> Option<&BTreeMap<String, Value>> {
        self.map("ratelimit")
    }

    /// Returns a parameter of its action.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.parameters()?.get(name)
    }

    /// Sets a parameter of its action.
    pub fn set_parameter(&mut self, name: &str, value: impl Into<Value>) {
        let parameters = self
            .0
            .entry("action_parameters".to_owned())
            .or_insert_with(|| Value::Map(BTreeMap::new()));
        if !matches!(parameters, Value::Map(_)) {
            *parameters = Value::Map(BTreeMap::new());
        }
        if let Value::Map(parameters) = parameters {
            parameters.insert(name.to_owned(), value.into());
        }
    }

    /// Removes a parameter of its action.
    pub fn remove_parameter(&mut self, name: &str) {
        if let Some(Value::Map(parameters)) = self.0.get_mut("action_parameters") {
            parameters.remove(name);
        }
    }

    /// Returns the version of the ruleset to which it is pinned, if it does not follow the latest
    /// one.
    #[must_use]
    pub fn pinned_version(&self) -> Option<&str> {
        match self.parameter("version") {
            Some(Value::Text(version)) if version != "latest" => Some(version),
            _ => None,
        }
    }

    /// Returns the ruleset that it executes, if any.
    #[must_use]
    pub fn executes(&self) -> Option<&str> {
        match (self.action(), self.parameter("id")) {
            ("execute", Some(Value::Text(id))) => Some(id),
            _ => None,
        }
    }
}

/// A live rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRule {
    /// Cloudflare's id, which requests for the rule name.
    pub id: RuleId,
    /// The time of the last change, as Cloudflare wrote it.
    pub last_updated: Option<String>,
    /// Its definition. It has a `ref` only if someone set one, because otherwise it is the id.
    pub body: RuleBody,
}

impl LiveRule {
    /// Returns the shortest name that a person recognises: its `ref`, its description, or its id.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.body.reference().or_else(|| self.body.description()).unwrap_or(&self.id.0)
    }
}

/// A live ruleset of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRuleset {
    /// Cloudflare's id, which requests for its rules name.
    pub id: RulesetId,
    /// Its version, which increases with every change in it.
    pub version: Option<String>,
    /// The time of the last change, as Cloudflare wrote it.
    pub last_updated: Option<String>,
    /// Its rules in their order.
    pub rules: Vec<LiveRule>,
}

/// The entry point of a phase of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryPoint {
    /// Cloudflare reports that there is none.
    Absent,
    /// It exists.
    Present(LiveRuleset),
}

impl EntryPoint {
    /// Returns its rules; none if there is no entry point.
    #[must_use]
    pub fn rules(&self) -> &[LiveRule] {
        match self {
            Self::Absent => &[],
            Self::Present(ruleset) => &ruleset.rules,
        }
    }
}

/// The rules of an account for its zones. Those of a phase run before the zone's own rules.
///
/// # Sources
/// developers.cloudflare.com/ruleset-engine/about/phases (order) and /waf/account (Enterprise),
/// read 2026-11-22.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountRules {
    /// The account's entry points by phase.
    Known(BTreeMap<Phase, EntryPoint>),
    /// They could not be read, for this reason.
    Unknown(String),
}

/// A position in a ruleset.
///
/// # Sources
/// developers.cloudflare.com/ruleset-engine/rulesets-api/add-rule (rule position), read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Before this rule.
    Before(RuleId),
    /// After this rule.
    After(RuleId),
    /// At this position, counted from 1.
    Index(usize),
}
