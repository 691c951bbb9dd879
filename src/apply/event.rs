//! What the executor tells while it works. Displays and logs are observers; the executor prints nothing.

use std::time::Duration;

use crate::model::ZoneName;

/// One thing that happened.
#[derive(Debug, Clone)]
pub enum ApplyEvent<'a> {
    /// A zone's operations begin.
    ZoneStarted {
        /// Which zone.
        zone: &'a ZoneName,
        /// How many operations.
        operations: usize,
    },
    /// A request is about to be sent.
    Sending {
        /// Which zone.
        zone: &'a ZoneName,
        /// How many operations it carries.
        operations: usize,
    },
    /// Operations took effect.
    Done {
        /// Which zone.
        zone: &'a ZoneName,
        /// How many.
        operations: usize,
    },
    /// The service refused a request; it is tried in smaller parts, or given up.
    Refused {
        /// Which zone.
        zone: &'a ZoneName,
        /// How many operations it carried.
        operations: usize,
        /// The service's words.
        reason: &'a str,
        /// Whether smaller parts are tried.
        narrowing: bool,
    },
    /// The service has no batches: from here on one request for each operation.
    NoBatches {
        /// Which zone.
        zone: &'a ZoneName,
    },
    /// An answer got lost; the zone is read to see what took effect.
    Settling {
        /// Which zone.
        zone: &'a ZoneName,
        /// What went wrong.
        reason: &'a str,
    },
    /// A wait before trying again.
    Waiting {
        /// Which zone.
        zone: &'a ZoneName,
        /// How long.
        duration: Duration,
    },
    /// The zone is read back.
    Verifying {
        /// Which zone.
        zone: &'a ZoneName,
    },
}

/// Somebody who wants to know.
pub trait Observer: Send {
    /// Something happened.
    fn event(&mut self, event: &ApplyEvent);
}

impl<F: FnMut(&ApplyEvent) + Send> Observer for F {
    fn event(&mut self, event: &ApplyEvent) {
        self(event);
    }
}
