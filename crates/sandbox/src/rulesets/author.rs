//! The author of a rule, and the problems of a request.

use super::ruleset::{Ruleset, phase};
use super::scope::Scope;
use crate::envelope::{HandlerResult, Problem, Refusal};
use crate::request_context::RequestContext;
use zonewright_model::facts::rulesets::MANAGED_PHASE;

/// The context in which a rule is written.
pub(super) struct Author<'a> {
    /// The request.
    pub(super) context: &'a RequestContext<'a>,
    /// The account or zone.
    pub(super) scope: &'a Scope,
    /// Kind of the ruleset.
    pub(super) kind: String,
    /// Phase of the ruleset.
    pub(super) phase: String,
    /// Number of rules in the ruleset so far.
    pub(super) count: usize,
}

impl<'a> Author<'a> {
    pub(super) fn new(
        context: &'a RequestContext<'a>,
        scope: &'a Scope,
        ruleset: &Ruleset,
    ) -> Self {
        let Ruleset { kind, phase, rules, .. } = ruleset;
        Self { context, scope, kind: kind.clone(), phase: phase.clone(), count: rules.len() }
    }

    /// Returns the actions that the rules may have; empty if the actions of the phase are unknown.
    ///
    /// # Sources
    /// For entry points of zones: the facts of the phases. ASSUMED: an account's entry point only
    /// executes rulesets, except that it can also skip in the managed phase; `skip` in the custom
    /// phase was seen to be refused (2025).
    pub(super) fn actions(&self) -> &'static [&'static str] {
        let of_phase = phase(&self.phase).map_or(&[][..], |p| p.actions);
        if self.kind == "root" && !of_phase.is_empty() && self.phase != MANAGED_PHASE {
            &["execute"]
        } else {
            of_phase
        }
    }
}

/// The problems of a request.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub(super) fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds a problem without a code.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.0.push(Problem::unnumbered(text));
    }

    /// Refuses the request if there are any problems.
    pub(super) fn refuse(self) -> HandlerResult<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Refusal::of(400, self.0)) }
    }
}
