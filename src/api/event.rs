//! Events of a client.

use std::sync::Arc;
use std::time::Duration;

use crate::wire::Method;

/// Receives the events of a client.
pub type Observer = Arc<dyn Fn(&ApiEvent) + Send + Sync>;

/// Event of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiEvent {
    /// A wait begins.
    Waiting {
        /// Reason of the wait.
        reason: WaitReason,
        /// Length of the wait.
        duration: Duration,
    },
    /// A request failed and will be sent again.
    Retrying {
        /// Name of the request.
        request: String,
        /// Number of the next attempt, from 2.
        attempt: u32,
        /// Reason of the last failure.
        cause: String,
    },
    /// A request is sent.
    Sent {
        /// Method of the request.
        method: Method,
        /// Path of the request, without query.
        path: String,
    },
    /// An exchange ended. Each [`ApiEvent::Sent`] is followed by one, even if the caller no longer
    /// waits for the response.
    Over,
}

/// Reasons why a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// The quota is exhausted for now.
    Budget,
    /// The remaining quota is spread over this time.
    Spread,
    /// The remaining quota is reserved for other clients. If they do not use it, the wait ends
    /// early.
    SharedQuota,
    /// Cloudflare requested the wait.
    RetryAfter,
    /// Our own delay after a failure.
    BackOff,
}
