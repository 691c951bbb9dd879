//! The client of the service: it moves [`Request`]s out and [`Envelope`]s in, and does not interpret records.
//!
//! In: settings with credentials, requests as data. Out: envelopes, or an [`ApiError`] that says whether a write may have
//! taken effect. In between: one scheme of credentials for each request, a budget that follows the service's limits,
//! repetition of what is harmless to repeat. No secret leaves this module except in the headers of a request.
//!
//! Reading and writing are separate traits with separate handles: who holds only a [`ReadClient`] cannot write.

mod base_url;
mod client;
mod credentials;
mod error;
mod headers;
mod hint;
mod limit;
mod report;
mod request_kind;
mod retry;
#[cfg(test)]
mod scripted;
mod shared_quota;
mod stop;
#[cfg(test)]
mod tests;
mod transport;
mod webhook;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::wire::budget::QUOTA;
use crate::wire::{Envelope, List, Method, Request, Whole};

pub use client::Client;
pub use credentials::Credentials;
pub use error::{ApiError, Fault, RequestName, Signature};
#[doc(hidden)]
pub use report::waits_for;
pub use stop::{Stop, Stopper};
pub use webhook::{Webhook, WebhookError};

/// Something that reads from the service.
pub trait Reader: Send + Sync {
    /// Sends a request that changes nothing.
    ///
    /// # Errors
    /// [`ApiError`]; [`ApiError::Misused`] if the request is not a read.
    fn read(&self, request: &Request) -> impl Future<Output = Result<Envelope, ApiError>> + Send;

    /// Whether a list that it reads has everything that Cloudflare lists. A recording keeps only what is needed of some lists.
    fn lists_everything(&self) -> bool {
        true
    }

    /// Reads a page whose items are decoded as they arrive; its result is `None` if it is no list.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn read_list<T: DeserializeOwned + Send>(
        &self,
        request: &Request,
    ) -> impl Future<Output = Result<Envelope<Option<Vec<T>>>, ApiError>> + Send {
        async {
            let Envelope { result, page, cursor } = self.read(request).await?;
            let Json::Array(items) = result else { return Ok(Envelope { result: None, page, cursor }) };
            let items = items.into_iter().map(T::deserialize).collect::<Result<_, _>>();
            let result = items.map(Some).map_err(|error| ApiError::Garbled {
                request: RequestName::of(request),
                status: 200,
                what: error.to_string(),
            })?;
            Ok(Envelope { result, page, cursor })
        }
    }

    /// How many requests can be sent now without a wait for the rate limit; without end where there is none.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// HTTP requests made so far, by everything that shares the connection; 0 where none are made.
    fn requests(&self) -> u64 {
        0
    }
}

/// Something that writes to the service.
pub trait Writer: Send + Sync {
    /// Sends a request that changes something. It is repeated only if it certainly had no effect.
    ///
    /// # Errors
    /// [`ApiError`]; see [`ApiError::is_uncertain`]. [`ApiError::Misused`] if the request is a read.
    fn write(&self, request: &Request) -> impl Future<Output = Result<Envelope, ApiError>> + Send;
}

/// The means of reading, and only that.
#[derive(Debug, Clone)]
pub struct ReadClient(Client);

impl Reader for ReadClient {
    async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        if !request.method.is_read() {
            return Err(ApiError::Misused { request: RequestName::of(request), why: "it is not a read" });
        }
        self.0.exchange::<Whole>(request).await
    }

    async fn read_list<T: DeserializeOwned + Send>(
        &self,
        request: &Request,
    ) -> Result<Envelope<Option<Vec<T>>>, ApiError> {
        if !request.method.is_read() {
            return Err(ApiError::Misused { request: RequestName::of(request), why: "it is not a read" });
        }
        self.0.exchange::<List<T>>(request).await
    }

    fn room(&self) -> usize {
        self.0.room()
    }

    fn requests(&self) -> u64 {
        self.0.requests()
    }
}

/// The means of writing, and only that.
#[derive(Debug, Clone)]
pub struct WriteClient(Client);

impl Writer for WriteClient {
    async fn write(&self, request: &Request) -> Result<Envelope, ApiError> {
        if request.method.is_read() {
            return Err(ApiError::Misused { request: RequestName::of(request), why: "it is not a write" });
        }
        self.0.exchange::<Whole>(request).await
    }
}

/// Something that asks whether a write would be accepted.
pub trait Checker: Send + Sync {
    /// Sends a write that is marked as a dry run.
    ///
    /// # Errors
    /// [`ApiError`]; [`ApiError::Misused`] if the request is a read, or not marked.
    fn check(&self, request: &Request) -> impl Future<Output = Result<Envelope, ApiError>> + Send;
}

/// The means of asking whether a write would be accepted, and only that.
#[derive(Debug, Clone)]
pub struct CheckClient(Client);

impl Checker for CheckClient {
    async fn check(&self, request: &Request) -> Result<Envelope, ApiError> {
        let is_marked = request.query.iter().any(|(name, value)| *name == "dry_run" && value != "false");
        if request.method.is_read() || !is_marked {
            return Err(ApiError::Misused { request: RequestName::of(request), why: "it is not a dry run" });
        }
        self.0.exchange::<Whole>(request).await
    }
}

/// What a client needs to know.
#[derive(Clone)]
pub struct Settings {
    /// Where the service is, with or without a slash at the end.
    pub base_url: String,
    /// Who we are.
    pub credentials: Credentials,
    /// The most requests in a second; without it, what Cloudflare allows one address.
    pub max_rps: Option<f64>,
    /// The most requests in 5 minutes, where Cloudflare does not report what is left.
    pub quota: usize,
    /// The longest time for one exchange, from connecting to the last byte.
    pub timeout: Duration,
    /// The most times that one request is sent; 0 counts as 1. A second try with the key in place of the token is not counted.
    pub attempts: u32,
    /// The most requests under way at once.
    pub at_once: usize,
    /// Whether the user wants to stop. After that nothing waits any more: what could not be sent at once is not sent, and
    /// what failed is not repeated. What is under way is awaited.
    pub stop: Stop,
    /// Who hears what happens. Called in the middle of things: it must be quick, and must not call back.
    pub observer: Observer,
    /// Seed of the random part of delays.
    pub random_seed: u64,
}

impl Settings {
    /// The service's base URL.
    pub const BASE_URL: &str = "https://api.cloudflare.com/client/v4";

    /// The usual number of attempts.
    pub const ATTEMPTS: u32 = 6;

    /// The usual time for one exchange.
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// The usual number of requests under way at once.
    pub const AT_ONCE: usize = 8;

    /// The usual settings, with nobody listening.
    #[must_use]
    pub fn new(base_url: impl Into<String>, credentials: Credentials) -> Self {
        Self {
            base_url: base_url.into(),
            credentials,
            max_rps: None,
            quota: QUOTA,
            timeout: Self::TIMEOUT,
            attempts: Self::ATTEMPTS,
            at_once: Self::AT_ONCE,
            stop: Stop::never(),
            observer: Arc::new(|_| {}),
            random_seed: 0,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            base_url: _,
            credentials,
            max_rps,
            quota,
            timeout,
            attempts,
            at_once,
            stop: _,
            observer: _,
            random_seed: _,
        } = self;
        // The base URL has not been checked yet and may hold a password.
        f.debug_struct("Settings")
            .field("credentials", credentials)
            .field("max_rps", max_rps)
            .field("quota", quota)
            .field("timeout", timeout)
            .field("attempts", attempts)
            .field("at_once", at_once)
            .finish_non_exhaustive()
    }
}

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
    /// An exchange is over: each [`ApiEvent::Sent`] is followed by one, also if nobody waits for the answer any more.
    Over,
}

/// Why a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// The budget is used up for now.
    Budget,
    /// What is left of the budget is spread over this time.
    Spread,
    /// The rest of the budget is left to others who use it as well; what they leave is taken before the time is over.
    SharedQuota,
    /// The service asked for it.
    RetryAfter,
    /// A delay of our choice after a failure.
    BackOff,
}
