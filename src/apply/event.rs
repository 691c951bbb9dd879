//! What the executor reports while it works. Displays and logs are observers; the executor prints
//! nothing.

use std::time::Duration;

use crate::model::ZoneName;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyEvent {
    /// A zone's operations begin.
    ZoneStarted {
        /// Which zone.
        zone: ZoneName,
        /// How many operations.
        operations: usize,
    },
    /// A request is about to be sent.
    Sending {
        /// Which zone.
        zone: ZoneName,
        /// How many operations it carries.
        operations: usize,
    },
    /// Operations took effect.
    Done {
        /// Which zone.
        zone: ZoneName,
        /// How many.
        operations: usize,
    },
    /// Cloudflare refused a request; it is tried in smaller parts, or given up.
    Refused {
        /// Which zone.
        zone: ZoneName,
        /// How many operations it carried.
        operations: usize,
        /// Cloudflare's words.
        reason: String,
        /// Whether smaller parts are tried.
        narrowing: bool,
    },
    /// Batch requests are not available: from here on one request for each operation.
    NoBatches {
        /// Which zone.
        zone: ZoneName,
    },
    /// An response was lost; the zone is read to see what took effect.
    Settling {
        /// Which zone.
        zone: ZoneName,
        /// What went wrong.
        reason: String,
    },
    /// A wait before trying again.
    Waiting {
        /// Which zone.
        zone: ZoneName,
        /// How long.
        duration: Duration,
    },
    /// The zone is read again before more is sent, because someone else changed it or because time
    /// has passed.
    LookingAgain {
        /// Which zone.
        zone: ZoneName,
    },
    /// The zone is read back.
    Verifying {
        /// Which zone.
        zone: ZoneName,
    },
}

impl ApplyEvent {
    /// The zone in which it happened.
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

/// Someone who wants to know. Both are called in the middle of things: they must be quick, and must
/// not call back.
pub trait Observer: Send + Sync {
    /// Something happened.
    ///
    /// # Order
    /// Zones that are applied at the same time are told one after the other, in the order of the
    /// plan, so that what is told does not depend on how many there are at a time.
    fn event(&self, event: &ApplyEvent);

    /// The same, told at once and in no order, for displays of what is happening now.
    fn now(&self, event: &ApplyEvent) {
        let _ = event;
    }
}

impl<F: Fn(&ApplyEvent) + Send + Sync> Observer for F {
    fn event(&self, event: &ApplyEvent) {
        self(event);
    }
}
