//! The user's request to stop.
//!
//! A stop starts and ends nothing by itself: code checks it before each step, and waits end early.

use std::sync::Arc;

use tokio::sync::watch;

/// Requests a stop. Clones share the listeners.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<watch::Sender<u32>>);

/// Listens for a requested stop.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<u32>);

impl Stopper {
    /// Creates a stopper without a requested stop.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// Requests a stop; may be called several times.
    pub fn ask(&self) {
        self.0.send_modify(|times| *times += 1);
    }

    /// Returns a new listener.
    #[must_use]
    pub fn listener(&self) -> Stop {
        Stop(self.0.subscribe())
    }
}

impl Default for Stopper {
    fn default() -> Self {
        Self::new()
    }
}

impl Stop {
    /// Returns a listener whose stop is never requested.
    #[must_use]
    pub fn never() -> Self {
        Stopper::new().listener()
    }

    /// Returns true if a stop was requested.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Waits until a stop was requested this many times. Never ends if no request is possible any
    /// more.
    pub async fn asked(&self, times: u32) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|asked| *asked >= times).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_asked_is_heard_by_all() {
        let stopper = Stopper::new();
        let (one, two) = (stopper.listener(), stopper.listener());
        assert!(!one.is_asked());
        stopper.clone().ask();
        assert!(one.is_asked() && two.is_asked());
        one.asked(1).await;
        assert!(timeout(Duration::from_secs(9), two.asked(2)).await.is_err(), "nobody asked twice");
        stopper.ask();
        two.asked(2).await;
        assert!(timeout(Duration::from_secs(9), Stop::never().asked(1)).await.is_err());
    }
}
