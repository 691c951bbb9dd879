//! The events that the executor reports while it works. Displays and logs are observers; the
//! executor prints nothing.

use std::time::Duration;

use crate::model::ZoneName;

/// An event of an apply.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApplyEvent {
    /// A zone's operations begin.
    ZoneStarted {
        zone: ZoneName,
        /// Number of operations.
        operations: usize,
    },
    /// A request is about to be sent.
    Sending {
        zone: ZoneName,
        /// Number of operations in it.
        operations: usize,
    },
    /// Operations took effect.
    Done {
        zone: ZoneName,
        /// Number of operations.
        operations: usize,
    },
    /// Cloudflare refused a request. It is tried in smaller parts, or given up.
    Refused {
        zone: ZoneName,
        /// Number of operations in it.
        operations: usize,
        /// Cloudflare's words.
        reason: String,
        /// True if smaller parts are tried.
        narrowing: bool,
    },
    /// Batch requests are not available, so each further operation is sent in a request of its own.
    NoBatches { zone: ZoneName },
    /// A response was lost. The zone is read to find out what took effect.
    Settling {
        zone: ZoneName,
        /// The error.
        reason: String,
    },
    /// The executor waits before trying again.
    Waiting {
        zone: ZoneName,
        /// The length of the wait.
        duration: Duration,
    },
    /// The zone is read again before anything else is sent, because someone else changed it or
    /// because time has passed.
    LookingAgain { zone: ZoneName },
    /// The zone is read back.
    Verifying { zone: ZoneName },
}

impl ApplyEvent {
    /// Returns the zone in which it happened.
    #[must_use]
    pub fn zone(&self) -> &ZoneName {
        match self {
            Self::ZoneStarted { zone, .. }
            | Self::Sending { zone, .. }
            | Self::Done { zone, .. }
            | Self::Refused { zone, .. }
            | Self::NoBatches { zone }
            | Self::Settling { zone, .. }
            | Self::Waiting { zone, .. }
            | Self::LookingAgain { zone }
            | Self::Verifying { zone } => zone,
        }
    }
}

/// Receives events. Both methods are called during the apply: they must be quick, and must not call
/// back.
pub trait Observer: Send + Sync {
    /// Handles an event.
    ///
    /// # Order
    /// Events of zones that are applied at the same time arrive in the order of the plan, so that
    /// the sequence of events does not depend on the number of concurrent zones.
    fn event(&self, event: &ApplyEvent);

    /// Handles an event immediately and in no defined order, for displays of current activity.
    fn now(&self, event: &ApplyEvent) {
        let _ = event;
    }
}

impl<F: Fn(&ApplyEvent) + Send + Sync> Observer for F {
    fn event(&self, event: &ApplyEvent) {
        self(event);
    }
}
