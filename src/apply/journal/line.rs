//! The lines of a journal: what is written, and what is read of it.
//!
//! Readers do without members that came later, and without lines of events that they do not know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::insight::Direction;
use crate::model::ruleset::LiveRule;
use crate::model::{ClosedSet, Danger, closed_set};
use crate::plan::{Action, Operation, RecordSubject, RuleAction, RuleSubject, Subject};
use crate::wire::keyword::Keyword;
use crate::wire::record::{create_body, to_json};
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
        /// When, RFC 3339 in UTC.
        time: String,
    },
    /// A consent under which the plan is carried out.
    Consent {
        /// For what.
        danger: Keyword<Danger>,
        /// Where it was given, and why.
        by: String,
        /// When.
        time: String,
    },
    /// A request is about to be sent.
    Intent(Intent),
    /// What became of a request.
    Outcome(StepOutcome),
    /// A zone was read back.
    Verified {
        /// The zone.
        zone: String,
        /// How many differences were left.
        remaining: usize,
        /// When.
        time: String,
    },
    /// The answers confirm every change of a zone, which was not read back.
    Confirmed {
        /// The zone.
        zone: String,
        /// When.
        time: String,
    },
    /// The apply has ended.
    End {
        /// When.
        time: String,
    },
}

/// What is read of every line.
#[derive(Debug, Deserialize)]
pub(super) struct AnyLine {
    /// What it tells.
    #[serde(default)]
    pub(super) event: String,
    /// When it was written.
    #[serde(default)]
    pub(super) time: String,
    /// The step, if it is about one.
    pub(super) step: Option<u64>,
}

/// What is read of the first line, whatever its version.
#[derive(Debug, Deserialize)]
pub(super) struct AnyBegin {
    /// The version of the format.
    pub(super) format: u64,
    /// The SHA-256 of what was applied: of a spec, a saved plan or a journal.
    #[serde(default)]
    pub(super) spec_digest: serde_json::Value,
}

/// A request that is about to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Intent {
    /// Its number, from 1; its outcome has the same.
    pub step: u64,
    /// The zone.
    pub zone: String,
    /// Its id.
    #[serde(default)]
    pub zone_id: String,
    /// When the zone was created, as Cloudflare wrote it, if it is known. It came later than the
    /// rest.
    #[serde(default)]
    pub zone_created_on: Option<String>,
    /// The request.
    #[serde(default)]
    pub request: SentRequest,
    /// What it carries out.
    pub operations: Vec<OperationLine>,
    /// When.
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

/// An operation, with what was there before. Records have `id`, `before` and `after`; rules have
/// more; settings have `fields`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationLine {
    /// Its address.
    pub address: String,
    /// What is done.
    pub action: Keyword<Action>,
    /// Of a record or rule: Cloudflare's id, `null` if it is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Json>,
    /// Of a rule: which way the protection changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Option<Keyword<Direction>>>,
    /// Of a rule: why the spec accepts its dangers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_because: Option<Vec<String>>,
    /// Of a record or rule: all of it before, `null` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Json>,
    /// Of a record or rule: all of it after, `null` if there is none; of an entry point, its rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Json>,
    /// Of a rule: the ids of all rules of its phase, in order, before it. It came later than the
    /// rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// Of a setting: what differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<FieldLine>>,
}

/// A field of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldLine {
    /// Its name.
    pub field: String,
    /// What was there.
    #[serde(default)]
    pub before: Json,
    /// What is wanted.
    #[serde(default)]
    pub after: Json,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepOutcome {
    /// The number of its intent.
    pub step: u64,
    /// What became of it. A word that this version does not know is read as `unknown`.
    #[serde(deserialize_with = "known")]
    pub outcome: Keyword<StepFate>,
    /// Why, or how it is known.
    #[serde(default)]
    pub detail: Option<String>,
    /// The ids of what was created, in the order of the operations. They came later than the rest.
    #[serde(default)]
    pub ids: Option<Vec<String>>,
    /// When.
    #[serde(default)]
    pub time: String,
}

closed_set! {
    /// What became of a request.
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
        /// No answer, and no effect to be seen: most often it is sent again.
        Lost = "lost",
        /// It is unknown whether it took effect.
        Unknown = "unknown",
    }
}

/// Reads a word that a later version may have added to.
fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Keyword<StepFate>, D::Error> {
    let word = String::deserialize(deserializer)?;
    Ok(Keyword(StepFate::by_keyword(&word).unwrap_or(StepFate::Unknown)))
}

impl OperationLine {
    /// An operation, with what was there before; of one on a rule with the order of all rules of
    /// its phase.
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
                    before: to_json(&f.before),
                    after: to_json(&f.after),
                });
                Self { fields: Some(fields.collect()), ..line }
            }
            Subject::Rule(rule) => line.of_rule(operation, rule, rules),
            Subject::Record(record) => line.of_record(record),
        }
    }

    /// With what is told of a record.
    fn of_record(self, record: &RecordSubject) -> Self {
        let change = &record.change;
        Self {
            id: Some(change.id().map_or(Json::Null, |id| id.0.as_str().into())),
            before: Some(change.before().map_or(Json::Null, create_body)),
            after: Some(change.after().map_or(Json::Null, create_body)),
            ..self
        }
    }

    /// With what is told of a rule.
    fn of_rule(self, operation: &Operation, rule: &RuleSubject, rules: &[LiveRule]) -> Self {
        let whole = |body| Json::Object(rule_json(body));
        let (before, after) = match &rule.action {
            RuleAction::CreateEntryPoint { rules } => {
                (Json::Null, rules.iter().map(rule_json).collect())
            }
            RuleAction::Create { after, .. } => (Json::Null, whole(after)),
            RuleAction::Update { before, after, .. } => (whole(before), whole(after)),
            RuleAction::Move { body, .. } => (whole(body), whole(body)),
            RuleAction::Delete { before, .. } => (whole(before), Json::Null),
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

    /// Cloudflare's id; empty if there is none.
    pub(super) fn id(&self) -> &str {
        self.id.as_ref().and_then(Json::as_str).unwrap_or_default()
    }
}
