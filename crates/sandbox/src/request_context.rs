//! The context in which one request is handled.

use rusqlite::Connection;

use super::new_zones::NewZones;
use super::profile::Profile;
use super::recent_deletions::RecentDeletions;

/// The context of one request.
#[derive(Clone, Copy)]
pub(super) struct RequestContext<'a> {
    /// The store; within a transaction if the request writes.
    pub(super) connection: &'a Connection,
    /// The profile of the sandbox.
    pub(super) profile: &'a Profile,
    /// Seed of the identifiers.
    pub(super) seed: u64,
    /// Time of the request.
    pub(super) now: &'a str,
    /// Names that still count as taken after a deletion.
    pub(super) recent: &'a RecentDeletions,
    /// New zones that still refuse access.
    pub(super) new_zones: &'a NewZones,
    /// Number of the request, counted from 1 since the sandbox started.
    pub(super) turn: u64,
}
