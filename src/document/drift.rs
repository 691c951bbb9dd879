//! A drift report as JSON: what changed and who changed it.
//!
//! A finding is the operation of the plan's JSON with its state and age, so that a program that reads plans can read it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::FORMAT;
use super::diagnostic::Diagnostic;
use super::plan::{Effect, Field, Operation, Source, operations_of};
use crate::diagnostic::Sources;
use crate::drift::{self, CheckedExpectation, State, ZoneReport};
use crate::model::Danger;
use crate::model::time::rfc3339;
use crate::plan::{self, Action, BaseSource, Cause, SetAsideCount, SubjectKind};
use crate::wire::keyword::Keyword;

/// A drift report.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Drift {
    /// Version of the form.
    format: u32,
    /// Which document it is.
    kind: DriftKind,
    /// What it comes to for who asked about `fail_on`.
    verdict: Keyword<drift::Verdict>,
    /// When Cloudflare was read, RFC 3339 in UTC.
    checked_at: String,
    /// Where the previous version of the spec comes from, if one is named.
    base: Option<BaseSource>,
    /// The states that the exit code reports.
    fail_on: Vec<Keyword<State>>,
    /// How many objects are in each state.
    summary: Counts,
    /// The age of the oldest change that was made outside, in seconds.
    oldest_seconds: Option<u64>,
    /// Requests to Cloudflare.
    requests: Made,
    /// By zone.
    zones: Vec<Zone>,
    /// The objects that are not as the spec wants them.
    findings: Vec<Finding>,
    /// What was found while comparing.
    diagnostics: Vec<Diagnostic>,
}

/// Which document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum DriftKind {
    Drift,
}

/// How many objects are in each state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Counts {
    /// Changed in the spec and at Cloudflare.
    conflicting: usize,
    /// Changed at Cloudflare.
    drifted: usize,
    /// Different; without a base it is unknown who changed it.
    unknown: usize,
    /// Changed in the spec, not applied yet.
    pending: usize,
    /// At Cloudflare, and not in the spec.
    unmanaged: usize,
    /// As the spec wants it.
    in_sync: usize,
}

/// Requests to Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Made {
    /// How many were made.
    made: u64,
}

/// A zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Zone {
    /// Its name.
    zone: String,
    /// How many records it has.
    records: usize,
    /// How many objects are in each state.
    summary: Counts,
    /// The age of the oldest change that was made outside, in seconds.
    oldest_seconds: Option<u64>,
    /// What neither the spec nor the previous spec names.
    unmanaged: Vec<Aside>,
    /// What is left alone for a reason.
    left_alone: Vec<Aside>,
    /// The expectations of the spec, held against what is live.
    expectations: Vec<Expectation>,
}

/// An expectation of the spec, held against what is live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Expectation {
    /// Its name.
    name: String,
    /// Whether it holds: `passed`, `failed` or `unknown`.
    outcome: &'static str,
    /// What is found instead, or why it is unknown.
    why: Option<String>,
    /// Its place in the spec.
    source: Source,
}

/// What is left alone for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Aside {
    /// Why.
    reason: String,
    /// How many.
    count: usize,
    /// How many by type.
    types: BTreeMap<String, usize>,
    /// Names with types; at most the first hundred.
    examples: Vec<String>,
}

/// An object that is not as the spec wants it: its state, then what a plan would do about it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct Finding {
    /// Its address.
    address: String,
    /// Its state, from the spec, the previous spec and Cloudflare.
    state: Keyword<State>,
    /// How long ago it was changed, in seconds.
    age_seconds: Option<u64>,
    /// The zone.
    zone: String,
    /// What kind of thing it is.
    kind: Keyword<SubjectKind>,
    /// Of a rule: what a person calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What a plan would do.
    action: Keyword<Action>,
    /// Why.
    cause: Keyword<Cause>,
    /// What that means for traffic, or why it would be done, where that is known.
    effect: Option<Effect>,
    /// The state at Cloudflare.
    before: Option<Map<String, Json>>,
    /// The state that the spec wants.
    after: Option<Map<String, Json>>,
    /// The fields that differ.
    fields: Vec<Field>,
    /// Of a rule: where it would be put, if it would be put anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Option<Json>>,
    /// What would be dangerous about it.
    dangers: Vec<Keyword<Danger>>,
    /// When the live object was last changed, as Cloudflare wrote it.
    live_modified_on: Option<String>,
    /// The place in the spec that asks for it.
    source: Option<Source>,
}

impl Drift {
    /// A report with the plan that it was made from, for who asked about these states.
    #[must_use]
    pub fn of(report: &drift::Report, plan: &plan::Plan, asked: &[State], sources: &Sources) -> Self {
        // Both are in the order of the plan.
        let findings = report.zones.iter().zip(&plan.zones).flat_map(|(zone, plan)| {
            zone.findings.iter().zip(operations_of(plan, sources)).map(|(found, o)| Finding::of(found, o))
        });
        Self {
            format: FORMAT,
            kind: DriftKind::Drift,
            verdict: Keyword(report.verdict(asked)),
            checked_at: rfc3339(report.checked_at),
            base: plan.base.clone(),
            fail_on: asked.iter().copied().map(Keyword).collect(),
            summary: Counts::of(|state| report.count(state)),
            oldest_seconds: report.oldest().map(|age| age.as_secs()),
            requests: Made { made: plan.requests_made },
            zones: report.zones.iter().map(|zone| Zone::of(zone, sources)).collect(),
            findings: findings.collect(),
            diagnostics: Diagnostic::all(&plan.diagnostics, sources),
        }
    }
}

impl Counts {
    /// From the number of objects in a state.
    fn of(count: impl Fn(State) -> usize) -> Self {
        Self {
            conflicting: count(State::Conflicting),
            drifted: count(State::Drifted),
            unknown: count(State::Unknown),
            pending: count(State::Pending),
            unmanaged: count(State::Unmanaged),
            in_sync: count(State::InSync),
        }
    }
}

impl Zone {
    /// A zone of a report.
    fn of(zone: &ZoneReport, sources: &Sources) -> Self {
        let expectation = |checked: &CheckedExpectation| Expectation {
            name: checked.name.clone(),
            outcome: checked.outcome.as_str(),
            why: checked.outcome.why().map(str::to_owned),
            source: Source::of(checked.place, sources),
        };
        Self {
            zone: zone.name.as_str().to_owned(),
            records: zone.records,
            summary: Counts::of(|state| zone.count(state)),
            oldest_seconds: zone.oldest().map(|age| age.as_secs()),
            unmanaged: zone.unmanaged.iter().map(Aside::of).collect(),
            left_alone: zone.spared.iter().map(Aside::of).collect(),
            expectations: zone.expectations.iter().map(expectation).collect(),
        }
    }
}

impl Aside {
    /// What is left alone for one reason.
    fn of(aside: &SetAsideCount) -> Self {
        let SetAsideCount { keeper: _, reason, types, examples } = aside;
        Self { reason: reason.clone(), count: aside.count(), types: types.clone(), examples: examples.clone() }
    }
}

impl Finding {
    /// A finding with the operation that would remove it. Consents belong to plans only.
    fn of(found: &drift::Finding, operation: Operation) -> Self {
        let drift::Finding { address: _, state, modified_on: _, age } = found;
        let Operation {
            address,
            zone,
            kind,
            name,
            action,
            cause,
            effect,
            before,
            after,
            fields,
            position,
            dangers,
            accepted: _,
            live_modified_on,
            source,
        } = operation;
        Self {
            address,
            state: Keyword(*state),
            age_seconds: age.map(|age| age.as_secs()),
            zone,
            kind,
            name,
            action,
            cause,
            effect,
            before,
            after,
            fields,
            position,
            dangers,
            live_modified_on,
            source,
        }
    }
}
