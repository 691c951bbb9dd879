//! Settings of the OWASP ruleset with little damage.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use crate::insight::traffic::{Load, PathScope, SkippedRules, Tuning, TuningEntry};

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

/// A setting with its evaluation.
#[derive(Debug)]
pub struct TunedRow {
    /// The setting.
    pub tuning: Tuning,
    /// Benign requests and attacks in the half that the search used.
    pub seen: (Outcome, Outcome),
    /// Benign requests and attacks in the other half.
    pub unseen: (Outcome, Outcome),
    /// Number of recorded places to which an exception applies.
    pub exempt: usize,
    /// The edit of the spec.
    pub edit: String,
}

/// An exception or a disabled rule with its evaluation in the half that the search used.
#[derive(Debug)]
pub struct TunedEntry<'t> {
    /// The exception or disabled rule.
    pub entry: &'t TuningEntry,
    /// Number of benign requests that it spares.
    pub spares: usize,
    /// Number of attacks that it lets through as recorded.
    pub lets_through: usize,
    /// Number of attacks that would pass if they were sent to a place where it applies.
    pub lets_through_there: usize,
    /// Number of recorded places to which it applies.
    pub places: usize,
}

/// Settings with their evaluation, one of which is proposed.
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
    /// The settings; the first acts on the fewest benign requests.
    pub rows: &'t [TunedRow],
    /// The index of the proposed setting.
    pub proposed: usize,
    /// True if no better setting exists; false if the search ended early.
    pub is_proven: bool,
    /// True if there are attacks.
    pub has_attacks: bool,
    /// The entries of the proposed setting.
    pub entries: Vec<TunedEntry<'t>>,
    /// Some benign requests on which the proposed setting acts, with their scores.
    pub acted_on: Vec<(&'t Load, u32)>,
    /// Number of recorded places: hosts, methods and paths.
    pub places: usize,
    /// Requests to hosts outside of the zone.
    pub foreign: usize,
    /// Requests that never reach the ruleset.
    pub unreached: usize,
    /// Requests with rules that could not be decided.
    pub undecided: usize,
}

impl<'t> Tuned<'t> {
    /// Returns the proposed setting.
    #[must_use]
    pub fn row(&self) -> &'t TunedRow {
        &self.rows[self.proposed]
    }
}

/// The settings in the form of the JSON output.
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
    /// The number of the proposed row, from 1.
    row: usize,
    rows: Vec<RowDocument<'t>>,
    action: &'t str,
    is_proven: bool,
    seen: Judged,
    unseen: Judged,
    entries: Vec<EntryDocument<'t>>,
    /// Some benign requests on which the proposed setting acts.
    acted_on: Vec<ActedOn<'t>>,
    /// Number of recorded places: hosts, methods and paths.
    places: usize,
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

/// A setting of the table.
#[derive(Debug, Serialize, JsonSchema)]
struct RowDocument<'t> {
    setting: Setting,
    /// Number of exceptions and of places with disabled rules.
    entries: usize,
    /// Number of recorded places to which an exception applies.
    exempt: usize,
    seen: Judged,
    unseen: Judged,
    edit: &'t str,
}

/// An exception or a disabled rule.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryDocument<'t> {
    /// The rules; null for the whole ruleset.
    rules: Option<Vec<u32>>,
    host: Option<&'t str>,
    method: Option<&'t str>,
    /// The only path.
    path: Option<&'t str>,
    /// The beginning of the paths.
    path_prefix: Option<&'t str>,
    /// Whether it names few rules on one page or in one directory.
    is_narrow: bool,
    spares: usize,
    lets_through: usize,
    lets_through_there: usize,
    places: usize,
}

/// A benign request on which the proposed setting acts.
#[derive(Debug, Serialize, JsonSchema)]
struct ActedOn<'t> {
    method: &'t str,
    host: &'t str,
    path: &'t str,
    score: u32,
    rules: Vec<u32>,
}

/// Returns the form of the JSON output.
#[must_use]
pub fn document<'t>(tuned: &'t Tuned<'t>) -> Document<'t> {
    let judged = |(benign, attacks): (Outcome, Outcome)| Judged { benign, attacks };
    let setting =
        |tuning: &Tuning| Setting { paranoia: Some(tuning.level), threshold: tuning.threshold };
    let row = |row: &'t TunedRow| RowDocument {
        setting: setting(&row.tuning),
        entries: row.tuning.entries.len(),
        exempt: row.exempt,
        seen: judged(row.seen),
        unseen: judged(row.unseen),
        edit: &row.edit,
    };
    let acted_on = |(load, score): &(&'t Load, u32)| ActedOn {
        method: &load.method,
        host: &load.host,
        path: &load.path,
        score: *score,
        rules: load.hits.iter().map(|hit| hit.rule).collect(),
    };
    let proposed = tuned.row();
    Document {
        format: FORMAT,
        kind: "waf_tune",
        zone: tuned.zone,
        settings: tuned.whose,
        today: Setting { paranoia: tuned.level, threshold: tuned.threshold },
        proposed: setting(&proposed.tuning),
        row: tuned.proposed + 1,
        rows: tuned.rows.iter().map(row).collect(),
        action: tuned.action,
        is_proven: tuned.is_proven,
        seen: judged(proposed.seen),
        unseen: judged(proposed.unseen),
        entries: tuned.entries.iter().map(entry_document).collect(),
        acted_on: tuned.acted_on.iter().map(acted_on).collect(),
        places: tuned.places,
        foreign: tuned.foreign,
        unreached: tuned.unreached,
        undecided: tuned.undecided,
        edit: &proposed.edit,
    }
}

fn entry_document<'t>(tuned: &TunedEntry<'t>) -> EntryDocument<'t> {
    let TuningEntry { place, rules } = tuned.entry;
    let (path, path_prefix) = match &place.path {
        PathScope::Is(path) => (Some(path.as_str()), None),
        PathScope::Under(prefix) => (None, Some(prefix.as_str())),
        PathScope::Any => (None, None),
    };
    EntryDocument {
        rules: match rules {
            SkippedRules::Rules(rules) => Some(rules.iter().copied().collect()),
            SkippedRules::All => None,
        },
        host: place.host.as_deref(),
        method: place.method.as_deref(),
        path,
        path_prefix,
        is_narrow: tuned.entry.is_narrow(),
        spares: tuned.spares,
        lets_through: tuned.lets_through,
        lets_through_there: tuned.lets_through_there,
        places: tuned.places,
    }
}
