//! What an apply did, as append-only JSON lines.
//!
//! An intent is on disk before its request is sent, an outcome after. A crash leaves an intent without outcome: the next
//! run reads the service and carries on from what is there. Before-images make an undo possible. No secret gets here: there
//! is none in requests.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::model::ruleset::{LiveRule, RuleId};
use crate::model::{Danger, ZoneName};
use crate::plan::{Action, Operation, RuleAction, RuleOperation, Step, ZoneAction, ZoneOperation, ZonePlan};
use crate::wire::Request;
use crate::wire::record::{create_body, to_json};
use crate::wire::ruleset::rule_json;

/// The journal could not be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write the journal {}", path.display())]
pub struct JournalError {
    /// The file or directory.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: io::Error,
}

/// Gives the time: RFC 3339, UTC.
pub type Clock = fn() -> String;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    clock: Clock,
    next: u64,
}

impl Journal {
    /// Version of the line format. It stays while readers can do without what is added: `order` of operations on rules, and
    /// their `ids`, came later, and a journal without them is undone as far as it goes.
    pub const FORMAT: u32 = 1;

    /// Begins a journal in a directory, which is made if it is missing. The file is readable by its owner only.
    ///
    /// # Errors
    /// The directory or file cannot be made or written.
    pub fn begin(directory: &Path, spec_digest: &str, clock: Clock) -> Result<Self, JournalError> {
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |source| JournalError { path, source }
        };
        fs::create_dir_all(directory).map_err(fail(directory))?;
        let stamp: String = clock().chars().map(|c| if c == ':' { '-' } else { c }).collect();
        let path = directory.join(format!("{stamp}-{}.jsonl", std::process::id()));
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(fail(&path))?;
        let mut journal = Self { path, file, clock, next: 1 };
        journal.line(json!({ "event": "begin", "format": Self::FORMAT, "spec_digest": spec_digest }))?;
        Ok(journal)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes what is about to be sent, and waits until it is on disk. The number names the step in its outcome.
    ///
    /// # Errors
    /// The line cannot be written; nothing must be sent then.
    pub fn intent(&mut self, zone: &ZonePlan, step: &Step) -> Result<u64, JournalError> {
        let operations = step.operations.iter().map(|n| record_line(&zone.operations[*n])).collect();
        self.write_intent(zone, &step.request, operations)
    }

    /// Writes an intent, and waits until it is on disk.
    fn write_intent(&mut self, zone: &ZonePlan, request: &Request, operations: Json) -> Result<u64, JournalError> {
        let number = self.next;
        self.next += 1;
        self.line(json!({
            "event": "intent", "step": number, "zone": zone.name.as_str(), "zone_id": zone.id.0,
            "request": { "method": request.method.as_str(), "path": request.path, "body": request.body },
            "operations": operations,
        }))?;
        self.file.sync_data().map_err(|source| JournalError { path: self.path.clone(), source })?;
        Ok(number)
    }

    /// Notes an operation on a zone itself that is about to be sent, as [`Journal::intent`].
    ///
    /// # Errors
    /// The line cannot be written; nothing must be sent then.
    pub fn zone_intent(
        &mut self,
        zone: &ZonePlan,
        operation: &ZoneOperation,
        request: &Request,
    ) -> Result<u64, JournalError> {
        self.write_intent(zone, request, json!([zone_line(operation)]))
    }

    /// Notes an operation on a zone's rules that is about to be sent, as [`Journal::intent`]. `before` are the rules of its
    /// phase as they stand: an undo puts them back into that order.
    ///
    /// # Errors
    /// The line cannot be written; nothing must be sent then.
    pub fn rule_intent(
        &mut self,
        zone: &ZonePlan,
        operation: &RuleOperation,
        before: &[LiveRule],
        request: &Request,
    ) -> Result<u64, JournalError> {
        self.write_intent(zone, request, json!([rule_line(operation, before)]))
    }

    /// Notes what became of a step: `done`, `refused`, `not sent`, `unknown`, `no batches`.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn outcome(
        &mut self,
        step: u64,
        outcome: &str,
        detail: Option<&str>,
        result: Option<&Json>,
    ) -> Result<(), JournalError> {
        self.write_outcome(step, outcome, detail, result.map(created_ids))
    }

    /// Notes what became of an operation on a rule, with the ids of the rules that are new since, as [`Journal::outcome`].
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn rule_outcome(
        &mut self,
        step: u64,
        outcome: &str,
        detail: Option<&str>,
        created: &[RuleId],
    ) -> Result<(), JournalError> {
        let ids = created.iter().map(|id| id.0.as_str()).collect();
        self.write_outcome(step, outcome, detail, Some(ids))
    }

    /// Writes an outcome.
    fn write_outcome(
        &mut self,
        step: u64,
        outcome: &str,
        detail: Option<&str>,
        ids: Option<Vec<&str>>,
    ) -> Result<(), JournalError> {
        self.line(json!({ "event": "outcome", "step": step, "outcome": outcome, "detail": detail, "ids": ids }))
    }

    /// Notes a consent under which the plan is carried out.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn consent(&mut self, danger: Danger, by: &str) -> Result<(), JournalError> {
        self.line(json!({ "event": "consent", "danger": danger.code(), "by": by }))
    }

    /// Notes that a zone was read back, and how many differences were left.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn verified(&mut self, zone: &ZoneName, remaining: usize) -> Result<(), JournalError> {
        self.line(json!({ "event": "verified", "zone": zone.as_str(), "remaining": remaining }))
    }

    /// Notes the end.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn end(&mut self) -> Result<(), JournalError> {
        self.line(json!({ "event": "end" }))?;
        self.file.sync_data().map_err(|source| JournalError { path: self.path.clone(), source })
    }

    /// One line, in one write, so that a crash cuts at most the last.
    fn line(&mut self, mut line: Json) -> Result<(), JournalError> {
        line["time"] = json!((self.clock)());
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(|source| JournalError { path: self.path.clone(), source })
    }
}

/// Ids of the records that an answer says were created, in order.
fn created_ids(result: &Json) -> Vec<&str> {
    let posts = result.get("posts").and_then(Json::as_array);
    match posts {
        Some(posts) => posts.iter().filter_map(|r| r.get("id").and_then(Json::as_str)).collect(),
        None => result.get("id").and_then(Json::as_str).into_iter().collect(),
    }
}

/// An operation on a record, with what was there before.
pub(super) fn record_line(operation: &Operation) -> Json {
    let (action, id, before, after) = match &operation.action {
        Action::CreateRecord { after } => ("create", None, None, Some(create_body(after))),
        Action::PatchRecord { id, before, after, patch: _ } => {
            ("update", Some(&id.0), Some(create_body(before)), Some(create_body(after)))
        }
        Action::DeleteRecord { id, before, reason: _ } => ("delete", Some(&id.0), Some(create_body(before)), None),
    };
    json!({ "address": operation.address.as_str(), "action": action, "id": id, "before": before, "after": after })
}

/// An operation on a part of a zone, with what was there before.
pub(super) fn zone_line(operation: &ZoneOperation) -> Json {
    let fields = operation.fields.iter();
    let fields: Vec<Json> =
        fields.map(|f| json!({ "field": f.field, "before": to_json(&f.before), "after": to_json(&f.after) })).collect();
    let action = match operation.action {
        ZoneAction::Create => "create",
        ZoneAction::Change(_) => "update",
    };
    json!({ "address": operation.address.as_str(), "action": action, "fields": fields })
}

/// An operation on a rule, with what was there before, and the order of all rules.
pub(super) fn rule_line(operation: &RuleOperation, before: &[LiveRule]) -> Json {
    let order: Vec<&str> = before.iter().map(|rule| rule.id.0.as_str()).collect();
    let (id, before, after) = match &operation.action {
        RuleAction::CreateEntryPoint { rules } => (None, None, Some(rules.iter().map(rule_json).collect::<Json>())),
        RuleAction::Create { after, .. } => (None, None, Some(Json::Object(rule_json(after)))),
        RuleAction::Patch { id, before, after, .. } => {
            (Some(id), Some(Json::Object(rule_json(before))), Some(Json::Object(rule_json(after))))
        }
        RuleAction::Move { id, body, .. } => {
            (Some(id), Some(Json::Object(rule_json(body))), Some(Json::Object(rule_json(body))))
        }
        RuleAction::Delete { id, before, .. } => (Some(id), Some(Json::Object(rule_json(before))), None),
    };
    json!({
        "address": operation.address.as_str(), "action": operation.action.word(), "id": id.map(|id| &id.0),
        "effect": operation.impact.direction.as_str(), "accepted_because": operation.accepted.values().collect::<Vec<_>>(),
        "before": before, "after": after, "order": order,
    })
}
