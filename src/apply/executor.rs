//! The connections, options and observers that all operations share.

use std::time::Duration;

use tokio::time::Instant;

use super::event::{ApplyEvent, Observer};
use super::journal::Journal;
use super::waits::before_resend;
use crate::api::Stop;
use crate::live::{AnyReader, ReadOptions};
use crate::model::ZoneName;

/// The evidence that is required to call a zone in sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// Reads the zone back if that needs no waiting for the rate limit. Otherwise requires
    /// responses that confirm every change.
    #[default]
    Auto,
    /// Requires responses that confirm every change. Reads a zone back if anything was unusual, or
    /// if a response does not say enough.
    Answers,
    /// Always reads the zone back.
    Read,
}

/// Executes the plans of zones. Zones that are applied at the same time share one executor.
pub struct Executor<'a, W> {
    /// Reads the effect of requests whose response was lost.
    pub reader: &'a dyn AnyReader,
    /// Sends everything else.
    pub writer: &'a W,
    /// Options for reading.
    pub options: &'a ReadOptions,
    /// Records intents and outcomes.
    pub journal: &'a Journal,
    /// Receives events.
    pub observer: &'a dyn Observer,
    /// True once the user wants to stop.
    pub stop: &'a Stop,
    /// The evidence that is required to call a zone in sync.
    pub verify: Verify,
    /// The latest time at which the given zones were read.
    pub read_at: Instant,
}

/// The reason for sending nothing more after a failure of the journal.
pub(super) const BROKEN: &str = "the journal cannot be written";

/// The reason for sending nothing more after the user asked to stop.
pub(super) const STOPPED: &str = "stopped before it was sent";

impl<W> Executor<'_, W> {
    /// Returns the reason for beginning nothing more, if there is one.
    pub(super) fn halted(&self) -> Option<&'static str> {
        if self.journal.is_broken() {
            return Some(BROKEN);
        }
        self.stop.is_asked().then_some(STOPPED)
    }

    /// Waits, unless the user wants to stop. Returns true if the time has passed.
    pub(super) async fn pause(&self, duration: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.stop.asked(1) => false,
            () = tokio::time::sleep(duration) => true,
        }
    }

    /// Reports the wait and waits, unless the user wants to stop. Returns true if the time has
    /// passed.
    pub(super) async fn wait(&self, zone: &ZoneName, duration: Duration) -> bool {
        self.observer.event(&ApplyEvent::Waiting { zone: zone.clone(), duration });
        self.pause(duration).await
    }

    /// Waits before the nth repetition of a request whose response was lost. Returns true if the
    /// time has passed.
    pub(super) async fn wait_to_resend(&self, zone: &ZoneName, nth: usize) -> bool {
        self.wait(zone, before_resend(nth)).await
    }
}
