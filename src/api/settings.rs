//! What a client needs to know.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::credentials::Credentials;
use super::event::Observer;
use super::rate_limiter::QUOTA;
use super::retry;
use super::stop::Stop;

/// What a client needs to know.
#[derive(Clone)]
pub struct Settings {
    /// Where Cloudflare is, with or without a slash at the end.
    pub base_url: String,
    /// Who we are.
    pub credentials: Credentials,
    /// The most requests in a second; without it, what Cloudflare allows one address.
    pub max_rps: Option<f64>,
    /// The most requests in 5 minutes, where Cloudflare does not report what is left.
    pub quota: usize,
    /// The longest time for one exchange, from connecting to the last byte.
    pub timeout: Duration,
    /// The most times that one request is sent; 0 counts as 1. A second try with the key in place
    /// of the token is not counted.
    pub attempts: u32,
    /// The most requests under way at once.
    pub concurrency: usize,
    /// Whether the user wants to stop. After that nothing waits any more: what could not be sent at
    /// once is not sent, and what failed is not repeated. What is under way is awaited.
    pub stop: Stop,
    /// Who hears what happens. Called in the middle of things: it must be quick, and must not call
    /// back.
    pub observer: Observer,
    /// Seed of the random part of delays.
    pub random_seed: u64,
}

impl Settings {
    /// Cloudflare's base URL.
    pub const BASE_URL: &str = "https://api.cloudflare.com/client/v4";

    /// The usual number of attempts.
    pub const ATTEMPTS: u32 = retry::ATTEMPTS;

    /// The usual time for one exchange.
    pub const TIMEOUT: Duration = Duration::from_secs(100);

    /// The longest time for making a connection.
    pub(super) const CONNECT: Duration = Duration::from_secs(10);

    /// The usual number of requests under way at once.
    pub const CONCURRENCY: u16 = 8;

    /// The usual settings, without an observer.
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
        // The base URL has not been checked yet and may hold a password.
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
