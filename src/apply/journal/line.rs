//! The lines of a journal, for writing and for reading.
//!
//! Readers accept lines without members that were added later, and ignore events that they do not
//! know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::insight::Direction;
use crate::model::ruleset::LiveRule;
use crate::model::{ClosedSet, Danger, closed_set};
use crate::plan::{Action, Operation, RecordSubject, RuleAction, RuleSubject, Subject};
use crate::wire::keyword::Keyword;
use crate::wire::record::{create_body, value_to_json};
use crate::wire::ruleset::rule_json;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum JournalLine {
    /// An apply begins.
    Begin {
        /// Version of the format.
        format: u32,
        /// SHA-256 of the spec as read, hexadecimal.
        spec_digest: String,
        /// The time, RFC 3339 in UTC.
        time: String,
    },
    /// A consent that the plan is executed under.
    Consent {
        /// The danger.
        danger: Keyword<Danger>,
        /// The place where it was given, and the reason.
        by: String,
        /// The time.
        time: String,
    },
    /// A request is about to be sent.
    Intent(Intent),
    /// The result of a request.
    Outcome(StepOutcome),
    /// A zone was read back.
    Verified {
        /// The zone.
        zone: String,
        /// Number of remaining differences.
        remaining: usize,
        /// The time.
        time: String,
    },
    /// The responses confirm every change of a zone, which was not read back.
    Confirmed {
        /// The zone.
        zone: String,
        /// The time.
        time: String,
    },
    /// The apply has ended.
    End {
        /// The time.
        time: String,
    },
}

/// The members of every line.
#[derive(Debug, Deserialize)]
pub(super) struct AnyLine {
    /// The kind of event.
    #[serde(default)]
    pub(super) event: String,
    /// The time at which it was written.
    #[serde(default)]
    pub(super) time: String,
    /// The number of the step, if it is about one.
    pub(super) step: Option<u64>,
}

/// The members of the first line in every version.
#[derive(Debug, Deserialize)]
pub(super) struct AnyBegin {
    /// The version of the format.
    pub(super) format: u64,
    /// The SHA-256 of the input of the apply: a spec, a saved plan or a journal.
    #[serde(default)]
    pub(super) spec_digest: serde_json::Value,
}

/// A request that is about to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Intent {
    /// Its number, from 1. Its outcome has the same number.
    pub step: u64,
    /// The zone.
    pub zone: String,
    /// Its id.
    #[serde(default)]
    pub zone_id: String,
    /// The creation time of the zone as Cloudflare wrote it, if known. Added in a later version.
    #[serde(default)]
    pub zone_created_on: Option<String>,
    /// The request.
    #[serde(default)]
    pub request: SentRequest,
    /// The operations in it.
    pub operations: Vec<OperationLine>,
    /// The time.
    #[serde(default)]
    pub time: String,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SentRequest {
    /// The method.
    pub method: String,
    /// The path below the base URL.
    pub path: String,
    /// The body.
    pub body: Option<Json>,
}

/// An operation with the state before it. Records have `id`, `before` and `after`; rules have more
/// members; settings have `fields`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationLine {
    /// Its address.
    pub address: String,
    /// The action.
    pub action: Keyword<Action>,
    /// For a record or rule: Cloudflare's id, `null` if it is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Json>,
    /// For a rule: the direction in which the protection changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Option<Keyword<Direction>>>,
    /// For a rule: the reasons why the spec accepts its dangers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_because: Option<Vec<String>>,
    /// For a record or rule: the whole object before, `null` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Json>,
    /// For a record or rule: the whole object after, `null` if there is none. For an entry point:
    /// its rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Json>,
    /// For a rule: the ids of all rules of its phase before the operation, in order. Added in a
    /// later version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// For a setting: the fields that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<FieldLine>>,
}

/// A field of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldLine {
    /// Its name.
    pub field: String,
    /// The value before.
    #[serde(default)]
    pub before: Json,
    /// The desired value.
    #[serde(default)]
    pub after: Json,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepOutcome {
    /// The number of its intent.
    pub step: u64,
    /// The result. A word that this version does not know is read as `unknown`.
    #[serde(deserialize_with = "known_fate")]
    pub outcome: Keyword<StepFate>,
    /// The reason, or the source of the result.
    #[serde(default)]
    pub detail: Option<String>,
    /// The ids of created objects, in the order of the operations. Added in a later version.
    #[serde(default)]
    pub ids: Option<Vec<String>>,
    /// The time.
    #[serde(default)]
    pub time: String,
}

closed_set! {
    /// The result of a request.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum StepFate {
        /// It took effect.
        Done = "done",
        /// Part of it took effect.
        Partly = "partly",
        /// Cloudflare refused it.
        Refused = "refused",
        /// The delete before it was taken back.
        Restored = "restored",
        /// It was not sent.
        NotSent = "not sent",
        /// Cloudflare has no batches.
        NoBatches = "no batches",
        /// There was no response, and no effect is visible. Usually the request is sent again.
        Lost = "lost",
        /// It is unknown whether it took effect.
        Unknown = "unknown",
    }
}

/// Reads a word that a later version may have added.
fn known_fate<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Keyword<StepFate>, D::Error> {
    let word = String::deserialize(deserializer)?;
    Ok(Keyword(StepFate::by_keyword(&word).unwrap_or(StepFate::Unknown)))
}

impl OperationLine {
    /// Returns an operation with the state before it. For an operation on a rule, this includes the
    /// order of all rules of its phase.
    pub(super) fn of(operation: &Operation, rules: &[LiveRule]) -> Self {
        let line = Self {
            address: operation.address.as_str().to_owned(),
            action: Keyword(operation.action()),
            id: None,
            effect: None,
            accepted_because: None,
            before: None,
            after: None,
            order: None,
            fields: None,
        };
        match &operation.subject {
            Subject::Zone | Subject::Setting(_) => {
                let fields = operation.fields.iter().map(|f| FieldLine {
                    field: f.field.to_string(),
                    before: value_to_json(&f.before),
                    after: value_to_json(&f.after),
                });
                Self { fields: Some(fields.collect()), ..line }
            }
            Subject::Rule(rule) => line.of_rule(operation, rule, rules),
            Subject::Record(record) => line.of_record(record),
        }
    }

    /// Adds the members of a record.
    fn of_record(self, record: &RecordSubject) -> Self {
        let change = &record.change;
        Self {
            id: Some(change.id().map_or(Json::Null, |id| id.0.as_str().into())),
            before: Some(change.before().map_or(Json::Null, create_body)),
            after: Some(change.after().map_or(Json::Null, create_body)),
            ..self
        }
    }

    /// Adds the members of a rule.
    fn of_rule(self, operation: &Operation, rule: &RuleSubject, rules: &[LiveRule]) -> Self {
        let rule_object = |body| Json::Object(rule_json(body));
        let (before, after) = match &rule.action {
            RuleAction::CreateEntryPoint { rules } => {
                (Json::Null, rules.iter().map(rule_json).collect())
            }
            RuleAction::Create { after, .. } => (Json::Null, rule_object(after)),
            RuleAction::Update { before, after, .. } => (rule_object(before), rule_object(after)),
            RuleAction::Move { body, .. } => (rule_object(body), rule_object(body)),
            RuleAction::Delete { before, .. } => (rule_object(before), Json::Null),
        };
        Self {
            id: Some(rule.action.id().map_or(Json::Null, |id| id.0.as_str().into())),
            effect: Some(operation.impact.as_ref().map(|impact| Keyword(impact.direction))),
            accepted_because: Some(operation.accepted.values().cloned().collect()),
            before: Some(before),
            after: Some(after),
            order: Some(rules.iter().map(|rule| rule.id.0.clone()).collect()),
            ..self
        }
    }

    /// Returns Cloudflare's id; empty if there is none.
    pub(super) fn id(&self) -> &str {
        self.id.as_ref().and_then(Json::as_str).unwrap_or_default()
    }
}
