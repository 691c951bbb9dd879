//! What came of an apply, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::apply::{Noticed, Outcome, Verified, ZoneDone};
use crate::model::Address;

/// What came of an apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// By zone.
    zones: Vec<Zone>,
    /// The journal.
    journal: Option<String>,
}

/// What came of the operations on a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Zone {
    /// The zone.
    zone: String,
    /// How many operations there were.
    operations: usize,
    /// How many took effect.
    done: usize,
    /// Whether the zone was read back and nothing differs, or the answers confirm every change.
    in_sync: bool,
    /// How that is known.
    confirmed_by: Option<ConfirmedBy>,
    /// How many differences are left; `null` if the zone was not read back.
    remaining: Option<usize>,
    /// The addresses of what still differs.
    not_converged: Vec<String>,
    /// The operations that did not simply take effect.
    not_done: Vec<NotDone>,
    /// What someone else changed meanwhile.
    changed_meanwhile: Vec<Change>,
}

/// How it is known what came of the operations on a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ConfirmedBy {
    /// The answers confirm every change.
    Answers,
    /// The zone was read back.
    Read,
}

/// What someone else changed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Change {
    /// Its address.
    address: String,
    /// What happened.
    what: String,
}

/// An operation that did not simply take effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct NotDone {
    /// Its address.
    address: String,
    /// What became of it.
    outcome: Fate,
    /// Why.
    reason: String,
}

/// What became of an operation that did not simply take effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum Fate {
    /// Cloudflare calls the text identical to a live one with other cuts; the record counts as
    /// live.
    OtherCuts,
    /// Cloudflare refused it.
    Refused,
    /// It was not sent.
    NotSent,
    /// It was not sent, because what it concerns has changed since the plan was made.
    Stale,
    /// It was undone, because what it made room for is not known to be there.
    Restored,
    /// Unknown whether it took effect.
    Unknown,
    /// It has to wait for something that no request can bring about.
    Deferred,
}

impl Applied {
    /// What came of the operations on these zones.
    #[must_use]
    pub fn of(zones: &[ZoneDone<'_>], journal: Option<String>) -> Self {
        Self { zones: zones.iter().map(Zone::of).collect(), journal }
    }
}

impl Zone {
    /// What came of the operations on a zone.
    fn of(done: &ZoneDone<'_>) -> Self {
        let ZoneDone { plan, applied, verified, unread: _, is_confirmed, notes: _ } = done;
        let read = verified.as_ref().map(|_| ConfirmedBy::Read);
        let remaining = verified.as_ref().map(|verified| &verified.remaining);
        let not_converged = remaining.iter().flat_map(|plan| plan.addresses());
        Self {
            zone: plan.name.as_str().to_owned(),
            operations: applied.outcomes.len(),
            done: applied.done(),
            in_sync: *is_confirmed || verified.as_ref().is_some_and(Verified::is_in_sync),
            confirmed_by: if *is_confirmed { Some(ConfirmedBy::Answers) } else { read },
            remaining: remaining.map(|plan| plan.operations.len()),
            not_converged: not_converged.map(|address| address.as_str().to_owned()).collect(),
            changed_meanwhile: applied.noticed.iter().map(Change::of).collect(),
            not_done: plan
                .addresses()
                .zip(&applied.outcomes)
                .filter_map(|(a, o)| NotDone::of(a, o))
                .collect(),
        }
    }
}

impl Change {
    /// What was noticed.
    fn of(noticed: &Noticed) -> Self {
        let Noticed { address, what } = noticed;
        Self { address: address.as_str().to_owned(), what: what.to_string() }
    }
}

impl NotDone {
    /// Of an outcome that is not a plain success.
    fn of(address: &Address, outcome: &Outcome) -> Option<Self> {
        let (outcome, reason) = match outcome {
            Outcome::Done => return None,
            Outcome::OtherCuts(reason) => (Fate::OtherCuts, reason.as_str()),
            Outcome::Refused(reason) => (Fate::Refused, reason.as_str()),
            Outcome::NotSent(reason) => (Fate::NotSent, reason.as_str()),
            Outcome::Stale(reason) => (Fate::Stale, reason.as_str()),
            Outcome::Restored => (Fate::Restored, Outcome::WHY_RESTORED),
            Outcome::Unknown(reason) => (Fate::Unknown, reason.as_str()),
            Outcome::Deferred(reason) => (Fate::Deferred, reason.as_str()),
        };
        Some(Self { address: address.as_str().to_owned(), outcome, reason: reason.to_owned() })
    }
}
