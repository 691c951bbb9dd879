//! The rules that apply to a request.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use super::place::place;
use crate::diagnostic::Sources;
use crate::insight::traffic::{RequestVerdict, RuleAt};
use crate::model::request::{Request, without_secrets};

/// A verdict to show.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The zone.
    pub zone: String,
    /// The origin of the rules: `live` or `spec`.
    pub what: &'static str,
    /// The verdict.
    pub verdict: RequestVerdict,
    /// The reason why no rule applies, or may not apply, if there is one.
    pub serving: Option<String>,
}

/// Verdicts on a request in the form of the JSON output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'t> {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: &'static str,
    request: String,
    verdicts: Vec<VerdictDocument<'t>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VerdictDocument<'t> {
    zone: &'t str,
    rules: &'static str,
    verdict: &'static str,
    by: Option<RuleDocument<'t>>,
    trace: Vec<StepDocument<'t>>,
    depends_on: Vec<&'t str>,
    not_evaluated: Vec<&'t str>,
    /// The anomaly score, if the OWASP rules were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<ScoreDocument>,
    note: Option<&'t str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ScoreDocument {
    total: u32,
    threshold: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RuleDocument<'t> {
    name: &'t str,
    phase: &'static str,
    source: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StepDocument<'t> {
    rule: RuleDocument<'t>,
    what: &'t str,
}

/// Returns the form of the JSON output.
#[must_use]
pub fn document<'t>(request: &Request, traces: &'t [Trace], sources: &Sources) -> Document<'t> {
    let rule = |rule: &'t RuleAt| RuleDocument {
        name: &rule.name,
        phase: rule.phase.as_str(),
        source: rule.place.and_then(|at| place(at, sources)),
    };
    let verdict = |trace: &'t Trace| {
        let RequestVerdict { outcome, by, trace: steps, depends_on, not_evaluated, score } =
            &trace.verdict;
        VerdictDocument {
            zone: &trace.zone,
            rules: trace.what,
            verdict: outcome.as_str(),
            by: by.as_ref().map(rule),
            trace: steps
                .iter()
                .map(|step| StepDocument { rule: rule(&step.rule), what: &step.what })
                .collect(),
            depends_on: depends_on.iter().map(String::as_str).collect(),
            not_evaluated: not_evaluated.iter().map(String::as_str).collect(),
            score: score
                .as_ref()
                .map(|score| ScoreDocument { total: score.total, threshold: score.threshold }),
            note: trace.serving.as_deref(),
        }
    };
    let verdicts = traces.iter().map(verdict).collect();
    Document {
        format: FORMAT,
        kind: "waf_trace",
        request: without_secrets(request).to_string(),
        verdicts,
    }
}
