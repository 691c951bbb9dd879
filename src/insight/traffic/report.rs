//! The report about recorded requests before and after a change of rules, in the form of the JSON
//! output.

use schemars::JsonSchema;
use serde::Serialize;

use super::owasp_matrix::Matrix;

/// The outcomes of recorded requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Version of the format.
    pub format: u32,
    /// The kind of document.
    pub kind: ReportKind,
    /// The zones that have requests.
    pub zones: Vec<Zone>,
    /// The sets of requests.
    pub sets: Vec<Outcomes>,
    /// Requests whose outcome changes, by the rule that causes the change; the largest groups
    /// first.
    pub changes: Vec<Group>,
    /// Parts that were not evaluated for some requests, such as rules that are not public.
    pub not_evaluated: Vec<Named>,
    /// Conditions of outcomes that the recordings do not contain.
    pub depends_on: Vec<Named>,
}

/// The kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub enum ReportKind {
    /// A rehearsal of requests.
    #[serde(rename = "waf-rehearsal")]
    WafRehearsal,
}

/// A zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// The setting of the OWASP ruleset now, if it is deployed.
    pub before: Option<Cell>,
    /// The setting after the plan.
    pub after: Option<Cell>,
    /// Number of requests for the zone.
    pub requests: u64,
    /// Number of requests that are stopped only after the plan.
    pub stopped: u64,
    /// Number of requests that are stopped only now.
    pub let_through: u64,
    /// Number of requests whose outcome is unknown, now or after the plan.
    pub unknown: u64,
}

/// A setting of the OWASP ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cell {
    /// The paranoia level; `None` if the set of enabled rules matches no level.
    pub level: Option<u8>,
    /// The threshold.
    pub threshold: u32,
}

/// A set of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Set {
    /// Recorded requests without a known intent.
    Requests,
    /// Requests that nothing should stop.
    Benign,
    /// Attacks.
    Attacks,
}

impl Set {
    /// Describes its requests.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Requests => "recorded requests",
            Self::Benign => "benign requests",
            Self::Attacks => "attacks",
        }
    }
}

/// The outcomes of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcomes {
    /// The set.
    pub set: Set,
    /// Requests that were evaluated.
    pub requests: u64,
    /// Lines or entries that are not requests.
    pub unreadable: u64,
    /// Requests for hosts of no zone in the spec; they are not evaluated.
    pub elsewhere: u64,
    /// Requests for hosts that are DNS only in the spec: no rule applies to them, so they are not
    /// evaluated.
    pub dns_only: u64,
    /// Requests without recorded headers or body: their scores may be higher.
    pub partial: u64,
    /// Outcomes now.
    pub before: Counts,
    /// Outcomes after the plan.
    pub after: Counts,
    /// The number of requests on which the OWASP ruleset would act, by level and threshold.
    pub matrix: Option<Matrix>,
}

/// The numbers of requests with each outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// No rule that can be evaluated acts.
    pub pass: u64,
    /// The request is refused.
    pub block: u64,
    /// The sender is challenged.
    pub challenge: u64,
    /// The outcome depends on unknown conditions.
    pub unknown: u64,
}

/// The change of a request's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Flip {
    /// The request passes now, and is stopped after the plan.
    Stopped,
    /// The request is stopped now, and passes after the plan.
    LetThrough,
    /// The request is stopped by another action.
    Otherwise,
}

impl Flip {
    /// Describes the change.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Stopped => "newly stopped",
            Self::LetThrough => "newly let through",
            Self::Otherwise => "stopped in another way",
        }
    }
}

/// Requests whose outcome changes, by the rule that causes the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Group {
    /// The set.
    pub set: Set,
    /// The change.
    pub change: Flip,
    /// The zone.
    pub zone: String,
    /// The rule that stops them after the plan, or that stops them now.
    pub rule: String,
    /// Number of requests.
    pub requests: u64,
    /// The OWASP rules that add to their scores.
    pub owasp_rules: Vec<Named>,
    /// Their hosts.
    pub hosts: Vec<Named>,
    /// Their paths.
    pub paths: Vec<Named>,
    /// Some of the requests.
    pub examples: Vec<Example>,
}

/// A name with a number of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Number of requests.
    pub requests: u64,
}

/// A request of a group. Headers are never shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Example {
    /// Its Ray ID, or another name from the recording.
    pub id: Option<String>,
    /// Its place in the recording.
    pub place: String,
    /// Method and address, without the values of arguments that look like secrets.
    pub request: String,
    /// Its score after the plan.
    pub score: Option<u32>,
}

impl Report {
    /// Returns the outcomes of a set.
    #[must_use]
    pub fn set(&self, set: Set) -> Option<&Outcomes> {
        self.sets.iter().find(|outcomes| outcomes.set == set)
    }
}
