//! A drift report as JSON: what changed and who changed it.
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
    findings: Vec<AnyFinding>,
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
    /// Weaker than the spec says, through something that it does not name.
    weakened: usize,
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
    /// What is not known of the protection: what could not be read or compared.
    not_known: Vec<String>,
    /// Whether rules of an earlier phase, which can skip managed rulesets, were not read: nothing
    /// showed that there are any.
    earlier_phases_not_read: bool,
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

/// A finding: with the operation that would remove it, or a deployment that the plan leaves as it
/// is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
enum AnyFinding {
    /// What a plan would change.
    Operation(Box<Finding>),
    /// What a plan leaves alone.
    Weakened(Box<Weakened>),
}

/// A deployment of a managed ruleset that is weaker than the spec says: its state, then what is
/// promised and what is live. There is no operation that would change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Weakened {
    /// Its address.
    address: String,
    /// `weakened`.
    state: Keyword<State>,
    /// How long ago what weakens it was changed, in seconds.
    age_seconds: Option<u64>,
    /// The zone.
    zone: String,
    /// What kind of thing it is.
    kind: Keyword<SubjectKind>,
    /// What a person calls it.
    name: String,
    /// What the spec promises, in words.
    promised: String,
    /// What is live, in words.
    live: String,
    /// What takes the protection away: ids of rules, and names of tags and keys.
    cause: Vec<String>,
    /// The promised rules that are lost.
    rules: LostRules,
    /// The same, one by one.
    shortfalls: Vec<Shortfall>,
    /// When what weakens it was last changed, as Cloudflare wrote it.
    live_modified_on: Option<String>,
    /// The place in the spec.
    source: Option<Source>,
}

/// Promised rules that are lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct LostRules {
    /// How many.
    lost: usize,
    /// How many are promised.
    promised: usize,
    /// Their ids; at most the first hundred.
    ids: Vec<String>,
}

/// Something promised that is not in force, for one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Shortfall {
    /// What the spec promises.
    promised: String,
    /// What is live.
    live: String,
    /// The id of what takes it away.
    cause: String,
    /// The cause in words.
    about: String,
    /// The entry of `waf.accept` that accepts it.
    accept: String,
}

/// Largest number of ids of rules in a finding.
const MOST_IDS: usize = 100;

impl Drift {
    /// A report with the plan that it was made from, for who asked about these states.
    #[must_use]
    pub fn of(
        report: &drift::Report,
        plan: &plan::Plan,
        asked: &[State],
        sources: &Sources,
    ) -> Self {
        // Both are in the order of the plan.
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
    /// From the number of objects in a state.
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
            not_known: zone.not_known.clone(),
            earlier_phases_not_read: zone.is_partly_read,
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
        Self {
            reason: reason.clone(),
            count: aside.count(),
            types: types.clone(),
            examples: examples.clone(),
        }
    }
}

impl Weakened {
    /// A deployment that is weaker than the spec says.
    fn of(zone: &ZoneName, found: &WeakenedDeployment, sources: &Sources) -> Self {
        let WeakenedDeployment { deployment, age } = found;
        let DeploymentInForce { address, place, in_force, modified_on, is_changed: _ } = deployment;
        let shortfall = |one: &waf::Shortfall| Shortfall {
            promised: one.promised.clone(),
            live: one.live.clone(),
            cause: one.cause.id().to_owned(),
            about: one.cause.words(),
            accept: one.cause.accept_entry(),
        };
        let join = |words: &dyn Fn(&waf::Shortfall) -> String| {
            let mut all: Vec<String> = in_force.shortfalls.iter().map(words).collect();
            all.dedup();
            all.join("; ")
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
