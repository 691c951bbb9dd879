//! The result of an apply, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::apply::{Noticed, OperationOutcome, Verified, ZoneDone};
use crate::model::Address;

/// The result of an apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// The results by zone.
    zones: Vec<Zone>,
    /// The path of the journal.
    journal: Option<String>,
}

/// The result of the operations on a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Zone {
    /// The zone.
    zone: String,
    /// Number of operations.
    operations: usize,
    /// Number of operations that took effect.
    done: usize,
    /// True if the zone was read back and nothing differs, or the answers confirm every change.
    in_sync: bool,
    /// The source of the results.
    confirmed_by: Option<ConfirmedBy>,
    /// Number of remaining differences; `null` if the zone was not read back.
    remaining: Option<usize>,
    /// Addresses of remaining differences.
    not_converged: Vec<String>,
    /// The operations that did not simply take effect.
    not_done: Vec<NotDone>,
    /// Changes that someone else made during the apply.
    changed_meanwhile: Vec<Change>,
}

/// The source of the results of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ConfirmedBy {
    /// The answers confirm every change.
    Answers,
    /// The zone was read back.
    Read,
}

/// A change that someone else made during the apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Change {
    /// Its address.
    address: String,
    /// The change.
    what: String,
}

/// An operation that did not simply take effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct NotDone {
    /// Its address.
    address: String,
    /// Its outcome.
    outcome: Fate,
    /// The reason.
    reason: String,
}

/// The outcome of an operation that did not simply take effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum Fate {
    /// Cloudflare says that the text is identical to a live one with other cuts. The record counts
    /// as live.
    OtherCuts,
    /// Cloudflare refused it.
    Refused,
    /// It was not sent.
    NotSent,
    /// It was not sent, because its object has changed since the plan was made.
    Stale,
    /// It was undone, because it is unknown whether the record that replaces it exists.
    Restored,
    /// It is unknown whether it took effect.
    Unknown,
    /// It waits for something that no request can cause.
    Deferred,
}

impl Applied {
    /// Collects the results of these zones.
    #[must_use]
    #[doc(hidden)]
    pub fn of(zones: &[ZoneDone<'_>], journal: Option<String>) -> Self {
        Self { zones: zones.iter().map(Zone::of).collect(), journal }
    }
}

impl Zone {
    /// Collects the results of the operations on a zone.
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
    /// Converts a change of someone else.
    fn of(noticed: &Noticed) -> Self {
        let Noticed { address, what } = noticed;
        Self { address: address.as_str().to_owned(), what: what.to_string() }
    }
}

impl NotDone {
    /// Converts an outcome that is not a plain success.
    fn of(address: &Address, outcome: &OperationOutcome) -> Option<Self> {
        let (outcome, reason) = match outcome {
            OperationOutcome::Done => return None,
            OperationOutcome::OtherCuts(reason) => (Fate::OtherCuts, reason.as_str()),
            OperationOutcome::Refused(reason) => (Fate::Refused, reason.as_str()),
            OperationOutcome::NotSent(reason) => (Fate::NotSent, reason.as_str()),
            OperationOutcome::Stale(reason) => (Fate::Stale, reason.as_str()),
            OperationOutcome::Restored => (Fate::Restored, OperationOutcome::WHY_RESTORED),
            OperationOutcome::Unknown(reason) => (Fate::Unknown, reason.as_str()),
            OperationOutcome::Deferred(reason) => (Fate::Deferred, reason.as_str()),
        };
        Some(Self { address: address.as_str().to_owned(), outcome, reason: reason.to_owned() })
    }
}
