//! A drift report as JSON: the changes and who made them.
//!
//! A finding is the operation of the plan's JSON with its state and age, so that a program that
//! reads plans can read it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::FORMAT;
use super::diagnostic::Diagnostic;
use super::plan::{Effect, Field, Operation, Source, operations_of};
use crate::diagnostic::Sources;
use crate::drift::{self, CheckedExpectation, State, WeakenedDeployment, ZoneReport};
use crate::insight::waf;
use crate::model::time::rfc3339;
use crate::model::{Danger, ZoneName};
use crate::plan::{self, Action, BaseSource, Cause, DeploymentInForce, SetAsideCount, SubjectKind};
use crate::wire::keyword::Keyword;

/// A drift report.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Drift {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: DriftKind,
    /// The verdict under `fail_on`.
    verdict: Keyword<drift::Verdict>,
    /// The time at which Cloudflare was read, RFC 3339 in UTC.
    checked_at: String,
    /// The source of the previous version of the spec, if one is named.
    base: Option<BaseSource>,
    /// The states that the exit code reports.
    fail_on: Vec<Keyword<State>>,
    /// Number of objects in each state.
    summary: Counts,
    /// The age of the oldest change that was made outside, in seconds.
    oldest_seconds: Option<u64>,
    /// Requests to Cloudflare.
    requests: Made,
    /// Results by zone.
    zones: Vec<Zone>,
    /// Objects that differ from the spec.
    findings: Vec<AnyFinding>,
    /// Findings of the comparison.
    diagnostics: Vec<Diagnostic>,
}

/// The kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum DriftKind {
    Drift,
}

/// Number of objects in each state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Counts {
    /// Changed in the spec and at Cloudflare.
    conflicting: usize,
    /// Changed at Cloudflare.
    drifted: usize,
    /// Weaker than the spec says, because of something that it does not name.
    weakened: usize,
    /// Different. Without a base it is unknown who changed it.
    unknown: usize,
    /// Changed in the spec and not yet applied.
    pending: usize,
    /// At Cloudflare and not in the spec.
    unmanaged: usize,
    /// Equal to the spec.
    in_sync: usize,
}

/// Requests to Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Made {
    /// Number of requests.
    made: u64,
}

/// A zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Zone {
    /// Its name.
    zone: String,
    /// Number of records.
    records: usize,
    /// Number of objects in each state.
    summary: Counts,
    /// The age of the oldest change that was made outside, in seconds.
    oldest_seconds: Option<u64>,
    /// Parts of the protection that could not be read or compared.
    not_known: Vec<String>,
    /// True if rules of an earlier phase, which can skip managed rulesets, were not read, because
    /// nothing indicated that there are any.
    earlier_phases_not_read: bool,
    /// Objects in neither the spec nor the previous spec.
    unmanaged: Vec<Aside>,
    /// Objects that are left alone for a reason.
    left_alone: Vec<Aside>,
    /// The expectations of the spec, evaluated on the live state.
    expectations: Vec<Expectation>,
}

/// An expectation of the spec, evaluated on the live state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Expectation {
    /// Its name.
    name: String,
    /// The result: `passed`, `failed` or `unknown`.
    outcome: &'static str,
    /// The value found instead, or the reason why it is unknown.
    why: Option<String>,
    /// Its place in the spec.
    source: Source,
}

/// Objects that are left alone for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Aside {
    /// The reason.
    reason: String,
    /// Their number.
    count: usize,
    /// Their number by type.
    types: BTreeMap<String, usize>,
    /// Names with types, at most 100.
    examples: Vec<String>,
}

/// An object that differs from the spec: its state, then the operation that a plan would contain.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct Finding {
    /// Its address.
    address: String,
    /// Its state, derived from the spec, the previous spec and Cloudflare.
    state: Keyword<State>,
    /// Seconds since it was changed.
    age_seconds: Option<u64>,
    /// The zone.
    zone: String,
    /// The kind of object.
    kind: Keyword<SubjectKind>,
    /// The name of a rule for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The action of the operation.
    action: Keyword<Action>,
    /// The cause of the operation.
    cause: Keyword<Cause>,
    /// The effect on traffic, or the reason for the operation, if known.
    effect: Option<Effect>,
    /// The state at Cloudflare.
    before: Option<Map<String, Json>>,
    /// The state in the spec.
    after: Option<Map<String, Json>>,
    /// The fields that differ.
    fields: Vec<Field>,
    /// The new position of a rule, if it would move.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Option<Json>>,
    /// The dangers of the operation.
    dangers: Vec<Keyword<Danger>>,
    /// The time of the last change of the live object, as Cloudflare wrote it.
    live_modified_on: Option<String>,
    /// The place in the spec.
    source: Option<Source>,
}

/// A finding: one with the operation that would remove it, or a deployment that the plan leaves
/// alone.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
enum AnyFinding {
    /// An object that a plan would change.
    Operation(Box<Finding>),
    /// A deployment that a plan leaves alone.
    Weakened(Box<Weakened>),
}

/// A deployment of a managed ruleset that is weaker than the spec says: its state, then the
/// promised and the live protection. No operation would change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Weakened {
    /// Its address.
    address: String,
    /// `weakened`.
    state: Keyword<State>,
    /// Seconds since the cause of the weakening was changed.
    age_seconds: Option<u64>,
    /// The zone.
    zone: String,
    /// The kind of object.
    kind: Keyword<SubjectKind>,
    /// Its name for people.
    name: String,
    /// The promise of the spec, in words.
    promised: String,
    /// The live state, in words.
    live: String,
    /// The causes of the weakening: ids of rules, and names of tags and keys.
    cause: Vec<String>,
    /// The promised rules that are lost.
    rules: LostRules,
    /// The promises that are not in force, one by one.
    shortfalls: Vec<Shortfall>,
    /// The time of the last change of the cause, as Cloudflare wrote it.
    live_modified_on: Option<String>,
    /// The place in the spec.
    source: Option<Source>,
}

/// Promised rules that are lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct LostRules {
    /// Number of lost rules.
    lost: usize,
    /// Number of promised rules.
    promised: usize,
    /// Ids of lost rules, at most 100.
    ids: Vec<String>,
}

/// A promise that is not in force, for one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Shortfall {
    /// The promise of the spec.
    promised: String,
    /// The live state.
    live: String,
    /// The id of the cause.
    cause: String,
    /// A description of the cause.
    about: String,
    /// The entry of `waf.accept` that accepts it; none if an earlier entry of this finding does.
    #[serde(skip_serializing_if = "Option::is_none")]
    accept: Option<String>,
}

/// Maximum number of rule ids in a finding.
const MOST_IDS: usize = 100;

impl Drift {
    /// Converts a report with its plan; `asked` has the states that the exit code reports.
    #[must_use]
    #[doc(hidden)]
    pub fn of(
        report: &drift::Report,
        plan: &plan::Plan,
        asked: &[State],
        sources: &Sources,
    ) -> Self {
        // Both lists are in the order of the plan.
        let findings = report.zones.iter().zip(&plan.zones).flat_map(|(zone, plan)| {
            let of_operations = zone.findings.iter().zip(operations_of(plan, sources));
            let of_operations = of_operations
                .map(|(found, o)| AnyFinding::Operation(Box::new(Finding::of(found, o))));
            let weakened =
                |found| AnyFinding::Weakened(Box::new(Weakened::of(&zone.name, found, sources)));
            of_operations.chain(zone.weakened.iter().map(weakened))
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
    /// Counts the objects in each state.
    fn of(count: impl Fn(State) -> usize) -> Self {
        Self {
            conflicting: count(State::Conflicting),
            drifted: count(State::Drifted),
            weakened: count(State::Weakened),
            unknown: count(State::Unknown),
            pending: count(State::Pending),
            unmanaged: count(State::Unmanaged),
            in_sync: count(State::InSync),
        }
    }
}

impl Zone {
    /// Converts the report of a zone.
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
            not_known: zone.not_known.clone(),
            earlier_phases_not_read: zone.is_partly_read,
            unmanaged: zone.unmanaged.iter().map(Aside::of).collect(),
            left_alone: zone.spared.iter().map(Aside::of).collect(),
            expectations: zone.expectations.iter().map(expectation).collect(),
        }
    }
}

impl Aside {
    /// Converts objects that are left alone for one reason.
    fn of(aside: &SetAsideCount) -> Self {
        let SetAsideCount { keeper: _, reason, types, examples } = aside;
        Self {
            reason: reason.clone(),
            count: aside.count(),
            types: types.clone(),
            examples: examples.clone(),
        }
    }
}

impl Weakened {
    /// Converts a deployment that is weaker than the spec says.
    fn of(zone: &ZoneName, found: &WeakenedDeployment, sources: &Sources) -> Self {
        let WeakenedDeployment { deployment, age } = found;
        let DeploymentInForce { address, place, in_force, modified_on, is_changed: _ } = deployment;
        let mut entries = in_force.accept_entries().into_iter().peekable();
        let shortfall = |one: &waf::Shortfall| Shortfall {
            promised: one.promised.clone(),
            live: one.live.clone(),
            cause: one.cause.id().to_owned(),
            about: one.cause.words(),
            accept: entries.next_if_eq(&one.cause.accept_entry(in_force.ruleset)),
        };
        let join = |words: &dyn Fn(&waf::Shortfall) -> String| {
            let mut sentences: Vec<String> = in_force.shortfalls.iter().map(words).collect();
            sentences.dedup();
            sentences.join("; ")
        };
        let mut cause: Vec<String> =
            in_force.shortfalls.iter().map(|one| one.cause.id().to_owned()).collect();
        cause.dedup();
        let lost = in_force.lost_rules();
        Self {
            address: address.to_string(),
            state: Keyword(State::Weakened),
            age_seconds: age.map(|age| age.as_secs()),
            zone: zone.as_str().to_owned(),
            kind: Keyword(SubjectKind::Rule),
            name: in_force.ruleset.key().to_owned(),
            promised: join(&|one| one.promised.clone()),
            live: join(&|one| one.live.clone()),
            cause,
            rules: LostRules {
                lost: lost.len(),
                promised: in_force.promised_rules,
                ids: lost.iter().take(MOST_IDS).map(|id| (*id).to_owned()).collect(),
            },
            shortfalls: in_force.shortfalls.iter().map(shortfall).collect(),
            live_modified_on: modified_on.clone(),
            source: Some(Source::of(*place, sources)),
        }
    }
}

impl Finding {
    /// Adds the operation that would remove a finding. Consents are left out, because they belong
    /// to plans.
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
