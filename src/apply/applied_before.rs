//! Operations that were applied a short while ago and are planned again: they did not converge, or somebody takes them back.
//!
//! The newest journal that names an address decides: a spec that goes there and back is no repetition. A journal that was undone
//! says nothing about the zones of the undo. A zone is known by its id and the moment of its creation, because the zones of a
//! sandbox get the same ids after a reset, and in another directory. Pure but for its input; a journal that cannot be read says
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Seek};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::journal::operation_line;
use super::journal_text::{Fate, JournalText, MOST_VALUES, word};
use crate::model::Address;
use crate::plan::file::digest;
use crate::plan::{Operation, ZonePlan};
use crate::wire::json;

/// An operation that was applied and is planned again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedBefore {
    /// Its address.
    pub address: Address,
    /// When it was applied, as the journal says.
    pub applied_at: String,
}

/// What a journal says about an address in a zone.
struct Last {
    aim: Digest,
    at: Arc<str>,
}

/// The sum of what an operation wants.
type Digest = [u8; 32];

/// A zone of one instance of the service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Zone {
    id: Arc<str>,
    /// When it was created, as the service wrote it; empty if that is not known.
    created_on: Arc<str>,
}

/// What has been applied, by zone and address; from the newest journal that names them.
#[derive(Default)]
pub struct AppliedOperations {
    last: BTreeMap<(Zone, Box<str>), Option<Last>>,
    /// Digests of the journals that were undone, with the zones in which they were.
    undone: BTreeSet<(Box<str>, Zone)>,
}

impl AppliedOperations {
    /// Most operations that are kept of all journals.
    const MOST: usize = 250_000;

    /// Takes in a journal; from the newest to the oldest. One that cannot be read says nothing.
    pub fn add<R: BufRead + Seek>(&mut self, mut text: JournalText<R>) {
        let outcomes = text.take_outcomes();
        let (count, _) = text.extent();
        let (digest, source): (Box<str>, Box<str>) = (text.digest().into(), text.source_digest().into());
        let Ok(mut lines) = text.lines() else { return };
        let mut own: BTreeMap<(Zone, Box<str>), Option<Last>> = BTreeMap::new();
        while lines.number < count && own.len() < Self::MOST {
            let Ok(Some(line)) = lines.next() else { break };
            let Ok(line) = json::parse(line.as_bytes(), MOST_VALUES) else { break };
            if word(&line, "event") != "intent" {
                continue;
            }
            let step = line.get("step").and_then(Json::as_u64);
            let is_done = step.and_then(|step| outcomes.get(&step)).is_some_and(|ending| ending.fate == Fate::Done);
            let zone = Zone { id: word(&line, "zone_id").into(), created_on: word(&line, "zone_created_on").into() };
            // Of the source of an ordinary apply, no journal has the digest.
            self.undone.insert((source.clone(), zone.clone()));
            if self.undone.contains(&(digest.clone(), zone.clone())) {
                continue;
            }
            let at: Arc<str> = word(&line, "time").into();
            for operation in line.get("operations").and_then(Json::as_array).into_iter().flatten() {
                let Some(address) = operation.get("address").and_then(Json::as_str) else { continue };
                let last = is_done.then(|| Last { aim: aim(operation), at: Arc::clone(&at) });
                own.insert((zone.clone(), address.into()), last);
            }
        }
        for (key, last) in own {
            if self.last.len() < Self::MOST {
                self.last.entry(key).or_insert(last);
            }
        }
    }

    /// The operations of a plan that were applied at a time that counts.
    pub fn repeated(&self, zone: &ZonePlan, counts: impl Fn(&str) -> bool) -> Vec<AppliedBefore> {
        let created_on = zone.created_on.as_deref().unwrap_or_default();
        let own = Zone { id: zone.id.0.as_str().into(), created_on: created_on.into() };
        let again = |operation: &Operation| {
            let key = (own.clone(), operation.address.as_str().into());
            let last = self.last.get(&key)?.as_ref()?;
            (last.aim == aim(&operation_line(operation, &[])) && counts(&last.at))
                .then(|| AppliedBefore { address: operation.address.clone(), applied_at: last.at.to_string() })
        };
        zone.operations.iter().filter_map(again).collect()
    }
}

/// The sum of what an operation wants, whatever it finds.
fn aim(operation: &Json) -> Digest {
    let fields = operation.get("fields").and_then(Json::as_array).into_iter().flatten();
    let fields: Vec<Json> = fields.map(|f| json!([f.get("field"), f.get("after")])).collect();
    digest(&json!([operation.get("action"), operation.get("after"), fields]))
}
