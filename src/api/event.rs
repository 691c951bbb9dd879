//! What happens in a client.

use std::sync::Arc;
use std::time::Duration;

use crate::wire::Method;

/// Hears what happens in a client.
pub type Observer = Arc<dyn Fn(&ApiEvent) + Send + Sync>;

/// What happens in a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiEvent {
    /// A wait begins.
    Waiting {
        /// Why.
        reason: WaitReason,
        /// For how long.
        duration: Duration,
    },
    /// A request failed and will be sent again.
    Retrying {
        /// Its name.
        request: String,
        /// The number of the coming attempt, from 2.
        attempt: u32,
        /// Why the last one failed.
        cause: String,
    },
    /// A request leaves.
    Sent {
        /// Method.
        method: Method,
        /// Path, without query.
        path: String,
    },
    /// An exchange is over: each [`ApiEvent::Sent`] is followed by one, even if the caller no
    /// longer waits for the answer.
    Over,
}

/// Why a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// The budget is used up for now.
    Budget,
    /// What is left of the budget is spread over this time.
    Spread,
    /// The rest of the budget is left to others who use it as well; what they leave is taken before
    /// the time is over.
    SharedQuota,
    /// Cloudflare asked for it.
    RetryAfter,
    /// A delay of our choice after a failure.
    BackOff,
}
