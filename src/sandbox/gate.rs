//! The gate of a sandbox: where requests are held that a script wants held, until somebody lets them pass.

use tokio::sync::watch;

/// A gate.
#[derive(Debug)]
pub(super) struct Gate {
    /// Requests that have come to it, and how many of them may pass.
    state: watch::Sender<State>,
}

/// How the gate stands.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Requests that have come so far.
    came: u64,
    /// The first so many may pass.
    passes: u64,
}

impl Gate {
    /// With nobody before it.
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(State::default()) }
    }

    /// Comes to the gate, and waits to be let pass.
    pub(super) async fn pass(&self) {
        let mut number = 0;
        self.state.send_modify(|state| {
            state.came += 1;
            number = state.came;
        });
        self.wait_for(|state| state.passes >= number).await;
    }

    /// Waits until so many requests have come, from the beginning on.
    pub(super) async fn until_came(&self, requests: u64) {
        self.wait_for(|state| state.came >= requests).await;
    }

    /// Lets everybody pass who has come.
    pub(super) fn release(&self) {
        self.state.send_modify(|state| state.passes = state.came);
    }

    /// Waits until it stands so.
    async fn wait_for(&self, wanted: impl FnMut(&State) -> bool) {
        // It fails only if the sender is gone, which is this one.
        let _ = self.state.subscribe().wait_for(wanted).await;
    }
}
