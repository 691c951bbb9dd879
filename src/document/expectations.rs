//! The results of expectations.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use super::place::Source;
use crate::diagnostic::Sources;
use crate::insight::expect::ExpectationOutcome;
use crate::model::{Expectation, ZoneName};

/// An expectation that was checked.
#[derive(Debug, Clone)]
pub struct Checked<'a> {
    /// The zone.
    pub zone: &'a ZoneName,
    /// The expectation.
    pub expectation: &'a Expectation,
    /// The result.
    pub outcome: ExpectationOutcome,
}

/// Returns the numbers of passed, failed and unknown expectations.
pub(crate) fn counts(all: &[Checked<'_>]) -> [usize; 3] {
    let count = |word: &str| all.iter().filter(|checked| checked.outcome.as_str() == word).count();
    ["passed", "failed", "unknown"].map(count)
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    format: u32,
    kind: &'static str,
    summary: Summary,
    expectations: Vec<ExpectationJson<'a>>,
}

/// The number of expectations with each result.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    passed: usize,
    failed: usize,
    unknown: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ExpectationJson<'a> {
    zone: &'a str,
    name: &'a str,
    outcome: &'static str,
    why: Option<&'a str>,
    source: Source<'a>,
}

/// Returns the results in the form of the JSON output.
pub fn json<'a>(all: &'a [Checked<'a>], sources: &'a Sources) -> impl Serialize + 'a {
    let expectation_json =
        |Checked { zone, expectation, outcome }: &'a Checked<'a>| ExpectationJson {
            zone: zone.as_str(),
            name: &expectation.name,
            outcome: outcome.as_str(),
            why: outcome.why(),
            source: Source::of(expectation.place, sources),
        };
    let [passed, failed, unknown] = counts(all);
    let summary = Summary { passed, failed, unknown };
    Document {
        format: FORMAT,
        kind: "test",
        summary,
        expectations: all.iter().map(expectation_json).collect(),
    }
}
