//! New zones, to which Cloudflare denies access for a short time after their creation.
//!
//! # Sources
//! Clients get 403 with code 10000 "Authentication error" for the resources of a zone that they
//! have just created, and succeed when they try again: reported 2021 and 2022. ASSUMED: the zone
//! itself can be read, changed and deleted meanwhile.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::envelope::{HandlerResult, Refusal};
use super::profile::Profile;

/// The identifiers of new zones, with the times of their creation.
#[derive(Default)]
pub(super) struct NewZones(Mutex<HashMap<String, Instant>>);

impl NewZones {
    /// Records a creation.
    pub(super) fn note(&self, profile: &Profile, id: &str) {
        if profile.fresh_zone_forbidden_milliseconds > 0 {
            let mut zones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            zones.insert(id.to_owned(), Instant::now());
        }
    }

    /// Refuses requests to resources of a zone that is too new.
    pub(super) fn check(&self, profile: &Profile, id: &str) -> HandlerResult<()> {
        let wait = Duration::from_millis(profile.fresh_zone_forbidden_milliseconds);
        if wait.is_zero() {
            return Ok(());
        }
        let zones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if zones.get(id).is_some_and(|since| since.elapsed() < wait) {
            return Err(Refusal::new(403, 10000, "Authentication error"));
        }
        Ok(())
    }
}
