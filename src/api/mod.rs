//! The client of Cloudflare's API: sends [`Request`]s and returns [`Envelope`]s. It does not
//! interpret records.
//!
//! In: settings with credentials, and requests as data. Out: envelopes, or an [`ApiError`] that
//! says whether a write may have taken effect. The client authenticates each request with one
//! scheme, follows Cloudflare's rate limits, and retries requests where that is harmless. No secret
//! leaves this module except in the headers of a request.
//!
//! Reads and writes are separate traits with separate handles: a [`ReadClient`] cannot write.

mod base_url;
mod cause_and_advice;
mod client;
mod client_handles;
mod credentials;
mod error;
pub(crate) mod error_codes;
mod event;
mod limit_headers;
mod proxy;
mod rate_limiter;
mod redactor;
mod reported_limits;
mod request_kind;
mod retry;
#[cfg(test)]
mod scripted_server;
mod seen_headers;
mod settings;
mod shared_quota;
mod stop;
#[cfg(test)]
mod tests;
pub mod time_at_limit;
mod transport;
mod webhook;

use std::future::Future;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::wire::{Envelope, Request};

pub use client::Client;
pub use client_handles::{CheckClient, ReadClient, WriteClient};
pub use credentials::Credentials;
pub use error::{ApiError, Fault, RequestName, Signature};
pub use event::{ApiEvent, Observer, WaitReason};
pub use proxy::{is_proxy_address, proxy_in_use};
pub use rate_limiter::QUOTA;
#[doc(hidden)]
pub use reported_limits::waits_for;
pub use seen_headers::{SeenHeaders, SeenLimit};
pub use settings::Settings;
pub use stop::{Stop, Stopper};
pub use webhook::{WEBHOOK_TIMEOUT, Webhook, WebhookError};

/// A source of data from Cloudflare.
pub trait Reader: Send + Sync {
    /// Sends a request that changes nothing.
    ///
    /// # Errors
    /// Fails with [`ApiError`], which is [`ApiError::Misused`] if the request is not a read.
    fn read(&self, request: &Request) -> impl Future<Output = Result<Envelope, ApiError>> + Send;

    /// Returns true if lists are complete. A recording keeps only the needed items of some lists.
    fn lists_everything(&self) -> bool {
        true
    }

    /// Reads a page whose items are decoded as they arrive. The result is `None` if it is not a
    /// list.
    ///
    /// # Errors
    /// Fails as [`Reader::read`] does.
    fn read_list<T: DeserializeOwned + Send>(
        &self,
        request: &Request,
    ) -> impl Future<Output = Result<Envelope<Option<Vec<T>>>, ApiError>> + Send {
        async {
            let Envelope { result, page, cursor } = self.read(request).await?;
            let Json::Array(items) = result else {
                return Ok(Envelope { result: None, page, cursor });
            };
            let items = items.into_iter().map(T::deserialize).collect::<Result<_, _>>();
            let result = items.map(Some).map_err(|error| ApiError::Garbled {
                request: RequestName::of(request),
                status: 200,
                what: error.to_string(),
            })?;
            Ok(Envelope { result, page, cursor })
        }
    }

    /// Returns the number of requests that can be sent now without waiting for the rate limit.
    /// Without a rate limit, it is the largest number.
    fn free_requests(&self) -> usize {
        usize::MAX
    }

    /// Returns the number of HTTP requests of all handles on the same connection. 0 for readers
    /// without HTTP.
    fn requests(&self) -> u64 {
        0
    }
}

/// A handle that writes to Cloudflare.
pub trait Writer: Send + Sync {
    /// Sends a request that changes something. Retries it only if it certainly had no effect.
    ///
    /// # Errors
    /// Fails with [`ApiError`]; see [`ApiError::is_uncertain`]. The error is [`ApiError::Misused`]
    /// if the request is a read.
    fn write(&self, request: &Request) -> impl Future<Output = Result<Envelope, ApiError>> + Send;
}

/// A handle that asks Cloudflare whether it would accept a write.
pub trait Checker: Send + Sync {
    /// Sends a write that is marked as a dry run.
    ///
    /// # Errors
    /// Fails with [`ApiError`], which is [`ApiError::Misused`] if the request is a read or not
    /// marked.
    fn check(&self, request: &Request) -> impl Future<Output = Result<Envelope, ApiError>> + Send;
}
