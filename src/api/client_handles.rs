//! Handles on a client: one for reads, one for writes, one for dry runs.

use serde::de::DeserializeOwned;

use super::client::Client;
use super::error::{ApiError, RequestName};
use super::{Checker, Reader, SeenHeaders, Writer};
use crate::wire::{Envelope, List, Request, Whole};

impl Client {
    /// Returns a handle that can only read.
    #[must_use]
    pub fn reader(&self) -> ReadClient {
        ReadClient(self.clone())
    }

    /// Returns a handle that can only write.
    #[must_use]
    pub fn writer(&self) -> WriteClient {
        WriteClient(self.clone())
    }

    /// Returns a handle that can only send dry runs.
    #[must_use]
    #[doc(hidden)]
    pub fn checker(&self) -> CheckClient {
        CheckClient(self.clone())
    }
}

/// A handle that can only read.
#[derive(Debug, Clone)]
pub struct ReadClient(Client);

impl Reader for ReadClient {
    async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        if !request.method.is_read() {
            return Err(ApiError::Misused {
                request: RequestName::of(request),
                why: "it is not a read",
            });
        }
        self.0.exchange::<Whole>(request).await
    }

    async fn read_list<T: DeserializeOwned + Send>(
        &self,
        request: &Request,
    ) -> Result<Envelope<Option<Vec<T>>>, ApiError> {
        if !request.method.is_read() {
            return Err(ApiError::Misused {
                request: RequestName::of(request),
                why: "it is not a read",
            });
        }
        self.0.exchange::<List<T>>(request).await
    }

    fn free_requests(&self) -> usize {
        self.0.free_requests()
    }

    fn requests(&self) -> u64 {
        self.0.requests()
    }
}

impl ReadClient {
    /// Returns the facts from the headers of all responses so far.
    #[must_use]
    #[doc(hidden)]
    pub fn seen(&self) -> SeenHeaders {
        self.0.seen()
    }
}

/// A handle that can only write.
#[derive(Debug, Clone)]
pub struct WriteClient(Client);

impl Writer for WriteClient {
    async fn write(&self, request: &Request) -> Result<Envelope, ApiError> {
        if request.method.is_read() {
            return Err(ApiError::Misused {
                request: RequestName::of(request),
                why: "it is not a write",
            });
        }
        self.0.exchange::<Whole>(request).await
    }
}

/// A handle that can only send dry runs.
#[derive(Debug, Clone)]
pub struct CheckClient(Client);

impl Checker for CheckClient {
    async fn check(&self, request: &Request) -> Result<Envelope, ApiError> {
        let is_marked =
            request.query.iter().any(|(name, value)| *name == "dry_run" && value != "false");
        if request.method.is_read() || !is_marked {
            return Err(ApiError::Misused {
                request: RequestName::of(request),
                why: "it is not a dry run",
            });
        }
        self.0.exchange::<Whole>(request).await
    }
}
