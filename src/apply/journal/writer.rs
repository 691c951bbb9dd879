//! Writes a journal.
//!
//! An intent is on disk before its request is sent; its outcome is written after. A crash leaves an
//! intent without outcome: the next run reads Cloudflare and continues from the live state. The
//! states before each change make an undo possible. The journal contains no secrets, because
//! requests contain none.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde_json::Value as Json;

use super::line::{Intent, JournalLine, OperationLine, SentRequest, StepFate, StepOutcome};
use crate::diagnostic::visible_json;
use crate::model::ruleset::{LiveRule, RuleId};
use crate::model::time::rfc3339_micros;
use crate::model::{Danger, ZoneName};
use crate::plan::{Operation, Step, ZonePlan};
use crate::wire::Request;
use crate::wire::keyword::Keyword;

/// Default directory of journals.
pub const JOURNAL_DIRECTORY: &str = ".zonewright/journal";

/// The journal could not be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write the journal {}", path.display())]
pub struct JournalError {
    /// The file or directory.
    pub path: PathBuf,
    /// The error.
    #[source]
    pub source: io::Error,
}

/// Returns the time of a line.
type Clock = Box<dyn Fn() -> SystemTime + Send + Sync>;

/// The file that lines are written to.
pub trait JournalFile: Send {
    /// Adds a line, which ends with a line feed. A failed write leaves nothing of the line, if that
    /// is possible.
    ///
    /// # Errors
    /// Fails if it was not written completely.
    fn append(&mut self, line: &[u8]) -> io::Result<()>;

    /// Waits until everything added so far survives a crash.
    ///
    /// # Errors
    /// Fails if they may not survive it.
    fn sync(&mut self) -> io::Result<()>;
}

impl JournalFile for File {
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let length_before = self.metadata()?.len();
        // One write, so that a crash truncates at most the last line. A full disk or a limit takes
        // part of it and refuses the rest.
        self.write_all(line).inspect_err(|_| drop(self.set_len(length_before)))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A file that keeps no line.
struct Discarded;

impl JournalFile for Discarded {
    fn append(&mut self, _line: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An open journal. Zones that are applied at the same time share it: each line is written as a
/// whole, and an intent is on disk before its request is sent.
///
/// After the first failure nothing more is written, so that a truncated line stays the last one. No
/// intent is accepted any more either, so that nothing is sent.
pub struct Journal {
    path: PathBuf,
    clock: Clock,
    state: Mutex<WriterState>,
}

/// The state that changes with each line.
struct WriterState {
    file: Box<dyn JournalFile>,
    /// The number of the next intent.
    next: u64,
    is_broken: bool,
    /// The first failure, until it is taken.
    failure: Option<JournalError>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Journal {
    /// Version of the line format. It stays the same while readers accept lines without the
    /// additions: `order` of operations on rules, and their `ids`, came later, and a journal
    /// without them is undone as far as possible.
    pub const FORMAT: u32 = 1;

    /// Begins a journal in a directory and creates the directory if needed. Only the owner can read
    /// them.
    ///
    /// # Errors
    /// Fails if the directory or file cannot be created or written.
    pub fn begin(
        directory: &Path,
        spec_digest: &str,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
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
        let stamp = rfc3339_micros(clock()).replace(':', "-");
        let path = directory.join(format!("{stamp}-{}.jsonl", std::process::id()));
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(fail(&path))?;
        // A journal without its first line is useless, and nothing was sent.
        Self::on(Box::new(file), &path, spec_digest, clock)
            .inspect_err(|_| drop(std::fs::remove_file(&path)))
    }

    /// Begins a journal on something else than a new file. Messages call it `path`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    #[doc(hidden)]
    pub fn on(
        file: Box<dyn JournalFile>,
        path: &Path,
        spec_digest: &str,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Result<Self, JournalError> {
        let state = WriterState { file, next: 1, is_broken: false, failure: None };
        let journal =
            Self { path: path.to_owned(), clock: Box::new(clock), state: Mutex::new(state) };
        let spec_digest = spec_digest.to_owned();
        journal.note(|time| JournalLine::Begin { format: Self::FORMAT, spec_digest, time });
        match journal.take_failure() {
            Some(failure) => Err(failure),
            None => Ok(journal),
        }
    }

    /// Returns a journal that keeps nothing.
    pub(crate) fn discarding() -> Self {
        let state =
            WriterState { file: Box::new(Discarded), next: 1, is_broken: false, failure: None };
        let clock = Box::new(|| SystemTime::UNIX_EPOCH);
        Self { path: PathBuf::new(), clock, state: Mutex::new(state) }
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if a line could not be written. Nothing may be sent after that.
    #[must_use]
    #[doc(hidden)]
    pub fn is_broken(&self) -> bool {
        self.state().is_broken
    }

    /// Returns the first failure, if there was one that has not been taken yet.
    #[must_use]
    #[doc(hidden)]
    pub fn take_failure(&self) -> Option<JournalError> {
        self.state().failure.take()
    }

    /// Writes the intent of a step, and waits until it is on disk. The number identifies the step
    /// in its outcome. Returns `None` if it cannot be written, and then nothing may be sent.
    #[must_use]
    #[doc(hidden)]
    pub fn intent(&self, zone: &ZonePlan, step: &Step) -> Option<u64> {
        let operations =
            step.operations.iter().map(|n| OperationLine::of(&zone.operations[*n], &[])).collect();
        self.write_intent(zone, &step.request, operations)
    }

    /// Writes the intent of an operation that is sent by itself, as [`Journal::intent`]. `rules`
    /// are the current rules of its phase, whose order an undo restores.
    #[must_use]
    #[doc(hidden)]
    pub fn intent_of(
        &self,
        zone: &ZonePlan,
        operation: &Operation,
        rules: &[LiveRule],
        request: &Request,
    ) -> Option<u64> {
        self.write_intent(zone, request, vec![OperationLine::of(operation, rules)])
    }

    /// Writes an intent, and waits until it is on disk.
    fn write_intent(
        &self,
        zone: &ZonePlan,
        request: &Request,
        operations: Vec<OperationLine>,
    ) -> Option<u64> {
        let request = SentRequest {
            method: request.method.as_str().to_owned(),
            path: request.path.clone(),
            body: request.body.clone(),
        };
        let (name, zone_id) = (zone.name.as_str().to_owned(), zone.id.0.clone());
        let zone_created_on = zone.created_on.clone();
        let mut state = self.state();
        let step = state.next;
        state.next += 1;
        self.write(&mut state, |time| {
            JournalLine::Intent(Intent {
                step,
                zone: name,
                zone_id,
                zone_created_on,
                request,
                operations,
                time,
            })
        });
        self.sync(&mut state);
        (!state.is_broken).then_some(step)
    }

    /// Writes the outcome of a step.
    #[doc(hidden)]
    pub fn outcome(
        &self,
        step: u64,
        outcome: StepFate,
        detail: Option<&str>,
        result: Option<&Json>,
    ) {
        self.write_outcome(step, outcome, detail, result.map(created_ids));
    }

    /// Writes the outcome of an operation on a rule, with the ids of new rules, as
    /// [`Journal::outcome`].
    #[doc(hidden)]
    pub fn rule_outcome(
        &self,
        step: u64,
        outcome: StepFate,
        detail: Option<&str>,
        created: &[RuleId],
    ) {
        self.write_outcome(
            step,
            outcome,
            detail,
            Some(created.iter().map(|id| id.0.clone()).collect()),
        );
    }

    fn write_outcome(
        &self,
        step: u64,
        outcome: StepFate,
        detail: Option<&str>,
        ids: Option<Vec<String>>,
    ) {
        let (outcome, detail) = (Keyword(outcome), detail.map(str::to_owned));
        self.note(|time| JournalLine::Outcome(StepOutcome { step, outcome, detail, ids, time }));
    }

    /// Writes a consent that the plan is executed under.
    #[doc(hidden)]
    pub fn consent(&self, danger: Danger, by: &str) {
        self.note(|time| JournalLine::Consent { danger: Keyword(danger), by: by.to_owned(), time });
    }

    /// Writes that a zone was read back, and the number of remaining differences.
    #[doc(hidden)]
    pub fn verified(&self, zone: &ZoneName, remaining: usize) {
        self.note(|time| JournalLine::Verified { zone: zone.as_str().to_owned(), remaining, time });
    }

    /// Writes that the responses confirm every change of a zone, which was not read back.
    #[doc(hidden)]
    pub fn confirmed(&self, zone: &ZoneName) {
        self.note(|time| JournalLine::Confirmed { zone: zone.as_str().to_owned(), time });
    }

    /// Writes the end.
    #[doc(hidden)]
    pub fn end(&self) {
        self.note(|time| JournalLine::End { time });
        self.sync(&mut self.state());
    }

    /// Adds a line with the time.
    fn note(&self, line: impl FnOnce(String) -> JournalLine) {
        self.write(&mut self.state(), line);
    }

    /// Writes a line with the time, unless one before it failed.
    fn write(&self, state: &mut WriterState, line: impl FnOnce(String) -> JournalLine) {
        if state.is_broken {
            return;
        }
        let written = serde_json::to_string(&line(rfc3339_micros((self.clock)())))
            .map_err(io::Error::from)
            .and_then(|line| {
                let mut bytes = visible_json(&line).into_owned().into_bytes();
                bytes.push(b'\n');
                state.file.append(&bytes)
            });
        self.keep(state, written);
    }

    /// Waits until everything is on disk, unless something failed before.
    fn sync(&self, state: &mut WriterState) {
        if !state.is_broken {
            let synced = state.file.sync();
            self.keep(state, synced);
        }
    }

    /// Keeps the first failure.
    fn keep(&self, state: &mut WriterState, outcome: io::Result<()>) {
        if let Err(source) = outcome {
            state.is_broken = true;
            state.failure = Some(JournalError { path: self.path.clone(), source });
        }
    }

    /// Returns the state. Nothing panics while it holds the lock.
    fn state(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the ids of the records that a response says were created, in order.
fn created_ids(result: &Json) -> Vec<String> {
    let id = |record: &Json| record.get("id").and_then(Json::as_str).map(str::to_owned);
    match result.get("posts").and_then(Json::as_array) {
        Some(posts) => posts.iter().filter_map(id).collect(),
        None => id(result).into_iter().collect(),
    }
}
