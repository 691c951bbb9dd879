//! What all operations are sent with.

use std::time::Duration;

use tokio::time::Instant;

use super::event::{ApplyEvent, Observer};
use super::journal::Journal;
use super::waits::before_resend;
use crate::api::Stop;
use crate::live::{AnyReader, Options};
use crate::model::ZoneName;

/// What it takes to call a zone in sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// Reading it back where that costs no waiting for the rate limit; elsewhere answers that
    /// confirm every change.
    #[default]
    Auto,
    /// Answers that confirm every change. A zone is read back where anything was unusual, or where
    /// an answer does not say enough.
    Answers,
    /// Reading it back.
    Read,
}

/// Executes the plans of zones. One is enough for zones that are applied at the same time.
pub struct Executor<'a, W> {
    /// For settling lost answers.
    pub reader: &'a dyn AnyReader,
    /// For everything else.
    pub writer: &'a W,
    /// How to read.
    pub options: &'a Options,
    /// Where intents and outcomes are noted.
    pub journal: &'a Journal,
    /// Who wants to know.
    pub observer: &'a dyn Observer,
    /// Whether the user wants to stop.
    pub stop: &'a Stop,
    /// What it takes to call a zone in sync.
    pub verify: Verify,
    /// When the zones were read that it is given, at the latest.
    pub read_at: Instant,
}

/// Why nothing more is sent.
pub(super) const BROKEN: &str = "the journal cannot be written";

/// Why nothing more is sent.
pub(super) const STOPPED: &str = "stopped before it was sent";

impl<W> Executor<'_, W> {
    /// Why nothing more may be begun, if so.
    pub(super) fn halted(&self) -> Option<&'static str> {
        if self.journal.is_broken() {
            return Some(BROKEN);
        }
        self.stop.is_asked().then_some(STOPPED)
    }

    /// Waits, unless the user wants to stop; whether the time has passed.
    pub(super) async fn pause(&self, duration: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.stop.asked(1) => false,
            () = tokio::time::sleep(duration) => true,
        }
    }

    /// Waits, and says so, unless the user wants to stop; whether the time has passed.
    pub(super) async fn wait(&self, zone: &ZoneName, duration: Duration) -> bool {
        self.observer.event(&ApplyEvent::Waiting { zone: zone.clone(), duration });
        self.pause(duration).await
    }

    /// Waits before a request whose response was lost is sent again, for the nth time; whether the
    /// time has passed.
    pub(super) async fn wait_to_resend(&self, zone: &ZoneName, nth: usize) -> bool {
        self.wait(zone, before_resend(nth)).await
    }
}
