//! Refuses connections for some time, as if no server listened.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// Time between two attempts to listen again.
const AGAIN: Duration = Duration::from_millis(20);

/// The state of the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListenerState {
    /// Connections are accepted.
    Open,
    /// Connections are still accepted; they will be refused until this time.
    Shutting(Instant),
    /// Connections are refused until this time.
    Shut(Instant),
    /// Connections are still refused; they will be accepted soon.
    Opening,
}

/// The state of the listener. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct ListenerSwitch {
    /// The current state.
    state: watch::Sender<ListenerState>,
    /// A connection of the closed listener. While it exists, the operating system does not assign
    /// the port to another program.
    held: std::sync::Arc<tokio::sync::Mutex<Option<(TcpStream, TcpStream)>>>,
}

impl ListenerSwitch {
    /// Creates an open switch.
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(ListenerState::Open), held: std::sync::Arc::default() }
    }

    /// Returns true if connections are refused and existing ones are cut.
    pub(super) fn is_shut(&self) -> bool {
        matches!(*self.state.borrow(), ListenerState::Shut(_) | ListenerState::Opening)
    }

    /// Refuses connections for a time. Returns once they are refused.
    pub(super) async fn shut(&self, time: Duration) {
        // One day is longer than any run, and within the range of `Instant`.
        let until = Instant::now() + time.min(Duration::from_secs(86_400));
        self.state.send_replace(ListenerState::Shutting(until));
        self.wait_for(|state| !matches!(state, ListenerState::Shutting(_))).await;
    }

    /// Accepts connections again. Returns once they are accepted.
    pub(super) async fn open(&self) {
        self.state.send_if_modified(|state| {
            let is_shut = *state != ListenerState::Open;
            if is_shut {
                *state = ListenerState::Opening;
            }
            is_shut
        });
        self.wait_for(|state| *state == ListenerState::Open).await;
    }

    async fn wait_for(&self, wanted: impl FnMut(&ListenerState) -> bool) {
        // Waiting fails only if the sender was dropped, and `self` owns it.
        let _ = self.state.subscribe().wait_for(wanted).await;
    }

    /// Waits until connections must be refused.
    pub(super) async fn is_to_be_shut(&self) {
        self.wait_for(|state| *state != ListenerState::Open).await;
    }

    /// Keeps an own connection so that the port stays reserved after the caller drops the listener.
    pub(super) async fn hold(&self, listener: &TcpListener) {
        let connection = match listener.local_addr() {
            Ok(address) => TcpStream::connect(address).await,
            Err(error) => Err(error),
        };
        if let Ok(outer) = connection {
            let own_address = outer.local_addr().ok();
            while let Ok((inner, peer)) = listener.accept().await {
                // Other pending connections are cut, as when a listener closes.
                if Some(peer) == own_address {
                    *self.held.lock().await = Some((outer, inner));
                    break;
                }
            }
        }
    }

    /// Refuses connections until the end of the time, notifies the waiting callers, and returns a
    /// new listener.
    pub(super) async fn stay_shut(&self, address: SocketAddr) -> TcpListener {
        self.state.send_if_modified(|state| match state {
            ListenerState::Shutting(until) => {
                *state = ListenerState::Shut(*until);
                true
            }
            _ => false,
        });
        let until = match *self.state.borrow() {
            ListenerState::Shut(until) | ListenerState::Shutting(until) => until,
            ListenerState::Open | ListenerState::Opening => Instant::now(),
        };
        tokio::select! {
            () = sleep_until(until) => {}
            () = self.wait_for(|state| *state == ListenerState::Opening) => {}
        }
        loop {
            match TcpListener::bind(address).await {
                Ok(listener) => {
                    self.held.lock().await.take();
                    self.state.send_replace(ListenerState::Open);
                    return listener;
                }
                Err(error) => {
                    tracing::warn!(%error, %address, "the sandbox cannot listen again yet");
                    sleep(AGAIN).await;
                }
            }
        }
    }
}
