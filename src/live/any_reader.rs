//! An object-safe [`Reader`].

use futures_util::future::BoxFuture;

use crate::api::{ApiError, Reader};
use crate::wire::record::Received;
use crate::wire::{Envelope, Request};

/// A [`Reader`] of any kind. Functions that read take it as `&dyn`, so that they are compiled once
/// and not for each kind of reader.
pub trait AnyReader: Send + Sync {
    /// Reads as [`Reader::read`] does.
    ///
    /// # Errors
    /// Fails as [`Reader::read`] does.
    fn read<'r>(&'r self, request: &'r Request) -> BoxFuture<'r, Result<Envelope, ApiError>>;

    /// Reads a page of records, decoded as they arrive; see [`Reader::read_list`].
    ///
    /// # Errors
    /// Fails as [`Reader::read_list`] does.
    fn read_records<'r>(
        &'r self,
        request: &'r Request,
    ) -> BoxFuture<'r, Result<Envelope<Option<Vec<Received>>>, ApiError>>;

    /// See [`Reader::lists_everything`].
    fn lists_everything(&self) -> bool;

    /// See [`Reader::free_requests`].
    fn free_requests(&self) -> usize;

    /// See [`Reader::requests`].
    fn requests(&self) -> u64;
}

impl<R: Reader> AnyReader for R {
    fn read<'r>(&'r self, request: &'r Request) -> BoxFuture<'r, Result<Envelope, ApiError>> {
        Box::pin(Reader::read(self, request))
    }

    fn read_records<'r>(
        &'r self,
        request: &'r Request,
    ) -> BoxFuture<'r, Result<Envelope<Option<Vec<Received>>>, ApiError>> {
        Box::pin(self.read_list(request))
    }

    fn lists_everything(&self) -> bool {
        Reader::lists_everything(self)
    }

    fn free_requests(&self) -> usize {
        Reader::free_requests(self)
    }

    fn requests(&self) -> u64 {
        Reader::requests(self)
    }
}
