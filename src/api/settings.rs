//! Settings of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::credentials::Credentials;
use super::event::Observer;
use super::rate_limiter::QUOTA;
use super::retry;
use super::stop::Stop;

/// Settings of a client.
#[derive(Clone)]
pub struct Settings {
    /// Base URL of the API, with or without a final slash.
    pub base_url: String,
    /// Credentials for the API.
    pub credentials: Credentials,
    /// Maximum number of requests per second. Defaults to Cloudflare's limit for one address.
    pub max_rps: Option<f64>,
    /// Maximum number of requests in 5 minutes if Cloudflare does not report the remaining ones.
    pub quota: usize,
    /// Longest time for one exchange, from connecting to the last byte.
    pub timeout: Duration,
    /// Maximum number of attempts for one request; 0 counts as 1. A second attempt with the key
    /// instead of the token is not counted.
    pub attempts: u32,
    /// Maximum number of concurrent requests.
    pub concurrency: usize,
    /// Tells whether the user asked to stop. After that nothing waits any more: requests that would
    /// have to wait are not sent, and failed requests are not repeated. Running requests are
    /// awaited.
    pub stop: Stop,
    /// Receives the events of the client. It must be quick, because it is called between steps of a
    /// request, and it must not call the client.
    pub observer: Observer,
    /// Seed of the random part of delays.
    pub random_seed: u64,
}

impl Settings {
    /// Cloudflare's base URL.
    pub const BASE_URL: &str = "https://api.cloudflare.com/client/v4";

    /// Default number of attempts.
    pub const ATTEMPTS: u32 = retry::ATTEMPTS;

    /// Default time limit of one exchange.
    pub const TIMEOUT: Duration = Duration::from_secs(100);

    /// Time limit for making a connection.
    pub(super) const CONNECT: Duration = Duration::from_secs(10);

    /// Default number of concurrent requests.
    pub const CONCURRENCY: u16 = 8;

    /// Returns the default settings, without an observer.
    #[must_use]
    pub fn new(base_url: impl Into<String>, credentials: Credentials) -> Self {
        Self {
            base_url: base_url.into(),
            credentials,
            max_rps: None,
            quota: QUOTA,
            timeout: Self::TIMEOUT,
            attempts: Self::ATTEMPTS,
            concurrency: usize::from(Self::CONCURRENCY),
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
            concurrency,
            stop: _,
            observer: _,
            random_seed: _,
        } = self;
        // The base URL is not checked yet and may hold a password.
        f.debug_struct("Settings")
            .field("credentials", credentials)
            .field("max_rps", max_rps)
            .field("quota", quota)
            .field("timeout", timeout)
            .field("attempts", attempts)
            .field("concurrency", concurrency)
            .finish_non_exhaustive()
    }
}
