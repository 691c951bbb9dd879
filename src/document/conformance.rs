//! The assumptions about Cloudflare that held in a real account, as JSON. It names neither the
//! account nor the zone, so that it can be shared.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;

/// The assumptions that held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conformance {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: ConformanceKind,
    /// The day of the run, `YYYY-MM-DD`.
    pub date: String,
    /// Name and version of the program.
    pub tool: String,
    /// The host of the API.
    pub host: String,
    /// The plan of the zone.
    pub plan: String,
    /// True if every check was tried; false after an interruption.
    pub is_complete: bool,
    /// Number of checks with each result.
    pub summary: Summary,
    /// The checks, in their order.
    pub checks: Vec<CheckResult>,
    /// Records that could not be deleted.
    pub left_behind: usize,
    /// Number of requests.
    pub requests: u64,
}

/// The kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ConformanceKind {
    /// The assumptions that held.
    Conformance,
}

/// Number of checks with each result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Assumptions that held.
    pub held: usize,
    /// Assumptions that did not hold.
    pub differed: usize,
    /// Assumptions that could not be checked.
    pub unknown: usize,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckResult {
    /// Its id.
    pub id: String,
    /// The assumption.
    pub assumption: String,
    /// Places where the program or the sandbox relies on it.
    pub relied_on: Vec<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// The behaviour found instead, or the reason why the check failed.
    pub found: Option<String>,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Outcome {
    /// The assumption held.
    Held,
    /// Cloudflare behaves differently.
    Differed,
    /// The check had no result.
    Unknown,
}

impl Conformance {
    /// Returns a report without checks.
    #[must_use]
    pub fn new(date: String, host: String, plan: String) -> Self {
        Self {
            format: FORMAT,
            kind: ConformanceKind::Conformance,
            date,
            tool: concat!("zonewright ", env!("CARGO_PKG_VERSION")).to_owned(),
            host,
            plan,
            is_complete: true,
            summary: Summary::default(),
            checks: Vec::new(),
            left_behind: 0,
            requests: 0,
        }
    }

    /// Adds the result of a check.
    pub fn add(&mut self, result: CheckResult) {
        match result.outcome {
            Outcome::Held => self.summary.held += 1,
            Outcome::Differed => self.summary.differed += 1,
            Outcome::Unknown => self.summary.unknown += 1,
        }
        self.checks.push(result);
    }
}
