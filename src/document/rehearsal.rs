//! The report of a rehearsal, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use super::apply::Applied;
use super::plan::Source;
use crate::diagnostic::Sources;
use crate::insight::expect::Outcome;
use crate::model::{Expectation, ZoneName};

/// The report of a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rehearsal {
    /// Version of the form.
    format: u32,
    /// Which document it is.
    kind: RehearsalKind,
    /// What was copied into the sandbox.
    copied: Copied,
    /// What the sandbox cannot hold, and so the rehearsal says nothing about.
    not_copied: Vec<NotCopied>,
    /// Operations that are planned for Cloudflare or for the copy only: the copy is not faithful
    /// there.
    differs: Vec<Differs>,
    /// What came of the plan in the sandbox.
    result: Applied,
    /// The expectations of the spec, as the sandbox's name server fulfills them.
    expectations: Vec<Checked>,
}

/// Which document a rehearsal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum RehearsalKind {
    /// A rehearsal.
    Rehearsal,
}

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Copied {
    /// Zones.
    pub zones: usize,
    /// Records.
    pub records: usize,
}

/// What the sandbox cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotCopied {
    /// The zone, or where else it belongs.
    pub place: String,
    /// What it is.
    pub what: String,
    /// Why.
    pub why: String,
}

/// An operation that is planned on one side only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Differs {
    /// Its address.
    pub address: String,
    /// What is planned for Cloudflare.
    pub planned: Option<String>,
    /// What is planned for the copy.
    pub in_sandbox: Option<String>,
}

/// An expectation that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Checked {
    /// The zone.
    zone: String,
    /// Its name.
    name: String,
    /// Whether it holds.
    outcome: Holds,
    /// What is found instead, or why it is unknown.
    why: Option<String>,
    /// Its place in the spec.
    source: Source,
}

/// Whether an expectation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Holds {
    /// It does.
    Passed,
    /// It does not.
    Failed,
    /// It is unknown.
    Unknown,
}

impl Rehearsal {
    /// A rehearsal without expectations.
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
        outcome: &Outcome,
        sources: &Sources,
    ) {
        self.expectations.push(Checked {
            zone: zone.as_str().to_owned(),
            name: expectation.name.clone(),
            outcome: match outcome {
                Outcome::Passed | Outcome::PassedSoFar(_) => Holds::Passed,
                Outcome::Failed(_) => Holds::Failed,
                Outcome::Unknown(_) => Holds::Unknown,
            },
            why: outcome.why().map(str::to_owned),
            source: Source::of(expectation.place, sources),
        });
    }
}
