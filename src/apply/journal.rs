//! What an apply did, as append-only JSON lines.
//!
//! An intent is on disk before its request is sent, an outcome after. A crash leaves an intent without outcome: the next
//! run reads the service and carries on from what is there. Before-images make an undo possible. No secret gets here: there
//! is none in requests.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json, json};

use crate::diagnostic::visible_json;
use crate::model::ruleset::{LiveRule, RuleId};
use crate::model::{Danger, ZoneName};
use crate::plan::{Operation, RecordAction, RecordSubject, RuleAction, RuleSubject, Step, Subject, ZonePlan};
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
pub type Clock = Box<dyn Fn() -> String + Send + Sync>;

/// Where lines go.
pub trait JournalFile: Send {
    /// Adds a line, which ends with a line feed. What fails leaves nothing of the line, where that can be had.
    ///
    /// # Errors
    /// It was not written whole.
    fn append(&mut self, line: &[u8]) -> io::Result<()>;

    /// Waits until everything added so far survives a crash.
    ///
    /// # Errors
    /// It may not.
    fn sync(&mut self) -> io::Result<()>;
}

impl JournalFile for File {
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let before = self.metadata()?.len();
        // One write, so that a crash cuts at most the last line. A full disk or a limit takes part of it and refuses the rest.
        self.write_all(line).inspect_err(|_| drop(self.set_len(before)))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// An open journal. Zones that are applied at the same time share it: each line is written whole, and an intent is on disk
/// before its request leaves.
///
/// The first failure is the last thing that happens to it: what comes after is not written, so that a line that was cut stays
/// the last one, and no intent is given any more, so that nothing is sent.
pub struct Journal {
    path: PathBuf,
    clock: Clock,
    state: Mutex<State>,
}

/// What changes with each line.
struct State {
    file: Box<dyn JournalFile>,
    /// The number of the next intent.
    next: u64,
    is_broken: bool,
    /// The first failure, until somebody takes it.
    failure: Option<JournalError>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Journal {
    /// Version of the line format. It stays while readers can do without what is added: `order` of operations on rules, and
    /// their `ids`, came later, and a journal without them is undone as far as it goes.
    pub const FORMAT: u32 = 1;

    /// Begins a journal in a directory, which is made if it is missing. Both are for their owner only.
    ///
    /// # Errors
    /// The directory or file cannot be made or written.
    pub fn begin(
        directory: &Path,
        spec_digest: &str,
        clock: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<Self, JournalError> {
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |source| JournalError { path, source }
        };
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).map_err(fail(directory))?;
        let stamp: String = clock().chars().map(|c| if c == ':' { '-' } else { c }).collect();
        let path = directory.join(format!("{stamp}-{}.jsonl", std::process::id()));
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(fail(&path))?;
        // One that does not even begin says nothing, and nothing was sent.
        Self::on(Box::new(file), &path, spec_digest, clock).inspect_err(|_| drop(std::fs::remove_file(&path)))
    }

    /// Begins a journal on something else than a new file; `path` is what messages call it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn on(
        file: Box<dyn JournalFile>,
        path: &Path,
        spec_digest: &str,
        clock: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<Self, JournalError> {
        let state = State { file, next: 1, is_broken: false, failure: None };
        let journal = Self { path: path.to_owned(), clock: Box::new(clock), state: Mutex::new(state) };
        journal.note(json!({ "event": "begin", "format": Self::FORMAT, "spec_digest": spec_digest }));
        match journal.take_failure() {
            Some(failure) => Err(failure),
            None => Ok(journal),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a line could not be written; nothing may be sent then.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.state().is_broken
    }

    /// The first failure, if there was one and nobody has taken it yet.
    #[must_use]
    pub fn take_failure(&self) -> Option<JournalError> {
        self.state().failure.take()
    }

    /// Notes what is about to be sent, and waits until it is on disk. The number names the step in its outcome; `None` if it
    /// cannot be noted, and so nothing must be sent.
    #[must_use]
    pub fn intent(&self, zone: &ZonePlan, step: &Step) -> Option<u64> {
        let operations = step.operations.iter().map(|n| operation_line(&zone.operations[*n], &[])).collect();
        self.write_intent(zone, &step.request, operations)
    }

    /// Notes an operation that is sent by itself, as [`Journal::intent`]. `rules` are those of its phase as they stand: an
    /// undo puts them back into that order.
    #[must_use]
    pub fn intent_of(
        &self,
        zone: &ZonePlan,
        operation: &Operation,
        rules: &[LiveRule],
        request: &Request,
    ) -> Option<u64> {
        self.write_intent(zone, request, json!([operation_line(operation, rules)]))
    }

    /// Writes an intent, and waits until it is on disk.
    fn write_intent(&self, zone: &ZonePlan, request: &Request, operations: Json) -> Option<u64> {
        let mut line = json!({
            "event": "intent", "step": 0, "zone": zone.name.as_str(), "zone_id": zone.id.0, "zone_created_on": zone.created_on,
            "request": { "method": request.method.as_str(), "path": request.path, "body": request.body },
            "operations": operations,
        });
        let mut state = self.state();
        let number = state.next;
        line["step"] = json!(number);
        state.next += 1;
        self.write(&mut state, line);
        self.sync(&mut state);
        (!state.is_broken).then_some(number)
    }

    /// Notes what became of a step: `done`, `partly`, `refused`, `restored`, `not sent`, `no batches`, `lost` (no answer, and no
    /// effect to be seen: most often it is sent again), `unknown`.
    pub fn outcome(&self, step: u64, outcome: &str, detail: Option<&str>, result: Option<&Json>) {
        self.write_outcome(step, outcome, detail, result.map(created_ids));
    }

    /// Notes what became of an operation on a rule, with the ids of the rules that are new since, as [`Journal::outcome`].
    pub fn rule_outcome(&self, step: u64, outcome: &str, detail: Option<&str>, created: &[RuleId]) {
        let ids = created.iter().map(|id| id.0.as_str()).collect();
        self.write_outcome(step, outcome, detail, Some(ids));
    }

    /// Writes an outcome.
    fn write_outcome(&self, step: u64, outcome: &str, detail: Option<&str>, ids: Option<Vec<&str>>) {
        self.note(json!({ "event": "outcome", "step": step, "outcome": outcome, "detail": detail, "ids": ids }));
    }

    /// Notes a consent under which the plan is carried out.
    pub fn consent(&self, danger: Danger, by: &str) {
        self.note(json!({ "event": "consent", "danger": danger.code(), "by": by }));
    }

    /// Notes that a zone was read back, and how many differences were left.
    pub fn verified(&self, zone: &ZoneName, remaining: usize) {
        self.note(json!({ "event": "verified", "zone": zone.as_str(), "remaining": remaining }));
    }

    /// Notes that the answers confirm every change of a zone, which was not read back.
    pub fn confirmed(&self, zone: &ZoneName) {
        self.note(json!({ "event": "confirmed", "zone": zone.as_str() }));
    }

    /// Notes the end.
    pub fn end(&self) {
        self.note(json!({ "event": "end" }));
        self.sync(&mut self.state());
    }

    /// Adds a line.
    fn note(&self, line: Json) {
        self.write(&mut self.state(), line);
    }

    /// Writes a line, unless one before it failed.
    fn write(&self, state: &mut State, mut line: Json) {
        if state.is_broken {
            return;
        }
        line["time"] = json!((self.clock)());
        let mut bytes = visible_json(&line.to_string()).into_owned().into_bytes();
        bytes.push(b'\n');
        let written = state.file.append(&bytes);
        self.keep(state, written);
    }

    /// Waits until everything is on disk, unless something failed before.
    fn sync(&self, state: &mut State) {
        if !state.is_broken {
            let synced = state.file.sync();
            self.keep(state, synced);
        }
    }

    /// Keeps a failure.
    fn keep(&self, state: &mut State, outcome: io::Result<()>) {
        if let Err(source) = outcome {
            state.is_broken = true;
            state.failure = Some(JournalError { path: self.path.clone(), source });
        }
    }

    /// The state. Nothing that is done under the lock panics.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

/// An operation, with what was there before; of one on a rule with the order of all rules of its phase.
pub(super) fn operation_line(operation: &Operation, rules: &[LiveRule]) -> Json {
    match &operation.subject {
        Subject::Zone | Subject::Setting(_) => setting_line(operation),
        Subject::Rule(rule) => rule_line(operation, rule, rules),
        Subject::Record(record) => record_line(operation, record),
    }
}

/// An operation on a zone or its settings.
fn setting_line(operation: &Operation) -> Json {
    let fields = operation.fields.iter();
    let fields: Vec<Json> = fields
        .map(|f| json!({ "field": f.field.to_string(), "before": to_json(&f.before), "after": to_json(&f.after) }))
        .collect();
    json!({ "address": operation.address.as_str(), "action": operation.action().as_str(), "fields": fields })
}

/// An operation on a record.
fn record_line(operation: &Operation, record: &RecordSubject) -> Json {
    let (id, before, after) = match &record.action {
        RecordAction::Create { after } => (None, None, Some(create_body(after))),
        RecordAction::Update { id, before, after, patch: _ } => {
            (Some(&id.0), Some(create_body(before)), Some(create_body(after)))
        }
        RecordAction::Delete { id, before, reason: _ } => (Some(&id.0), Some(create_body(before)), None),
    };
    let action = operation.action().as_str();
    json!({ "address": operation.address.as_str(), "action": action, "id": id, "before": before, "after": after })
}

/// An operation on a rule.
fn rule_line(operation: &Operation, rule: &RuleSubject, rules: &[LiveRule]) -> Json {
    let order: Vec<&str> = rules.iter().map(|rule| rule.id.0.as_str()).collect();
    let (before, after) = match &rule.action {
        RuleAction::CreateEntryPoint { rules } => (None, Some(rules.iter().map(rule_json).collect::<Json>())),
        RuleAction::Create { after, .. } => (None, Some(Json::Object(rule_json(after)))),
        RuleAction::Update { before, after, .. } => {
            (Some(Json::Object(rule_json(before))), Some(Json::Object(rule_json(after))))
        }
        RuleAction::Move { body, .. } => (Some(Json::Object(rule_json(body))), Some(Json::Object(rule_json(body)))),
        RuleAction::Delete { before, .. } => (Some(Json::Object(rule_json(before))), None),
    };
    json!({
        "address": operation.address.as_str(), "action": operation.action().as_str(),
        "id": rule.action.id().map(|id| &id.0), "effect": operation.impact.as_ref().map(|i| i.direction.as_str()),
        "accepted_because": operation.accepted.values().collect::<Vec<_>>(),
        "before": before, "after": after, "order": order,
    })
}
