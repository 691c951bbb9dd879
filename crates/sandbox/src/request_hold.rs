//! Holds requests for a test until it releases them.

use tokio::sync::watch;

/// A place where requests wait.
#[derive(Debug)]
pub(super) struct RequestHold {
    /// The numbers of requests that have arrived and that may continue.
    state: watch::Sender<HeldRequests>,
}

#[derive(Debug, Clone, Copy, Default)]
struct HeldRequests {
    /// Number of requests that have arrived so far.
    came: u64,
    /// Number of requests, in the order of arrival, that may continue.
    passes: u64,
}

impl RequestHold {
    /// Creates a hold without waiting requests.
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(HeldRequests::default()) }
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

    async fn wait_for(&self, wanted: impl FnMut(&HeldRequests) -> bool) {
        // Waiting fails only if the sender was dropped, and `self` owns it.
        let _ = self.state.subscribe().wait_for(wanted).await;
    }
}
