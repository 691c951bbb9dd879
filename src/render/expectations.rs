//! The results of expectations, as text and as JSON. JUnit XML is in `junit.rs`.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::names_in_words::{in_both_forms, with_unicode};
use super::operation_view::place;
use super::place::Source;
use super::safe::safe;
use crate::diagnostic::Sources;
use crate::insight::expect::Outcome;
use crate::model::{Expectation, ZoneName};

/// An expectation that was checked.
#[derive(Debug, Clone)]
pub struct Checked<'a> {
    /// The zone.
    pub zone: &'a ZoneName,
    /// The expectation.
    pub expectation: &'a Expectation,
    /// The result.
    pub outcome: Outcome,
}

/// Returns the numbers of passed, failed and unknown expectations.
pub(super) fn counts(all: &[Checked<'_>]) -> [usize; 3] {
    let count = |word: &str| all.iter().filter(|checked| checked.outcome.as_str() == word).count();
    ["passed", "failed", "unknown"].map(count)
}

/// Writes the results as text.
///
/// # Errors
/// The errors of the writer.
pub fn write(out: &mut dyn Write, all: &[Checked<'_>], sources: &Sources) -> io::Result<()> {
    for zone in all.chunk_by(|a, b| a.zone == b.zone) {
        if let Some(first) = zone.first() {
            writeln!(out, "{}", in_both_forms(first.zone.as_str()))?;
        }
        for Checked { zone: _, expectation, outcome } in zone {
            writeln!(out, "  {:7}  {}", outcome.as_str(), safe(&expectation.name))?;
            if let Some(why) = outcome.why() {
                let at = place(expectation.place, sources)
                    .map(|at| format!(" ({at})"))
                    .unwrap_or_default();
                writeln!(out, "           {}{}", safe(&with_unicode(why)), safe(&at))?;
            }
        }
        writeln!(out)?;
    }
    let [passed, failed, unknown] = counts(all);
    let noun = if all.len() == 1 { "expectation" } else { "expectations" };
    writeln!(out, "{} {noun}: {passed} passed, {failed} failed, {unknown} unknown", all.len())
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
    let one = |Checked { zone, expectation, outcome }: &'a Checked<'a>| ExpectationJson {
        zone: zone.as_str(),
        name: &expectation.name,
        outcome: outcome.as_str(),
        why: outcome.why(),
        source: Source::of(expectation.place, sources),
    };
    let [passed, failed, unknown] = counts(all);
    let summary = Summary { passed, failed, unknown };
    Document { format: 1, kind: "test", summary, expectations: all.iter().map(one).collect() }
}
