//! What becomes of recorded requests before and after a change of rules: the report, as programs
//! read it.

use schemars::JsonSchema;
use serde::Serialize;

use super::owasp_matrix::Matrix;

/// What becomes of recorded requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Version of the form.
    pub format: u32,
    /// Which document it is.
    pub kind: ReportKind,
    /// The zones that have requests.
    pub zones: Vec<Zone>,
    /// The sets of requests.
    pub sets: Vec<Outcomes>,
    /// Requests with another outcome after the plan, by the rule that makes the difference; the
    /// largest groups first.
    pub changes: Vec<Group>,
    /// What was not evaluated for some requests, such as rules that are not public.
    pub not_evaluated: Vec<Named>,
    /// What outcomes depend on that the recordings do not tell.
    pub depends_on: Vec<Named>,
}

/// Which document it is.
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
    /// How many requests were for it.
    pub requests: u64,
    /// How many are stopped after the plan only.
    pub stopped: u64,
    /// How many are stopped now only.
    pub let_through: u64,
    /// How many outcomes are unknown, now or after the plan.
    pub unknown: u64,
}

/// A setting of the OWASP ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cell {
    /// The paranoia level; none if the rules that are on match no level.
    pub level: Option<u8>,
    /// The threshold.
    pub threshold: u32,
}

/// A set of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Set {
    /// Recorded requests of which nothing else is known.
    Requests,
    /// Requests that nothing should stop.
    Benign,
    /// Attacks.
    Attacks,
}

impl Set {
    /// Its requests in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Requests => "recorded requests",
            Self::Benign => "benign requests",
            Self::Attacks => "attacks",
        }
    }
}

/// What becomes of a set.
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
    /// Requests for hosts that are DNS only in the spec: no rule applies to them, and they are not
    /// evaluated.
    pub dns_only: u64,
    /// Requests whose headers or body the recording does not tell: their scores may be higher.
    pub partial: u64,
    /// Outcomes now.
    pub before: Counts,
    /// Outcomes after the plan.
    pub after: Counts,
    /// How many requests the OWASP ruleset would act on.
    pub matrix: Option<Matrix>,
}

/// Outcomes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Nothing that can be evaluated acts.
    pub pass: u64,
    /// Refused.
    pub block: u64,
    /// Challenged.
    pub challenge: u64,
    /// It depends on what is not known.
    pub unknown: u64,
}

/// How the outcome of a request changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Flip {
    /// It passes now, and is stopped after the plan.
    Stopped,
    /// It is stopped now, and passes after the plan.
    LetThrough,
    /// It is stopped in another way.
    Otherwise,
}

impl Flip {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Stopped => "newly stopped",
            Self::LetThrough => "newly let through",
            Self::Otherwise => "stopped in another way",
        }
    }
}

/// Requests whose outcome changes, by the rule that makes the difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Group {
    /// The set.
    pub set: Set,
    /// How the outcome changes.
    pub change: Flip,
    /// The zone.
    pub zone: String,
    /// The rule that stops them after the plan, or that stops them now.
    pub rule: String,
    /// How many.
    pub requests: u64,
    /// The OWASP rules that add to their scores.
    pub owasp_rules: Vec<Named>,
    /// Their hosts.
    pub hosts: Vec<Named>,
    /// Their paths.
    pub paths: Vec<Named>,
    /// Some of them.
    pub examples: Vec<Example>,
}

/// Something with a number of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// How many requests.
    pub requests: u64,
}

/// A request of a group. Headers are never shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Example {
    /// Its Ray ID, or what else the recording calls it.
    pub id: Option<String>,
    /// Where it is recorded.
    pub place: String,
    /// Method and address, without the values of arguments that look like secrets.
    pub request: String,
    /// Its score after the plan.
    pub score: Option<u32>,
}

impl Report {
    /// The outcomes of a set.
    #[must_use]
    pub fn set(&self, set: Set) -> Option<&Outcomes> {
        self.sets.iter().find(|outcomes| outcomes.set == set)
    }
}
