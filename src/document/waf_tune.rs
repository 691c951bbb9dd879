//! The setting of the OWASP ruleset with the least damage.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use crate::insight::traffic::{Tuning, TuningEntry, WayScope};

/// The number of requests on which the ruleset acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcome {
    /// All requests.
    pub all: usize,
    /// Requests under the current setting.
    pub today: usize,
    /// Requests under the proposed setting.
    pub then: usize,
}

/// A proposed setting with its evaluation.
#[derive(Debug)]
pub struct Tuned<'t> {
    /// The zone.
    pub zone: &'t str,
    /// The origin of the current setting: `spec` or `live`.
    pub whose: &'static str,
    /// The current paranoia level; `None` if the levels are mixed.
    pub level: Option<u8>,
    /// The current threshold.
    pub threshold: u32,
    /// The current action, which stays.
    pub action: &'t str,
    /// The proposed setting.
    pub tuning: &'t Tuning,
    /// Benign requests and attacks in the half that the search used.
    pub seen: (Outcome, Outcome),
    /// Benign requests and attacks in the other half.
    pub unseen: (Outcome, Outcome),
    /// True if there are attacks.
    pub has_attacks: bool,
    /// For each entry, counted in the half that the search used: benign requests that it spares,
    /// attacks that it lets through as recorded, and attacks that would pass if they were sent to a
    /// place where the entry applies.
    pub entries: Vec<(&'t TuningEntry, usize, usize, usize)>,
    /// Requests to hosts outside of the zone.
    pub foreign: usize,
    /// Requests that never reach the ruleset.
    pub unreached: usize,
    /// Requests with rules that could not be decided.
    pub undecided: usize,
    /// The edit of the spec.
    pub edit: &'t str,
}

/// The proposed setting in the form of the JSON output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'t> {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: &'static str,
    zone: &'t str,
    settings: &'static str,
    today: Setting,
    proposed: Setting,
    action: &'t str,
    is_proven: bool,
    seen: Judged,
    unseen: Judged,
    entries: Vec<EntryDocument<'t>>,
    foreign: usize,
    unreached: usize,
    undecided: usize,
    edit: &'t str,
}

/// A level and a threshold.
#[derive(Debug, Serialize, JsonSchema)]
struct Setting {
    paranoia: Option<u8>,
    threshold: u32,
}

/// The evaluation of the requests of a half.
#[derive(Debug, Serialize, JsonSchema)]
struct Judged {
    benign: Outcome,
    attacks: Outcome,
}

/// An exception or a disabled rule.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryDocument<'t> {
    rule: u32,
    host: Option<&'t str>,
    path: Option<&'t str>,
    spares: usize,
    lets_through: usize,
    lets_through_there: usize,
}

/// Returns the form of the JSON output.
#[must_use]
pub fn document<'t>(tuned: &'t Tuned<'t>) -> Document<'t> {
    let judged = |(benign, attacks): (Outcome, Outcome)| Judged { benign, attacks };
    let entry =
        |(entry, spares, costs, there): &(&'t TuningEntry, usize, usize, usize)| EntryDocument {
            rule: entry.rule,
            host: (entry.scope < WayScope::Zone).then_some(entry.host.as_str()),
            path: (entry.scope == WayScope::Path).then_some(entry.path.as_str()),
            spares: *spares,
            lets_through: *costs,
            lets_through_there: *there,
        };
    Document {
        format: FORMAT,
        kind: "waf_tune",
        zone: tuned.zone,
        settings: tuned.whose,
        today: Setting { paranoia: tuned.level, threshold: tuned.threshold },
        proposed: Setting { paranoia: Some(tuned.tuning.level), threshold: tuned.tuning.threshold },
        action: tuned.action,
        is_proven: tuned.tuning.is_proven,
        seen: judged(tuned.seen),
        unseen: judged(tuned.unseen),
        entries: tuned.entries.iter().map(entry).collect(),
        foreign: tuned.foreign,
        unreached: tuned.unreached,
        undecided: tuned.undecided,
        edit: tuned.edit,
    }
}
