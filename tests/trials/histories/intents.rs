//! Checks that each write is in the journal before it is sent.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::Value as Json;
use zonewright::api::ApiEvent;
use zonewright::wire::Method;

/// Reads the journal each time that a write is about to be sent.
pub(crate) struct Intents {
    directory: PathBuf,
    unannounced: Mutex<Vec<String>>,
}

impl Intents {
    /// Creates a reader of the journals of a directory.
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory, unannounced: Mutex::default() }
    }

    /// Receives each event, such as a request that is about to be sent.
    pub(crate) fn hear(&self, event: &ApiEvent) {
        let ApiEvent::Sent { method, path } = event else { return };
        if *method == Method::Get {
            return;
        }
        if !self.is_intended(method.as_str(), path) {
            self.unannounced.lock().expect("nobody panics").push(format!("{method} {path}"));
        }
    }

    /// Returns true if the newest journal has an intent for such a request that is still without an
    /// outcome.
    fn is_intended(&self, method: &str, path: &str) -> bool {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten();
        let journals = entries.map(|entry| entry.expect("the directory can be read").path());
        let Some(newest) = journals.filter(|p| p.extension().is_some_and(|e| e == "jsonl")).max()
        else {
            return false;
        };
        let lines = lines(&newest);
        let is_open = |line: &&Json| {
            !lines.iter().any(|other| other["event"] == "outcome" && other["step"] == line["step"])
        };
        let is_meant = |line: &Json| {
            line["event"] == "intent"
                && line["request"]["method"] == method
                && line["request"]["path"] == path
        };
        lines.iter().filter(is_open).any(is_meant)
    }

    /// Returns the writes that were not in a journal.
    pub(crate) fn unannounced(&self) -> Vec<String> {
        self.unannounced.lock().expect("nobody panics").clone()
    }
}

/// Returns the lines of a journal.
pub(crate) fn lines(path: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(path).expect("the journal can be read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of a journal is JSON"))
        .collect()
}
