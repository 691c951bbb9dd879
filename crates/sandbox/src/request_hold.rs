//! Holds requests for a test until it releases them.

use tokio::sync::watch;

/// A place where requests wait.
#[derive(Debug)]
pub(super) struct RequestHold {
    /// Requests that have arrived, and how many of them may continue.
    state: watch::Sender<State>,
}

/// The counts.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Requests that have arrived so far.
    came: u64,
    /// This many, the first ones, may continue.
    passes: u64,
}

impl RequestHold {
    /// A gate without waiting requests.
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(State::default()) }
    }

    /// Waits until the request is released.
    pub(super) async fn pass(&self) {
        let mut number = 0;
        self.state.send_modify(|state| {
            state.came += 1;
            number = state.came;
        });
        self.wait_for(|state| state.passes >= number).await;
    }

    /// Waits until this many requests have arrived, counted from the start.
    pub(super) async fn until_came(&self, requests: u64) {
        self.wait_for(|state| state.came >= requests).await;
    }

    /// Releases all requests that have arrived.
    pub(super) fn release(&self) {
        self.state.send_modify(|state| state.passes = state.came);
    }

    /// Waits for a state.
    async fn wait_for(&self, wanted: impl FnMut(&State) -> bool) {
        // It fails only if the sender is gone, which `self` owns.
        let _ = self.state.subscribe().wait_for(wanted).await;
    }
}
