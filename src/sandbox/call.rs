//! What surrounds the handling of one request.

use rusqlite::Connection;

use super::conflicts::RecentDeletions;
use super::fresh::FreshZones;
use super::profile::Profile;

/// The surroundings of one request.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    /// The store; inside a transaction where the request writes.
    pub(super) connection: &'a Connection,
    /// The switches.
    pub(super) profile: &'a Profile,
    /// Where identifiers come from.
    pub(super) seed: u64,
    /// The moment of the request.
    pub(super) now: &'a str,
    /// Names that still count as taken.
    pub(super) recent: &'a RecentDeletions,
    /// Zones that nobody is let into yet.
    pub(super) fresh: &'a FreshZones,
    /// Which request it is, counted from 1 when the sandbox started.
    pub(super) turn: u64,
}
