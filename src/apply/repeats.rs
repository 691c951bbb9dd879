//! Operations that were applied a short while ago and are planned again: they did not converge, or somebody takes them back.
//!
//! The newest journal that names an address decides: a spec that goes there and back is no repetition, and what an undo took
//! back is none either. Pure but for its input; a journal that cannot be read says nothing.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::journal::operation_line;
use crate::model::Address;
use crate::plan::{Operation, ZonePlan};

/// An operation that was applied and is planned again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Its address.
    pub address: Address,
    /// When it was applied, as the journal says.
    pub applied_at: String,
}

/// What a journal says about an address in a zone.
struct Last {
    aim: Json,
    at: String,
}

/// What has been applied, by zone and address; from the newest journal that names them.
#[derive(Default)]
pub struct Applied {
    last: BTreeMap<(String, String), Option<Last>>,
}

impl Applied {
    /// Takes in a journal; from the newest to the oldest.
    pub fn add(&mut self, text: &str) {
        let lines: Vec<Json> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let event = |line: &Json, name: &str| line.get("event").and_then(Json::as_str) == Some(name);
        let step = |line: &Json| line.get("step").and_then(Json::as_u64);
        let outcomes: BTreeMap<u64, &Json> =
            lines.iter().filter(|l| event(l, "outcome")).filter_map(|l| Some((step(l)?, l))).collect();
        let mut own: BTreeMap<(String, String), Option<Last>> = BTreeMap::new();
        for line in lines.iter().filter(|l| event(l, "intent")) {
            let word = |name: &str| line.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
            let outcome = step(line).and_then(|step| outcomes.get(&step)?.get("outcome")?.as_str());
            for operation in line.get("operations").and_then(Json::as_array).into_iter().flatten() {
                let Some(address) = operation.get("address").and_then(Json::as_str) else { continue };
                let last = (outcome == Some("done")).then(|| Last { aim: aim(operation), at: word("time") });
                own.insert((word("zone_id"), address.to_owned()), last);
            }
        }
        for (key, last) in own {
            self.last.entry(key).or_insert(last);
        }
    }

    /// The operations of a plan that were applied at a time that counts.
    pub fn repeated(&self, zone: &ZonePlan, counts: impl Fn(&str) -> bool) -> Vec<Repeated> {
        let again = |operation: &Operation| {
            let key = (zone.id.0.clone(), operation.address.as_str().to_owned());
            let last = self.last.get(&key)?.as_ref()?;
            (last.aim == aim(&operation_line(operation, &[])) && counts(&last.at))
                .then(|| Repeated { address: operation.address.clone(), applied_at: last.at.clone() })
        };
        zone.operations.iter().filter_map(again).collect()
    }
}

/// What an operation wants, whatever it finds.
fn aim(operation: &Json) -> Json {
    let fields = operation.get("fields").and_then(Json::as_array).into_iter().flatten();
    let fields: Vec<Json> = fields.map(|f| json!([f.get("field"), f.get("after")])).collect();
    json!([operation.get("action"), operation.get("after"), fields])
}
