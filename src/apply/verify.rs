//! Reads a zone back and compares again: "in sync" is said only of what was seen.

use super::event::{ApplyEvent, Observer};
use crate::api::Reader;
use crate::diagnostic::Diagnostics;
use crate::live::{FetchError, Options, WafQuery, fetch_around, fetch_records, fetch_waf};
use crate::model::{DesiredZone, LiveZone};
use crate::plan::ZonePlan;

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

/// Reads a zone again, as much of it as is asked for, and plans once more.
///
/// # Errors
/// The zone cannot be read.
pub async fn verify<R: Reader>(
    reader: &R,
    (desired, query): (&DesiredZone, &WafQuery),
    live: &LiveZone,
    options: &Options,
    observer: &dyn Observer,
    plan: impl FnOnce(&LiveZone) -> (ZonePlan, Diagnostics),
) -> Result<Verified, FetchError> {
    observer.event(&ApplyEvent::Verifying { zone: desired.name.clone() });
    let records = fetch_records(reader, live, options, &|_| {}).await?;
    let around = fetch_around(reader, live, &desired.around, options).await?;
    let waf = fetch_waf(reader, live, query, options).await?;
    let now = LiveZone { records, around, waf, is_new: false, ..live.clone() };
    let (remaining, diagnostics) = plan(&now);
    Ok(Verified { remaining, diagnostics })
}
