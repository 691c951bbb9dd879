//! Names that still count as taken for a short time after their record was deleted.
//!
//! # Sources
//! Clients retry 81053 and 81054 for some seconds after a deletion: observed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::profile::Profile;

/// Names whose record was just deleted: the type of the record and the time, by zone and name.
#[derive(Default)]
pub(super) struct RecentDeletions(Mutex<HashMap<(String, String), (String, Instant)>>);

impl RecentDeletions {
    /// Records a deletion.
    pub(super) fn note(&self, profile: &Profile, zone: &str, name: &str, kind: &str) {
        if profile.conflict_lag_milliseconds > 0 {
            let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            names.insert((zone.to_owned(), name.to_owned()), (kind.to_owned(), Instant::now()));
        }
    }

    /// Returns the type of the record that was deleted at this name within the lag.
    pub(super) fn kind(&self, profile: &Profile, zone: &str, name: &str) -> Option<String> {
        let lag = Duration::from_millis(profile.conflict_lag_milliseconds);
        if lag.is_zero() {
            return None;
        }
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (kind, since) = names.get(&(zone.to_owned(), name.to_owned()))?;
        (since.elapsed() < lag).then(|| kind.clone())
    }
}
