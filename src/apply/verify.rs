//! Reads a zone back and compares again: "in sync" is said only of what was seen.

use super::event::{ApplyEvent, Observer};
use crate::api::Reader;
use crate::diagnostic::Diagnostics;
use crate::live::{FetchError, Options, fetch_around, fetch_records};
use crate::model::{DesiredZone, LiveZone};
use crate::plan::{ZonePlan, plan_zone};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The plan that would be needed now; without operations if the zone is in sync.
    pub remaining: ZonePlan,
    /// What was found while comparing; with an error the zone is not in sync.
    pub diagnostics: Diagnostics,
}

impl Verified {
    /// Whether nothing is left to do.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.remaining.is_empty() && !self.diagnostics.has_errors()
    }
}

/// Reads the records of a zone again and compares them with what the spec wants.
///
/// # Errors
/// The zone cannot be read.
pub async fn verify<R: Reader>(
    reader: &R,
    desired: &DesiredZone,
    live: &LiveZone,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Verified, FetchError> {
    observer.event(&ApplyEvent::Verifying { zone: &desired.name });
    let records = fetch_records(reader, live, options, &|_| {}).await?;
    let around = fetch_around(reader, live, &desired.around, options).await?;
    let now = LiveZone { records, around, is_new: false, ..live.clone() };
    let (remaining, diagnostics) = plan_zone(desired, &now);
    Ok(Verified { remaining, diagnostics })
}
