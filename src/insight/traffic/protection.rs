//! The rules of a zone in the order of execution, prepared for evaluation. Products that a skip rule
//! names are ignored, because they are outside the rulesets.

use std::sync::Arc;

use super::super::waf::exception::{Skipped, Target, ruleset_name};
use super::super::waf::rules_in_force::{Deed, RuleInForce, rules_in_force};
use super::anomaly_score::Scoring;
use super::rule_action::Act;
use crate::diagnostic::Place;
use crate::model::Value;
use crate::model::expression::{Expression, Lists, Program, Reason, Sample, Truth};
use crate::model::managed::Managed;
use crate::model::ruleset::{LiveRule, LiveWaf, Phase, RuleKind, counting_expression};

/// The rules of a zone.
#[derive(Debug)]
pub struct Protection {
    /// The enabled rules, in the order of execution.
    pub(super) rules: Vec<ProtectionRule>,
    /// Parts of every verdict that cannot be evaluated for any request.
    pub(super) unread: Vec<String>,
    /// Lists whose items are known.
    pub(super) lists: Arc<Lists>,
}

#[derive(Debug)]
pub(super) struct ProtectionRule {
    pub(super) phase: Phase,
    /// Its display name.
    pub(super) name: String,
    /// Its place in the spec, if it is there.
    pub(super) place: Option<Place>,
    /// The requests that it matches.
    pub(super) when: When,
    pub(super) effect: ProtectionEffect,
}

/// The requests that a rule matches.
#[derive(Debug)]
pub(super) enum When {
    /// The requests that an expression matches.
    Program(Program),
    /// Unknown requests: the expression cannot be read here.
    Unreadable(String),
}

/// The effect of a rule.
#[derive(Debug)]
pub(super) enum ProtectionEffect {
    /// The rule only logs requests.
    Log,
    /// The rule acts on requests.
    Act(Act),
    /// The rule lets requests bypass other rules.
    Skip(Bypass),
    /// The rule acts above a rate.
    Limit(Limit, Act),
    /// The rule executes a managed ruleset, by its id and name, whose rules act on requests.
    Execute(String, String),
    /// The rule executes the OWASP ruleset, whose rules and overrides are known.
    Score(Box<Scoring>),
    /// The effect is unknown here, for this reason.
    Unknown(String),
}

/// The rules that a skip rule lets requests bypass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bypass {
    /// True for all later rules of its phase.
    pub(super) rest: bool,
    /// Later phases.
    pub(super) phases: Vec<Phase>,
    /// Managed rulesets by id.
    pub(super) rulesets: Vec<String>,
    /// Single rules of managed rulesets by id.
    pub(super) rules: Vec<String>,
    /// Parts that cannot be evaluated.
    pub(super) unknown: Vec<String>,
}

/// A rate limit.
#[derive(Debug)]
pub(super) struct Limit {
    /// The number of requests.
    pub(super) requests: u64,
    /// The period in seconds.
    pub(super) period: u64,
    /// The duration of the action in seconds.
    pub(super) timeout: u64,
    /// The names of the fields that identify a client.
    pub(super) characteristics: Vec<String>,
    /// The requests that are counted, if they differ from the requests that the rule matches.
    pub(super) counted: Option<When>,
    /// True if only requests that reach the origin are counted.
    pub(super) is_of_origin: bool,
}

impl Protection {
    /// Reads the rules of a zone; `place` finds a rule of the spec by its name.
    #[must_use]
    pub fn new(waf: &LiveWaf, place: impl Fn(Phase, &str) -> Option<Place>) -> Self {
        let unread = Phase::ALL.iter().filter(|phase| !waf.entry_points.contains_key(*phase));
        let unread = unread.map(|phase| format!("{}, which are not known", phase.about()));
        let rules = rules_in_force(waf, None).map(|RuleInForce { phase, rule, .. }| {
            ProtectionRule::new(phase, rule, waf, place(phase, rule.shown()))
        });
        Self { rules: rules.collect(), unread: unread.collect(), lists: Arc::default() }
    }

    /// Returns the deployment of the OWASP ruleset, if its rules and overrides are known.
    #[must_use]
    pub fn owasp(&self) -> Option<&Scoring> {
        self.rules.iter().find_map(|rule| match &rule.effect {
            ProtectionEffect::Score(scoring) => Some(scoring.as_ref()),
            _ => None,
        })
    }

    /// Adds lists whose items are known.
    #[must_use]
    pub fn with_lists(self, lists: &Arc<Lists>) -> Self {
        Self { lists: lists.clone(), ..self }
    }

    /// Adds a part of every verdict that cannot be evaluated.
    #[must_use]
    pub fn with_unread(mut self, what: impl Into<String>) -> Self {
        self.unread.push(what.into());
        self
    }
}

impl ProtectionRule {
    fn new(phase: Phase, rule: &LiveRule, waf: &LiveWaf, place: Option<Place>) -> Self {
        let effect = effect(phase, rule, waf);
        let when = rule
            .body
            .expression()
            .map_or_else(|| When::Unreadable("no expression".to_owned()), |e| When::of(&e));
        Self { phase, name: rule.shown().to_owned(), place, when, effect }
    }
}

impl When {
    fn of(expression: &Expression) -> Self {
        expression
            .compile()
            .map_or_else(|| Self::Unreadable(expression.text().to_owned()), Self::Program)
    }

    /// Returns true if a request is matched; if that is unknown, returns the conditions that it
    /// depends on.
    pub(super) fn matches(&self, sample: &Sample<'_>) -> Result<bool, Vec<String>> {
        match self {
            Self::Unreadable(text) => {
                Err(vec![format!("the expression `{}`", crate::model::request::clip(text))])
            }
            Self::Program(program) => match program.evaluate(sample) {
                Truth::True => Ok(true),
                Truth::False => Ok(false),
                truth @ Truth::Unknown(_) => {
                    Err(program.reasons(truth).map(Reason::words).collect())
                }
            },
        }
    }
}

impl Bypass {
    /// Converts what a rule lets requests bypass.
    fn of(skipped: &Skipped, waf: &LiveWaf) -> Self {
        let mut bypass =
            Self { unknown: skipped.unknown.keys().cloned().collect(), ..Self::default() };
        for target in skipped.in_effect(waf) {
            match target {
                Target::Rest | Target::RestOfPhase => bypass.rest = true,
                // Other phases come later, and are not evaluated here.
                Target::Phase(name) => {
                    bypass.phases.extend(Phase::ALL.iter().filter(|phase| phase.as_str() == name))
                }
                Target::Ruleset(id) => bypass.rulesets.push(id),
                Target::Rule(_, id) => bypass.rules.push(id),
                Target::Product(_) => {}
            }
        }
        bypass
    }
}

fn effect(phase: Phase, rule: &LiveRule, waf: &LiveWaf) -> ProtectionEffect {
    let body = &rule.body;
    let stops = match Deed::of(body) {
        Deed::Skip(skipped) => return ProtectionEffect::Skip(Bypass::of(&skipped, waf)),
        Deed::Execute(id) => {
            let name = ruleset_name(id, waf);
            return match Scoring::of(body, waf.catalogue(id), &name) {
                Some(scoring) => ProtectionEffect::Score(Box::new(scoring)),
                None => ProtectionEffect::Execute(id.to_owned(), name),
            };
        }
        Deed::Log => return ProtectionEffect::Log,
        Deed::Other => {
            let action = crate::model::request::clip(body.action());
            return ProtectionEffect::Unknown(format!("the action `{action}`"));
        }
        Deed::Stop(strength) | Deed::Limit(strength) => strength,
    };
    let Some(act) = Act::of(stops) else { return ProtectionEffect::Log };
    match (phase.rules(), body.rate_limit()) {
        (RuleKind::Rate, Some(rate)) => {
            let number = |name: &str| match rate.get(name) {
                Some(Value::Integer(number)) => u64::try_from(*number).ok(),
                _ => None,
            };
            let counted =
                counting_expression(rate).map(|text| When::of(&Expression::reported(text)));
            let characteristics = match rate.get("characteristics") {
                Some(Value::List(names)) => {
                    let text =
                        |name: &Value| matches!(name, Value::Text(_)).then(|| name.to_string());
                    names.iter().filter_map(text).collect()
                }
                _ => Vec::new(),
            };
            let timeout = number("mitigation_timeout").unwrap_or(0);
            let is_of_origin = rate.get("requests_to_origin") == Some(&Value::Bool(true));
            match (number("requests_per_period"), number("period")) {
                (Some(requests), Some(period)) if period > 0 => ProtectionEffect::Limit(
                    Limit { requests, period, timeout, characteristics, counted, is_of_origin },
                    act,
                ),
                _ => ProtectionEffect::Unknown("a rate that counts by score".to_owned()),
            }
        }
        (RuleKind::Rate, _) => ProtectionEffect::Unknown("a rate that cannot be read".to_owned()),
        (RuleKind::Action | RuleKind::Exception, _) => ProtectionEffect::Act(act),
    }
}

/// Describes why a managed ruleset is not evaluated.
pub(super) fn why_not_evaluated(id: &str, name: &str) -> String {
    match Managed::ALL.iter().find(|managed| managed.facts().id == id) {
        Some(Managed::Owasp) => format!("{name}, whose public rules run with --crs DIR"),
        _ => format!("{name}, whose rules are not public"),
    }
}
