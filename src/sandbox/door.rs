//! The door of a sandbox: while it is shut, connections are refused as if nothing listened.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// Time between two tries to listen again.
const AGAIN: Duration = Duration::from_millis(20);

/// How the door stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Connections are accepted.
    Open,
    /// They are still accepted, and shall be refused until then.
    Shutting(Instant),
    /// They are refused until then.
    Shut(Instant),
    /// They are still refused, and shall be accepted.
    Opening,
}

/// A door. Clones are the same door.
#[derive(Debug, Clone)]
pub(super) struct Door {
    /// How it stands.
    state: watch::Sender<State>,
    /// A connection with the listener that is no more. Nobody else is given a port of which a connection is left.
    held: std::sync::Arc<tokio::sync::Mutex<Option<(TcpStream, TcpStream)>>>,
}

impl Door {
    /// An open one.
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(State::Open), held: std::sync::Arc::default() }
    }

    /// Whether connections are refused, and those that were made are cut.
    pub(super) fn is_shut(&self) -> bool {
        matches!(*self.state.borrow(), State::Shut(_) | State::Opening)
    }

    /// Refuses connections for a time; back when the first one would be refused.
    pub(super) async fn shut(&self, time: Duration) {
        // Beyond any run, and within what a clock can tell.
        let until = Instant::now() + time.min(Duration::from_secs(86_400));
        self.state.send_replace(State::Shutting(until));
        self.wait_for(|state| !matches!(state, State::Shutting(_))).await;
    }

    /// Accepts connections again; back when the first one would be accepted.
    pub(super) async fn open(&self) {
        self.state.send_if_modified(|state| {
            let is_shut = *state != State::Open;
            if is_shut {
                *state = State::Opening;
            }
            is_shut
        });
        self.wait_for(|state| *state == State::Open).await;
    }

    /// Waits until it stands so.
    async fn wait_for(&self, wanted: impl FnMut(&State) -> bool) {
        // It fails only if the sender is gone, which is this one.
        let _ = self.state.subscribe().wait_for(wanted).await;
    }

    /// Waits until it is to be shut.
    pub(super) async fn is_to_be_shut(&self) {
        self.wait_for(|state| *state != State::Open).await;
    }

    /// Shuts it, with a last connection of our own left, so that the port is kept for us; the listener is dropped after this.
    pub(super) async fn hold(&self, listener: &TcpListener) {
        let made = match listener.local_addr() {
            Ok(address) => TcpStream::connect(address).await,
            Err(error) => Err(error),
        };
        if let Ok(outer) = made {
            let own = outer.local_addr().ok();
            while let Ok((inner, peer)) = listener.accept().await {
                // Others that were waiting are cut, as they would be by a listener that goes away.
                if Some(peer) == own {
                    *self.held.lock().await = Some((outer, inner));
                    break;
                }
            }
        }
    }

    /// Stays shut, tells those who wait for that, and gives a new listener at its end.
    pub(super) async fn stay_shut(&self, address: SocketAddr) -> TcpListener {
        self.state.send_if_modified(|state| match state {
            State::Shutting(until) => {
                *state = State::Shut(*until);
                true
            }
            _ => false,
        });
        let until = match *self.state.borrow() {
            State::Shut(until) | State::Shutting(until) => until,
            State::Open | State::Opening => Instant::now(),
        };
        tokio::select! {
            () = sleep_until(until) => {}
            () = self.wait_for(|state| *state == State::Opening) => {}
        }
        loop {
            match TcpListener::bind(address).await {
                Ok(listener) => {
                    self.held.lock().await.take();
                    self.state.send_replace(State::Open);
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
