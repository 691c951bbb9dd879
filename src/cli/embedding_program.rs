//! What the program that runs this one inside itself gives in place of the process: environment,
//! listeners, the wish to stop.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::api::{Observer, Stop};

/// What stands in for the process; nothing on a command line.
#[derive(Clone, Default)]
pub(super) struct Surroundings {
    environment: Option<BTreeMap<String, OsString>>,
    observer: Option<Observer>,
    stop: Option<Stop>,
    clock: Option<TimeSource>,
}

/// Says what time it is.
pub type TimeSource = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl Surroundings {
    /// For a run inside another program.
    pub(super) fn given(
        environment: BTreeMap<String, OsString>,
        observer: Option<Observer>,
        stop: Stop,
        clock: TimeSource,
    ) -> Self {
        Self { environment: Some(environment), observer, stop: Some(stop), clock: Some(clock) }
    }

    /// The variables that take the place of the process's, if some do.
    pub(super) fn environment(&self) -> Option<&BTreeMap<String, OsString>> {
        self.environment.as_ref()
    }

    /// Whether there is such a program: the process, its signals included, is that program's.
    pub(super) fn is_given(&self) -> bool {
        self.environment.is_some()
    }

    /// What says the time.
    pub(super) fn clock(&self) -> TimeSource {
        self.clock.clone().unwrap_or_else(|| Arc::new(SystemTime::now))
    }

    /// Who is called for each request beside the display.
    pub(super) fn observer(&self) -> Option<Observer> {
        self.observer.clone()
    }

    /// Who says when to stop, in place of the signals of the process.
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
