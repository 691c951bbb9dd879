//! The report of a rehearsal, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use super::apply::Applied;
use super::plan::Source;
use crate::diagnostic::Sources;
use crate::insight::expect::ExpectationOutcome;
use crate::model::{Expectation, ZoneName};

/// The report of a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rehearsal {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: RehearsalKind,
    /// The objects that were copied into the sandbox.
    copied: Copied,
    /// Objects that the sandbox cannot hold. The rehearsal does not cover them.
    not_copied: Vec<NotCopied>,
    /// Operations that are planned only for Cloudflare or only for the copy. The copy is not
    /// faithful there.
    differs: Vec<Differs>,
    /// The result of the plan in the sandbox.
    result: Applied,
    /// The expectations of the spec, evaluated on the sandbox's name server.
    expectations: Vec<Checked>,
}

/// The kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum RehearsalKind {
    /// A rehearsal.
    Rehearsal,
}

/// The copied objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Copied {
    /// Number of zones.
    pub zones: usize,
    /// Number of records.
    pub records: usize,
}

/// An object that the sandbox cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotCopied {
    /// The zone, or another place that it belongs to.
    pub place: String,
    /// The object.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// An operation that is planned on one side only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Differs {
    /// Its address.
    pub address: String,
    /// The operation for Cloudflare.
    pub planned: Option<String>,
    /// The operation for the copy.
    pub in_sandbox: Option<String>,
}

/// An expectation that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Checked {
    /// The zone.
    zone: String,
    /// Its name.
    name: String,
    /// The result.
    outcome: Holds,
    /// The value found instead, or the reason why it is unknown.
    why: Option<String>,
    /// Its place in the spec.
    source: Source,
}

/// The result of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Holds {
    /// It holds.
    Passed,
    /// It does not hold.
    Failed,
    /// It is unknown.
    Unknown,
}

impl Rehearsal {
    /// Returns a report without expectations.
    #[must_use]
    pub fn new(
        copied: Copied,
        not_copied: Vec<NotCopied>,
        differs: Vec<Differs>,
        result: Applied,
    ) -> Self {
        let kind = RehearsalKind::Rehearsal;
        Self { format: FORMAT, kind, copied, not_copied, differs, result, expectations: Vec::new() }
    }

    /// Adds an expectation that was checked.
    pub fn add(
        &mut self,
        zone: &ZoneName,
        expectation: &Expectation,
        outcome: &ExpectationOutcome,
        sources: &Sources,
    ) {
        self.expectations.push(Checked {
            zone: zone.as_str().to_owned(),
            name: expectation.name.clone(),
            outcome: match outcome {
                ExpectationOutcome::Passed | ExpectationOutcome::PassedSoFar(_) => Holds::Passed,
                ExpectationOutcome::Failed(_) => Holds::Failed,
                ExpectationOutcome::Unknown(_) => Holds::Unknown,
            },
            why: outcome.why().map(str::to_owned),
            source: Source::of(expectation.place, sources),
        });
    }
}
