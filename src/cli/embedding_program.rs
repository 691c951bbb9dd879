//! Holds the values with which an embedding program replaces the process: environment, clock,
//! observer and stop.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::api::{Observer, Stop};

/// Replacements for parts of the process; empty for a run from the command line.
#[derive(Clone, Default)]
pub(super) struct Surroundings {
    environment: Option<BTreeMap<String, OsString>>,
    observer: Option<Observer>,
    stop: Option<Stop>,
    clock: Option<TimeSource>,
}

/// Returns the current time.
pub type TimeSource = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl Surroundings {
    /// Creates the replacements for a run inside another program.
    pub(super) fn given(
        environment: BTreeMap<String, OsString>,
        observer: Option<Observer>,
        stop: Stop,
        clock: TimeSource,
    ) -> Self {
        Self { environment: Some(environment), observer, stop: Some(stop), clock: Some(clock) }
    }

    /// Returns the variables that replace the environment of the process.
    pub(super) fn environment(&self) -> Option<&BTreeMap<String, OsString>> {
        self.environment.as_ref()
    }

    /// Returns true for an embedded run. The process and its signals then belong to the embedding
    /// program.
    pub(super) fn is_given(&self) -> bool {
        self.environment.is_some()
    }

    /// Returns the clock of the run.
    pub(super) fn clock(&self) -> TimeSource {
        self.clock.clone().unwrap_or_else(|| Arc::new(SystemTime::now))
    }

    /// Returns the function that is called for each request besides the display.
    pub(super) fn observer(&self) -> Option<Observer> {
        self.observer.clone()
    }

    /// Returns the stop that replaces the signals of the process.
    pub(super) fn stop(&self) -> Option<Stop> {
        self.stop.clone()
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Variables hold secrets.
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}
