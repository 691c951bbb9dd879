//! Which assumptions about Cloudflare held in a real account, as JSON. It names neither the account
//! nor the zone, so that it can be shared.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;

/// Which assumptions held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conformance {
    /// Version of the form.
    format: u32,
    /// Which document it is.
    kind: ConformanceKind,
    /// The day, `YYYY-MM-DD`.
    pub date: String,
    /// Name and version of the program.
    pub tool: String,
    /// The host that was asked.
    pub host: String,
    /// The plan of the zone.
    pub plan: String,
    /// Whether every check was tried; false after an interruption.
    pub is_complete: bool,
    /// How many of each.
    pub summary: Summary,
    /// The checks, in their order.
    pub checks: Vec<CheckResult>,
    /// Records that could not be deleted.
    pub left_behind: usize,
    /// Requests made.
    pub requests: u64,
}

/// Which document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ConformanceKind {
    /// Which assumptions held.
    Conformance,
}

/// How many checks came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Assumptions that held.
    pub held: usize,
    /// Assumptions that did not.
    pub differed: usize,
    /// Assumptions about which nothing was learned.
    pub unknown: usize,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckResult {
    /// Its id.
    pub id: String,
    /// The assumption.
    pub assumption: String,
    /// Where the program or the sandbox relies on it.
    pub relied_on: Vec<String>,
    /// Whether it held.
    pub outcome: Outcome,
    /// What was found instead, or why nothing was learned.
    pub found: Option<String>,
}

/// Whether an assumption held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Outcome {
    /// It held.
    Held,
    /// Something else was found.
    Differed,
    /// Nothing was learned.
    Unknown,
}

impl Conformance {
    /// A report without checks.
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

    /// Adds what came of a check.
    pub fn add(&mut self, result: CheckResult) {
        match result.outcome {
            Outcome::Held => self.summary.held += 1,
            Outcome::Differed => self.summary.differed += 1,
            Outcome::Unknown => self.summary.unknown += 1,
        }
        self.checks.push(result);
    }
}
